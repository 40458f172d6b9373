#include "trace_thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "live_profile.h"
#include "thread.h"

enum { PORTION = 256, PROBES = 32 }; /* headers and states read at a time */

/* Larger files are not scanned for damage, which is reported when it is reached. */
#define MOST_PROBED (UINT64_C(64) << 20)

void trace_thread_wake(struct trace_thread *r)
{
	if (r->options.wake != NULL)
		r->options.wake(r->options.context);
}

/* On the player's thread. Waits until the window has taken the queue, so that nothing is lost. */
static void on_show(
    void *context, struct gcs_snapshot *snapshot, const struct gcs_position *position)
{
	struct trace_thread *r = context;
	(void)position;
	pthread_mutex_lock(&r->lock);
	while (r->count == TRACE_THREAD_QUEUE && !r->ending)
		pthread_cond_wait(&r->changed, &r->lock);
	if (!r->ending)
		r->queue[(r->first + r->count++) % TRACE_THREAD_QUEUE] = gcs_snapshot_ref(snapshot);
	pthread_mutex_unlock(&r->lock);
	trace_thread_wake(r);
}

static void on_changed(void *context)
{
	trace_thread_wake(context);
}

/* Our thread. */

static struct gcs_player *start_player(struct trace_thread *r, struct gcs_error *err)
{
	struct gcs_trace *trace = gcs_trace_open(r->path, err);
	if (trace == NULL)
		return NULL;
	gcs_trace_get_info(trace, &r->info);
	const struct gcs_player_options options = {.speed = r->options.play ? 1 : 0,
	    .at_end = !r->options.play,
	    .show = on_show,
	    .changed = on_changed,
	    .context = r};
	struct gcs_player *player = gcs_player_create(trace, &options, err);
	if (player == NULL)
		gcs_trace_close(trace);
	return player;
}

static void open_file(struct trace_thread *r)
{
	struct gcs_error err = {.status = GCS_OK};
	struct gcs_player *player = start_player(r, &err);
	pthread_mutex_lock(&r->lock);
	r->player = player;
	r->why = err;
	r->state = player != NULL ? SOURCE_LIVE : SOURCE_LOST;
	if (player != NULL && !r->info.complete)
		r->notice++;
	if (r->info.bytes > MOST_PROBED)
		r->probed = r->info.events;
	pthread_mutex_unlock(&r->lock);
	trace_thread_wake(r);
}

struct gcs_answer *trace_thread_make_answer(
    uint32_t id, enum gcs_status status, const char *message, void *bytes, size_t length)
{
	const size_t n = strlen(message) + 1;
	struct gcs_answer *answer = gcs_zalloc(sizeof *answer + n);
	if (answer == NULL) {
		gcs_free(bytes);
		return NULL;
	}
	memcpy(answer + 1, message, n);
	*answer = (struct gcs_answer){.id = id,
	    .status = status,
	    .message = (char *)(answer + 1),
	    .length = length,
	    .bytes = bytes};
	return answer;
}

/* What a search has found that was recorded up to here. */
static struct gcs_answer *chains_of(struct trace_thread *r, uint32_t id)
{
	struct gcs_error err = {.status = GCS_OK};
	struct gcs_trace_answer *found = gcs_player_answer(r->player, "paths", &err);
	void *bytes = found == NULL ? NULL : gcs_alloc(found->length);
	const size_t length = bytes == NULL ? 0 : found->length;
	if (bytes != NULL)
		memcpy(bytes, found->bytes, length);
	gcs_plugin_free(found);
	return trace_thread_make_answer(
	    id, bytes != NULL ? GCS_OK : err.status, bytes != NULL ? "" : err.text, bytes, length);
}

/* Without the lock: a profile is read from the file. */
static struct gcs_answer *answer_of(struct trace_thread *r, const struct trace_thread_question *q)
{
	struct gcs_error err = {.status = GCS_OK};
	void *bytes = NULL;
	size_t length = 0;
	if (q->paths)
		return chains_of(r, q->id);
	struct gcs_profile *profile = gcs_player_profile(r->player, q->kind, &err);
	if (profile != NULL)
		gcs_profile_encode(profile, &bytes, &length, &err);
	gcs_profile_free(profile);
	return trace_thread_make_answer(q->id, bytes != NULL ? GCS_OK : err.status,
	    bytes != NULL ? "" : err.text, bytes, length);
}

/* With the lock held at both ends, like all that follow. */
static void answer_one(struct trace_thread *r)
{
	const struct trace_thread_question q = r->questions[0];
	memmove(r->questions, r->questions + 1, --r->question_count * sizeof q);
	pthread_mutex_unlock(&r->lock);
	struct gcs_answer *answer = answer_of(r, &q);
	pthread_mutex_lock(&r->lock);
	if (answer != NULL && r->answer_count == GCS_MAX_QUERIES) { /* not fetched */
		gcs_answer_free(r->answers[0]);
		memmove(r->answers, r->answers + 1, --r->answer_count * sizeof *r->answers);
	}
	if (answer != NULL)
		r->answers[r->answer_count++] = answer;
}

static void note_damage(struct trace_thread *r, uint64_t lost, const struct gcs_error *first)
{
	if (lost > 0 && r->unreadable == 0) {
		/* The caller adds the file's name. */
		const size_t n = strlen(r->path);
		const bool named = strncmp(first->text, r->path, n) == 0 && first->text[n] == ':';
		snprintf(r->damage, sizeof r->damage, "%s", first->text + (named ? n + 2 : 0));
		r->notice++;
	}
	r->unreadable += lost;
}

/* Without the lock. */
static void note_fired(struct trace_thread *r, const struct gcs_snapshot *s)
{
	if (gcs_snapshot_fired_count(s) == 0)
		return;
	pthread_mutex_lock(&r->lock);
	fired_list_note(&r->fired, s);
	pthread_mutex_unlock(&r->lock);
}

/* Reads the next headers. The sleep lets the player use the file in between. */
static void read_portion(struct trace_thread *r)
{
	uint32_t room = TRACE_THREAD_HEADERS - r->header_count;
	const uint64_t end = r->info.events;
	struct event_header read[PORTION];
	uint32_t n = 0;
	uint64_t place = r->next_place, lost = 0;
	struct gcs_error err = {.status = GCS_OK}, first = {.status = GCS_OK};
	room = room < PORTION ? room : PORTION;
	pthread_mutex_unlock(&r->lock);
	while (place < end && n + lost < room) {
		struct gcs_snapshot *s = gcs_player_moment(r->player, place, &err);
		uint64_t next = place + 1;
		if (s != NULL) {
			read[n] = event_header_with_text(s);
			read[n].place = place;
			read[n++].number = place + 1;
			note_fired(r, s);
		} else {
			const uint64_t readable = gcs_player_readable(r->player, place);
			first = lost == 0 ? err : first;
			next = readable > end ? end : readable > place ? readable : next;
			lost += next - place;
		}
		gcs_snapshot_unref(s);
		place = next;
	}
	thread_sleep_us(200);
	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < n; i++)
		r->headers[(r->header_first + r->header_count++) % TRACE_THREAD_HEADERS] = read[i];
	r->next_place = place;
	/* The scan counts them. */
	if (r->info.bytes > MOST_PROBED)
		note_damage(r, lost, &first);
}

static bool has_survivors(struct gcs_trace *trace, uint64_t number)
{
	struct gcs_profile *profile = gcs_trace_profile(trace, number, NULL);
	const uint32_t n = profile != NULL ? gcs_profile_entry_count(profile) : 0;
	uint32_t i = 0;
	while (i < n && gcs_profile_is_new(profile, gcs_profile_entry(profile, i)))
		i++;
	gcs_profile_free(profile);
	return i < n;
}

/* Lists the profiles of live objects. Reads those up to the first with survivors: later ones have
 * some, too. */
static void note_profiles(struct trace_thread *r)
{
	struct gcs_trace_profile_info info;
	pthread_mutex_unlock(&r->lock);
	struct gcs_trace *trace = gcs_trace_open(r->path, NULL);
	struct recorded_profile *list = NULL;
	uint32_t count = 0;
	uint64_t all = 0;
	bool any = false;
	while (trace != NULL && gcs_trace_profile_info(trace, all, &info))
		all++;
	list = calloc(all + 1, sizeof *list);
	for (uint64_t i = 0; list != NULL && i < all && count < UINT32_MAX; i++) {
		gcs_trace_profile_info(trace, i, &info);
		if (info.kind != GCS_PROFILE_LIVE)
			continue;
		any = any || has_survivors(trace, i);
		list[count++] = (struct recorded_profile){info.place, info.time_ns, !any};
	}
	gcs_trace_close(trace);
	pthread_mutex_lock(&r->lock);
	r->profiles = list;
	r->profile_count = count;
	r->profiles_known = true;
}

/* Scans the next states for damage, which headers may not show. */
static void probe_portion(struct trace_thread *r)
{
	const uint64_t end = r->info.events;
	uint64_t place = r->probed, lost = 0;
	struct gcs_error err = {.status = GCS_OK}, first = {.status = GCS_OK};
	pthread_mutex_unlock(&r->lock);
	if (r->probe == NULL)
		r->probe = gcs_trace_open(r->path, NULL);
	for (int i = 0; i < PROBES && r->probe != NULL && place < end; i++) {
		struct gcs_snapshot *s = gcs_trace_at(r->probe, place, &err);
		uint64_t next = place + 1;
		if (s == NULL) {
			first = lost == 0 ? err : first;
			next = gcs_trace_readable(r->probe, place, 1);
			next = next < end ? next : end;
			lost += next - place;
			if (next == place) /* out of memory: the rest is unknown */
				next = end;
		}
		gcs_snapshot_unref(s);
		place = next;
	}
	pthread_mutex_lock(&r->lock);
	r->probed = r->probe != NULL ? place : end;
	if (r->probed == end) {
		gcs_trace_close(r->probe);
		r->probe = NULL;
	}
	note_damage(r, lost, &first);
}

static void go_to_time(struct trace_thread *r)
{
	const uint64_t time_ns = r->find_ns;
	r->find = false;
	pthread_mutex_unlock(&r->lock);
	gcs_player_seek_time(r->player, time_ns);
	pthread_mutex_lock(&r->lock);
}

void *trace_thread_run(void *context)
{
	struct trace_thread *r = context;
	open_file(r);
	pthread_mutex_lock(&r->lock);
	while (!r->ending) {
		const bool more =
		    r->next_place < r->info.events && r->header_count < TRACE_THREAD_HEADERS;
		const bool open = r->state == SOURCE_LIVE;
		if (open && r->find) {
			go_to_time(r);
			continue;
		}
		if (open && r->question_count > 0) {
			answer_one(r);
		} else if (open && more) {
			read_portion(r);
		} else if (open && !r->profiles_known) {
			note_profiles(r);
		} else if (open && r->probed < r->info.events) {
			probe_portion(r);
		} else {
			pthread_cond_wait(&r->changed, &r->lock);
			continue;
		}
		pthread_mutex_unlock(&r->lock);
		trace_thread_wake(r);
		pthread_mutex_lock(&r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	gcs_trace_close(r->probe);
	return NULL;
}
