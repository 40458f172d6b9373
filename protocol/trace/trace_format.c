#include "trace_format.h"

#include <string.h>
#include <zlib.h>

#include <gcspy/memory.h>

#include "profile_tables.h"

static void put_u64(struct wr *w, uint64_t v)
{
	wr_u32(w, (uint32_t)v);
	wr_u32(w, (uint32_t)(v >> 32));
}

static uint64_t get_u64(struct rd *r)
{
	const uint64_t low = rd_u32(r);
	return low | (uint64_t)rd_u32(r) << 32;
}

uint32_t trace_crc(uint32_t crc, const void *bytes, size_t length)
{
	return (uint32_t)crc32_z(crc, bytes, length);
}

/* Appends the checksum of what was written since `at`. */
static void put_check(struct wr *w, size_t at)
{
	if (w->status == GCS_OK)
		wr_u32(w, trace_crc(0, w->data + at, w->length - at));
}

/* Verifies `length` bytes by the checksum after them. */
static bool checked(const uint8_t *bytes, size_t length)
{
	struct rd r = rd_over(bytes + length, 4);
	return rd_u32(&r) == trace_crc(0, bytes, length);
}

void trace_put_head(struct wr *w, const struct trace_head *head)
{
	const size_t at = w->length;
	const uint8_t reserved[36] = {0};
	wr_bytes(w, GCS_TRACE_MAGIC, 8);
	wr_u16(w, (uint16_t)head->major);
	wr_u16(w, (uint16_t)head->minor);
	wr_u32(w, TRACE_FILE_HEAD);
	put_u64(w, (uint64_t)head->created_wall_ns);
	wr_bytes(w, reserved, sizeof reserved);
	put_check(w, at);
}

enum gcs_status trace_get_head(const uint8_t *bytes, struct trace_head *head)
{
	struct rd r = rd_over(bytes + 8, TRACE_FILE_HEAD - 8);
	head->major = rd_u16(&r);
	head->minor = rd_u16(&r);
	const uint32_t length = rd_u32(&r);
	head->created_wall_ns = (int64_t)get_u64(&r);
	if (memcmp(bytes, GCS_TRACE_MAGIC, 8) != 0)
		return GCS_FOREIGN;
	if (!checked(bytes, TRACE_FILE_HEAD - 4))
		return GCS_MALFORMED;
	if (head->major != GCS_TRACE_MAJOR)
		return GCS_VERSION;
	return length == TRACE_FILE_HEAD ? GCS_OK : GCS_MALFORMED;
}

void trace_put_chunk(struct wr *w, const struct trace_chunk *c)
{
	const size_t at = w->length;
	wr_bytes(w, TRACE_CHUNK_MAGIC, 4);
	wr_u16(w, c->kind);
	wr_u16(w, 0);
	wr_u32(w, c->heads_stored);
	wr_u32(w, c->heads_raw);
	wr_u32(w, c->body_stored);
	wr_u32(w, c->body_raw);
	put_u64(w, c->place);
	wr_u32(w, c->count);
	wr_u32(w, c->detail);
	put_u64(w, c->first_time_ns);
	put_u64(w, c->last_time_ns);
	wr_u32(w, c->check);
	put_check(w, at);
}

bool trace_get_chunk(const uint8_t *bytes, struct trace_chunk *c)
{
	struct rd r = rd_over(bytes + 4, TRACE_CHUNK_HEAD - 4);
	if (memcmp(bytes, TRACE_CHUNK_MAGIC, 4) != 0 || !checked(bytes, TRACE_CHUNK_HEAD - 4))
		return false;
	c->kind = rd_u16(&r);
	rd_u16(&r);
	c->heads_stored = rd_u32(&r);
	c->heads_raw = rd_u32(&r);
	c->body_stored = rd_u32(&r);
	c->body_raw = rd_u32(&r);
	c->place = get_u64(&r);
	c->count = rd_u32(&r);
	c->detail = rd_u32(&r);
	c->first_time_ns = get_u64(&r);
	c->last_time_ns = get_u64(&r);
	c->check = rd_u32(&r);
	/* A chunk without events would have the place of none. */
	if (c->count == 0 && (c->kind == TRACE_KEY || c->kind == TRACE_MORE))
		return false;
	return c->heads_raw <= TRACE_MAX_HEADS && c->body_raw <= TRACE_MAX_BODY &&
	       c->place <= UINT64_MAX - c->count;
}

uint64_t trace_chunk_bytes(const struct trace_chunk *c)
{
	return (uint64_t)TRACE_CHUNK_HEAD + c->heads_stored + c->body_stored;
}

void trace_put_entry(struct wr *w, const struct trace_entry *e, uint64_t before)
{
	wr_varint(w, e->kind);
	wr_varint(w, e->offset - before);
	wr_varint(w, e->place);
	wr_varint(w, e->count);
	wr_varint(w, e->detail);
	wr_varint(w, e->first_time_ns);
	wr_varint(w, e->last_time_ns);
	wr_varint(w, e->bytes);
}

bool trace_get_entry(struct rd *r, struct trace_entry *e, uint64_t before)
{
	e->kind = (uint16_t)rd_count(r, UINT16_MAX);
	const uint64_t distance = rd_varint(r);
	e->offset = before + distance;
	e->place = rd_varint(r);
	e->count = rd_varint(r);
	e->detail = rd_count(r, UINT32_MAX);
	e->first_time_ns = rd_varint(r);
	e->last_time_ns = rd_varint(r);
	e->bytes = rd_varint(r);
	if (e->offset < before || e->place > UINT64_MAX - e->count)
		rd_fail(r, GCS_MALFORMED);
	return r->status == GCS_OK;
}

void trace_put_end(struct wr *w, uint64_t index)
{
	const size_t at = w->length;
	put_u64(w, index);
	put_u64(w, 0);
	put_check(w, at);
	wr_bytes(w, TRACE_END_MAGIC, 4);
}

bool trace_get_end(const uint8_t *bytes, uint64_t *index)
{
	struct rd r = rd_over(bytes, TRACE_END_MARK);
	*index = get_u64(&r);
	return memcmp(bytes + TRACE_END_MARK - 4, TRACE_END_MAGIC, 4) == 0 &&
	       checked(bytes, TRACE_END_MARK - 8);
}

bool trace_is_profile(const void *bytes, size_t length)
{
	const uint8_t *document = bytes;
	return length >= 2 && length <= TRACE_MAX_BODY && document[1] < GCS_PROFILE_KIND_COUNT;
}

int64_t trace_profile_ns(const void *bytes, size_t length, int64_t *judged_ns)
{
	enum { CLOCK_NS = 100000 };
	int64_t made_ns;
	(void)profile_decode_times(bytes, length, &made_ns, judged_ns);
	const int64_t ns = *judged_ns == 0 ? made_ns : *judged_ns;
	return ns > INT64_MAX - CLOCK_NS ? INT64_MAX : ns + CLOCK_NS;
}

bool trace_is_answer(const struct gcs_trace_answer *a)
{
	const size_t name = a->plugin == NULL ? 0 : strlen(a->plugin);
	return name >= 1 && name <= GCS_MAX_NAME &&
	       (a->message == NULL || strlen(a->message) <= GCS_MAX_TEXT) &&
	       a->length <= TRACE_MAX_BODY;
}

void trace_put_answer(struct wr *w, const struct gcs_trace_answer *a)
{
	wr_text(w, a->plugin);
	wr_text(w, a->message);
	wr_zigzag(w, a->wall_ns);
}

bool trace_get_answer(struct rd *r, struct trace_answer_head *head)
{
	head->plugin = rd_text(r, GCS_MAX_NAME, &head->plugin_length);
	head->message = rd_text(r, GCS_MAX_TEXT, &head->message_length);
	head->wall_ns = rd_zigzag(r);
	return r->status == GCS_OK && head->plugin_length != 0;
}

struct gcs_trace_answer *trace_copy_answer(
    const struct trace_answer_head *head, const void *bytes, size_t length)
{
	struct gcs_trace_answer *a =
	    gcs_alloc(sizeof *a + length + head->plugin_length + head->message_length + 2);
	if (a == NULL)
		return NULL;
	char *body = (char *)(a + 1), *plugin = body + length;
	char *message = plugin + head->plugin_length + 1;
	*a = (struct gcs_trace_answer){.plugin = plugin,
	    .message = message,
	    .wall_ns = head->wall_ns,
	    .bytes = body,
	    .length = length};
	if (length != 0)
		memcpy(body, bytes, length);
	memcpy(plugin, head->plugin, head->plugin_length);
	plugin[head->plugin_length] = '\0';
	memcpy(message, head->message, head->message_length);
	message[head->message_length] = '\0';
	return a;
}

bool trace_is_dense(uint32_t stored, uint64_t raw)
{
	return raw <= TRACE_FREE_RAW || raw <= (uint64_t)stored * TRACE_DENSITY;
}

const uint8_t *trace_dictionary(const uint8_t *raw, size_t length, size_t *bytes)
{
	*bytes = length < TRACE_DICTIONARY ? length : TRACE_DICTIONARY;
	return raw + (length - *bytes);
}
