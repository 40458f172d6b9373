/* What suites of questions share: a target that answers some of them, and clients that ask. The suite
 * has `setup` or `setup_without`, and `teardown`. */
#ifndef GCSPY_TESTS_QUERY_SUITE_H
#define GCSPY_TESTS_QUERY_SUITE_H

#include <stdio.h>
#include <string.h>

#include "answer_suite.h"
#include "codec.h"
#include "kit_server.h"

static struct target target;

/* What the target has been asked; it answers at once only what has the topic "echo" or "long". */
static struct {
	atomic_uint questions, settings;
	_Atomic uint64_t tickets[4 * GCS_MAX_QUERIES];
	char text[64]; /* of the last one; the I/O thread's */
} asked;

enum { LONG = 5 * 1000 * 1000, LONG_PARTS = LONG / CODEC_ANSWER_PER_FRAME + 1, EVENTS = 15 };

static uint8_t long_answer[LONG];

static inline void answer(
    uint64_t ticket, enum gcs_status status, const char *words, const char *body)
{
	gcs_server_answer(target.server, ticket, status, words, body, strlen(body));
}

static inline void on_query(void *context, const struct gcs_query *q)
{
	unsigned number = atomic_load(&asked.questions);
	cr_assert_eq(context, &target);
	snprintf(asked.text, sizeof asked.text, "%s %u %s", q->topic, q->count,
	    q->count == 0 ? "" : q->parameters[0].value);
	atomic_store(&asked.tickets[number % (4 * GCS_MAX_QUERIES)], q->ticket);
	if (strcmp(q->topic, "echo") == 0) {
		answer(q->ticket, GCS_OK, "here you are", asked.text);
	} else if (strcmp(q->topic, "long") == 0) {
		/* Together with what waits for the client in its queue. */
		for (unsigned i = 0; i < EVENTS; i++)
			(void)target_event(&target, KIT_TICK, 0);
		gcs_server_answer(target.server, q->ticket, GCS_OK, "", long_answer, LONG);
	}
	atomic_fetch_add(&asked.questions, 1);
}

static inline void on_set(void *context, const struct gcs_setting *s)
{
	(void)context;
	snprintf(asked.text, sizeof asked.text, "%s=%s", s->key, s->value);
	atomic_fetch_add(&asked.settings, 1);
	answer(s->ticket, strcmp(s->value, "bad") == 0 ? GCS_ARGUMENT : GCS_OK, asked.text, "");
}

static inline void begin(const struct gcs_server_options *options)
{
	kit_count_memory(0);
	for (size_t i = 0; i < LONG; i++)
		long_answer[i] = (uint8_t)(i * 31 >> 5);
	cr_assert(target_init(&target, options), "%s", target.err.text);
}

static inline void setup(void)
{
	begin(&(struct gcs_server_options){.query = on_query, .set = on_set});
}

static inline void setup_without(void)
{
	begin(&(struct gcs_server_options){0});
}

static inline void teardown(void)
{
	target_fini(&target);
	cr_assert_eq(kit_live_blocks(), 0);
}

static inline struct gcs_client *join(void)
{
	struct gcs_client *c =
	    target_client(&target, &(const struct gcs_client_options){.name = "asks"});
	cr_assert_not_null(c, "%s", target.err.text);
	return c;
}

static inline uint32_t query(struct gcs_client *c, const char *topic)
{
	uint32_t id = 0;
	enum gcs_status status = gcs_client_query(c, topic, 0, NULL, &id);
	cr_assert_eq(status, GCS_OK, "%s", gcs_status_name(status));
	cr_assert_neq(id, 0);
	return id;
}

#endif
