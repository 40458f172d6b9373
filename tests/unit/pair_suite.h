/*
 * The stage of suites with a session and a decoder joined by bytes: `pair` as pair.h has it, of the
 * kit's model, made before each test and without live blocks after it; `w` is for what the test
 * says itself. Included by one test file of a program.
 */
#ifndef GCSPY_TESTS_PAIR_SUITE_H
#define GCSPY_TESTS_PAIR_SUITE_H

#include <criterion/criterion.h>

#include "kit.h"
#include "pair.h"

static struct pair pair;
static struct gcs_model *model;
static struct wr w;

static inline void setup(void)
{
	kit_count_memory(0);
	model = kit_model();
	pair_init(&pair, model);
	wr_init(&w, 1 << 20);
}

static inline void teardown(void)
{
	wr_fini(&w);
	pair_fini(&pair);
	gcs_model_unref(model);
	cr_assert_eq(kit_live_blocks(), 0);
}

/* The session gets what is in `w`. */
static inline void command(void)
{
	pair_command(&pair, &w);
	w.length = 0;
}

static inline void expect_live(void)
{
	cr_assert_eq(pair.decoder.phase, DECODER_LIVE, "%s", pair.decoder.error.text);
	cr_assert_eq(pair.session.phase, SESSION_READY, "%s", pair.session.why);
	cr_assert_eq(pair.session.out.status, GCS_OK);
}

#endif
