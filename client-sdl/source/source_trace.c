/*
 * A trace file as a source (F22): the window's side of trace_thread.h. A pause is speed 0; the
 * speed to resume with is kept here.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_thread.h"

enum { AT_ONCE = 64 }; /* maximum snapshots per frame */

static enum source_state trace_thread_state(void *self, struct gcs_error *why)
{
	struct trace_thread *r = self;
	pthread_mutex_lock(&r->lock);
	*why = r->why;
	const enum source_state state = r->state;
	pthread_mutex_unlock(&r->lock);
	return state;
}

/* Playing at full speed must not keep the window from painting. */
static struct gcs_snapshot *trace_thread_next(void *self)
{
	struct trace_thread *r = self;
	struct gcs_snapshot *first = NULL;
	pthread_mutex_lock(&r->lock);
	const bool enough = r->given == AT_ONCE && r->count > 0;
	if (r->count > 0 && !enough) {
		first = r->queue[r->first];
		r->first = (r->first + 1) % TRACE_THREAD_QUEUE;
		r->count--;
		r->given++;
		pthread_cond_broadcast(&r->changed);
	} else {
		r->given = 0;
	}
	pthread_mutex_unlock(&r->lock);
	if (enough)
		trace_thread_wake(r);
	return first;
}

static enum gcs_run_state trace_thread_run_state(void *self, bool *own, uint32_t *others)
{
	struct trace_thread *r = self;
	*others = 0;
	pthread_mutex_lock(&r->lock);
	*own = r->held;
	pthread_mutex_unlock(&r->lock);
	return *own ? GCS_PAUSED : GCS_RUNNING;
}

static struct gcs_player *player_of(struct trace_thread *r)
{
	pthread_mutex_lock(&r->lock);
	struct gcs_player *player = r->player;
	pthread_mutex_unlock(&r->lock);
	return player;
}

static enum gcs_status hold(struct trace_thread *r, bool held)
{
	struct gcs_player *player = player_of(r);
	if (player == NULL)
		return GCS_STATE;
	pthread_mutex_lock(&r->lock);
	r->held = held;
	const double speed = held ? 0 : r->speed;
	pthread_mutex_unlock(&r->lock);
	gcs_player_set_speed(player, speed);
	return GCS_OK;
}

static enum gcs_status trace_thread_pause(void *self)
{
	return hold(self, true);
}

static enum gcs_status trace_thread_resume(void *self)
{
	return hold(self, false);
}

static enum gcs_status trace_thread_step(void *self)
{
	struct trace_thread *r = self;
	const enum gcs_status status = hold(r, true);
	if (status == GCS_OK)
		gcs_player_move(r->player, r->speed < 0 ? -1 : 1);
	return status;
}

static void trace_thread_collapse(void *self, uint32_t group, bool collapsed)
{
	(void)self;
	(void)group;
	(void)collapsed;
}

static void trace_thread_flaws(void *self, bool brief, char *text, size_t size)
{
	struct trace_thread *r = self;
	size_t n = 0;
	*text = 0;
	pthread_mutex_lock(&r->lock);
	const bool open = r->state == SOURCE_LIVE;
	if (open && !r->info.complete && brief)
		n = (size_t)snprintf(text, size, "unfinished");
	else if (open && !r->info.complete)
		n = (size_t)snprintf(text, size, "unfinished, %" PRIu64 " bytes at the end ignored",
		    r->info.stray_bytes);
	if (r->unreadable > 0 && n < size)
		n += (size_t)snprintf(text + n, size - n, "%s%" PRIu64 " events unreadable",
		    n > 0 ? "; " : "", r->unreadable);
	if (r->unreadable > 0 && n < size && !brief)
		snprintf(text + n, size - n, " (%s)", r->damage);
	pthread_mutex_unlock(&r->lock);
}

static uint32_t trace_thread_notice(void *self, char *text, size_t size)
{
	struct trace_thread *r = self;
	char words[400];
	trace_thread_flaws(r, false, words, sizeof words);
	snprintf(text, size, "%s: %s", r->name, words);
	pthread_mutex_lock(&r->lock);
	const uint32_t notice = r->notice;
	pthread_mutex_unlock(&r->lock);
	return notice;
}

static uint64_t trace_thread_received(void *self)
{
	struct trace_thread *r = self;
	pthread_mutex_lock(&r->lock);
	const uint64_t bytes = r->state == SOURCE_LIVE ? r->info.bytes : 0;
	pthread_mutex_unlock(&r->lock);
	return bytes;
}

static uint64_t trace_thread_overrun(void *self)
{
	(void)self;
	return 0;
}

static enum gcs_status trace_thread_query(
    void *self, const char *topic, uint32_t count, const struct gcs_info *parameters, uint32_t *id)
{
	struct trace_thread *r = self;
	enum gcs_profile_kind kind = GCS_PROFILE_LIVE;
	const bool paths = strcmp(topic, "paths") == 0;
	bool known = paths || strcmp(topic, "sites") == 0;
	for (uint32_t i = 0; known && i < count; i++) {
		if (strcmp(parameters[i].key, "kind") == 0)
			known = gcs_profile_find_kind(parameters[i].value, &kind);
	}
	if (!known)
		return GCS_UNSUPPORTED;
	pthread_mutex_lock(&r->lock);
	enum gcs_status status = r->state == SOURCE_LIVE ? GCS_OK : GCS_STATE;
	if (status == GCS_OK && r->question_count == GCS_MAX_QUERIES)
		status = GCS_LIMIT;
	if (status == GCS_OK) {
		*id = ++r->last_id;
		r->questions[r->question_count++] =
		    (struct trace_thread_question){.id = *id, .paths = paths, .kind = kind};
		pthread_cond_broadcast(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return status;
}

/* A recording has no settings to change. */
static enum gcs_status trace_thread_set(
    void *self, const char *key, const char *value, uint32_t *id)
{
	(void)self;
	(void)key;
	(void)value;
	(void)id;
	return GCS_UNSUPPORTED;
}

static struct gcs_answer *trace_thread_answer(void *self, uint32_t id)
{
	struct trace_thread *r = self;
	struct gcs_answer *answer = NULL;
	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < r->answer_count && answer == NULL; i++) {
		if (r->answers[i]->id != id)
			continue;
		answer = r->answers[i];
		memmove(&r->answers[i], &r->answers[i + 1],
		    (--r->answer_count - i) * sizeof *r->answers);
	}
	pthread_mutex_unlock(&r->lock);
	return answer;
}

static bool trace_thread_position(void *self, struct gcs_position *position)
{
	struct trace_thread *r = self;
	struct gcs_player *player = player_of(r);
	if (player == NULL)
		return false;
	gcs_player_position(player, position);
	pthread_mutex_lock(&r->lock);
	position->speed = r->speed;
	pthread_mutex_unlock(&r->lock);
	return true;
}

static enum gcs_status trace_thread_seek(void *self, const struct gcs_seek *seek)
{
	struct trace_thread *r = self;
	struct gcs_player *player = player_of(r);
	bool goes = player != NULL;
	pthread_mutex_lock(&r->lock);
	if (seek->action == GCS_SEEK_TIME && goes) {
		r->find = true;
		r->find_ns = seek->value < 0 ? 0 : (uint64_t)seek->value;
		pthread_cond_broadcast(&r->changed);
		goes = false;
	} else if (seek->action == GCS_SEEK_SPEED) {
		r->speed = (double)seek->value / 1000;
		goes = goes && !r->held;
	} else if (seek->action != GCS_SEEK_LOOP) {
		r->find = false;
	}
	pthread_mutex_unlock(&r->lock);
	if (goes)
		gcs_player_control(player, seek);
	return player != NULL ? GCS_OK : GCS_STATE;
}

static uint32_t trace_thread_headers(
    void *self, struct event_header *headers, uint32_t most, bool *all)
{
	struct trace_thread *r = self;
	uint32_t n = 0;
	pthread_mutex_lock(&r->lock);
	for (; n < most && r->header_count > 0; n++) {
		headers[n] = r->headers[r->header_first];
		r->header_first = (r->header_first + 1) % TRACE_THREAD_HEADERS;
		r->header_count--;
	}
	if (n > 0)
		pthread_cond_broadcast(&r->changed);
	*all = r->next_place == r->info.events && r->header_count == 0 &&
	       r->probed == r->info.events && r->profiles_known;
	pthread_mutex_unlock(&r->lock);
	return n;
}

static void trace_thread_fired(void *self, struct fired_list *list)
{
	struct trace_thread *r = self;
	pthread_mutex_lock(&r->lock);
	*list = r->fired;
	pthread_mutex_unlock(&r->lock);
}

static const struct recorded_profile *trace_thread_live_profiles(void *self, uint32_t *count)
{
	struct trace_thread *r = self;
	pthread_mutex_lock(&r->lock);
	const struct recorded_profile *profiles = r->profiles;
	*count = r->profile_count;
	pthread_mutex_unlock(&r->lock);
	return profiles;
}

static void trace_thread_free(struct trace_thread *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		gcs_snapshot_unref(r->queue[(r->first + i) % TRACE_THREAD_QUEUE]);
	for (uint32_t i = 0; i < r->answer_count; i++)
		gcs_answer_free(r->answers[i]);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r->profiles);
	free(r->path);
	free(r);
}

static void trace_thread_close(void *self)
{
	struct trace_thread *r = self;
	pthread_mutex_lock(&r->lock);
	r->ending = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	gcs_player_destroy(r->player);
	trace_thread_free(r);
}

static const struct source_ops trace_thread_ops = {
    .state = trace_thread_state,
    .next = trace_thread_next,
    .run_state = trace_thread_run_state,
    .pause = trace_thread_pause,
    .resume = trace_thread_resume,
    .step = trace_thread_step,
    .collapse = trace_thread_collapse,
    .notice = trace_thread_notice,
    .received = trace_thread_received,
    .overrun = trace_thread_overrun,
    .query = trace_thread_query,
    .set = trace_thread_set,
    .answer = trace_thread_answer,
    .position = trace_thread_position,
    .seek = trace_thread_seek,
    .headers = trace_thread_headers,
    .fired = trace_thread_fired,
    .live_profiles = trace_thread_live_profiles,
    .flaws = trace_thread_flaws,
    .file = true,
    .close = trace_thread_close,
};

/* Checked at once: the file exists and begins like a trace. */
static bool looks_right(const char *path, struct gcs_error *err)
{
	FILE *f = fopen(path, "rb");
	if (f == NULL) {
		gcs_fail(err, GCS_IO, "%s: %s", path, strerror(errno));
		return false;
	}
	fclose(f);
	if (!gcs_trace_is(path)) {
		gcs_fail(err, GCS_MALFORMED, "%s: not a GCspy recording", path);
		return false;
	}
	return true;
}

bool source_trace_open(void *context, const char *path, bool pause_at_start, struct source *source,
    struct gcs_error *err)
{
	(void)pause_at_start; /* a recording is paused at its end unless it is to be played */
	if (!looks_right(path, err))
		return false;
	struct trace_thread *r = calloc(1, sizeof *r);
	char *copy = strdup(path);
	if (r == NULL || copy == NULL) {
		free(r);
		free(copy);
		gcs_fail(err, GCS_NOMEM, "%s: out of memory", path);
		return false;
	}
	const char *slash = strrchr(copy, '/');
	r->options = *(const struct source_options *)context;
	r->path = copy;
	r->name = slash != NULL ? slash + 1 : copy;
	r->state = SOURCE_CONNECTING;
	r->speed = 1;
	r->held = !r->options.play;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	if (pthread_create(&r->thread, NULL, trace_thread_run, r) != 0) {
		gcs_fail(err, GCS_NOMEM, "%s: cannot create a thread to read it", path);
		trace_thread_free(r);
		return false;
	}
	source->self = r;
	source->ops = &trace_thread_ops;
	return true;
}
