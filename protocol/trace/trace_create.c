/* Creating a trace file. Declared in trace_writer.h. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "now.h"
#include "own_files.h"
#include "reserved.h"
#include "trace_writer_internal.h"

enum {
	DEFAULT_LEVEL = 4, /* half the time of 6, and 1 to 3 per cent more bytes */
	DEFAULT_FLUSH_MS = 500,
	LIMIT_CHUNKS = 16 /* at least this many chunks fit in the limit of the file */
};

static bool check_trace_options(const struct gcs_trace_options *o, struct gcs_error *err)
{
	if (o->path == NULL || o->path[0] == '\0')
		gcs_fail(err, GCS_ARGUMENT, "a trace needs a path");
	else if (o->level < 0 || o->level > 9)
		gcs_fail(err, GCS_ARGUMENT, "level %d: must be 1 to 9", o->level);
	else
		return true;
	return false;
}

/* Buffers and zlib. */
static bool prepare_writer(struct gcs_trace_writer *w, int level)
{
	session_init(&w->session, NULL, NULL);
	wr_init(&w->heads, TRACE_MAX_HEADS);
	wr_init(&w->body, TRACE_MAX_BODY);
	wr_init(&w->out, (size_t)TRACE_MAX_HEADS + TRACE_MAX_BODY + (1 << 20));
	wr_init(&w->segments.bytes, TRACE_MAX_BODY);
	wr_init(&w->profiles.bytes, TRACE_MAX_BODY);
	wr_init(&w->answers.bytes, TRACE_MAX_BODY);
	return trace_packer_init(&w->packer, level == 0 ? DEFAULT_LEVEL : level);
}

struct gcs_trace_writer *gcs_trace_create(const struct gcs_trace_options *o, struct gcs_error *err)
{
	if (RESERVED_CHECK("the options of a recording", o, err) != GCS_OK ||
	    !check_trace_options(o, err))
		return NULL;
	struct gcs_trace_writer *w = gcs_zalloc(sizeof *w);
	if (w == NULL || !prepare_writer(w, o->level)) {
		gcs_fail(err, GCS_NOMEM, "no memory to record");
		trace_writer_destroy(w);
		return NULL;
	}
	w->file.fd = -1;
	w->flush_ns = (uint64_t)(o->flush_ms == 0 ? DEFAULT_FLUSH_MS : o->flush_ms) * 1000000u;
	w->max_bytes = o->max_bytes;
	w->chunk_bytes = CHUNK_BYTES;
	if (o->max_bytes != 0 && o->max_bytes / LIMIT_CHUNKS < w->chunk_bytes)
		w->chunk_bytes = (size_t)(o->max_bytes / LIMIT_CHUNKS);
	if (!trace_output_open(&w->file, o)) {
		if (errno == EWOULDBLOCK)
			gcs_fail(err, GCS_STATE, "%.200s: another recorder is writing this file",
			    o->path);
		else
			gcs_fail(err, errno == ENOMEM ? GCS_NOMEM : GCS_IO, "%.200s: %s", o->path,
			    strerror(errno));
		trace_writer_destroy(w);
		return NULL;
	}
	const struct trace_head head = {
	    .major = GCS_TRACE_MAJOR, .minor = GCS_TRACE_MINOR, .created_wall_ns = now_wall_ns()};
	trace_put_head(&w->out, &head);
	if (trace_writer_append(w, 0) != GCS_OK) {
		trace_writer_result(w, err);
		trace_output_close(&w->file);
		if (!o->replace)
			unlink(w->file.path); /* our own empty file */
		trace_writer_destroy(w);
		return NULL;
	}
	return w;
}
