/* Reading trace files: the functions of trace.h. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "buffer_pool.h"
#include "trace_cursor.h"
#include "reserved.h"

struct gcs_trace {
	struct trace_input in;
	struct trace_head head;
	struct trace_index index;
	struct cursor cursor;     /* for snapshots */
	struct cursor moments;    /* for moments, so that each keeps its place */
	struct gcs_model *model;  /* at the first readable event */
	struct gcs_model *events; /* the same without spaces, for moments */
};

bool gcs_trace_is(const char *path)
{
	char magic[8] = {0};
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return false;
	const bool whole = read(fd, magic, sizeof magic) == (ssize_t)sizeof magic;
	close(fd);
	return whole && memcmp(magic, GCS_TRACE_MAGIC, sizeof magic) == 0;
}

static bool check_head(struct gcs_trace *t, struct gcs_error *err)
{
	uint8_t bytes[TRACE_FILE_HEAD];
	const enum gcs_status read = trace_read(&t->in, 0, bytes, sizeof bytes);
	const enum gcs_status status = read != GCS_OK ? read : trace_get_head(bytes, &t->head);
	const char *path = t->in.path;
	switch (status) {
	case GCS_OK:
		return true;
	case GCS_TRUNCATED:
		gcs_fail(err, GCS_TRUNCATED, "%.200s has %llu bytes, too few for a trace", path,
		    (unsigned long long)t->in.bytes);
		return false;
	case GCS_FOREIGN:
		gcs_fail(err, GCS_FOREIGN, "%.200s is not a GCspy trace", path);
		return false;
	case GCS_VERSION:
		gcs_fail(err, GCS_VERSION,
		    "%.200s is a trace of version %u.%u; this program reads version %d", path,
		    t->head.major, t->head.minor, GCS_TRACE_MAJOR);
		return false;
	default:
		gcs_fail(err, status, "%.200s: the head of the file is damaged", path);
		return false;
	}
}

/* A model with the same events and nothing else. */
static struct gcs_model *events_only(const struct gcs_model *model)
{
	struct gcs_model *m = gcs_model_create(model->server_name);
	for (uint32_t i = 0; m != NULL && i < model->event_count; i++) {
		if (gcs_model_add_event(m, &model->events[i], NULL, NULL) != GCS_OK) {
			gcs_model_unref(m);
			m = NULL;
		}
	}
	return m;
}

/* Takes the description of the first event that can be read. */
static bool find_model(struct gcs_trace *t, struct gcs_error *err)
{
	struct gcs_error why = {0};
	uint64_t place = 0;
	if (t->index.events == 0) {
		gcs_fail(err, GCS_TRUNCATED, "%.200s has no whole event", t->in.path);
		return false;
	}
	while ((place = gcs_trace_readable(t, place, 1)) != UINT64_MAX) {
		struct gcs_snapshot *s = cursor_at(&t->cursor, place, &why);
		if (s != NULL) {
			t->model = gcs_model_ref((struct gcs_model *)(uintptr_t)s->model);
			gcs_snapshot_unref(s);
			t->events = events_only(t->model);
			if (t->events == NULL)
				gcs_fail(err, GCS_NOMEM, "no memory to open %.200s", t->in.path);
			return t->events != NULL;
		}
		/* Without memory to note what is lost, it would be tried for ever. */
		if (why.status != GCS_MALFORMED || trace_index_damage(&t->index, place) == NULL)
			break;
	}
	if (why.status == GCS_OK || why.status == GCS_MALFORMED)
		gcs_fail(err, GCS_MALFORMED, "%.200s: no event can be read: %.100s", t->in.path,
		    t->index.damage_count == 0 ? "" : t->index.damage[0].message);
	else if (err != NULL)
		*err = why;
	return false;
}

struct gcs_trace *gcs_trace_open(const char *path, struct gcs_error *err)
{
	if (GIVEN("the path of a recording", path, err) != GCS_OK)
		return NULL;
	struct gcs_trace *t = gcs_zalloc(sizeof *t);
	if (t == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory to open %.200s", path);
		return NULL;
	}
	buffer_pool_open();
	cursor_init(&t->cursor, &t->in, &t->index);
	cursor_init(&t->moments, &t->in, &t->index);
	t->in.fd = -1;
	bool ok = trace_input_open(&t->in, path, err) && check_head(t, err);
	if (ok) {
		const enum gcs_status status = trace_index_load(&t->index, &t->in);
		if (status != GCS_OK)
			gcs_fail(err, status, "%.200s: %s", path, gcs_status_text(status));
		ok = status == GCS_OK && find_model(t, err);
	}
	if (ok)
		return t;
	gcs_trace_close(t);
	return NULL;
}

void gcs_trace_close(struct gcs_trace *t)
{
	if (t == NULL)
		return;
	cursor_fini(&t->cursor);
	cursor_fini(&t->moments);
	trace_index_fini(&t->index);
	trace_input_close(&t->in);
	gcs_model_unref(t->model);
	gcs_model_unref(t->events);
	gcs_free(t);
	buffer_pool_close();
}

void gcs_trace_get_info(const struct gcs_trace *t, struct gcs_trace_info *info)
{
	*info = (struct gcs_trace_info){
	    .major = t->head.major,
	    .minor = t->head.minor,
	    .bytes = t->in.bytes,
	    .events = t->index.events,
	    .profiles = t->index.profile_count,
	    .chunks = t->index.chunks,
	    .created_wall_ns = t->head.created_wall_ns,
	    .first_time_ns = t->index.first_time_ns,
	    .last_time_ns = t->index.last_time_ns,
	    .stray_bytes = t->index.stray_bytes,
	    .complete = t->index.complete,
	    .answers = t->index.answer_count,
	};
}

struct gcs_model *gcs_trace_model(const struct gcs_trace *t)
{
	return gcs_model_ref(t->model);
}

/* False, with the reason, after the end. */
static bool inside(const struct gcs_trace *t, uint64_t place, struct gcs_error *err)
{
	if (place < t->index.events)
		return true;
	gcs_fail(err, GCS_ARGUMENT, "%.150s has events 0 to %llu, not %llu", t->in.path,
	    (unsigned long long)t->index.events - 1, (unsigned long long)place);
	return false;
}

struct gcs_snapshot *gcs_trace_at(struct gcs_trace *t, uint64_t place, struct gcs_error *err)
{
	return inside(t, place, err) ? cursor_at(&t->cursor, place, err) : NULL;
}

struct gcs_snapshot *gcs_trace_moment(struct gcs_trace *t, uint64_t place, struct gcs_error *err)
{
	return inside(t, place, err) ? cursor_moment(&t->moments, place, t->events, err) : NULL;
}

uint64_t gcs_trace_readable(const struct gcs_trace *t, uint64_t place, int step)
{
	while (place < t->index.events) {
		const struct gcs_trace_damage *d = trace_index_damage(&t->index, place);
		if (d == NULL)
			return place;
		if (step < 0 && d->place == 0)
			break;
		place = step < 0 ? d->place - 1 : d->place + d->count;
	}
	return UINT64_MAX;
}

/* The last segment that begins at or before the time. */
static uint64_t segment_at(const struct trace_index *x, uint64_t time_ns)
{
	uint64_t low = 0, high = x->segment_count;
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;
		if (x->segments[middle].first_time_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? 0 : low - 1;
}

uint64_t gcs_trace_find(struct gcs_trace *t, uint64_t time_ns)
{
	if (t->index.segment_count == 0)
		return 0;
	const uint64_t segment = segment_at(&t->index, time_ns);
	const uint64_t end = trace_index_segment_end(&t->index, segment);
	uint64_t found = t->index.segments[segment].place;
	for (uint64_t place = found; place < end; place++) {
		struct gcs_snapshot *s = cursor_moment(&t->moments, place, t->events, NULL);
		if (s == NULL)
			break;
		if (s->occurrence.time_ns <= time_ns)
			found = place;
		gcs_snapshot_unref(s);
	}
	return found;
}

/* Profiles. */

bool gcs_trace_profile_info(
    const struct gcs_trace *t, uint64_t number, struct gcs_trace_profile_info *info)
{
	if (number >= t->index.profile_count)
		return false;
	const struct trace_entry *e = &t->index.profiles[number];
	*info = (struct gcs_trace_profile_info){.kind = (enum gcs_profile_kind)e->detail,
	    .place = e->place,
	    .time_ns = e->first_time_ns,
	    .bytes = e->bytes};
	return true;
}

/* The parts of the chunk that the entry of the index stands for, which must be of that kind. */
static enum gcs_status read_entry(struct gcs_trace *t, struct trace_entry *e, enum trace_kind kind,
    struct trace_part *heads, struct trace_part *body)
{
	struct trace_chunk chunk;
	const enum gcs_status status = trace_read_chunk(&t->in, e->offset, &chunk);
	if (status != GCS_OK)
		return status;
	if (chunk.kind != kind ||
	    !trace_index_count(&t->index, e, (uint64_t)chunk.heads_raw + chunk.body_raw))
		return GCS_MALFORMED;
	return trace_read_parts(&t->in, e->offset, &chunk, NULL, NULL, heads, body);
}

struct gcs_profile *gcs_trace_profile(struct gcs_trace *t, uint64_t number, struct gcs_error *err)
{
	if (number >= t->index.profile_count) {
		gcs_fail(err, GCS_ARGUMENT, "%.150s has %llu profiles, not number %llu", t->in.path,
		    (unsigned long long)t->index.profile_count, (unsigned long long)number);
		return NULL;
	}
	struct trace_entry *e = &t->index.profiles[number];
	struct trace_part heads = {0}, body = {0};
	struct gcs_profile *profile = NULL;
	const enum gcs_status status = read_entry(t, e, TRACE_PROFILE, &heads, &body);
	if (status == GCS_OK)
		profile = gcs_profile_decode(body.bytes, body.length, err);
	else
		gcs_fail(err, status,
		    "%.120s: profile %llu is lost: the file is damaged at byte %llu", t->in.path,
		    (unsigned long long)number, (unsigned long long)e->offset);
	if (profile == NULL)
		trace_index_note(&t->index, e->offset, e->bytes, e->place, 0,
		    e->size == TRACE_BEYOND ? TRACE_TOO_LARGE : "the profile there cannot be read");
	trace_part_fini(&heads);
	trace_part_fini(&body);
	return profile;
}

uint64_t gcs_trace_profile_before(
    const struct gcs_trace *t, enum gcs_profile_kind kind, uint64_t place)
{
	const uint64_t most = place == UINT64_MAX ? place : place + 1;
	for (uint64_t i = t->index.profile_count; i-- != 0;)
		if (t->index.profiles[i].detail == (uint32_t)kind &&
		    t->index.profiles[i].place <= most)
			return i;
	return UINT64_MAX;
}

/* Answers. */

static struct gcs_trace_answer *decode_answer(
    const struct trace_part *heads, const struct trace_part *body, enum gcs_status *status)
{
	struct rd r = rd_over(heads->bytes, heads->length);
	struct trace_answer_head head;
	if (!trace_get_answer(&r, &head)) {
		*status = GCS_MALFORMED;
		return NULL;
	}
	struct gcs_trace_answer *answer = trace_copy_answer(&head, body->bytes, body->length);
	*status = answer == NULL ? GCS_NOMEM : GCS_OK;
	return answer;
}

struct gcs_trace_answer *gcs_trace_get_answer(
    struct gcs_trace *t, uint64_t number, uint64_t *place, struct gcs_error *err)
{
	if (number >= t->index.answer_count) {
		gcs_fail(err, GCS_ARGUMENT, "%.150s has %llu answers, not number %llu", t->in.path,
		    (unsigned long long)t->index.answer_count, (unsigned long long)number);
		return NULL;
	}
	struct trace_entry *e = &t->index.answers[number];
	struct trace_part heads = {0}, body = {0};
	struct gcs_trace_answer *answer = NULL;
	enum gcs_status status = read_entry(t, e, TRACE_ANSWER, &heads, &body);
	if (status == GCS_OK)
		answer = decode_answer(&heads, &body, &status);
	if (place != NULL)
		*place = e->place;
	if (answer == NULL) {
		gcs_fail(err, status,
		    "%.120s: answer %llu is lost: the file is damaged at byte %llu", t->in.path,
		    (unsigned long long)number, (unsigned long long)e->offset);
		if (status == GCS_MALFORMED)
			trace_index_note(&t->index, e->offset, e->bytes, e->place, 0,
			    e->size == TRACE_BEYOND ? TRACE_TOO_LARGE
						    : "the answer there cannot be read");
	}
	trace_part_fini(&heads);
	trace_part_fini(&body);
	return answer;
}

uint64_t gcs_trace_answer_before(struct gcs_trace *t, const char *plugin, uint64_t place)
{
	const uint64_t most = place == UINT64_MAX ? place : place + 1;
	uint64_t i = t->index.answer_count;
	bool found = false;
	while (!found && i-- != 0) {
		struct gcs_trace_answer *answer = t->index.answers[i].place > most
						      ? NULL
						      : gcs_trace_get_answer(t, i, NULL, NULL);
		found = answer != NULL && strcmp(answer->plugin, plugin) == 0;
		gcs_plugin_free(answer);
	}
	return found ? i : UINT64_MAX;
}

/* Damage. */

bool gcs_trace_get_damage(
    const struct gcs_trace *t, uint32_t number, struct gcs_trace_damage *damage)
{
	if (number >= t->index.damage_count)
		return false;
	*damage = t->index.damage[number];
	return true;
}

uint32_t gcs_trace_check(struct gcs_trace *t)
{
	uint64_t place = 0;
	while ((place = gcs_trace_readable(t, place, 1)) != UINT64_MAX) {
		struct gcs_error why;
		struct gcs_snapshot *s = gcs_trace_at(t, place, &why);
		if (s == NULL && trace_index_damage(&t->index, place) == NULL)
			break; /* no memory or a disk error, not damage */
		place += s != NULL;
		gcs_snapshot_unref(s);
	}
	for (uint64_t i = 0; i < t->index.profile_count; i++)
		gcs_profile_free(gcs_trace_profile(t, i, NULL));
	for (uint64_t i = 0; i < t->index.answer_count; i++)
		gcs_plugin_free(gcs_trace_get_answer(t, i, NULL, NULL));
	return t->index.damage_count;
}
