#include "push_queue.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <curl/curl.h>

#include <gcspy/memory.h>

#include "now.h"
#include "thread.h"
#include "tool.h"

enum {
	FIRST_PAUSE_MS = 1000,
	LONGEST_PAUSE_MS = 60000,
	REQUEST_S = 10,
	LAST_MS = 2000,
	DROPPED_MS = 60000, /* between two lines about that */
	ANSWER_BYTES = 4096,
	SAID = 160 /* of an answer, in a message */
};

struct push_request {
	struct push_request *next;
	struct wr body;
	char *url; /* after the struct */
};

struct push_queue {
	struct push_receiver to;
	struct push_counts *counts;
	CURL *curl;
	struct curl_slist *headers;
	pthread_t thread;
	_Atomic uint64_t end_ms; /* 0: not ending; else no request is under way after it */
	/* The thread's alone: how the last attempt ended, and what the last line was about: a status, libcurl's
	 * code below 0, or 0: sent. */
	long ended, reported;
	char answer[ANSWER_BYTES]; /* the beginning of the receiver's last one */
	size_t answered;
	pthread_mutex_t lock; /* the rest */
	pthread_cond_t changed;
	struct push_request *first, **last;
	bool sending; /* the first one */
	size_t bytes;
	uint64_t dropped_ms; /* of the last line about drops; 0: none */
};

enum outcome { SENT, AGAIN, REFUSED };

static size_t keep_beginning(char *bytes, size_t size, size_t count, void *context)
{
	struct push_queue *q = context;
	const size_t room = sizeof q->answer - q->answered, n = size * count;
	memcpy(q->answer + q->answered, bytes, n < room ? n : room);
	q->answered += n < room ? n : room;
	return n;
}

/* Adds the answer's first line, if it is a text. */
static void quote(const struct push_queue *q, char *why, size_t size)
{
	size_t n = 0;
	while (n < q->answered && n < SAID && q->answer[n] >= ' ' && q->answer[n] <= '~')
		n++;
	if (n != 0 && (n == q->answered || n == SAID || strchr("\r\n", q->answer[n]) != NULL))
		snprintf(why + strlen(why), size - strlen(why), ": %.*s", (int)n, q->answer);
}

/* libcurl asks once a second at least. */
static int is_over(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	struct push_queue *q = context;
	const uint64_t end = atomic_load(&q->end_ms);
	(void)a, (void)b, (void)c, (void)d;
	return end != 0 && now_ms() >= end;
}

/* Posts a request; `*asked_ms` is the pause that the receiver asks for, or 0. */
static enum outcome post(
    struct push_queue *q, const struct push_request *r, uint64_t *asked_ms, char *why, size_t size)
{
	long status = 0;
	curl_off_t later = 0;
	curl_easy_setopt(q->curl, CURLOPT_URL, r->url);
	curl_easy_setopt(q->curl, CURLOPT_POSTFIELDS, (const char *)r->body.data);
	curl_easy_setopt(q->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.length);
	q->answered = 0;
	*asked_ms = 0;
	const CURLcode code = curl_easy_perform(q->curl);
	if (code != CURLE_OK) {
		snprintf(why, size, "%s", curl_easy_strerror(code));
		q->ended = -(long)code;
		return AGAIN;
	}
	curl_easy_getinfo(q->curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(q->curl, CURLINFO_RETRY_AFTER, &later); /* a date, too */
	q->ended = status;
	if (later > 0)
		*asked_ms =
		    later < LONGEST_PAUSE_MS / 1000 ? (uint64_t)later * 1000 : LONGEST_PAUSE_MS;
	snprintf(why, size, "it answered %ld", status);
	if (status / 100 == 2) {
		if (q->to.refuses != NULL && q->to.refuses(q->answer, q->answered, why, size))
			return REFUSED;
		q->ended = 0;
		return SENT;
	}
	quote(q, why, size);
	return status == 429 || status == 502 || status == 503 || status == 504 ? AGAIN : REFUSED;
}

enum { WHERE = 512 };

/* The URL without parameters, and without what may be a password; returns the buffer. */
static const char *name_url(const char *url, char where[WHERE])
{
	const char *host = strstr(url, "://");
	host = host == NULL ? url : host + 3;
	const size_t length = strcspn(host, "?"), user = strcspn(host, "@/?");
	const int scheme = (int)(host - url), skipped = host[user] == '@' ? (int)user + 1 : 0;
	snprintf(where, WHERE, "%.*s%.*s", scheme, url, (int)length - skipped, host + skipped);
	return where;
}

/* A line when sending begins to fail, or fails in another way, and one when it works again. */
static void report(struct push_queue *q, enum outcome outcome, const char *url, const char *why)
{
	char where[WHERE];
	if (q->ended == q->reported || q->ended == -(long)CURLE_ABORTED_BY_CALLBACK)
		return; /* the latter at our own end */
	q->reported = q->ended;
	name_url(url, where);
	if (outcome == SENT)
		cli_warn("%s %s: requests are received again", q->to.name, where);
	else if (outcome == REFUSED)
		cli_warn("%s %s: a request was refused: %s", q->to.name, where, why);
	else
		cli_warn("%s %s: %s; trying again", q->to.name, where, why);
}

/* Removes the request after `at`; with the lock. */
static void remove_at(struct push_queue *q, struct push_request **at)
{
	struct push_request *r = *at;
	*at = r->next;
	if (r->next == NULL)
		q->last = at;
	q->bytes -= r->body.length;
	atomic_store(&q->counts->queued_bytes, q->bytes);
	wr_fini(&r->body);
	gcs_free(r);
}

static void wait_ms(struct push_queue *q, uint64_t ms)
{
	const uint64_t until = now_ns() + ms * 1000000;
	while (atomic_load(&q->end_ms) == 0 && thread_cond_until(&q->changed, &q->lock, until))
		continue;
}

static void *send_all(void *context)
{
	struct push_queue *q = context;
	uint64_t pause_ms = FIRST_PAUSE_MS, asked_ms;
	pthread_mutex_lock(&q->lock);
	for (;;) {
		char why[CURL_ERROR_SIZE + SAID] = "";
		while (q->first == NULL && atomic_load(&q->end_ms) == 0)
			pthread_cond_wait(&q->changed, &q->lock);
		if (q->first == NULL)
			break;
		const struct push_request *next = q->first;
		q->sending = true;
		pthread_mutex_unlock(&q->lock);
		const enum outcome outcome = post(q, next, &asked_ms, why, sizeof why);
		report(q, outcome, next->url, why);
		pthread_mutex_lock(&q->lock);
		q->sending = false;
		if (outcome != AGAIN) {
			remove_at(q, &q->first);
			atomic_fetch_add(
			    outcome == SENT ? &q->counts->sent : &q->counts->refused, 1);
			pause_ms = FIRST_PAUSE_MS;
			continue;
		}
		atomic_fetch_add(&q->counts->failures, 1);
		if (atomic_load(&q->end_ms) != 0)
			break;
		/* At the end all of them get one more attempt. */
		wait_ms(q, asked_ms != 0 ? asked_ms : pause_ms);
		if (asked_ms == 0)
			pause_ms =
			    pause_ms * 2 < LONGEST_PAUSE_MS ? pause_ms * 2 : LONGEST_PAUSE_MS;
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

static bool add_header(struct push_queue *q, const char *key, const char *value)
{
	char line[400];
	snprintf(line, sizeof line, "%s%s", key, value);
	struct curl_slist *more = curl_slist_append(q->headers, line);
	q->headers = more == NULL ? q->headers : more;
	return more != NULL;
}

/* No redirections are followed: a token goes only where it was meant to. */
static bool set_up(struct push_queue *q)
{
	q->curl = curl_easy_init();
	if (q->curl == NULL || !add_header(q, "Content-Type: ", q->to.type) ||
	    (q->to.token != NULL && !add_header(q, "Authorization: Bearer ", q->to.token)))
		return false;
	curl_easy_setopt(q->curl, CURLOPT_HTTPHEADER, q->headers);
	curl_easy_setopt(q->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(q->curl, CURLOPT_TIMEOUT, (long)REQUEST_S);
	curl_easy_setopt(q->curl, CURLOPT_WRITEFUNCTION, keep_beginning);
	curl_easy_setopt(q->curl, CURLOPT_WRITEDATA, q);
	curl_easy_setopt(q->curl, CURLOPT_XFERINFOFUNCTION, is_over);
	curl_easy_setopt(q->curl, CURLOPT_XFERINFODATA, q);
	curl_easy_setopt(q->curl, CURLOPT_NOPROGRESS, 0L);
	return true;
}

static void destroy_queue(struct push_queue *q)
{
	while (q->first != NULL)
		remove_at(q, &q->first);
	curl_slist_free_all(q->headers);
	curl_easy_cleanup(q->curl);
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
	gcs_free(q);
	curl_global_cleanup();
}

struct push_queue *push_queue_create(
    const struct push_receiver *to, struct push_counts *counts, struct gcs_error *err)
{
	struct push_queue *q = gcs_zalloc(sizeof *q);
	if (q == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
	    !thread_cond_init(&q->changed)) {
		gcs_free(q);
		gcs_fail(err, GCS_NOMEM, "no memory for a queue");
		return NULL;
	}
	q->to = *to;
	q->counts = counts;
	q->last = &q->first;
	pthread_mutex_init(&q->lock, NULL);
	if (set_up(q) && thread_start(&q->thread, "gcspy-send", send_all, q)) {
		counts->receiver = to->name;
		return q;
	}
	gcs_fail(err, GCS_NOMEM, "cannot prepare libcurl, or start a thread");
	destroy_queue(q);
	return NULL;
}

void push_queue_free(struct push_queue *q)
{
	if (q == NULL)
		return;
	pthread_mutex_lock(&q->lock);
	atomic_store(&q->end_ms, now_ms() + LAST_MS);
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	pthread_join(q->thread, NULL);
	destroy_queue(q);
}

/* True once a minute while requests are dropped; with the lock. */
static bool is_drop_due(struct push_queue *q, uint64_t before)
{
	if (atomic_load(&q->counts->dropped) == before ||
	    (q->dropped_ms != 0 && now_ms() < q->dropped_ms + DROPPED_MS))
		return false;
	q->dropped_ms = now_ms();
	return true;
}

void push_queue_put(struct push_queue *q, const char *url, struct wr *body)
{
	const size_t length = strlen(url) + 1;
	const uint64_t before = atomic_load(&q->counts->dropped); /* no other thread puts */
	char where[WHERE];
	struct push_request *r = gcs_zalloc(sizeof *r + length);
	pthread_mutex_lock(&q->lock);
	while (q->bytes + body->length > q->to.limit) {
		/* The one that is being sent stays. */
		struct push_request **at =
		    q->sending && q->first != NULL ? &q->first->next : &q->first;
		if (*at == NULL)
			break;
		remove_at(q, at);
		atomic_fetch_add(&q->counts->dropped, 1);
	}
	if (r == NULL || q->bytes + body->length > q->to.limit) {
		atomic_fetch_add(&q->counts->dropped, 1);
		wr_fini(body);
		gcs_free(r);
	} else {
		r->url = (char *)(r + 1);
		memcpy(r->url, url, length);
		r->body = *body;
		*q->last = r;
		q->last = &r->next;
		q->bytes += r->body.length;
		atomic_store(&q->counts->queued_bytes, q->bytes);
	}
	wr_init(body, body->limit);
	const bool due = is_drop_due(q, before);
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	if (due)
		cli_warn("%s %s: the queue is full, the oldest requests are dropped: %llu so far",
		    q->to.name, name_url(url, where),
		    (unsigned long long)atomic_load(&q->counts->dropped));
}
