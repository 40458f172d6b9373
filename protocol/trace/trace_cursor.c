#include "trace_cursor.h"

#include <stdio.h>
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
	c->got = snapshot; /* the decoder's reference holds it until the next one comes */
}

static void on_model(void *context, struct gcs_model *model)
{
	struct cursor *c = context;
	gcs_model_unref(c->known);
	c->known = gcs_model_ref(model);
}

/* Each segment describes everything again; what is told alike stays the same to whoever reads. */
static void on_ready(void *context, struct gcs_model *model)
{
	struct cursor *c = context;
	if (c->known != NULL)
		model_inherit(model, c->known);
	on_model(c, model);
}

static void on_state(void *context, const struct state_message *state)
{
	(void)context;
	(void)state;
}

static void on_notice(void *context, const char *words)
{
	(void)context;
	(void)words;
}

static void on_answer(void *context, const struct answer_message *answer)
{
	(void)context;
	(void)answer;
}

static const struct decoder_events events = {
    .ready = on_ready,
    .model = on_model,
    .snapshot = on_snapshot,
    .state = on_state,
    .notice = on_notice,
    .answer = on_answer,
};

/* A decoder that waits for the WELCOME of a key frame. */
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
	*c = (struct cursor){.in = in, .index = index, .segment = UINT64_MAX};
	decoder_init(&c->decoder, &events, c);
	c->moments_chunk = c->chunk = UINT32_MAX;
}

void cursor_fini(struct cursor *c)
{
	forget_window(c);
	forget_marks(c);
	decoder_fini(&c->decoder);
	trace_part_fini(&c->heads_dictionary);
	trace_part_fini(&c->body_dictionary);
	trace_part_fini(&c->heads);
	trace_part_fini(&c->body);
	trace_part_fini(&c->moments);
	gcs_model_unref(c->known);
	gcs_free(c->chunks);
	*c = (struct cursor){.segment = UINT64_MAX};
}

/* The chunks of a segment. */

static bool add_chunk(struct cursor *c, uint64_t offset, const struct trace_chunk *head)
{
	if (c->chunk_count == c->chunk_room) {
		const uint32_t room = c->chunk_room == 0 ? 64 : c->chunk_room * 2;
		struct cursor_chunk *bigger = gcs_realloc(c->chunks, room * sizeof *bigger);
		if (bigger == NULL)
			return false;
		c->chunks = bigger;
		c->chunk_room = room;
	}
	c->chunks[c->chunk_count++] = (struct cursor_chunk){.offset = offset, .head = *head};
	return true;
}

/* Everything of the segment from `place` on is lost, because of the bytes at `offset`. */
static void lose(
    struct cursor *c, uint64_t offset, uint64_t bytes, uint64_t place, const char *words)
{
	const uint64_t end = trace_index_segment_end(c->index, c->segment);
	if (place < c->end)
		c->end = place;
	if (place < end)
		trace_index_note(c->index, offset, bytes, place, end - place, words);
}

/* Lists the chunks with events; a gap ends what can be decoded, not the list. */
static enum gcs_status list_chunks(struct cursor *c)
{
	const struct trace_entry *segment = &c->index->segments[c->segment];
	const uint64_t end = trace_index_bytes_end(c->index, c->segment);
	uint64_t offset = segment->offset;
	uint64_t expected = segment->place;
	while (offset < end) {
		struct trace_chunk head;
		enum gcs_status status = trace_read_chunk(c->in, offset, &head);
		if (status == GCS_IO)
			return status;
		if (status != GCS_OK) {
			lose(c, offset, 0, expected, "no chunk where one should be");
			if (trace_search(c->in, &offset, end, &head) == GCS_IO)
				return GCS_IO;
			if (offset == end)
				break;
		}
		const bool of_events = head.kind == TRACE_KEY || head.kind == TRACE_MORE;
		if (of_events && head.place >= expected && head.place < c->index->events) {
			if (head.place != expected)
				lose(c, offset, 0, expected, "chunks are missing before it");
			if (!add_chunk(c, offset, &head))
				return GCS_NOMEM;
			expected = head.place + head.count;
		}
		offset += trace_chunk_bytes(&head);
	}
	const uint64_t last = trace_index_segment_end(c->index, c->segment);
	if (expected < last)
		lose(c, end, 0, expected, "chunks are missing before it");
	if (c->end > last)
		c->end = last;
	return GCS_OK;
}

/* Makes the segment that has the place the present one. */
static enum gcs_status enter(struct cursor *c, uint64_t place)
{
	const uint64_t segment = trace_index_segment(c->index, place);
	if (segment == c->index->segment_count)
		return GCS_MALFORMED;
	if (c->segment == segment)
		return GCS_OK;
	forget_window(c);
	forget_marks(c);
	start_decoder(c);
	c->moments_chunk = UINT32_MAX;
	c->chunk_count = 0;
	c->heads_dictionary.length = c->body_dictionary.length = 0;
	c->end = UINT64_MAX;
	c->segment = segment;
	const enum gcs_status status = list_chunks(c);
	if (status != GCS_OK)
		c->segment = UINT64_MAX;
	return status;
}

static bool is_key(const struct cursor *c, uint32_t chunk)
{
	return chunk == 0 && c->chunk_count != 0 && c->chunks[0].head.kind == TRACE_KEY;
}

static enum gcs_status copy_part(struct trace_part *to, const struct trace_part *from)
{
	size_t bytes;
	const uint8_t *end = trace_dictionary(from->bytes, from->length, &bytes);
	if (to->bytes == NULL) {
		to->bytes = gcs_alloc(TRACE_DICTIONARY);
		if (to->bytes == NULL)
			return GCS_NOMEM;
		to->capacity = TRACE_DICTIONARY;
	}
	memcpy(to->bytes, end, bytes);
	to->length = bytes;
	return GCS_OK;
}

/* Reads a chunk's parts for decoding; the key chunk's are the dictionaries of the others. */
static enum gcs_status load_chunk(struct cursor *c, uint32_t chunk)
{
	if (c->chunk == chunk)
		return GCS_OK;
	if (!is_key(c, 0))
		return GCS_MALFORMED;
	if (chunk != 0 && c->body_dictionary.length == 0) {
		const enum gcs_status status = load_chunk(c, 0);
		if (status != GCS_OK)
			return status;
	}
	const struct cursor_chunk *at = &c->chunks[chunk];
	c->chunk = UINT32_MAX;
	enum gcs_status status =
	    trace_read_parts(c->in, at->offset, &at->head, chunk == 0 ? NULL : &c->heads_dictionary,
		chunk == 0 ? NULL : &c->body_dictionary, &c->heads, &c->body);
	if (status == GCS_OK && chunk == 0)
		status = copy_part(&c->heads_dictionary, &c->heads);
	if (status == GCS_OK && chunk == 0)
		status = copy_part(&c->body_dictionary, &c->body);
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

/* Gives the decoder the next frame of a part. */
static void feed(struct cursor *c, const struct trace_part *part, size_t *at, size_t bytes)
{
	decoder_input(&c->decoder, part->bytes + *at, bytes);
	*at += bytes;
}

/* Decodes the next event of the chunk that is loaded. */
static enum gcs_status decode(struct cursor *c)
{
	struct frame frame;
	c->got = NULL;
	while (c->got == NULL && c->decoder.phase != DECODER_ENDED) {
		if (!peek(&c->body, c->body_at, &frame))
			return GCS_MALFORMED;
		const bool of_snapshot = frame.kind > GCS_WIRE_BEGIN && frame.kind <= GCS_WIRE_END;
		if (of_snapshot && c->decoder.building == NULL) {
			struct frame begin;
			if (!peek(&c->heads, c->heads_at, &begin) || begin.kind != GCS_WIRE_BEGIN)
				return GCS_MALFORMED;
			feed(c, &c->heads, &c->heads_at, begin.bytes);
		}
		feed(c, &c->body, &c->body_at, frame.bytes);
	}
	if (c->got != NULL)
		return GCS_OK;
	return c->decoder.error.status == GCS_NOMEM ? GCS_NOMEM : GCS_MALFORMED;
}

/* Keeps the state behind the event that was just decoded. */
static void mark(struct cursor *c)
{
	const struct cursor_mark *last = c->mark_count == 0 ? NULL : &c->marks[c->mark_count - 1];
	const struct trace_chunk *head = &c->chunks[c->chunk].head;
	const bool ends = c->place + 1 == head->place + head->count;
	if (c->mark_count == CURSOR_MARKS || (last != NULL && last->place >= c->place))
		return;
	/* Best between two chunks: then going back inflates each of them once. */
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

/* Keeps the snapshot that was just decoded as the window's last one. */
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

/* The chunk that has a place, or UINT32_MAX. */
static uint32_t chunk_of(const struct cursor *c, uint64_t place)
{
	uint32_t low = 0, high = c->chunk_count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (c->chunks[middle].head.place <= place)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return UINT32_MAX;
	const struct trace_chunk *head = &c->chunks[low - 1].head;
	return place - head->place < head->count ? low - 1 : UINT32_MAX;
}

/* Decodes the event behind the present one, or the segment's first. */
static enum gcs_status advance(struct cursor *c)
{
	const uint64_t next = c->started ? c->place + 1 : c->index->segments[c->segment].place;
	const uint32_t chunk = chunk_of(c, next);
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
	const enum gcs_status status = decode(c);
	if (status == GCS_OK) {
		c->place = next;
		c->started = true;
		mark(c);
	}
	return status;
}

/* Goes to the best place at or before `place` from which decoding can go on. */
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

/* Decodes up to a place of the present segment; `all` keeps the last that it passes in the
 * window. */
static enum gcs_status go_to(struct cursor *c, uint64_t place, bool all)
{
	enum gcs_status status = go_near(c, place);
	forget_window(c);
	c->got = c->started ? c->decoder.last : NULL;
	while (status == GCS_OK && (!c->started || c->place < place)) {
		const uint64_t next =
		    c->started ? c->place + 1 : c->index->segments[c->segment].place;
		const bool kept = next == place || (all && place - next < CURSOR_STRIDE);
		/* What nobody will see is changed where it is. */
		c->decoder.in_place = !kept;
		status = advance(c);
		if (status == GCS_OK && kept)
			keep(c);
	}
	if (status == GCS_OK && c->window_count == 0)
		keep(c); /* it was there already */
	return status;
}

static struct gcs_snapshot *unreadable(
    struct cursor *c, uint64_t place, enum gcs_status status, struct gcs_error *err)
{
	const struct gcs_trace_damage *d = trace_index_damage(c->index, place);
	if (status == GCS_NOMEM || status == GCS_IO || d == NULL)
		gcs_fail(err, status, "%.150s: event %llu: %s", c->in->path,
		    (unsigned long long)place, gcs_status_text(status));
	else
		gcs_fail(err, GCS_MALFORMED,
		    "%.120s: event %llu is lost: the file is damaged at byte %llu: %s", c->in->path,
		    (unsigned long long)place, (unsigned long long)d->offset, d->words);
	return NULL;
}

/* Notes what kept the event behind the present one from being decoded. */
static void note_failure(struct cursor *c)
{
	const uint64_t next = c->started ? c->place + 1 : c->index->segments[c->segment].place;
	const uint32_t chunk = chunk_of(c, next);
	if (chunk == UINT32_MAX) {
		lose(c, c->index->segments[c->segment].offset, 0, next,
		    "chunks are missing behind it");
	} else {
		const struct cursor_chunk *at = &c->chunks[chunk];
		const bool read = c->chunk == chunk;
		lose(c, at->offset, trace_chunk_bytes(&at->head), next,
		    read ? "its messages do not make a snapshot" : "its checksum is wrong");
	}
	start_decoder(c);
	forget_window(c);
}

struct gcs_snapshot *cursor_at(struct cursor *c, uint64_t place, struct gcs_error *err)
{
	enum gcs_status status = enter(c, place);
	if (status != GCS_OK)
		return unreadable(c, place, status, err);
	/* Going back step by step, not elsewhere: what is passed on the way will be wanted. */
	const bool backwards = place < c->last_asked && c->last_asked - place <= CURSOR_STRIDE;
	c->last_asked = place;
	if (place >= c->window_first && place - c->window_first < c->window_count)
		return gcs_snapshot_ref(c->window[place - c->window_first]);
	if (place >= c->end)
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
	if (!is_key(c, 0))
		return GCS_MALFORMED;
	if (chunk != 0 && c->heads_dictionary.length == 0) {
		/* The key chunk's heads alone. */
		const enum gcs_status status = load_moments(c, 0);
		if (status != GCS_OK || copy_part(&c->heads_dictionary, &c->moments) != GCS_OK)
			return status;
	}
	const struct cursor_chunk *at = &c->chunks[chunk];
	c->moments_chunk = UINT32_MAX;
	const enum gcs_status status = trace_read_parts(c->in, at->offset, &at->head,
	    chunk == 0 ? NULL : &c->heads_dictionary, NULL, &c->moments, NULL);
	if (status == GCS_OK) {
		c->moments_chunk = chunk;
		c->moments_at = 0;
		c->moments_place = at->head.place;
	}
	return status;
}

/* Finds the BEGIN of a place in the heads that are loaded. */
static enum gcs_status find_begin(struct cursor *c, uint64_t place, struct frame *frame)
{
	if (place < c->moments_place) {
		c->moments_at = 0;
		c->moments_place = c->chunks[c->moments_chunk].head.place;
	}
	for (;;) {
		if (!peek(&c->moments, c->moments_at, frame) || frame->kind != GCS_WIRE_BEGIN)
			return GCS_MALFORMED;
		if (c->moments_place == place)
			return GCS_OK;
		c->moments_at += frame->bytes;
		c->moments_place++;
	}
}

struct gcs_snapshot *cursor_moment(
    struct cursor *c, uint64_t place, struct gcs_model *model, struct gcs_error *err)
{
	enum gcs_status status = enter(c, place);
	struct frame begin;
	if (status == GCS_OK) {
		const uint32_t chunk = chunk_of(c, place);
		status = chunk == UINT32_MAX ? GCS_MALFORMED : load_moments(c, chunk);
	}
	if (status == GCS_OK)
		status = find_begin(c, place, &begin);
	if (status != GCS_OK)
		return unreadable(c, place, status, err);
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	if (s == NULL)
		return unreadable(c, place, GCS_NOMEM, err);
	if (get_begin(&begin.payload, s))
		return s;
	gcs_snapshot_unref(s);
	return unreadable(c, place, GCS_MALFORMED, err);
}
