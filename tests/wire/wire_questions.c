#include "wire_questions.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/profile.h>

#include "kit_profile.h"
#include "wire_plugins.h"

/* The I/O thread's. */
static uint64_t interval = 524288;

/* The ticket of the last question for questions_late; 0: none. */
static atomic_uint_least64_t late;

static void answer(struct gcs_server *server, uint64_t ticket, enum gcs_status status,
    const char *message, const char *body)
{
	gcs_server_answer(server, ticket, status, message, body, strlen(body));
}

static void sites(struct gcs_server *server, const struct gcs_query *q)
{
	enum gcs_profile_kind kind;
	const char *word = "live";
	for (uint32_t i = 0; i < q->count; i++)
		if (strcmp(q->parameters[i].key, "kind") == 0)
			word = q->parameters[i].value;
	if (!gcs_profile_find_kind(word, &kind)) {
		answer(server, q->ticket, GCS_ARGUMENT,
		    "kind must be live, recent, frequent or allocated", "");
		return;
	}
	void *bytes = NULL;
	size_t length = 0;
	struct gcs_profile *p = kit_profile(kind);
	enum gcs_status status =
	    p == NULL ? GCS_NOMEM : gcs_profile_encode(p, &bytes, &length, NULL);
	gcs_server_answer(server, q->ticket, status, "", bytes, length);
	gcs_free(bytes);
	gcs_profile_free(p);
}

static void long_body(struct gcs_server *server, uint64_t ticket)
{
	static uint8_t body[QUESTIONS_LONG];
	for (size_t i = 0; i < sizeof body; i++)
		body[i] = (uint8_t)(i % 251);
	gcs_server_answer(server, ticket, GCS_OK, "a million", body, sizeof body);
}

void questions_query(void *context, const struct gcs_query *q)
{
	struct gcs_server *server = *(struct gcs_server **)context;
	char line[64];
	if (plugins_query(server, q))
		return;
	if (strcmp(q->topic, "sites") == 0) {
		sites(server, q);
	} else if (strcmp(q->topic, "settings") == 0) {
		snprintf(line, sizeof line, "interval=%llu\n", (unsigned long long)interval);
		answer(server, q->ticket, GCS_OK, "", line);
	} else if (strcmp(q->topic, "x-long") == 0) {
		long_body(server, q->ticket);
	} else if (strcmp(q->topic, "x-later") == 0) {
		atomic_store(&late, q->ticket);
	} else if (strcmp(q->topic, "x-never") != 0) {
		answer(server, q->ticket, GCS_UNSUPPORTED, "no such topic", "");
	}
}

void questions_set(void *context, const struct gcs_setting *s)
{
	struct gcs_server *server = *(struct gcs_server **)context;
	char *end;
	if (strcmp(s->key, "interval") != 0) {
		answer(server, s->ticket, GCS_UNSUPPORTED, "no such setting", "");
		return;
	}
	unsigned long long value = strtoull(s->value, &end, 10);
	unsigned shift = *end == 'k' ? 10 : *end == 'm' ? 20 : *end == 'g' ? 30 : 0;
	if (s->value[0] < '0' || s->value[0] > '9' || end[shift != 0] != '\0') {
		answer(server, s->ticket, GCS_ARGUMENT, "interval must be a number of bytes", "");
		return;
	}
	interval = value << shift;
	answer(server, s->ticket, GCS_OK, "", "");
}

void questions_late(struct gcs_server *server)
{
	uint64_t ticket = atomic_exchange(&late, 0);
	if (ticket != 0)
		answer(server, ticket, GCS_STATE, "late", "");
}
