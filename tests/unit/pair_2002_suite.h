/*
 * The stage of suites of a session's dialect of 2002: that of pair_suite.h with a decoder of the
 * same dialect, which checks what is sent. Included by one test file of a program.
 */
#ifndef GCSPY_TESTS_PAIR_2002_SUITE_H
#define GCSPY_TESTS_PAIR_2002_SUITE_H

#include "decoder_2002.h"
#include "pair_suite.h"
#include "wire_2002.h"

static const uint8_t hello[18] = {
    0, 0, 0, 14, 'G', 'C', 's', 'p', 'y', '6', '6', '6', 0, 0, 0, 0, 1, 0};

static inline void setup_2002(void)
{
	setup();
	decoder_choose(&pair.decoder, &decoder_2002);
}

/* Both once more from the beginning. */
static inline void renew(void)
{
	pair_fini(&pair);
	pair_init(&pair, model);
	decoder_choose(&pair.decoder, &decoder_2002);
}

static inline void greet(void)
{
	session_input(&pair.session, hello, sizeof hello);
	pair_flow(&pair);
}

#endif
