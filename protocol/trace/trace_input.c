#include "trace_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "zmemory.h"

/* Maximum expansion by zlib; a head that exceeds it is wrong. */
enum { MOST_INFLATION = 1040 };

enum { SEARCH_BYTES = 16384 };

bool trace_input_open(struct trace_input *in, const char *path, struct gcs_error *err)
{
	struct stat st;
	*in = (struct trace_input){.fd = open(path, O_RDONLY | O_CLOEXEC)};
	if (in->fd == -1 || fstat(in->fd, &st) != 0) {
		gcs_fail(err, GCS_IO, "%.200s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		gcs_fail(err, GCS_ARGUMENT, "%.200s is not a regular file", path);
	} else if ((in->path = gcs_strdup(path)) == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory to open %.200s", path);
	} else {
		in->bytes = (uint64_t)st.st_size;
		return true;
	}
	trace_input_close(in);
	return false;
}

void trace_input_close(struct trace_input *in)
{
	if (in->fd != -1)
		close(in->fd);
	gcs_free(in->path);
	*in = (struct trace_input){.fd = -1};
}

enum gcs_status trace_read(const struct trace_input *in, uint64_t offset, void *to, size_t length)
{
	uint8_t *at = to;
	while (length != 0) {
		const ssize_t n = pread(in->fd, at, length, (off_t)offset);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0 ? GCS_TRUNCATED : GCS_IO;
		at += n;
		offset += (uint64_t)n;
		length -= (size_t)n;
	}
	return GCS_OK;
}

/* A valid head of a chunk that fits in the file. */
static bool plausible(
    const struct trace_input *in, uint64_t offset, const uint8_t *head, struct trace_chunk *chunk)
{
	return trace_get_chunk(head, chunk) && trace_chunk_bytes(chunk) <= in->bytes - offset;
}

enum gcs_status trace_read_chunk(
    const struct trace_input *in, uint64_t offset, struct trace_chunk *chunk)
{
	uint8_t head[TRACE_CHUNK_HEAD];
	if (offset > in->bytes || in->bytes - offset < sizeof head)
		return GCS_TRUNCATED;
	const enum gcs_status status = trace_read(in, offset, head, sizeof head);
	if (status != GCS_OK)
		return status;
	return plausible(in, offset, head, chunk) ? GCS_OK : GCS_MALFORMED;
}

/* The position of the first valid head in a block of the file at `offset`, or `length`. */
static size_t search_block(const struct trace_input *in, uint64_t offset, const uint8_t *block,
    size_t length, struct trace_chunk *chunk)
{
	for (size_t i = 0; i + TRACE_CHUNK_HEAD <= length; i++) {
		const uint8_t *at =
		    memchr(block + i, TRACE_CHUNK_MAGIC[0], length - TRACE_CHUNK_HEAD + 1 - i);
		if (at == NULL)
			break;
		i = (size_t)(at - block);
		if (plausible(in, offset + i, at, chunk))
			return i;
	}
	return length;
}

enum gcs_status trace_search(
    const struct trace_input *in, uint64_t *offset, uint64_t end, struct trace_chunk *chunk)
{
	uint8_t block[SEARCH_BYTES];
	while (*offset < end && end - *offset >= TRACE_CHUNK_HEAD) {
		const size_t length =
		    end - *offset < SEARCH_BYTES ? (size_t)(end - *offset) : (size_t)SEARCH_BYTES;
		const enum gcs_status status = trace_read(in, *offset, block, length);
		if (status != GCS_OK)
			return status;
		const size_t at = search_block(in, *offset, block, length, chunk);
		if (at != length) {
			*offset += at;
			return GCS_OK;
		}
		*offset += length - TRACE_CHUNK_HEAD + 1;
	}
	*offset = end;
	return GCS_OK;
}

void trace_part_fini(struct trace_part *part)
{
	gcs_free(part->bytes);
	*part = (struct trace_part){0};
}

static bool make_room(struct trace_part *part, size_t length)
{
	if (part->capacity >= length && part->bytes != NULL)
		return true;
	trace_part_fini(part);
	part->bytes = gcs_alloc(length == 0 ? 1 : length);
	part->capacity = part->bytes == NULL ? 0 : length;
	return part->bytes != NULL;
}

static int inflate_with(z_stream *z, const struct trace_part *dictionary)
{
	int code = inflate(z, Z_FINISH);
	if (code == Z_NEED_DICT && dictionary != NULL) {
		size_t bytes;
		const uint8_t *end =
		    trace_dictionary(dictionary->bytes, dictionary->length, &bytes);
		code = inflateSetDictionary(z, end, (uInt)bytes);
		if (code == Z_OK)
			code = inflate(z, Z_FINISH);
	}
	return code;
}

static enum gcs_status inflate_part(const uint8_t *stored, uint32_t stored_bytes,
    uint32_t raw_bytes, const struct trace_part *dictionary, struct trace_part *to)
{
	if (raw_bytes > (uint64_t)stored_bytes * MOST_INFLATION ||
	    !trace_is_dense(stored_bytes, raw_bytes))
		return GCS_MALFORMED;
	if (!make_room(to, raw_bytes))
		return GCS_NOMEM;
	to->length = raw_bytes;
	if (raw_bytes == 0)
		return stored_bytes == 0 ? GCS_OK : GCS_MALFORMED;
	z_stream z = {.next_in = (z_const Bytef *)(uintptr_t)stored,
	    .avail_in = stored_bytes,
	    .next_out = to->bytes,
	    .avail_out = raw_bytes};
	zmemory(&z);
	if (inflateInit(&z) != Z_OK)
		return GCS_NOMEM;
	const int code = inflate_with(&z, dictionary);
	const bool whole = code == Z_STREAM_END && z.avail_out == 0 && z.avail_in == 0;
	inflateEnd(&z);
	return whole ? GCS_OK : code == Z_MEM_ERROR ? GCS_NOMEM : GCS_MALFORMED;
}

enum gcs_status trace_read_parts(const struct trace_input *in, uint64_t offset,
    const struct trace_chunk *chunk, const struct trace_part *heads_dictionary,
    const struct trace_part *body_dictionary, struct trace_part *heads, struct trace_part *body)
{
	const size_t length = chunk->heads_stored + (body == NULL ? 0 : (size_t)chunk->body_stored);
	uint8_t *stored = gcs_alloc(length + 1);
	if (stored == NULL)
		return GCS_NOMEM;
	enum gcs_status status = trace_read(in, offset + TRACE_CHUNK_HEAD, stored, length);
	if (status == GCS_OK && body != NULL && trace_crc(0, stored, length) != chunk->check)
		status = GCS_MALFORMED;
	if (status == GCS_OK)
		status = inflate_part(
		    stored, chunk->heads_stored, chunk->heads_raw, heads_dictionary, heads);
	if (status == GCS_OK && body != NULL)
		status = inflate_part(stored + chunk->heads_stored, chunk->body_stored,
		    chunk->body_raw, body_dictionary, body);
	gcs_free(stored);
	return status;
}
