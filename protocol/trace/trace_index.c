#include "trace_index.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

enum { MOST_DAMAGE = 1024 };

void trace_index_fini(struct trace_index *x)
{
	gcs_free(x->segments);
	gcs_free(x->profiles);
	gcs_free(x->answers);
	gcs_free(x->damage);
	*x = (struct trace_index){0};
}

/* Appends to one of the lists. */
static bool add(
    struct trace_entry **list, uint64_t *count, uint64_t *room, const struct trace_entry *entry)
{
	if (*count == *room) {
		const uint64_t more = *room == 0 ? 64 : *room * 2;
		struct trace_entry *bigger = gcs_realloc(*list, more * sizeof *bigger);
		if (bigger == NULL)
			return false;
		*list = bigger;
		*room = more;
	}
	(*list)[(*count)++] = *entry;
	return true;
}

/* Damage. */

const struct gcs_trace_damage *trace_index_damage(const struct trace_index *x, uint64_t place)
{
	for (uint32_t i = 0; i < x->damage_count; i++)
		if (place >= x->damage[i].place && place - x->damage[i].place < x->damage[i].count)
			return &x->damage[i];
	return NULL;
}

/* Known damage of the same bytes or of some of the same events. */
static struct gcs_trace_damage *known(
    struct trace_index *x, uint64_t offset, uint64_t place, uint64_t count, const char *message)
{
	for (uint32_t i = 0; i < x->damage_count; i++) {
		struct gcs_trace_damage *d = &x->damage[i];
		const uint64_t end = d->place + d->count;
		const bool overlap = place < end && place + count > d->place;
		const bool goes_on = place == end && strcmp(d->message, message) == 0;
		if (count == 0 || d->count == 0 ? count == d->count && offset == d->offset
						: overlap || goes_on)
			return d;
	}
	return NULL;
}

/* Extends damage to these events. */
static void widen(
    struct gcs_trace_damage *d, uint64_t offset, uint64_t bytes, uint64_t place, uint64_t count)
{
	const uint64_t end = d->place + d->count;
	if (place < d->place) {
		d->place = place;
		d->offset = offset;
		d->bytes = bytes;
	}
	d->count = (place + count > end ? place + count : end) - d->place;
}

void trace_index_note(struct trace_index *x, uint64_t offset, uint64_t bytes, uint64_t place,
    uint64_t count, const char *message)
{
	struct gcs_trace_damage *d = known(x, offset, place, count, message);
	if (d == NULL && x->damage_count == MOST_DAMAGE && count == 0)
		return; /* it loses no event, and must not widen another one */
	if (d == NULL && x->damage_count == MOST_DAMAGE)
		d = &x->damage[MOST_DAMAGE - 1];
	if (d != NULL) {
		widen(d, offset, bytes, place, count);
		return;
	}
	if (x->damage == NULL)
		x->damage = gcs_zalloc(MOST_DAMAGE * sizeof *x->damage);
	if (x->damage == NULL)
		return;
	d = &x->damage[x->damage_count++];
	*d = (struct gcs_trace_damage){
	    .offset = offset, .bytes = bytes, .place = place, .count = count};
	snprintf(d->message, sizeof d->message, "%s", message);
}

/* Segments. */

uint64_t trace_index_segment(const struct trace_index *x, uint64_t place)
{
	uint64_t low = 0, high = x->segment_count;
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;
		if (x->segments[middle].place <= place)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 || place >= x->events ? x->segment_count : low - 1;
}

uint64_t trace_index_segment_end(const struct trace_index *x, uint64_t segment)
{
	return segment + 1 < x->segment_count ? x->segments[segment + 1].place : x->events;
}

uint64_t trace_index_bytes_end(const struct trace_index *x, uint64_t segment)
{
	return segment + 1 < x->segment_count ? x->segments[segment + 1].offset : x->end;
}

/* Loading the index. */

static bool get_list(struct rd *r, const struct trace_input *in, struct trace_entry **list,
    uint64_t *count, uint64_t *room, uint16_t kind)
{
	uint64_t before = 0, place = 0;
	/* An entry has at least eight bytes. */
	const uint64_t entries = rd_varint(r);
	if (entries > rd_left(r) / 8)
		rd_fail(r, GCS_MALFORMED);
	for (uint64_t i = 0; i < entries && r->status == GCS_OK; i++) {
		struct trace_entry e = {.size = TRACE_UNCOUNTED};
		if (!trace_get_entry(r, &e, before))
			break;
		/* Each entry has a chunk, so that a file cannot list more than it contains. */
		const bool ordered = e.offset >= TRACE_FILE_HEAD && e.offset < in->bytes &&
				     (i == 0 || e.offset - before >= TRACE_CHUNK_HEAD) &&
				     e.place >= place;
		if (!ordered || e.kind != kind || (e.count == 0 && kind == TRACE_KEY))
			rd_fail(r, GCS_MALFORMED);
		else if (!add(list, count, room, &e))
			rd_fail(r, GCS_NOMEM);
		before = e.offset;
		place = e.place + e.count;
	}
	return r->status == GCS_OK;
}

static bool get_index(struct trace_index *x, const struct trace_input *in, struct rd *r)
{
	if (!get_list(r, in, &x->segments, &x->segment_count, &x->segment_room, TRACE_KEY) ||
	    !get_list(r, in, &x->profiles, &x->profile_count, &x->profile_room, TRACE_PROFILE))
		return false;
	/* Version 1.0 has no third list. */
	if (rd_left(r) != 0 &&
	    !get_list(r, in, &x->answers, &x->answer_count, &x->answer_room, TRACE_ANSWER))
		return false;
	if (x->segment_count != 0) {
		const struct trace_entry *last = &x->segments[x->segment_count - 1];
		x->events = last->place + last->count;
		x->first_time_ns = x->segments[0].first_time_ns;
		x->last_time_ns = last->last_time_ns;
		if (x->segments[0].place != 0)
			trace_index_note(x, x->segments[0].offset, 0, 0, x->segments[0].place,
			    "chunks are missing before it");
	}
	x->chunks = x->segment_count + x->profile_count + x->answer_count;
	return true;
}

/* False without a valid end mark and index. */
static bool load_index(struct trace_index *x, const struct trace_input *in)
{
	uint8_t mark[TRACE_END_MARK];
	uint64_t offset;
	struct trace_chunk chunk;
	struct trace_part heads = {0}, body = {0};
	if (in->bytes < TRACE_FILE_HEAD + sizeof mark ||
	    trace_read(in, in->bytes - sizeof mark, mark, sizeof mark) != GCS_OK ||
	    !trace_get_end(mark, &offset) || trace_read_chunk(in, offset, &chunk) != GCS_OK ||
	    chunk.kind != TRACE_INDEX)
		return false;
	bool ok = trace_read_parts(in, offset, &chunk, NULL, NULL, &heads, &body) == GCS_OK;
	if (ok) {
		struct rd r = rd_over(body.bytes, body.length);
		ok = get_index(x, in, &r);
	}
	x->end = offset;
	trace_part_fini(&heads);
	trace_part_fini(&body);
	return ok;
}

/* Scanning the chunks. */

static bool take_chunk(struct trace_index *x, uint64_t offset, const struct trace_chunk *c)
{
	const struct trace_entry e = {.kind = c->kind,
	    .offset = offset,
	    .place = c->place,
	    .count = c->count,
	    .detail = c->detail,
	    .first_time_ns = c->first_time_ns,
	    .last_time_ns = c->last_time_ns,
	    .bytes = trace_chunk_bytes(c)};
	x->chunks++;
	if (c->kind == TRACE_PROFILE)
		return add(&x->profiles, &x->profile_count, &x->profile_room, &e);
	if (c->kind == TRACE_ANSWER)
		return add(&x->answers, &x->answer_count, &x->answer_room, &e);
	if (c->kind != TRACE_KEY && c->kind != TRACE_MORE)
		return true;
	/* Places only grow, so this chunk is not part of the recording. */
	if (c->place < x->events)
		return true;
	if (c->place > x->events)
		trace_index_note(
		    x, offset, 0, x->events, c->place - x->events, "chunks are missing before it");
	x->events = c->place + c->count;
	x->last_time_ns = c->last_time_ns;
	if (c->kind == TRACE_KEY) {
		if (x->segment_count == 0)
			x->first_time_ns = c->first_time_ns;
		return add(&x->segments, &x->segment_count, &x->segment_room, &e);
	}
	if (x->segment_count == 0) {
		trace_index_note(
		    x, offset, e.bytes, c->place, c->count, "its key frame is missing");
		return true;
	}
	struct trace_entry *segment = &x->segments[x->segment_count - 1];
	segment->count += c->count;
	segment->last_time_ns = c->last_time_ns;
	segment->bytes += e.bytes;
	return true;
}

static enum gcs_status scan(struct trace_index *x, const struct trace_input *in)
{
	uint64_t offset = TRACE_FILE_HEAD;
	x->end = offset;
	while (offset < in->bytes) {
		struct trace_chunk chunk;
		const enum gcs_status status = trace_read_chunk(in, offset, &chunk);
		if (status == GCS_IO)
			return status;
		if (status != GCS_OK) {
			uint64_t next = offset;
			if (trace_search(in, &next, in->bytes, &chunk) == GCS_IO)
				return GCS_IO;
			if (next == in->bytes)
				break;
			trace_index_note(
			    x, offset, next - offset, x->events, 0, "no chunk where one should be");
			offset = next;
		}
		if (!take_chunk(x, offset, &chunk))
			return GCS_NOMEM;
		offset += trace_chunk_bytes(&chunk);
		x->end = offset;
	}
	x->stray_bytes = in->bytes - x->end;
	return GCS_OK;
}

enum gcs_status trace_index_load(struct trace_index *x, const struct trace_input *in)
{
	*x = (struct trace_index){0};
	x->complete = load_index(x, in);
	enum gcs_status status = GCS_OK;
	if (!x->complete) {
		trace_index_fini(x);
		status = scan(x, in);
	}
	x->raw_left = TRACE_FREE_RAW + TRACE_DENSITY * in->bytes;
	x->values_left = TRACE_FREE_VALUES + TRACE_VALUES * in->bytes;
	return status;
}

bool trace_index_count(struct trace_index *x, struct trace_entry *e, uint64_t raw)
{
	if (e->size == TRACE_UNCOUNTED) {
		e->size = raw <= x->raw_left ? TRACE_WITHIN : TRACE_BEYOND;
		x->raw_left -= e->size == TRACE_WITHIN ? raw : 0;
	}
	return e->size == TRACE_WITHIN;
}
