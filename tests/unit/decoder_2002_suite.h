/*
 * The stage of suites of the decoder of servers of 2002: what it understands is kept, `w` is for
 * what such a server says. Included by one test file of a program.
 */
#ifndef GCSPY_TESTS_MIRROR_2002_SUITE_H
#define GCSPY_TESTS_MIRROR_2002_SUITE_H

#include <criterion/criterion.h>

#include "decoder_2002.h"
#include "kit.h"
#include "old_server.h"
#include "wire_2002.h"

static struct decoder decoder;
static struct wr w;
static struct gcs_model *model;
static struct gcs_snapshot *received;
static unsigned readies, models, snapshots, pauses, runs;

static inline void keep(struct gcs_model *m)
{
	gcs_model_unref(model);
	model = gcs_model_ref(m);
}

static inline void on_ready(void *context, struct gcs_model *m)
{
	(void)context;
	readies++;
	keep(m);
}

static inline void on_model(void *context, struct gcs_model *m)
{
	(void)context;
	models++;
	keep(m);
}

static inline void on_snapshot(void *context, struct gcs_snapshot *s)
{
	(void)context;
	snapshots++;
	cr_assert_eq(gcs_snapshot_check(s, NULL), GCS_OK);
	gcs_snapshot_unref(received);
	received = gcs_snapshot_ref(s);
}

static inline void on_state(void *context, const struct state_message *state)
{
	(void)context;
	pauses += state->run == GCS_PAUSED && state->own;
	runs += state->run == GCS_RUNNING;
}

static const struct decoder_events events = {
    .ready = on_ready, .model = on_model, .snapshot = on_snapshot, .state = on_state};

static inline void begin(void)
{
	decoder_init(&decoder, &events, NULL);
	decoder_choose(&decoder, &decoder_2002);
}

static inline void finish(void)
{
	decoder_fini(&decoder);
	gcs_model_unref(model);
	gcs_snapshot_unref(received);
	model = NULL;
	received = NULL;
}

static inline void setup(void)
{
	kit_count_memory(0);
	begin();
	wr_init(&w, 64 << 20);
}

static inline void teardown(void)
{
	wr_fini(&w);
	finish();
	cr_assert_eq(kit_live_blocks(), 0);
}

static inline void feed(size_t portion)
{
	for (size_t at = 0; at < w.length; at += portion)
		decoder_input(
		    &decoder, w.data + at, w.length - at < portion ? w.length - at : portion);
	w.length = 0;
}

static inline void expect_live(void)
{
	cr_assert_eq(decoder.phase, DECODER_LIVE, "%s", decoder.error.text);
}

#endif
