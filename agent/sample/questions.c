#include "questions.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "size_text.h"
#include "thread.h"

enum { WAITING = GCS_MAX_CLIENTS * GCS_MAX_QUERIES };

struct question {
	uint64_t ticket;
	enum gcs_profile_kind kind;
};

struct questions {
	struct gcs_server *server;
	struct sampler *sampler;
	sem_t wake;
	pthread_mutex_t lock; /* of the queue */
	struct question waiting[WAITING];
	uint32_t first, count;
};

static void refuse(struct questions *q, uint64_t ticket, enum gcs_status status, const char *words)
{
	gcs_server_answer(q->server, ticket, status, words, NULL, 0);
}

/* On our thread. */
static void answer(struct questions *q, const struct question *question)
{
	struct gcs_error err;
	void *bytes = NULL;
	size_t length = 0;
	struct gcs_profile *profile = sampler_profile(q->sampler, question->kind, &err);
	if (profile == NULL || gcs_profile_encode(profile, &bytes, &length, &err) != GCS_OK)
		refuse(q, question->ticket, err.status, err.text);
	else
		gcs_server_answer(q->server, question->ticket, GCS_OK, "", bytes, length);
	gcs_free(bytes);
	gcs_profile_free(profile);
}

static bool take(struct questions *q, struct question *question)
{
	pthread_mutex_lock(&q->lock);
	bool any = q->count != 0;
	if (any) {
		*question = q->waiting[q->first];
		q->first = (q->first + 1) % WAITING;
		q->count--;
	}
	pthread_mutex_unlock(&q->lock);
	return any;
}

static void *run(void *context)
{
	struct questions *q = context;
	struct question question;
	for (;;) {
		while (sem_wait(&q->wake) != 0)
			continue;
		while (take(q, &question))
			answer(q, &question);
	}
	return NULL;
}

struct questions *questions_create(struct gcs_server *server, struct sampler *sampler)
{
	struct questions *q = gcs_zalloc(sizeof *q);
	pthread_t thread;
	if (q == NULL)
		return NULL;
	q->server = server;
	q->sampler = sampler;
	if (sem_init(&q->wake, 0, 0) != 0 || pthread_mutex_init(&q->lock, NULL) != 0 ||
	    !thread_start(&thread, "gcspy-answers", run, q)) {
		gcs_free(q);
		return NULL;
	}
	pthread_detach(thread);
	return q;
}

static void ask_profile(struct questions *q, const struct gcs_query *query)
{
	struct question question = {.ticket = query->ticket, .kind = GCS_PROFILE_LIVE};
	char words[200];
	for (uint32_t i = 0; i < query->count; i++) {
		const struct gcs_info *p = &query->parameters[i];
		if (strcmp(p->key, "kind") != 0 || gcs_profile_find_kind(p->value, &question.kind))
			continue;
		snprintf(words, sizeof words,
		    "kind=%.40s: live, recent, frequent and allocated are allowed", p->value);
		refuse(q, query->ticket, GCS_ARGUMENT, words);
		return;
	}
	pthread_mutex_lock(&q->lock);
	bool room = q->count < WAITING;
	if (room)
		q->waiting[(q->first + q->count++) % WAITING] = question;
	pthread_mutex_unlock(&q->lock);
	if (room)
		sem_post(&q->wake);
	else
		refuse(q, query->ticket, GCS_LIMIT, "too many questions wait");
}

void questions_query(struct questions *q, const struct gcs_query *query)
{
	char words[400];
	if (strcmp(query->topic, "sites") == 0) {
		ask_profile(q, query);
	} else if (strcmp(query->topic, "settings") == 0) {
		int length = snprintf(words, sizeof words, "interval=%llu\n",
		    (unsigned long long)sampler_interval(q->sampler));
		gcs_server_answer(q->server, query->ticket, GCS_OK, "", words, (size_t)length);
	} else {
		snprintf(words, sizeof words,
		    "there is no topic \"%.60s\"; sites and settings are there", query->topic);
		refuse(q, query->ticket, GCS_UNSUPPORTED, words);
	}
}

void questions_set(struct questions *q, const struct gcs_setting *setting)
{
	char words[400];
	uint64_t interval;
	if (strcmp(setting->key, "interval") != 0) {
		snprintf(words, sizeof words, "there is no setting \"%.60s\"; interval is there",
		    setting->key);
		refuse(q, setting->ticket, GCS_UNSUPPORTED, words);
	} else if (!size_parse(setting->value, &interval) || interval > SAMPLER_MAX_INTERVAL) {
		snprintf(words, sizeof words,
		    "interval=\"%.60s\": bytes from 0 (off) to 2147483647 are allowed, such as "
		    "512k",
		    setting->value);
		refuse(q, setting->ticket, GCS_ARGUMENT, words);
	} else if (!sampler_want(q->sampler, interval, setting->ticket)) {
		refuse(q, setting->ticket, GCS_LIMIT, "too many changes of settings wait");
	}
}
