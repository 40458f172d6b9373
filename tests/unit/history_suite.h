/*
 * The stage of suites that use the view of history graphs: `w`, live, with the view shown. Included by one test
 * file of a program.
 */
#ifndef GCSPY_TESTS_HISTORY_SUITE_H
#define GCSPY_TESTS_HISTORY_SUITE_H

#include <criterion/criterion.h>

#include "ui_history.h"

static struct world w;

static inline void open_live(unsigned events)
{
	world_open(&w, 960, 640);
	world_live(&w, events);
	world_key(&w, "5");
}

static inline void close_world(void)
{
	world_close(&w);
}

#endif
