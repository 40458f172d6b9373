/* QUERY, ZOOM, SET and ANSWER. */

#include "codec.h"

/* In the order of the wire's numbers (docs/protocol.md, section 4.3). */
static const enum gcs_status answers[] = {
    GCS_OK, GCS_UNSUPPORTED, GCS_ARGUMENT, GCS_STATE, GCS_NOMEM, GCS_LIMIT};

enum { ANSWER_COUNT = sizeof answers / sizeof answers[0], ANSWER_UNSUPPORTED = 1 };

uint8_t codec_answer_number(enum gcs_status status)
{
	uint8_t number = ANSWER_UNSUPPORTED;
	for (uint8_t i = 0; i < ANSWER_COUNT; i++)
		if (answers[i] == status)
			number = i;
	return number;
}

enum gcs_status codec_answer_status(uint8_t number)
{
	return number < ANSWER_COUNT ? answers[number] : GCS_UNSUPPORTED;
}

void put_query(struct wr *w, const struct query_message *query)
{
	size_t at = frame_begin(w, GCS_WIRE_QUERY);
	wr_varint(w, query->id);
	wr_text(w, query->topic);
	wr_varint(w, query->count);
	for (uint32_t i = 0; i < query->count; i++) {
		wr_text(w, query->parameters[i].key);
		wr_text(w, query->parameters[i].value);
	}
	frame_end(w, at, NULL);
}

bool get_query(struct rd *r, struct arena *a, struct query_message *query)
{
	*query = (struct query_message){.id = rd_count(r, UINT32_MAX)};
	query->topic = arena_read_text(a, r, GCS_MAX_NAME);
	query->count = rd_count(r, GCS_MAX_PARAMETERS);
	struct gcs_info *parameters = arena_alloc(a, query->count + 1, sizeof *parameters);
	if (parameters == NULL)
		rd_fail(r, GCS_NOMEM);
	for (uint32_t i = 0; r->status == GCS_OK && i < query->count; i++) {
		parameters[i].key = arena_read_text(a, r, GCS_MAX_NAME);
		parameters[i].value = arena_read_text(a, r, GCS_MAX_TEXT);
	}
	query->parameters = parameters;
	if (r->status == GCS_OK && query->topic[0] == '\0')
		rd_fail(r, GCS_MALFORMED);
	return r->status == GCS_OK;
}

void put_zoom(struct wr *w, const struct zoom_message *zoom)
{
	size_t at = frame_begin(w, GCS_WIRE_ZOOM);
	wr_varint(w, zoom->id);
	wr_varint(w, zoom->space);
	wr_varint(w, zoom->start);
	wr_varint(w, zoom->end);
	wr_varint(w, zoom->block);
	frame_end(w, at, NULL);
}

/* The server checks the numbers, so that its answer can say what is allowed. */
bool get_zoom(struct rd *r, struct zoom_message *zoom)
{
	zoom->id = rd_count(r, UINT32_MAX);
	zoom->space = rd_count(r, GCS_MAX_SPACES - 1);
	zoom->start = rd_varint(r);
	zoom->end = rd_varint(r);
	zoom->block = rd_varint(r);
	return r->status == GCS_OK;
}

void put_set(struct wr *w, const struct set_message *set)
{
	size_t at = frame_begin(w, GCS_WIRE_SET);
	wr_varint(w, set->id);
	wr_text(w, set->key);
	wr_text(w, set->value);
	frame_end(w, at, NULL);
}

bool get_set(struct rd *r, struct arena *a, struct set_message *set)
{
	set->id = rd_count(r, UINT32_MAX);
	set->key = arena_read_text(a, r, GCS_MAX_NAME);
	set->value = arena_read_text(a, r, GCS_MAX_TEXT);
	if (r->status == GCS_OK && set->key[0] == '\0')
		rd_fail(r, GCS_MALFORMED);
	return r->status == GCS_OK;
}

void put_answer(struct wr *w, const struct answer_message *answer, struct deflater *d)
{
	size_t at = frame_begin(w, GCS_WIRE_ANSWER);
	wr_varint(w, answer->id);
	wr_u8(w, codec_answer_number(answer->status));
	wr_u8(w, answer->last ? 1 : 0);
	wr_varint(w, answer->total);
	wr_text(w, answer->message);
	wr_u32(w, (uint32_t)answer->length);
	wr_bytes(w, answer->bytes, answer->length);
	frame_end(w, at, d);
}

bool get_answer(struct rd *r, struct arena *a, struct answer_message *answer)
{
	answer->id = rd_count(r, UINT32_MAX);
	answer->status = codec_answer_status(rd_u8(r));
	answer->last = rd_u8(r) != 0;
	answer->total = rd_count(r, GCS_MAX_ANSWER);
	answer->message = arena_read_text(a, r, GCS_MAX_TEXT);
	answer->length = rd_u32(r);
	if (answer->length > CODEC_ANSWER_PER_FRAME)
		rd_fail(r, GCS_LIMIT);
	if (answer->length > answer->total)
		rd_fail(r, GCS_MALFORMED);
	answer->bytes = rd_bytes(r, answer->length);
	return r->status == GCS_OK;
}
