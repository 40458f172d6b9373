#include "queries.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "heap_bytes.h"
#include "now.h"
#include "service_thread.h"
#include "agent_settings.h"
#include "thread.h"

enum { WAITING = GCS_MAX_CLIENTS * GCS_MAX_QUERIES };

/* Maximum wait of the JVM's end for the last profiles. */
#define LAST_TIMEOUT_NS 500000000u

struct query {
	uint64_t ticket;
	enum gcs_profile_kind kind;
	bool tiles;        /* of the call site `text`; else a profile */
	bool where;        /* `text` is the heap filter of a profile */
	uint64_t min_size; /* of its objects */
	bool memory;       /* `bytes` of the heap from `address` */
	uint64_t address, bytes;
	char text[GCS_MAX_NAME + 1];
	struct path_question *paths; /* allocated; NULL: something else */
};

/* A question that is asked for the recorder. */
struct recorded {
	uint64_t every_ns; /* 0: never */
	uint64_t due_ns;
	bool due;
	struct path_question question;
};

enum { RECORDED = 2 };

struct queries {
	struct gcs_server *server;
	struct sampler *sampler;
	struct object_locations *object_locations;
	struct volume *volume; /* NULL: the heap cannot be walked */
	struct clock *clock;
	struct gc_events *events;
	struct force_gc *force_gc;
	struct paths *paths;
	struct service_thread thread;
	pthread_mutex_t lock; /* the rest */
	pthread_cond_t wake;  /* for our thread */
	pthread_cond_t ended; /* for the wait for the last profiles */
	struct query waiting[WAITING];
	uint32_t first, count;
	uint64_t record_ns; /* between profiles for the recorder; 0: none */
	uint64_t due_ns;
	bool judged;       /* a collection had ended when the profiles were due */
	bool unrecorded;   /* a collection was over since the last profiles */
	bool ending, done; /* the last profiles are wanted; were made */
	bool closing;      /* our thread must end */
	struct recorded recorded[RECORDED];
};

static void reject(struct queries *q, uint64_t ticket, enum gcs_status status, const char *message)
{
	gcs_server_answer(q->server, ticket, status, message, NULL, 0);
}

static enum gcs_status make_profile(struct queries *q, const struct query *item, void **bytes,
    size_t *length, struct gcs_error *err)
{
	const struct profile_query query = {
	    item->kind, item->where ? item->text : NULL, item->min_size};
	struct gcs_profile *profile = object_locations_profile(q->object_locations, &query, err);
	enum gcs_status status =
	    profile == NULL ? err->status : gcs_profile_encode(profile, bytes, length, err);
	gcs_profile_free(profile);
	return status;
}

/* On our thread. */
static void answer(struct queries *q, const struct query *item)
{
	if (item->paths != NULL) {
		paths_ask(q->paths, item->paths, q->object_locations);
		gcs_free(item->paths);
		return;
	}
	struct gcs_error err;
	void *bytes = NULL;
	size_t length = 0;
	enum gcs_status status;
	if (item->memory)
		status = heap_bytes_answer(
		    q->object_locations, item->address, item->bytes, &bytes, &length, &err);
	else if (item->tiles)
		status =
		    object_locations_tiles(q->object_locations, item->text, &bytes, &length, &err);
	else
		status = make_profile(q, item, &bytes, &length, &err);
	if (status != GCS_OK)
		reject(q, item->ticket, status, err.text);
	else
		gcs_server_answer(q->server, item->ticket, GCS_OK, "", bytes, length);
	gcs_free(bytes);
}

/* On our thread. */
static void record(struct queries *q, enum gcs_profile_kind kind)
{
	void *bytes = NULL;
	size_t length = 0;
	struct gcs_error err;
	const struct profile_query query = {.kind = kind};
	struct gcs_profile *profile = object_locations_profile(q->object_locations, &query, &err);
	if (profile != NULL && gcs_profile_encode(profile, &bytes, &length, NULL) == GCS_OK)
		gcs_server_record_profile(q->server, bytes, length);
	gcs_free(bytes);
	gcs_profile_free(profile);
}

static void record_all(struct queries *q)
{
	/* The finish of the collection that judged them comes first. */
	if (q->events != NULL)
		gc_events_flush(q->events);
	for (int kind = 0; sampler_interval(q->sampler) != 0 && kind < GCS_PROFILE_KIND_COUNT;
	     kind++)
		record(q, (enum gcs_profile_kind)kind);
}

/* Answers the first query. Releases the lock meanwhile. */
static void answer_first(struct queries *q)
{
	const struct query question = q->waiting[q->first];
	q->first = (q->first + 1) % WAITING;
	q->count--;
	pthread_mutex_unlock(&q->lock);
	answer(q, &question);
	pthread_mutex_lock(&q->lock);
}

/* Likewise. There are no two profiles of the same collection. */
static void record_due(struct queries *q)
{
	const bool last = q->ending, any = q->unrecorded;
	q->due_ns = now_ns() + q->record_ns;
	q->judged = q->unrecorded = false;
	pthread_mutex_unlock(&q->lock);
	if (any)
		record_all(q);
	pthread_mutex_lock(&q->lock);
	q->done = last;
	pthread_cond_broadcast(&q->ended);
}

/* The question for the recorder that is due for longest; NULL: none, or a search is running, which the
 * next collection's judgement finds over. */
static struct recorded *find_due(struct queries *q)
{
	struct recorded *found = NULL;
	for (int i = 0; i < RECORDED && !q->ending && !paths_busy(q->paths); i++)
		if (q->recorded[i].due && (found == NULL || q->recorded[i].due_ns < found->due_ns))
			found = &q->recorded[i];
	return found;
}

/* Likewise. Profiles of the same collection have been recorded before. */
static void ask_due(struct queries *q, struct recorded *r)
{
	r->due = false;
	r->due_ns = now_ns() + r->every_ns;
	pthread_mutex_unlock(&q->lock);
	paths_ask(q->paths, &r->question, q->object_locations);
	pthread_mutex_lock(&q->lock);
}

static void run(void *context)
{
	struct queries *q = context;
	pthread_mutex_lock(&q->lock);
	while (!q->closing) {
		const bool records = q->record_ns != 0 && !q->done;
		struct recorded *due = find_due(q);
		if (records && (q->ending || q->judged))
			record_due(q);
		else if (q->count != 0)
			answer_first(q);
		else if (due != NULL)
			ask_due(q, due);
		else
			pthread_cond_wait(&q->wake, &q->lock);
	}
	pthread_mutex_unlock(&q->lock);
}

/* Records profiles right after a collection has judged the samples, when their error is least. */
static void on_judged(void *context)
{
	struct queries *q = context;
	pthread_mutex_lock(&q->lock);
	q->unrecorded = true;
	q->judged = q->judged || now_ns() >= q->due_ns;
	for (int i = 0; i < RECORDED; i++)
		q->recorded[i].due = q->recorded[i].due || (q->recorded[i].every_ns != 0 &&
							       now_ns() >= q->recorded[i].due_ns);
	pthread_cond_signal(&q->wake);
	pthread_mutex_unlock(&q->lock);
}

static bool make_locks(struct queries *q)
{
	if (pthread_mutex_init(&q->lock, NULL) != 0)
		return false;
	if (thread_cond_init(&q->wake)) {
		if (thread_cond_init(&q->ended))
			return true;
		pthread_cond_destroy(&q->wake);
	}
	pthread_mutex_destroy(&q->lock);
	return false;
}

struct queries *queries_create(struct gcs_server *server, struct sampler *sampler,
    struct object_locations *object_locations, uint32_t record_s, struct volume *volume)
{
	struct queries *q = gcs_zalloc(sizeof *q);
	if (q == NULL)
		return NULL;
	q->server = server;
	q->sampler = sampler;
	q->object_locations = object_locations;
	q->volume = volume;
	q->record_ns = (uint64_t)record_s * 1000000000u;
	q->due_ns = now_ns() + q->record_ns;
	q->unrecorded = true; /* also for a program that ends before its first collection */
	if (!make_locks(q)) {
		gcs_free(q);
		return NULL;
	}
	if (!service_thread_start(&q->thread, "gcspy-answers", run, q)) {
		queries_destroy(q);
		return NULL;
	}
	sampler_on_judged(sampler, on_judged, q);
	return q;
}

bool queries_end(struct queries *q, uint64_t deadline_ns)
{
	if (q == NULL)
		return true;
	pthread_mutex_lock(&q->lock);
	q->closing = true;
	pthread_cond_signal(&q->wake);
	pthread_mutex_unlock(&q->lock);
	return service_thread_join(&q->thread, deadline_ns);
}

void queries_destroy(struct queries *q)
{
	if (q == NULL)
		return;
	for (; q->count != 0; q->count--, q->first = (q->first + 1) % WAITING)
		gcs_free(q->waiting[q->first].paths);
	pthread_cond_destroy(&q->ended);
	pthread_cond_destroy(&q->wake);
	pthread_mutex_destroy(&q->lock);
	gcs_free(q);
}

void queries_set_events(struct queries *q, struct gc_events *events)
{
	q->events = events;
}

void queries_record_now(struct queries *q)
{
	pthread_mutex_lock(&q->lock);
	q->judged = true;
	pthread_cond_signal(&q->wake);
	pthread_mutex_unlock(&q->lock);
}

void queries_record_last(struct queries *q)
{
	pthread_mutex_lock(&q->lock);
	const uint64_t deadline = now_ns() + LAST_TIMEOUT_NS;
	q->ending = true;
	pthread_cond_signal(&q->wake);
	while (q->record_ns != 0 && !q->done)
		if (!thread_cond_until(&q->ended, &q->lock, deadline))
			break;
	pthread_mutex_unlock(&q->lock);
}

static void enqueue(struct queries *q, const struct query *item)
{
	pthread_mutex_lock(&q->lock);
	bool room = q->count < WAITING;
	if (room)
		q->waiting[(q->first + q->count++) % WAITING] = *item;
	pthread_cond_signal(&q->wake);
	pthread_mutex_unlock(&q->lock);
	if (room)
		return;
	gcs_free(item->paths);
	reject(q, item->ticket, GCS_LIMIT, "too many queries wait");
}

/* Copies a parameter's value; one that is too long is cut and rejected later. */
static void take_text(struct query *item, const char *value)
{
	snprintf(item->text, sizeof item->text, "%s", value);
}

static void ask_profile(struct queries *q, const struct gcs_query *query)
{
	struct query question = {.ticket = query->ticket, .kind = GCS_PROFILE_LIVE};
	const char *kind = gcs_query_value(query, "kind"), *where = gcs_query_value(query, "where");
	const char *size = gcs_query_value(query, "min-size");
	char message[200];
	if (kind != NULL && !gcs_profile_find_kind(kind, &question.kind)) {
		snprintf(message, sizeof message,
		    "kind=%.40s: expected live, recent, frequent or allocated", kind);
		reject(q, query->ticket, GCS_ARGUMENT, message);
		return;
	}
	if (size != NULL && !gcs_parse_size(size, &question.min_size)) {
		snprintf(message, sizeof message,
		    "min-size=%.40s: expected bytes of an object, such as 512k", size);
		reject(q, query->ticket, GCS_ARGUMENT, message);
		return;
	}
	question.where = where != NULL;
	if (where != NULL)
		take_text(&question, where);
	enqueue(q, &question);
}

void queries_memory(struct queries *q, uint64_t ticket, uint64_t address, uint64_t length)
{
	const struct query question = {
	    .ticket = ticket, .memory = true, .address = address, .bytes = length};
	enqueue(q, &question);
}

static void ask_tiles(struct queries *q, const struct gcs_query *query)
{
	struct query question = {.ticket = query->ticket, .tiles = true};
	const char *site = gcs_query_value(query, "site");
	if (site == NULL) {
		reject(q, query->ticket, GCS_ARGUMENT,
		    "missing parameter site: the number of a call site, as `gcspy sites` shows it");
		return;
	}
	take_text(&question, site);
	enqueue(q, &question);
}

void queries_query(struct queries *q, const struct gcs_query *query)
{
	char message[400];
	if (strcmp(query->topic, "sites") == 0) {
		ask_profile(q, query);
	} else if (strcmp(query->topic, "tiles") == 0) {
		ask_tiles(q, query);
	} else if (strcmp(query->topic, "gc") == 0 && q->force_gc != NULL) {
		force_gc_request(q->force_gc, query->ticket);
	} else if (strcmp(query->topic, "settings") == 0) {
		size_t length = (size_t)snprintf(message, sizeof message, "interval=%llu\n",
		    (unsigned long long)sampler_interval(q->sampler));
		length += (size_t)snprintf(message + length, sizeof message - length, "clock=%u\n",
		    (unsigned)clock_period(q->clock));
		if (q->volume != NULL)
			length += volume_list(q->volume, message + length, sizeof message - length);
		gcs_server_answer(q->server, query->ticket, GCS_OK, "", message, length);
	} else {
		snprintf(message, sizeof message,
		    "unknown topic \"%.60s\"; available: sites, tiles, gc, settings", query->topic);
		reject(q, query->ticket, GCS_UNSUPPORTED, message);
	}
}

void queries_set_paths(struct queries *q, struct paths *paths)
{
	q->paths = paths;
}

void queries_record_paths(struct queries *q, uint32_t paths_s, uint32_t histogram_s)
{
	const uint32_t seconds[RECORDED] = {paths_s, histogram_s};
	pthread_mutex_lock(&q->lock);
	for (int i = 0; i < RECORDED; i++) {
		struct recorded *r = &q->recorded[i];
		r->every_ns = (uint64_t)seconds[i] * 1000000000u;
		r->due_ns = now_ns() + r->every_ns;
		r->question =
		    (struct path_question){.record = true, .sites = true, .histogram = i != 0};
	}
	pthread_mutex_unlock(&q->lock);
}

void queries_paths(struct queries *q, const struct path_question *question)
{
	struct query item = {.ticket = question->ticket, .paths = gcs_alloc(sizeof *question)};
	if (item.paths == NULL) {
		reject(q, item.ticket, GCS_NOMEM, "no memory for a query");
		return;
	}
	*item.paths = *question;
	enqueue(q, &item);
}

void queries_set_clock(struct queries *q, struct clock *clock)
{
	q->clock = clock;
}

void queries_set_force_gc(struct queries *q, struct force_gc *force_gc)
{
	q->force_gc = force_gc;
}

void queries_set(struct queries *q, const struct gcs_setting *setting)
{
	const struct settings_parts parts = {q->server, q->sampler, q->clock, q->volume};
	settings_set(&parts, setting);
}
