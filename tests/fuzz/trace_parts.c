#include "trace_parts.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A record is the fields of a chunk's head as varints, then its raw parts. */
struct record {
	struct trace_chunk head;
	const uint8_t *heads, *body;
};

static void put_u32(uint8_t *at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(v >> 8 * i);
}

static uint32_t get_u32(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void trace_mend(uint8_t *bytes, size_t length)
{
	size_t at = TRACE_FILE_HEAD;
	if (length < TRACE_FILE_HEAD)
		return;
	put_u32(bytes + 60, trace_crc(0, bytes, 60));
	while (length - at >= TRACE_CHUNK_HEAD && memcmp(bytes + at, TRACE_CHUNK_MAGIC, 4) == 0) {
		uint8_t *head = bytes + at;
		const uint64_t stored = (uint64_t)get_u32(head + 8) + get_u32(head + 16);
		at += TRACE_CHUNK_HEAD;
		if (stored <= length - at) {
			put_u32(head + 56, trace_crc(0, bytes + at, (size_t)stored));
			at += (size_t)stored;
		}
		put_u32(head + 60, trace_crc(0, head, 60));
	}
	if (length >= TRACE_END_MARK && memcmp(bytes + length - 4, TRACE_END_MAGIC, 4) == 0)
		put_u32(bytes + length - 8, trace_crc(0, bytes + length - TRACE_END_MARK, 16));
}

static bool get_record(struct rd *r, struct record *record)
{
	struct trace_chunk *c = &record->head;
	c->kind = (uint16_t)rd_count(r, UINT16_MAX);
	c->place = rd_varint(r);
	c->count = rd_count(r, UINT32_MAX);
	c->detail = rd_count(r, UINT32_MAX);
	c->first_time_ns = rd_varint(r);
	c->last_time_ns = rd_varint(r);
	c->heads_raw = rd_count(r, 1 << 20);
	c->body_raw = rd_count(r, 1 << 20);
	record->heads = rd_bytes(r, c->heads_raw);
	record->body = rd_bytes(r, c->body_raw);
	return r->status == GCS_OK;
}

static void put_record(struct wr *w, const struct record *record)
{
	const struct trace_chunk *c = &record->head;
	wr_varint(w, c->kind);
	wr_varint(w, c->place);
	wr_varint(w, c->count);
	wr_varint(w, c->detail);
	wr_varint(w, c->first_time_ns);
	wr_varint(w, c->last_time_ns);
	wr_varint(w, c->heads_raw);
	wr_varint(w, c->body_raw);
	wr_bytes(w, record->heads, c->heads_raw);
	wr_bytes(w, record->body, c->body_raw);
}

/* Appends a part as a zlib stream of stored blocks; returns its length. */
static uint32_t put_part(
    struct wr *w, const uint8_t *raw, size_t length, const uint8_t *key, size_t key_length)
{
	z_stream z = {0};
	if (length == 0 || deflateInit(&z, 0) != Z_OK)
		return 0;
	const size_t before = w->length;
	size_t bytes;
	const uint8_t *dictionary = trace_dictionary(key, key_length, &bytes);
	if (bytes != 0)
		deflateSetDictionary(&z, dictionary, (uInt)bytes);
	const size_t room = length + length / 8 + 1000;
	uint8_t *to = malloc(room);
	if (to == NULL)
		abort();
	z.next_in = (z_const Bytef *)(uintptr_t)raw;
	z.avail_in = (uInt)length;
	z.next_out = to;
	z.avail_out = (uInt)room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	wr_bytes(w, to, room - z.avail_out);
	deflateEnd(&z);
	free(to);
	return (uint32_t)(w->length - before);
}

static void put_chunk(struct wr *w, const struct record *record, const struct record *key)
{
	struct trace_chunk c = record->head;
	struct wr parts;
	const bool more = c.kind == TRACE_MORE;
	wr_init(&parts, 1 << 24);
	c.heads_stored = put_part(
	    &parts, record->heads, c.heads_raw, key->heads, more ? key->head.heads_raw : 0);
	c.body_stored =
	    put_part(&parts, record->body, c.body_raw, key->body, more ? key->head.body_raw : 0);
	c.check = trace_crc(0, parts.data, parts.length);
	trace_put_chunk(w, &c);
	wr_bytes(w, parts.data, parts.length);
	wr_fini(&parts);
}

void trace_assemble(struct wr *file, const uint8_t *data, size_t size)
{
	struct rd r = rd_over(data, size);
	struct record key = {.heads = data, .body = data}, record;
	uint64_t index = 0;
	trace_put_head(file, &(struct trace_head){GCS_TRACE_MAJOR, GCS_TRACE_MINOR, 1});
	while (rd_left(&r) != 0 && get_record(&r, &record)) {
		if (record.head.kind == TRACE_KEY)
			key = record;
		if (record.head.kind == TRACE_INDEX)
			index = file->length;
		put_chunk(file, &record, &key);
	}
	if (index != 0)
		trace_put_end(file, index);
}

/* The entries of the segments or of the profiles in a file without an index. */
static void put_list(struct wr *body, const struct wr *file, uint16_t kind)
{
	struct trace_entry entries[64];
	uint32_t count = 0;
	uint64_t before = 0;
	size_t at = TRACE_FILE_HEAD;
	struct trace_chunk c;
	while (at + TRACE_CHUNK_HEAD <= file->length && trace_get_chunk(file->data + at, &c)) {
		struct trace_entry *last = count == 0 ? NULL : &entries[count - 1];
		if (c.kind == kind && count < 64)
			entries[count++] = (struct trace_entry){kind, at, c.place, c.count,
			    c.detail, c.first_time_ns, c.last_time_ns, trace_chunk_bytes(&c),
			    TRACE_UNCOUNTED, 0};
		else if (kind == TRACE_KEY && c.kind == TRACE_MORE && last != NULL) {
			last->count += c.count;
			last->last_time_ns = c.last_time_ns;
			last->bytes += trace_chunk_bytes(&c);
		}
		at += (size_t)trace_chunk_bytes(&c);
	}
	wr_varint(body, count);
	for (uint32_t i = 0; i < count; i++) {
		trace_put_entry(body, &entries[i], before);
		before = entries[i].offset;
	}
}

static void put_index(struct wr *records)
{
	struct wr file, body;
	wr_init(&file, 1 << 24);
	wr_init(&body, 1 << 16);
	trace_assemble(&file, records->data, records->length);
	put_list(&body, &file, TRACE_KEY);
	put_list(&body, &file, TRACE_PROFILE);
	const struct record index = {
	    .head = {.kind = TRACE_INDEX, .body_raw = (uint32_t)body.length},
	    .heads = body.data,
	    .body = body.data};
	put_record(records, &index);
	wr_fini(&file);
	wr_fini(&body);
}

void trace_take_apart(struct wr *records, const char *path)
{
	struct trace_input in;
	struct trace_part key[2] = {{0}}, parts[2] = {{0}};
	uint64_t offset = TRACE_FILE_HEAD;
	struct record record;
	if (!trace_input_open(&in, path, NULL))
		abort();
	while (trace_read_chunk(&in, offset, &record.head) == GCS_OK) {
		const bool more = record.head.kind == TRACE_MORE;
		struct trace_part *to = record.head.kind == TRACE_KEY ? key : parts;
		if (trace_read_parts(&in, offset, &record.head, more ? &key[0] : NULL,
			more ? &key[1] : NULL, &to[0], &to[1]) != GCS_OK)
			abort();
		offset += trace_chunk_bytes(&record.head);
		record.heads = to[0].bytes;
		record.body = to[1].bytes;
		if (record.head.kind == TRACE_INDEX)
			put_index(records);
		else
			put_record(records, &record);
	}
	for (int i = 0; i < 2; i++) {
		trace_part_fini(&key[i]);
		trace_part_fini(&parts[i]);
	}
	trace_input_close(&in);
}
