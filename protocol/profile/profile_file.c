/*
 * A profile in a file: 8 magic bytes, and the message of codec_profile.c as one zlib stream.
 * docs/sites.md specifies the format.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <gcspy/memory.h>

#include "bytes.h"
#include "export_internal.h"

enum { MAGIC = 8, PART = 65536 };

/* No profile deflates to more than this. */
enum { LARGEST_FILE = 300000000 };

enum gcs_status export_deflated(
    struct text *t, const void *bytes, size_t length, bool gzip, struct gcs_error *err)
{
	/* 16 added to the window's bits: gzip's header and checksum. */
	z_stream z = {.next_in = (z_const Bytef *)bytes, .avail_in = (uInt)length};
	unsigned char *part = gcs_alloc(PART);
	int code = part == NULL ? Z_MEM_ERROR
				: deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
				      gzip ? 15 + 16 : 15, 8, Z_DEFAULT_STRATEGY);
	if (code == Z_OK) {
		do {
			z.next_out = part;
			z.avail_out = PART;
			code = deflate(&z, Z_FINISH);
			text_bytes(t, part, PART - z.avail_out);
		} while (code == Z_OK);
		deflateEnd(&z);
	}
	gcs_free(part);
	return code == Z_STREAM_END ? GCS_OK
				    : gcs_fail(err, GCS_NOMEM, "no memory to deflate the output");
}

enum gcs_status export_gcspy(const struct export *e)
{
	void *bytes;
	size_t length;
	enum gcs_status status =
	    gcs_profile_encode(gcs_sites_profile(e->sites), &bytes, &length, e->err);
	if (status != GCS_OK)
		return status;
	text_raw(e->text, GCS_PROFILE_MAGIC);
	status = export_deflated(e->text, bytes, length, false, e->err);
	gcs_free(bytes);
	return status;
}

/* Inflates into the writer, up to its limit. */
static enum gcs_status inflate_all(struct wr *w, const unsigned char *bytes, size_t length)
{
	z_stream z = {.next_in = (z_const Bytef *)bytes, .avail_in = (uInt)length};
	if (inflateInit(&z) != Z_OK)
		return GCS_NOMEM;
	int code = Z_OK;
	while (code == Z_OK && wr_reserve(w, PART)) {
		z.next_out = w->data + w->length;
		z.avail_out = PART;
		code = inflate(&z, Z_NO_FLUSH);
		w->length += PART - z.avail_out;
	}
	size_t left = z.avail_in;
	inflateEnd(&z);
	if (w->status != GCS_OK)
		return w->status;
	if (code == Z_MEM_ERROR)
		return GCS_NOMEM;
	if (code != Z_STREAM_END)
		return code == Z_BUF_ERROR ? GCS_TRUNCATED : GCS_MALFORMED;
	return left == 0 ? GCS_OK : GCS_TRAILING;
}

/* The first bytes of what libgcspymalloc.so writes at a process's end (leaks=FILE). */
#define NOT_COMPRESSED "GCSPROF0"

struct gcs_profile *gcs_profile_unpack(const void *bytes, size_t length, struct gcs_error *err)
{
	struct gcs_profile *profile = NULL;
	struct wr w;
	if (length >= MAGIC && memcmp(bytes, NOT_COMPRESSED, MAGIC) == 0)
		return gcs_profile_decode((const char *)bytes + MAGIC, length - MAGIC, err);
	if (length < MAGIC || memcmp(bytes, GCS_PROFILE_MAGIC, MAGIC) != 0) {
		gcs_fail(err, GCS_FOREIGN, "not a profile file of GCspy");
		return NULL;
	}
	/* Room for a whole part after the last byte. */
	wr_init(&w, (size_t)GCS_MAX_ANSWER + PART);
	enum gcs_status status =
	    length > LARGEST_FILE
		? GCS_LIMIT
		: inflate_all(&w, (const unsigned char *)bytes + MAGIC, length - MAGIC);
	if (status == GCS_OK)
		profile = gcs_profile_decode(w.data, w.length, err);
	else
		gcs_fail(err, status, "the profile cannot be read: %s", gcs_status_text(status));
	wr_fini(&w);
	return profile;
}

static enum gcs_status read_file(FILE *file, struct wr *w)
{
	size_t n = 1;
	while (n != 0 && wr_reserve(w, PART)) {
		n = fread(w->data + w->length, 1, PART, file);
		w->length += n;
	}
	return ferror(file) != 0 ? GCS_IO : w->status;
}

struct gcs_profile *gcs_profile_load(const char *path, struct gcs_error *err)
{
	struct gcs_profile *profile = NULL;
	struct gcs_error why;
	struct wr w;
	FILE *file = fopen(path, "rb");
	if (file == NULL) {
		gcs_fail(err, GCS_IO, "%.200s: %s", path, strerror(errno));
		return NULL;
	}
	wr_init(&w, LARGEST_FILE);
	errno = 0;
	enum gcs_status status = read_file(file, &w);
	if (status == GCS_IO)
		gcs_fail(err, status, "%.200s: %s", path, strerror(errno));
	else if (status != GCS_OK)
		gcs_fail(err, status, "%.200s: %s", path, gcs_status_text(status));
	else if ((profile = gcs_profile_unpack(w.data, w.length, &why)) == NULL)
		gcs_fail(err, why.status, "%.200s: %.100s", path, why.text);
	wr_fini(&w);
	fclose(file);
	return profile;
}
