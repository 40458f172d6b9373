#include "trace_segment.h"

#include <string.h>

#include <gcspy/memory.h>

void trace_segment_init(
    struct trace_segment *s, const struct trace_input *in, struct trace_index *index)
{
	*s = (struct trace_segment){.in = in, .index = index, .number = UINT64_MAX};
}

void trace_segment_fini(struct trace_segment *s)
{
	trace_part_fini(&s->heads_dictionary);
	trace_part_fini(&s->body_dictionary);
	gcs_free(s->chunks);
	*s = (struct trace_segment){.number = UINT64_MAX};
}

static bool add_chunk(struct trace_segment *s, uint64_t offset, const struct trace_chunk *head)
{
	if (s->count == s->room) {
		const uint32_t room = s->room == 0 ? 64 : s->room * 2;
		struct segment_chunk *bigger = gcs_realloc(s->chunks, room * sizeof *bigger);
		if (bigger == NULL)
			return false;
		s->chunks = bigger;
		s->room = room;
	}
	s->chunks[s->count++] = (struct segment_chunk){.offset = offset, .head = *head};
	return true;
}

void trace_segment_lose(
    struct trace_segment *s, uint64_t offset, uint64_t bytes, uint64_t place, const char *why)
{
	const uint64_t end = trace_index_segment_end(s->index, s->number);
	if (place < s->end)
		s->end = place;
	if (place < end)
		trace_index_note(s->index, offset, bytes, place, end - place, why);
}

/* Lists the chunks with events. A gap ends what can be decoded, but not the list. */
static enum gcs_status list_chunks(struct trace_segment *s)
{
	const uint64_t end = trace_index_bytes_end(s->index, s->number);
	uint64_t offset = s->index->segments[s->number].offset;
	uint64_t expected = s->first, raw = 0;
	while (offset < end) {
		struct trace_chunk head;
		enum gcs_status status = trace_read_chunk(s->in, offset, &head);
		if (status == GCS_IO)
			return status;
		if (status != GCS_OK) {
			trace_segment_lose(s, offset, 0, expected, "no chunk where one should be");
			if (trace_search(s->in, &offset, end, &head) == GCS_IO)
				return GCS_IO;
			if (offset == end)
				break;
		}
		const bool of_events = head.kind == TRACE_KEY || head.kind == TRACE_MORE;
		if (of_events && head.place >= expected && head.place < s->index->events) {
			if (head.place != expected)
				trace_segment_lose(
				    s, offset, 0, expected, "chunks are missing before it");
			if (!add_chunk(s, offset, &head))
				return GCS_NOMEM;
			expected = head.place + head.count;
			raw += (uint64_t)head.heads_raw + head.body_raw;
		}
		offset += trace_chunk_bytes(&head);
	}
	const uint64_t last = trace_index_segment_end(s->index, s->number);
	if (expected < last)
		trace_segment_lose(s, end, 0, expected, "chunks are missing before it");
	if (s->end > last)
		s->end = last;
	if (!trace_index_count(s->index, &s->index->segments[s->number], raw)) {
		trace_segment_lose(
		    s, s->index->segments[s->number].offset, 0, s->first, TRACE_TOO_LARGE);
		s->count = 0;
	}
	return GCS_OK;
}

enum gcs_status trace_segment_load(struct trace_segment *s, uint64_t number)
{
	s->number = number;
	s->count = 0;
	s->heads_dictionary.length = s->body_dictionary.length = 0;
	s->first = s->index->segments[number].place;
	s->end = UINT64_MAX;
	const enum gcs_status status = list_chunks(s);
	if (status != GCS_OK)
		s->number = UINT64_MAX;
	return status;
}

uint32_t trace_segment_chunk(const struct trace_segment *s, uint64_t place)
{
	uint32_t low = 0, high = s->count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (s->chunks[middle].head.place <= place)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return UINT32_MAX;
	const struct trace_chunk *head = &s->chunks[low - 1].head;
	return place - head->place < head->count ? low - 1 : UINT32_MAX;
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

enum gcs_status trace_segment_read(
    struct trace_segment *s, uint32_t chunk, struct trace_part *heads, struct trace_part *body)
{
	const bool key = chunk == 0;
	enum gcs_status status = GCS_OK;
	if (s->count == 0 || s->chunks[0].head.kind != TRACE_KEY)
		return GCS_MALFORMED;
	if (!key &&
	    (s->heads_dictionary.length == 0 || (body != NULL && s->body_dictionary.length == 0)))
		status = trace_segment_read(s, 0, heads, body);
	const struct segment_chunk *at = &s->chunks[chunk];
	if (status == GCS_OK)
		status = trace_read_parts(s->in, at->offset, &at->head,
		    key ? NULL : &s->heads_dictionary, key ? NULL : &s->body_dictionary, heads,
		    body);
	if (status == GCS_OK && key)
		status = copy_part(&s->heads_dictionary, heads);
	if (status == GCS_OK && key && body != NULL)
		status = copy_part(&s->body_dictionary, body);
	return status;
}
