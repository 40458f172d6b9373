#include "trace_cursor.h"

#include <string.h>

#include <gcspy/memory.h>

#include "model_internal.h"

/* Windows, marks, and the decoder. */

static void forget_window(struct cursor *c)
{
	for (uint32_t i = 0; i < c->window_count; i++)
		gcs_snapshot_unref(c->window[i]);
	c->window_count = 0;
	c->window_bytes = 0;
}

static void forget_marks(struct cursor *c)
{
	for (uint32_t i = 0; i < c->mark_count; i++)
		gcs_snapshot_unref(c->marks[i].snapshot);
	c->mark_count = 0;
	c->marks_bytes = 0;
}

static void on_snapshot(void *context, struct gcs_snapshot *snapshot)
{
	struct cursor *c = context;
	c->got = snapshot; /* valid until the next one: the decoder has a reference */
}

static void on_model(void *context, struct gcs_model *model)
{
	struct cursor *c = context;
	gcs_model_unref(c->known);
	c->known = gcs_model_ref(model);
}

/* Each segment repeats the description; equal parts keep their identity. */
static void on_ready(void *context, struct gcs_model *model)
{
	struct cursor *c = context;
	if (c->known != NULL)
		model_inherit(model, c->known);
	on_model(c, model);
}

static const struct decoder_events events = {
    .ready = on_ready,
    .model = on_model,
    .snapshot = on_snapshot,
};

/* A new decoder, to begin with the WELCOME of a key frame. */
static void start_decoder(struct cursor *c)
{
	decoder_fini(&c->decoder);
	decoder_init(&c->decoder, &events, c);
	c->decoder.phase = DECODER_WELCOME;
	c->started = false;
	c->chunk = UINT32_MAX;
}

void cursor_init(struct cursor *c, const struct trace_input *in, struct trace_index *index)
{
	*c = (struct cursor){.place = 0};
	trace_segment_init(&c->segment, in, index);
	decoder_init(&c->decoder, &events, c);
	c->moments_chunk = c->chunk = UINT32_MAX;
}

void cursor_fini(struct cursor *c)
{
	forget_window(c);
	forget_marks(c);
	decoder_fini(&c->decoder);
	trace_part_fini(&c->heads);
	trace_part_fini(&c->body);
	trace_part_fini(&c->moments);
	gcs_model_unref(c->known);
	trace_segment_fini(&c->segment);
}

/* Makes the segment of the place the current one. */
static enum gcs_status enter(struct cursor *c, uint64_t place)
{
	const uint64_t segment = trace_index_segment(c->segment.index, place);
	if (segment == c->segment.index->segment_count)
		return GCS_MALFORMED;
	if (c->segment.number == segment)
		return GCS_OK;
	forget_window(c);
	forget_marks(c);
	start_decoder(c);
	c->moments_chunk = UINT32_MAX;
	return trace_segment_load(&c->segment, segment);
}

/* Reads a chunk's parts for decoding. */
static enum gcs_status load_chunk(struct cursor *c, uint32_t chunk)
{
	if (c->chunk == chunk)
		return GCS_OK;
	c->chunk = UINT32_MAX;
	const enum gcs_status status = trace_segment_read(&c->segment, chunk, &c->heads, &c->body);
	if (status == GCS_OK)
		c->chunk = chunk;
	return status;
}

/* Decoding. */

/* The frame at `at` of a part. */
static bool peek(const struct trace_part *part, size_t at, struct frame *frame)
{
	return frame_next(part->bytes + at, part->length - at, GCS_WIRE_MAX_TO_CLIENT, NULL,
		   frame) == GCS_OK;
}

/* True if it is a trigger that has fired at the event of the BEGIN before it. */
static bool is_fired(const struct trace_part *part, size_t at, struct frame *frame)
{
	return peek(part, at, frame) && frame->kind == GCS_WIRE_FIRE_TRIGGER;
}

/* Gives the decoder the next frame of a part. */
static void feed(struct cursor *c, const struct trace_part *part, size_t *at, size_t bytes)
{
	decoder_input(&c->decoder, part->bytes + *at, bytes);
	*at += bytes;
}

/* Counts the values of the next message. False if a file of this size may not have them. */
static bool count_work(struct cursor *c, const struct frame *frame)
{
	const uint64_t work = c->counts ? trace_work(&c->work, &c->decoder, frame) : 0;
	uint64_t *left = &c->segment.index->values_left;
	c->beyond = work > *left;
	*left -= c->beyond ? 0 : work;
	return !c->beyond;
}

/* Decodes the next event of the loaded chunk. */
static enum gcs_status decode(struct cursor *c)
{
	struct frame frame;
	c->got = NULL;
	c->work = (struct trace_work){UINT32_MAX, UINT32_MAX};
	while (c->got == NULL && c->decoder.phase != DECODER_ENDED) {
		/* A BEGIN in the body would take the place of one in the heads. */
		if (!peek(&c->body, c->body_at, &frame) || frame.kind == GCS_WIRE_BEGIN)
			return GCS_MALFORMED;
		const bool of_snapshot = frame.kind > GCS_WIRE_BEGIN && frame.kind <= GCS_WIRE_END;
		if (of_snapshot && c->decoder.building == NULL) {
			struct frame begin;
			if (!peek(&c->heads, c->heads_at, &begin) || begin.kind != GCS_WIRE_BEGIN ||
			    !count_work(c, &begin))
				return GCS_MALFORMED;
			feed(c, &c->heads, &c->heads_at, begin.bytes);
			while (is_fired(&c->heads, c->heads_at, &begin))
				feed(c, &c->heads, &c->heads_at, begin.bytes);
		}
		if (!count_work(c, &frame))
			return GCS_MALFORMED;
		feed(c, &c->body, &c->body_at, frame.bytes);
	}
	if (c->got != NULL)
		return GCS_OK;
	return c->decoder.error.status == GCS_NOMEM ? GCS_NOMEM : GCS_MALFORMED;
}

/* Saves the state after the decoded event. */
static void mark(struct cursor *c)
{
	const struct cursor_mark *last = c->mark_count == 0 ? NULL : &c->marks[c->mark_count - 1];
	const struct trace_chunk *head = &c->segment.chunks[c->chunk].head;
	const bool ends = c->place + 1 == head->place + head->count;
	/* A reader that only goes forward needs none. */
	if (!c->returns || c->mark_count == CURSOR_MARKS ||
	    (last != NULL && last->place >= c->place))
		return;
	/* Best at the end of a chunk: going back then inflates each chunk once. */
	if (last != NULL && c->place - last->place < (ends ? CURSOR_STRIDE / 4 : CURSOR_STRIDE))
		return;
	const size_t bytes = c->got->full_bytes;
	if (c->marks_bytes + bytes > CURSOR_MARKS_BYTES && c->mark_count != 0)
		return;
	c->marks_bytes += bytes;
	c->marks[c->mark_count++] = (struct cursor_mark){.place = c->place,
	    .chunk = ends ? UINT32_MAX : c->chunk,
	    .heads_at = ends ? 0 : c->heads_at,
	    .body_at = ends ? 0 : c->body_at,
	    .snapshot = gcs_snapshot_ref(c->got)};
}

/* Adds the decoded snapshot to the window. */
static void keep(struct cursor *c)
{
	c->window_bytes += c->got->own_bytes;
	if (c->window_count == 0)
		c->window_first = c->place;
	c->window[c->window_count++] = gcs_snapshot_ref(c->got);
	while (c->window_count > 1 &&
	       (c->window_count == CURSOR_WINDOW || c->window_bytes > CURSOR_WINDOW_BYTES)) {
		c->window_bytes -= c->window[0]->own_bytes;
		gcs_snapshot_unref(c->window[0]);
		c->window_count--;
		c->window_first++;
		memmove(c->window, c->window + 1, c->window_count * sizeof c->window[0]);
	}
}

/* The place of the next event to be decoded. */
static uint64_t next_place(const struct cursor *c)
{
	return c->started ? c->place + 1 : c->segment.first;
}

/* Decodes the next event. */
static enum gcs_status advance(struct cursor *c)
{
	const uint64_t next = next_place(c);
	const uint32_t chunk = trace_segment_chunk(&c->segment, next);
	if (chunk == UINT32_MAX)
		return GCS_MALFORMED;
	if (chunk != c->chunk) {
		const enum gcs_status status = load_chunk(c, chunk);
		if (status != GCS_OK)
			return status;
		c->heads_at = c->body_at = 0;
	} else if (!c->started) {
		c->heads_at = c->body_at = 0;
	}
	struct trace_entry *segment = &c->segment.index->segments[c->segment.number];
	c->counts = next >= segment->counted;
	const enum gcs_status status = decode(c);
	if (status == GCS_OK) {
		if (c->counts)
			segment->counted = next + 1;
		c->place = next;
		c->started = true;
		mark(c);
	}
	return status;
}

/* Goes to the nearest place at or before `place` at which decoding can start. */
static enum gcs_status go_near(struct cursor *c, uint64_t place)
{
	const struct cursor_mark *best = NULL;
	for (uint32_t i = 0; i < c->mark_count && c->marks[i].place <= place; i++)
		best = &c->marks[i];
	if (c->started && c->place <= place && (best == NULL || best->place <= c->place))
		return GCS_OK;
	if (best == NULL) {
		start_decoder(c);
		return GCS_OK;
	}
	const enum gcs_status status =
	    best->chunk == UINT32_MAX ? GCS_OK : load_chunk(c, best->chunk);
	if (status != GCS_OK)
		return status;
	decoder_resume(&c->decoder, best->snapshot);
	c->heads_at = best->heads_at;
	c->body_at = best->body_at;
	c->place = best->place;
	c->started = true;
	return GCS_OK;
}

/* Decodes up to a place of the current segment; `all` keeps the last snapshots before it in the
 * window, too. */
static enum gcs_status go_to(struct cursor *c, uint64_t place, bool all)
{
	enum gcs_status status = go_near(c, place);
	forget_window(c);
	c->got = c->started ? c->decoder.last : NULL;
	while (status == GCS_OK && (!c->started || c->place < place)) {
		const uint64_t next = next_place(c);
		const bool kept = next == place || (all && place - next < CURSOR_STRIDE);
		/* A snapshot that is not kept is changed in place. */
		c->decoder.in_place = !kept;
		status = advance(c);
		if (status == GCS_OK && kept)
			keep(c);
	}
	if (status == GCS_OK && c->window_count == 0)
		keep(c); /* it was decoded before */
	return status;
}

static struct gcs_snapshot *unreadable(
    struct cursor *c, uint64_t place, enum gcs_status status, struct gcs_error *err)
{
	const struct gcs_trace_damage *d = trace_index_damage(c->segment.index, place);
	if (status == GCS_NOMEM || status == GCS_IO || d == NULL)
		gcs_fail(err, status, "%.150s: event %llu: %s", c->segment.in->path,
		    (unsigned long long)place + 1, gcs_status_text(status));
	else
		gcs_fail(err, GCS_MALFORMED,
		    "%.120s: event %llu is lost: the file is damaged at byte %llu: %s",
		    c->segment.in->path, (unsigned long long)place + 1,
		    (unsigned long long)d->offset, d->message);
	return NULL;
}

/* Notes why the next event cannot be decoded. */
static void note_failure(struct cursor *c)
{
	const uint64_t next = next_place(c);
	const uint32_t chunk = trace_segment_chunk(&c->segment, next);
	if (chunk == UINT32_MAX) {
		trace_segment_lose(&c->segment,
		    c->segment.index->segments[c->segment.number].offset, 0, next,
		    "chunks are missing after it");
	} else {
		const struct segment_chunk *at = &c->segment.chunks[chunk];
		const bool read = c->chunk == chunk;
		trace_segment_lose(&c->segment, at->offset, trace_chunk_bytes(&at->head), next,
		    c->beyond ? TRACE_TOO_MUCH
		    : read    ? "its messages do not make a snapshot"
			      : "its checksum is wrong");
	}
	c->beyond = false;
	start_decoder(c);
	forget_window(c);
}

struct gcs_snapshot *cursor_at(struct cursor *c, uint64_t place, struct gcs_error *err)
{
	enum gcs_status status = enter(c, place);
	if (status != GCS_OK)
		return unreadable(c, place, status, err);
	/* A reader that goes back step by step will want the snapshots before this one. */
	const bool backwards = place < c->last_asked && c->last_asked - place <= CURSOR_STRIDE;
	c->returns = place < c->last_asked || (c->returns && place != c->last_asked + 1);
	c->last_asked = place;
	if (place >= c->window_first && place - c->window_first < c->window_count)
		return gcs_snapshot_ref(c->window[place - c->window_first]);
	if (place >= c->segment.end)
		return unreadable(c, place, GCS_MALFORMED, err);
	status = go_to(c, place, backwards);
	if (status == GCS_OK)
		return gcs_snapshot_ref(c->window[c->window_count - 1]);
	if (status == GCS_MALFORMED)
		note_failure(c);
	else
		start_decoder(c);
	return unreadable(c, place, status, err);
}

/* Moments. */

static enum gcs_status load_moments(struct cursor *c, uint32_t chunk)
{
	if (c->moments_chunk == chunk)
		return GCS_OK;
	c->moments_chunk = UINT32_MAX;
	const enum gcs_status status = trace_segment_read(&c->segment, chunk, &c->moments, NULL);
	if (status == GCS_OK) {
		c->moments_chunk = chunk;
		c->moments_at = 0;
		c->moments_place = c->segment.chunks[chunk].head.place;
	}
	return status;
}

/* Finds the BEGIN of a place in the loaded heads. */
static enum gcs_status find_begin(struct cursor *c, uint64_t place, struct frame *frame)
{
	if (place < c->moments_place) {
		c->moments_at = 0;
		c->moments_place = c->segment.chunks[c->moments_chunk].head.place;
	}
	for (;;) {
		if (!peek(&c->moments, c->moments_at, frame) || frame->kind != GCS_WIRE_BEGIN)
			return GCS_MALFORMED;
		if (c->moments_place == place)
			return GCS_OK;
		do
			c->moments_at += frame->bytes;
		while (is_fired(&c->moments, c->moments_at, frame));
		c->moments_place++;
	}
}

/* Notes that a place has no BEGIN, and no place after it in its chunk has one. */
static enum gcs_status lose_moments(struct cursor *c, uint64_t place)
{
	struct trace_index *index = c->segment.index;
	const uint32_t chunk = trace_segment_chunk(&c->segment, place);
	if (chunk != UINT32_MAX) {
		const struct segment_chunk *at = &c->segment.chunks[chunk];
		const uint64_t first =
		    c->moments_chunk == chunk ? c->moments_place : at->head.place;
		const uint64_t last = trace_index_segment_end(index, c->segment.number);
		const uint64_t end = at->head.place + at->head.count;
		trace_index_note(index, at->offset, trace_chunk_bytes(&at->head), first,
		    (end < last ? end : last) - first, "its heads cannot be read");
	}
	/* Without memory for the note, each place would be tried. */
	return trace_index_damage(index, place) != NULL ? GCS_MALFORMED : GCS_NOMEM;
}

/* What has fired, after the BEGIN at `at`. */
static bool get_all_fired(const struct cursor *c, size_t at, struct gcs_snapshot *s)
{
	struct arena arena = {0};
	struct frame frame;
	bool ok = true;
	for (; ok && is_fired(&c->moments, at, &frame); at += frame.bytes)
		ok = get_fired(&frame.payload, &arena, s);
	arena_fini(&arena);
	return ok;
}

struct gcs_snapshot *cursor_moment(
    struct cursor *c, uint64_t place, struct gcs_model *model, struct gcs_error *err)
{
	enum gcs_status status = enter(c, place);
	struct frame begin;
	if (status == GCS_OK) {
		const uint32_t chunk = trace_segment_chunk(&c->segment, place);
		status = chunk == UINT32_MAX ? GCS_MALFORMED : load_moments(c, chunk);
	}
	if (status == GCS_OK)
		status = find_begin(c, place, &begin);
	if (status == GCS_MALFORMED)
		status = lose_moments(c, place);
	if (status != GCS_OK)
		return unreadable(c, place, status, err);
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	if (s == NULL)
		return unreadable(c, place, GCS_NOMEM, err);
	if (get_begin(&begin.payload, s) && get_all_fired(c, c->moments_at + begin.bytes, s))
		return s;
	gcs_snapshot_unref(s);
	return unreadable(c, place, GCS_MALFORMED, err);
}
