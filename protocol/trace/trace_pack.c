#include "trace_pack.h"

#include <string.h>

#include <gcspy/memory.h>

#include "zmemory.h"

bool trace_packer_init(struct trace_packer *p, int level)
{
	*p = (struct trace_packer){.level = level, .raw_left = TRACE_FREE_RAW};
	zmemory(&p->z);
	p->ready = deflateInit(&p->z, level) == Z_OK;
	p->dictionary[0] = gcs_alloc(TRACE_DICTIONARY);
	p->dictionary[1] = gcs_alloc(TRACE_DICTIONARY);
	return p->ready && p->dictionary[0] != NULL && p->dictionary[1] != NULL;
}

void trace_packer_fini(struct trace_packer *p)
{
	if (p->ready)
		deflateEnd(&p->z);
	gcs_free(p->dictionary[0]);
	gcs_free(p->dictionary[1]);
	*p = (struct trace_packer){0};
}

/* Deflates a part after the end of `out`; returns its size. */
static uint32_t deflate_part(
    struct trace_packer *p, struct wr *out, const struct wr *raw, int dictionary)
{
	z_stream *z = &p->z;
	if (raw->length == 0)
		return 0;
	deflateReset(z);
	if (dictionary >= 0 && p->dictionary_bytes[dictionary] != 0)
		deflateSetDictionary(
		    z, p->dictionary[dictionary], (uInt)p->dictionary_bytes[dictionary]);
	const size_t room = deflateBound(z, raw->length) + 16;
	if (!wr_reserve(out, room))
		return 0;
	z->next_in = raw->data;
	z->avail_in = (uInt)raw->length;
	z->next_out = out->data + out->length;
	z->avail_out = (uInt)room;
	if (deflate(z, Z_FINISH) != Z_STREAM_END) {
		out->status = GCS_NOMEM;
		return 0;
	}
	return (uint32_t)(room - z->avail_out);
}

static void set_level(struct trace_packer *p, int level)
{
	deflateReset(&p->z);
	deflateParams(&p->z, level, Z_DEFAULT_STRATEGY);
}

/* What would be left of raw_left after a part. */
static int64_t left(const struct trace_packer *p, uint32_t stored, size_t raw)
{
	const int64_t all = p->raw_left + (int64_t)stored * TRACE_DENSITY;
	return (all < INT64_MAX / 2 ? all : INT64_MAX / 2) - (int64_t)raw;
}

/* Appends a part, deflated unless that is too dense for the format; returns its size. */
static uint32_t put_part(
    struct trace_packer *p, struct wr *out, const struct wr *raw, int dictionary)
{
	uint32_t stored = deflate_part(p, out, raw, dictionary);
	if (out->status == GCS_OK &&
	    (!trace_is_dense(stored, raw->length) || left(p, stored, raw->length) < 0)) {
		set_level(p, Z_NO_COMPRESSION);
		stored = deflate_part(p, out, raw, dictionary);
		set_level(p, p->level);
	}
	out->length += stored;
	p->raw_left = left(p, stored, raw->length);
	return stored;
}

static void keep_dictionary(struct trace_packer *p, const struct wr *raw, int part)
{
	const uint8_t *bytes = trace_dictionary(raw->data, raw->length, &p->dictionary_bytes[part]);
	if (p->dictionary_bytes[part] != 0)
		memcpy(p->dictionary[part], bytes, p->dictionary_bytes[part]);
}

void trace_pack_chunk(struct trace_packer *p, struct wr *out, const struct wr *heads,
    const struct wr *body, struct trace_chunk *c)
{
	struct wr head;
	const uint8_t room[TRACE_CHUNK_HEAD] = {0};
	const bool more = c->kind == TRACE_MORE;
	out->length = 0;
	out->status = GCS_OK;
	wr_bytes(out, room, sizeof room);
	c->heads_raw = (uint32_t)heads->length;
	c->body_raw = (uint32_t)body->length;
	c->heads_stored = put_part(p, out, heads, more ? 0 : -1);
	c->body_stored = put_part(p, out, body, more ? 1 : -1);
	if (out->status != GCS_OK)
		return;
	c->check = trace_crc(0, out->data + TRACE_CHUNK_HEAD, out->length - TRACE_CHUNK_HEAD);
	wr_init(&head, TRACE_CHUNK_HEAD);
	trace_put_chunk(&head, c);
	if (head.status == GCS_OK)
		memcpy(out->data, head.data, TRACE_CHUNK_HEAD);
	else
		out->status = head.status;
	wr_fini(&head);
	if (c->kind == TRACE_KEY) {
		keep_dictionary(p, heads, 0);
		keep_dictionary(p, body, 1);
	}
}
