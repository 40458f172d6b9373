/*
 * The stage of suites that look back at a live program: `w`, with events and a folder for what is kept.
 * Included by one test file of a program, or by several with copies of their own.
 */
#ifndef GCSPY_TESTS_EVENT_HISTORY_SUITE_H
#define GCSPY_TESTS_EVENT_HISTORY_SUITE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "kit.h"
#include "ui_event_history.h"

static struct world w;

static inline void open_world(uint64_t bytes, unsigned events)
{
	event_history_folder();
	world_open(&w, 960, 720);
	w.app.event_history.history_bytes = bytes;
	world_live(&w, 0);
	event_history_events(&w, events);
}

static inline void close_world(void)
{
	world_close(&w);
	event_history_remove_folder();
}

static inline void key(const char *name)
{
	world_key(&w, name);
	event_history_settle(&w);
}

static inline void run(const char *steps)
{
	cr_assert(world_run(&w, steps), "%s: %s", steps, w.app.toast);
	event_history_settle(&w);
}

/* The event that is shown, by its step. */
static inline void shows(unsigned step)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(w.app.snapshot);
	cr_assert_eq(
	    o->sequence, step + 1, "event %u instead of %u", (unsigned)o->sequence - 1, step);
}

static inline bool says(const char *what)
{
	return window_says(&w.app, what);
}

#endif
