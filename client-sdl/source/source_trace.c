/*
 * A trace file as a source (F22): the window's side of reel.h. A hold is speed 0; the speed that it
 * goes on with is kept here.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reel.h"

enum { AT_ONCE = 64 }; /* snapshots that the window takes between two frames */

static enum source_state reel_state(void *self, struct gcs_error *why)
{
	struct reel *r = self;
	pthread_mutex_lock(&r->lock);
	*why = r->why;
	const enum source_state state = r->state;
	pthread_mutex_unlock(&r->lock);
	return state;
}

/* A file that plays as fast as it can must not keep the window from painting. */
static struct gcs_snapshot *reel_next(void *self)
{
	struct reel *r = self;
	struct gcs_snapshot *first = NULL;
	pthread_mutex_lock(&r->lock);
	const bool enough = r->given == AT_ONCE && r->count > 0;
	if (r->count > 0 && !enough) {
		first = r->queue[r->first];
		r->first = (r->first + 1) % REEL_QUEUE;
		r->count--;
		r->given++;
		pthread_cond_broadcast(&r->changed);
	} else {
		r->given = 0;
	}
	pthread_mutex_unlock(&r->lock);
	if (enough)
		reel_wake(r);
	return first;
}

static enum gcs_run_state reel_run_state(void *self, bool *own, uint32_t *others)
{
	struct reel *r = self;
	*others = 0;
	pthread_mutex_lock(&r->lock);
	*own = r->held;
	pthread_mutex_unlock(&r->lock);
	return *own ? GCS_PAUSED : GCS_RUNNING;
}

static struct gcs_player *player_of(struct reel *r)
{
	pthread_mutex_lock(&r->lock);
	struct gcs_player *player = r->player;
	pthread_mutex_unlock(&r->lock);
	return player;
}

static enum gcs_status hold(struct reel *r, bool held)
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

static enum gcs_status reel_pause(void *self)
{
	return hold(self, true);
}

static enum gcs_status reel_resume(void *self)
{
	return hold(self, false);
}

static enum gcs_status reel_step(void *self)
{
	struct reel *r = self;
	const enum gcs_status status = hold(r, true);
	if (status == GCS_OK)
		gcs_player_move(r->player, r->speed < 0 ? -1 : 1);
	return status;
}

static void reel_collapse(void *self, uint32_t group, bool collapsed)
{
	(void)self;
	(void)group;
	(void)collapsed;
}

static void reel_flaws(void *self, bool brief, char *text, size_t size)
{
	struct reel *r = self;
	size_t n = 0;
	*text = 0;
	pthread_mutex_lock(&r->lock);
	const bool open = r->state == SOURCE_LIVE;
	if (open && !r->info.complete && brief)
		n = (size_t)snprintf(text, size, "not finished");
	else if (open && !r->info.complete)
		n = (size_t)snprintf(text, size,
		    "not finished, %" PRIu64 " bytes at its end left out", r->info.stray_bytes);
	if (r->unreadable > 0 && n < size)
		n += (size_t)snprintf(text + n, size - n, "%s%" PRIu64 " events unreadable",
		    n > 0 ? "; " : "", r->unreadable);
	if (r->unreadable > 0 && n < size && !brief)
		snprintf(text + n, size - n, " (%s)", r->damage);
	pthread_mutex_unlock(&r->lock);
}

static uint32_t reel_notice(void *self, char *text, size_t size)
{
	struct reel *r = self;
	char words[400];
	reel_flaws(r, false, words, sizeof words);
	snprintf(text, size, "%s: %s", r->name, words);
	pthread_mutex_lock(&r->lock);
	const uint32_t notice = r->notice;
	pthread_mutex_unlock(&r->lock);
	return notice;
}

static uint64_t reel_received(void *self)
{
	struct reel *r = self;
	pthread_mutex_lock(&r->lock);
	const uint64_t bytes = r->state == SOURCE_LIVE ? r->info.bytes : 0;
	pthread_mutex_unlock(&r->lock);
	return bytes;
}

static uint64_t reel_overrun(void *self)
{
	(void)self;
	return 0;
}

static enum gcs_status reel_query(
    void *self, const char *topic, uint32_t count, const struct gcs_info *parameters, uint32_t *id)
{
	struct reel *r = self;
	enum gcs_profile_kind kind = GCS_PROFILE_LIVE;
	bool known = strcmp(topic, "sites") == 0;
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
		r->questions[r->question_count++] = (struct reel_question){.id = *id, .kind = kind};
		pthread_cond_broadcast(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return status;
}

/* A recording has no settings to change. */
static enum gcs_status reel_set(void *self, const char *key, const char *value, uint32_t *id)
{
	(void)self;
	(void)key;
	(void)value;
	(void)id;
	return GCS_UNSUPPORTED;
}

static struct gcs_answer *reel_answer(void *self, uint32_t id)
{
	struct reel *r = self;
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

static bool reel_position(void *self, struct gcs_position *position)
{
	struct reel *r = self;
	struct gcs_player *player = player_of(r);
	if (player == NULL)
		return false;
	gcs_player_position(player, position);
	pthread_mutex_lock(&r->lock);
	position->speed = r->speed;
	pthread_mutex_unlock(&r->lock);
	return true;
}

static enum gcs_status reel_seek(void *self, const struct gcs_seek *wish)
{
	struct reel *r = self;
	struct gcs_player *player = player_of(r);
	bool goes = player != NULL;
	pthread_mutex_lock(&r->lock);
	if (wish->action == GCS_SEEK_TIME && goes) {
		r->find = true;
		r->find_ns = wish->value < 0 ? 0 : (uint64_t)wish->value;
		pthread_cond_broadcast(&r->changed);
		goes = false;
	} else if (wish->action == GCS_SEEK_SPEED) {
		r->speed = (double)wish->value / 1000;
		goes = goes && !r->held;
	} else if (wish->action != GCS_SEEK_LOOP) {
		r->find = false;
	}
	pthread_mutex_unlock(&r->lock);
	if (goes)
		gcs_player_wish(player, wish);
	return player != NULL ? GCS_OK : GCS_STATE;
}

static uint32_t reel_moments(void *self, struct moment *moments, uint32_t most, bool *all)
{
	struct reel *r = self;
	uint32_t n = 0;
	pthread_mutex_lock(&r->lock);
	for (; n < most && r->moment_count > 0; n++) {
		moments[n] = r->moments[r->moment_first];
		r->moment_first = (r->moment_first + 1) % REEL_MOMENTS;
		r->moment_count--;
	}
	if (n > 0)
		pthread_cond_broadcast(&r->changed);
	*all =
	    r->next_place == r->info.events && r->moment_count == 0 && r->probed == r->info.events;
	pthread_mutex_unlock(&r->lock);
	return n;
}

static void reel_free(struct reel *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		gcs_snapshot_unref(r->queue[(r->first + i) % REEL_QUEUE]);
	for (uint32_t i = 0; i < r->answer_count; i++)
		gcs_answer_free(r->answers[i]);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r->path);
	free(r);
}

static void reel_close(void *self)
{
	struct reel *r = self;
	pthread_mutex_lock(&r->lock);
	r->ending = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	gcs_player_destroy(r->player);
	reel_free(r);
}

static const struct source_ops reel_ops = {
    .state = reel_state,
    .next = reel_next,
    .run_state = reel_run_state,
    .pause = reel_pause,
    .resume = reel_resume,
    .step = reel_step,
    .collapse = reel_collapse,
    .notice = reel_notice,
    .received = reel_received,
    .overrun = reel_overrun,
    .query = reel_query,
    .set = reel_set,
    .answer = reel_answer,
    .position = reel_position,
    .seek = reel_seek,
    .moments = reel_moments,
    .flaws = reel_flaws,
    .file = true,
    .close = reel_close,
};

/* What can be told at once: it is there and begins like a trace. */
static bool looks_right(const char *path, struct gcs_error *err)
{
	FILE *f = fopen(path, "rb");
	if (f == NULL) {
		gcs_fail(err, GCS_IO, "%s: %s", path, strerror(errno));
		return false;
	}
	fclose(f);
	if (!gcs_trace_is(path)) {
		gcs_fail(err, GCS_MALFORMED, "%s: this is no recording of GCspy", path);
		return false;
	}
	return true;
}

bool source_trace_open(void *context, const char *path, bool pause_at_start, struct source *source,
    struct gcs_error *err)
{
	(void)pause_at_start; /* it stands at the start, unless the options say otherwise */
	if (!looks_right(path, err))
		return false;
	struct reel *r = calloc(1, sizeof *r);
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
	if (pthread_create(&r->thread, NULL, reel_run, r) != 0) {
		gcs_fail(err, GCS_NOMEM, "%s: no thread to read it with", path);
		reel_free(r);
		return false;
	}
	source->self = r;
	source->ops = &reel_ops;
	return true;
}
