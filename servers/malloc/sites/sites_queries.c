#include "sites_queries.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "last_thread.h"
#include "malloc_thread.h"
#include "own_memory.h"
#include "native_sites_internal.h"
#include "sites_profile.h"

enum { WAITING = GCS_MAX_CLIENTS * GCS_MAX_QUERIES, RECORD_SECONDS = 10 };

struct question {
	uint64_t ticket;
	struct sites_choice choice;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the rest */
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static struct question waiting[WAITING];
static uint32_t first, count;
static bool running, recording;
static struct gcs_server *server;
static char server_name[GCS_MAX_NAME + 1];
static const char *refused;

static enum gcs_status encode(
    const struct sites_choice *choice, void **bytes, size_t *length, struct gcs_error *err)
{
	struct gcs_profile *profile = sites_profile(choice, server_name, err);
	const enum gcs_status status =
	    profile == NULL ? err->status : gcs_profile_encode(profile, bytes, length, err);
	gcs_profile_free(profile);
	return status;
}

static void answer(const struct question *q)
{
	struct gcs_error err = {.text = ""};
	void *bytes = NULL;
	size_t length = 0;
	const enum gcs_status status = encode(&q->choice, &bytes, &length, &err);
	gcs_server_answer(server, q->ticket, status, err.text, bytes, length);
	gcs_free(bytes);
}

static void record_all(void)
{
	for (int kind = 0; kind < GCS_PROFILE_KIND_COUNT; kind++) {
		const struct sites_choice choice = {(enum gcs_profile_kind)kind, 0, UINT64_MAX, 0};
		void *bytes = NULL;
		size_t length = 0;
		struct gcs_error err;
		if (encode(&choice, &bytes, &length, &err) == GCS_OK)
			(void)gcs_server_record_profile(server, bytes, length);
		gcs_free(bytes);
	}
}

static void *run(void *context)
{
	struct timespec due;
	(void)context;
	malloc_ignore_begin();
	own_memory_add_stack();
	last_thread_add_own();
	clock_gettime(CLOCK_REALTIME, &due);
	/* At first more often: a program may be killed early. */
	time_t seconds = 1;
	due.tv_sec += seconds;
	pthread_mutex_lock(&lock);
	for (;;) {
		const int got = count != 0  ? 0
				: recording ? pthread_cond_timedwait(&wake, &lock, &due)
					    : pthread_cond_wait(&wake, &lock);
		const struct question q = waiting[first];
		const bool any = count != 0;
		if (any) {
			first = (first + 1) % WAITING;
			count--;
		}
		pthread_mutex_unlock(&lock);
		if (any)
			answer(&q);
		if (got == ETIMEDOUT) {
			record_all();
			clock_gettime(CLOCK_REALTIME, &due);
			seconds = 2 * seconds < RECORD_SECONDS ? 2 * seconds : RECORD_SECONDS;
			due.tv_sec += seconds;
		}
		pthread_mutex_lock(&lock);
	}
	return NULL;
}

/* Lock held; the calling thread is GCspy's. No signal handler of the program runs on the new one. */
static bool start(void)
{
	pthread_attr_t detached;
	pthread_t thread;
	sigset_t all, before;
	if (running || pthread_attr_init(&detached) != 0)
		return running;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	running = pthread_create(&thread, &detached, run, NULL) == 0;
	pthread_attr_destroy(&detached);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return running;
}

static void reject(uint64_t ticket, enum gcs_status status, const char *words)
{
	gcs_server_answer(server, ticket, status, words, NULL, 0);
}

/* "range=0x7f00-0x7f40" */
static bool read_range(const char *where, struct sites_choice *choice)
{
	char *end;
	if (strncmp(where, "range=0x", 8) != 0)
		return false;
	choice->low = strtoull(where + 6, &end, 16);
	if (strncmp(end, "-0x", 3) != 0)
		return false;
	choice->high = strtoull(end + 1, &end, 16);
	return *end == '\0' && choice->low < choice->high;
}

/* False after a rejection. */
static bool read_choice(const struct gcs_query *query, struct sites_choice *choice)
{
	const char *kind = gcs_query_value(query, "kind"),
		   *size = gcs_query_value(query, "min-size");
	const char *where = gcs_query_value(query, "where");
	char words[200] = "";
	*choice = (struct sites_choice){GCS_PROFILE_LIVE, 0, UINT64_MAX, 0};
	if (kind != NULL && !gcs_profile_find_kind(kind, &choice->kind))
		snprintf(words, sizeof words,
		    "kind=%.40s: expected live, recent, frequent or allocated", kind);
	else if (size != NULL && !gcs_parse_size(size, &choice->min_size))
		snprintf(words, sizeof words,
		    "min-size=%.40s: expected bytes of a block, such as 512k", size);
	else if (where != NULL && (choice->kind != GCS_PROFILE_LIVE || !read_range(where, choice)))
		snprintf(words, sizeof words,
		    "where=%.80s: expected range=0xSTART-0xEND, and kind=live", where);
	if (words[0] != '\0')
		reject(query->ticket, GCS_ARGUMENT, words);
	return words[0] == '\0';
}

static void ask(const struct gcs_query *query)
{
	struct question q = {.ticket = query->ticket};
	if (!read_choice(query, &q.choice))
		return;
	if (refused != NULL || (sites_interval() == 0 && atomic_load(&sites.ids) == 0)) {
		reject(q.ticket, refused != NULL ? GCS_UNSUPPORTED : GCS_STATE,
		    refused != NULL ? refused : "sampling of allocations is off");
		return;
	}
	pthread_mutex_lock(&lock);
	const bool room = start() && count < WAITING;
	if (room)
		waiting[(first + count++) % WAITING] = q;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	if (!room)
		reject(q.ticket, GCS_LIMIT, "too many queries wait");
}

void sites_query(struct gcs_server *to, const char *name, const struct gcs_query *query)
{
	char words[200];
	server = to;
	snprintf(server_name, sizeof server_name, "%s", name);
	if (strcmp(query->topic, "sites") == 0) {
		ask(query);
	} else if (strcmp(query->topic, "settings") == 0) {
		const int length = snprintf(words, sizeof words, "interval=%" PRIu64 "\n",
		    refused != NULL ? 0 : sites_interval());
		gcs_server_answer(to, query->ticket, GCS_OK, "", words, (size_t)length);
	} else if (strcmp(query->topic, "tiles") == 0) {
		reject(query->ticket, GCS_UNSUPPORTED,
		    "tiles of a call site are not available of a native heap");
	} else {
		snprintf(words, sizeof words, "unknown topic \"%.60s\"; available: sites, settings",
		    query->topic);
		reject(query->ticket, GCS_UNSUPPORTED, words);
	}
}

bool sites_parse_interval(const char *text, uint64_t *interval, struct gcs_error *err)
{
	if (gcs_parse_size(text, interval) && *interval <= SITES_MOST_INTERVAL)
		return true;
	gcs_fail(err, GCS_ARGUMENT,
	    "interval=\"%.60s\": expected bytes from 0 (off) to 2147483647, such as 512k", text);
	return false;
}

void sites_set(struct gcs_server *to, const struct gcs_setting *setting)
{
	char words[200];
	struct gcs_error err;
	uint64_t interval;
	server = to;
	if (strcmp(setting->key, "interval") != 0) {
		snprintf(words, sizeof words, "unknown setting \"%.60s\"; available: interval",
		    setting->key);
		reject(setting->ticket, GCS_UNSUPPORTED, words);
	} else if (!sites_parse_interval(setting->value, &interval, &err)) {
		reject(setting->ticket, err.status, err.text);
	} else if (refused != NULL) {
		reject(setting->ticket, GCS_UNSUPPORTED, refused);
	} else {
		sites_set_interval(interval);
		snprintf(words, sizeof words,
		    interval == 0   ? "allocations are no longer sampled"
		    : interval == 1 ? "every allocation is sampled"
				    : "allocations are sampled every %" PRIu64 " bytes on average",
		    interval);
		gcs_server_answer(to, setting->ticket, GCS_OK, words, NULL, 0);
	}
}

void sites_refuse(const char *why)
{
	refused = why;
}

void sites_record(struct gcs_server *to, const char *name)
{
	pthread_mutex_lock(&lock);
	server = to;
	snprintf(server_name, sizeof server_name, "%s", name);
	recording = refused == NULL;
	(void)(recording && start());
	pthread_mutex_unlock(&lock);
}

void sites_record_last(void)
{
	if (recording)
		record_all();
}

bool sites_write_live(const char *path, const char *name, char *why, size_t why_bytes)
{
	const struct sites_choice choice = {GCS_PROFILE_LIVE, 0, UINT64_MAX, 0};
	struct gcs_error err = {.text = ""};
	void *bytes = NULL;
	size_t length = 0, done = 0;
	if (server_name[0] == '\0')
		snprintf(server_name, sizeof server_name, "%s", name);
	if (refused != NULL || encode(&choice, &bytes, &length, &err) != GCS_OK) {
		snprintf(why, why_bytes, "%s", refused != NULL ? refused : err.text);
		return false;
	}
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	/* What follows is not compressed (docs/sites.md). */
	const bool begun = fd != -1 && write(fd, "GCSPROF0", 8) == 8;
	while (begun && done < length) {
		const ssize_t n = write(fd, (const char *)bytes + done, length - done);
		if (n == -1 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	if (fd == -1 || done != length)
		snprintf(why, why_bytes, "%s: %s", path, strerror(errno));
	if (fd != -1)
		close(fd);
	gcs_free(bytes);
	return fd != -1 && done == length;
}

void sites_queries_forget(void)
{
	static const pthread_mutex_t fresh_lock = PTHREAD_MUTEX_INITIALIZER;
	static const pthread_cond_t fresh_wake = PTHREAD_COND_INITIALIZER;
	lock = fresh_lock;
	wake = fresh_wake;
	running = recording = false;
	count = 0;
}
