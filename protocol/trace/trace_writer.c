/* Writing trace files: a session without a client encodes the events, which are collected in a chunk
 * until it is large or old enough. See docs/trace-format.md. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "model_internal.h"
#include "now.h"
#include "own_files.h"
#include "reserved.h"
#include "trace_writer_internal.h"

enum {
	SEGMENT_BYTES = 1 << 20, /* raw bytes of a segment */
	SEGMENT_KEYS = 4,        /* at least the size of this many key frames */
	SEGMENT_EVENTS = 512
};

static enum gcs_status out_of_memory(struct gcs_trace_writer *w)
{
	return gcs_fail(&w->error, GCS_NOMEM, "%.150s: no memory to record", w->file.path);
}

enum gcs_status trace_writer_result(const struct gcs_trace_writer *w, struct gcs_error *err)
{
	if (w->error.status != GCS_OK && err != NULL)
		*err = w->error;
	return w->error.status;
}

enum gcs_status trace_writer_append(struct gcs_trace_writer *w, uint64_t reserve)
{
	const uint64_t end = w->written.bytes + w->out.length;
	if (w->out.status != GCS_OK)
		return out_of_memory(w);
	if (w->max_bytes != 0 && end + reserve > w->max_bytes)
		return gcs_fail(&w->error, GCS_LIMIT,
		    "%.150s has reached its limit of %llu bytes: recording has ended", w->file.path,
		    (unsigned long long)w->max_bytes);
	if (!trace_output_write(&w->file, w->out.data, w->out.length)) {
		const int why = errno;
		/* Remove the incomplete chunk. */
		if (ftruncate(w->file.fd, (off_t)w->written.bytes) == 0)
			(void)lseek(w->file.fd, (off_t)w->written.bytes, SEEK_SET);
		return gcs_fail(&w->error, GCS_IO, "%.150s: %s", w->file.path, strerror(why));
	}
	w->written.bytes = end;
	return GCS_OK;
}

/* The size of the index with one more entry. */
static uint64_t index_bytes(const struct gcs_trace_writer *w)
{
	return TRACE_CHUNK_HEAD + TRACE_END_MARK + w->segments.bytes.length +
	       w->profiles.bytes.length + w->answers.bytes.length + 256;
}

/* Empties a buffer, and frees the memory of an unusually large key frame. */
static void empty(struct wr *w)
{
	const size_t limit = w->limit;
	w->length = 0;
	if (w->capacity > 2 * CHUNK_BYTES) {
		wr_fini(w);
		wr_init(w, limit);
	}
}

/* Chunks. */

static void add_entry(struct entries *entries, const struct trace_entry *e)
{
	trace_put_entry(&entries->bytes, e, entries->last);
	entries->last = e->offset;
	entries->count++;
}

/* Writes the chunk in progress, if there is one. */
static enum gcs_status write_chunk(struct gcs_trace_writer *w)
{
	struct trace_chunk *c = &w->chunk;
	if (c->count == 0 || w->error.status != GCS_OK)
		return w->error.status;
	if (w->heads.status != GCS_OK || w->body.status != GCS_OK)
		return out_of_memory(w);
	trace_pack_chunk(&w->packer, &w->out, &w->heads, &w->body, c);
	const uint64_t offset = w->written.bytes;
	if (trace_writer_append(w, index_bytes(w)) != GCS_OK)
		return w->error.status;
	w->written.raw_bytes += w->heads.length + w->body.length;
	if (c->kind == TRACE_KEY) {
		w->segment = (struct trace_entry){.kind = TRACE_KEY,
		    .offset = offset,
		    .place = c->place,
		    .first_time_ns = c->first_time_ns};
	}
	w->segment.count += c->count;
	w->segment.last_time_ns = c->last_time_ns;
	w->segment.bytes += trace_chunk_bytes(c);
	c->count = 0;
	empty(&w->heads);
	empty(&w->body);
	empty(&w->out);
	return GCS_OK;
}

/* Segments. */

static void end_segment(struct gcs_trace_writer *w)
{
	if (w->open && w->segment.count != 0)
		add_entry(&w->segments, &w->segment);
	w->segment.count = 0;
	w->open = false;
}

static bool segment_is_full(const struct gcs_trace_writer *w)
{
	const uint64_t count = w->segment.count + w->chunk.count;
	const uint64_t keys = w->key_raw * SEGMENT_KEYS;
	return count >= SEGMENT_EVENTS ||
	       w->segment_raw > (keys > SEGMENT_BYTES ? keys : (uint64_t)SEGMENT_BYTES);
}

static enum gcs_status begin_segment(struct gcs_trace_writer *w, struct gcs_model *model)
{
	if (write_chunk(w) != GCS_OK)
		return w->error.status;
	end_segment(w);
	session_fini(&w->session);
	session_init(&w->session, NULL, NULL);
	native_open(&w->session, model, 10000);
	w->session.last_time_ns = w->last_time_ns;
	w->session.last_cost_ns = w->last_cost_ns;
	w->open = true;
	w->segment_raw = w->key_raw = 0;
	return w->session.out.status == GCS_OK ? GCS_OK : out_of_memory(w);
}

/* Events. */

/* The frame BEGIN, with what has fired after it, goes to the heads, all others to the body. */
static void divide(struct gcs_trace_writer *w, size_t begin)
{
	const struct wr *out = &w->session.out;
	struct frame frame = {.kind = GCS_WIRE_BEGIN};
	size_t end = begin;
	while (frame_next(out->data + end, out->length - end, GCS_WIRE_MAX_TO_CLIENT, NULL,
		   &frame) == GCS_OK &&
	       (end == begin || frame.kind == GCS_WIRE_FIRE_TRIGGER))
		end += frame.bytes;
	wr_bytes(&w->body, out->data, begin);
	wr_bytes(&w->heads, out->data + begin, end - begin);
	wr_bytes(&w->body, out->data + end, out->length - end);
}

static enum gcs_status add_event(struct gcs_trace_writer *w, const struct gcs_snapshot *s)
{
	struct session *session = &w->session;
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	session_model(session, s->model);
	const size_t begin = session->out.length;
	session_snapshot(session, s, o->missed + w->missed);
	if (session->out.status != GCS_OK)
		return out_of_memory(w);
	divide(w, begin);
	if (w->heads.status != GCS_OK || w->body.status != GCS_OK)
		return out_of_memory(w);
	w->segment_raw += session->out.length;
	if (w->key_raw == 0)
		w->key_raw = session->out.length;
	empty(&session->out);
	w->last_time_ns = session->last_time_ns;
	w->last_cost_ns = session->last_cost_ns;
	w->chunk.count++;
	if (o->time_ns > w->chunk.last_time_ns)
		w->chunk.last_time_ns = o->time_ns;
	w->wall_ns[w->written.events % MOMENTS] = o->wall_ns;
	w->time_ns[w->written.events++ % MOMENTS] = o->time_ns;
	return GCS_OK;
}

void trace_writer_missed(struct gcs_trace_writer *w, uint64_t missed)
{
	w->missed = missed;
}

enum gcs_status gcs_trace_write(
    struct gcs_trace_writer *w, const struct gcs_snapshot *s, struct gcs_error *err)
{
	if (w->error.status != GCS_OK)
		return trace_writer_result(w, err);
	if (w->model == NULL)
		w->model = gcs_model_ref(s->model);
	else if (!model_same_events(w->model, s->model))
		return gcs_fail(err, GCS_ARGUMENT,
		    "%.150s: the events differ from those recorded before", w->file.path);
	const bool key = !w->open || segment_is_full(w);
	if (key && begin_segment(w, s->model) != GCS_OK)
		return trace_writer_result(w, err);
	if (w->chunk.count == 0) {
		const uint64_t time = gcs_snapshot_occurrence(s)->time_ns;
		w->chunk = (struct trace_chunk){.kind = key ? TRACE_KEY : TRACE_MORE,
		    .place = w->written.events,
		    .first_time_ns = time,
		    .last_time_ns = time};
		w->chunk_since_ns = now_ns();
	}
	if (add_event(w, s) == GCS_OK && w->heads.length + w->body.length >= w->chunk_bytes)
		write_chunk(w);
	else if (w->error.status == GCS_OK)
		return gcs_trace_flush(w, false, err);
	return trace_writer_result(w, err);
}

enum gcs_status gcs_trace_flush(struct gcs_trace_writer *w, bool now, struct gcs_error *err)
{
	if (w->chunk.count != 0 && (now || now_ns() - w->chunk_since_ns >= w->flush_ns))
		write_chunk(w);
	return trace_writer_result(w, err);
}

/* The number of events up to a time, such as the collection that a profile is of, and the time of
 * the last of them. Before all events that are known here, it is that of the first of those. */
static uint64_t place_of(const struct gcs_trace_writer *w, int64_t wall_ns, uint64_t *time_ns)
{
	const uint64_t end = w->written.events;
	const uint64_t first = end < MOMENTS ? 0 : end - MOMENTS + 1;
	uint64_t place = end;
	while (place > first && w->wall_ns[(place - 1) % MOMENTS] > wall_ns)
		place--;
	if (place < w->profile_place)
		place = w->profile_place;
	*time_ns = place == 0 ? 0 : w->time_ns[(place - 1) % MOMENTS];
	return place;
}

/* A chunk without events, of the place and time that it has. */
static enum gcs_status write_beside(struct gcs_trace_writer *w, struct entries *entries,
    const struct wr *heads, const struct wr *body, struct trace_chunk *chunk)
{
	chunk->last_time_ns = chunk->first_time_ns;
	trace_pack_chunk(&w->packer, &w->out, heads, body, chunk);
	const struct trace_entry entry = {.kind = chunk->kind,
	    .offset = w->written.bytes,
	    .place = chunk->place,
	    .detail = chunk->detail,
	    .first_time_ns = chunk->first_time_ns,
	    .last_time_ns = chunk->last_time_ns,
	    .bytes = trace_chunk_bytes(chunk)};
	if (trace_writer_append(w, index_bytes(w)) == GCS_OK)
		add_entry(entries, &entry);
	empty(&w->out);
	return w->error.status;
}

enum gcs_status gcs_trace_write_profile(
    struct gcs_trace_writer *w, const void *bytes, size_t length, struct gcs_error *err)
{
	const struct wr body = {.data = (uint8_t *)(uintptr_t)bytes, .length = length};
	const struct wr none = {0};
	if (!trace_is_profile(bytes, length))
		return gcs_fail(err, GCS_ARGUMENT, "%.150s: not a profile", w->file.path);
	write_chunk(w);
	if (w->error.status != GCS_OK)
		return trace_writer_result(w, err);
	struct trace_chunk chunk = {.kind = TRACE_PROFILE, .detail = body.data[1]};
	int64_t judged_ns;
	chunk.place =
	    place_of(w, trace_profile_ns(bytes, length, &judged_ns), &chunk.first_time_ns);
	if (write_beside(w, &w->profiles, &none, &body, &chunk) != GCS_OK)
		return trace_writer_result(w, err);
	w->profile_place = chunk.place;
	w->written.profiles++;
	w->written.profile_bytes += trace_chunk_bytes(&chunk);
	return GCS_OK;
}

enum gcs_status gcs_trace_write_answer(
    struct gcs_trace_writer *w, const struct gcs_trace_answer *answer, struct gcs_error *err)
{
	const struct wr body = {
	    .data = (uint8_t *)(uintptr_t)answer->bytes, .length = answer->length};
	struct trace_chunk chunk = {.kind = TRACE_ANSWER, .first_time_ns = w->last_time_ns};
	struct wr heads;
	if (RESERVED_CHECK("an answer", answer, err) != GCS_OK)
		return GCS_ARGUMENT;
	if (!trace_is_answer(answer))
		return gcs_fail(err, GCS_ARGUMENT, "%.150s: not an answer", w->file.path);
	wr_init(&heads, TRACE_MAX_HEADS);
	trace_put_answer(&heads, answer);
	write_chunk(w);
	chunk.place = w->written.events;
	if (heads.status != GCS_OK)
		out_of_memory(w);
	else if (w->error.status == GCS_OK)
		write_beside(w, &w->answers, &heads, &body, &chunk);
	wr_fini(&heads);
	return trace_writer_result(w, err);
}

/* The whole file. */

static void write_index(struct gcs_trace_writer *w)
{
	struct trace_chunk chunk = {.kind = TRACE_INDEX,
	    .place = w->written.events,
	    .first_time_ns = w->last_time_ns,
	    .last_time_ns = w->last_time_ns};
	const struct wr none = {0};
	const uint64_t offset = w->written.bytes;
	struct wr body;
	wr_init(&body, TRACE_MAX_BODY);
	wr_varint(&body, w->segments.count);
	wr_bytes(&body, w->segments.bytes.data, w->segments.bytes.length);
	wr_varint(&body, w->profiles.count);
	wr_bytes(&body, w->profiles.bytes.data, w->profiles.bytes.length);
	wr_varint(&body, w->answers.count);
	wr_bytes(&body, w->answers.bytes.data, w->answers.bytes.length);
	trace_pack_chunk(&w->packer, &w->out, &none, &body, &chunk);
	trace_put_end(&w->out, offset);
	if (body.status != GCS_OK || w->segments.bytes.status != GCS_OK ||
	    w->profiles.bytes.status != GCS_OK || w->answers.bytes.status != GCS_OK)
		out_of_memory(w);
	else
		trace_writer_append(w, 0);
	wr_fini(&body);
}

void trace_writer_destroy(struct gcs_trace_writer *w)
{
	if (w == NULL)
		return;
	session_fini(&w->session);
	wr_fini(&w->heads);
	wr_fini(&w->body);
	wr_fini(&w->out);
	wr_fini(&w->segments.bytes);
	wr_fini(&w->profiles.bytes);
	wr_fini(&w->answers.bytes);
	trace_packer_fini(&w->packer);
	gcs_model_unref(w->model);
	gcs_free(w->file.path);
	gcs_free(w);
}

enum gcs_status gcs_trace_finish(struct gcs_trace_writer *w, struct gcs_error *err)
{
	if (w == NULL)
		return GCS_OK;
	write_chunk(w);
	end_segment(w);
	/* A file that has reached its limit has room left for the index. */
	if (w->error.status == GCS_OK || w->error.status == GCS_LIMIT)
		write_index(w);
	if (trace_output_close(&w->file) != 0 && w->error.status == GCS_OK)
		gcs_fail(&w->error, GCS_IO, "%.150s: %s", w->file.path, strerror(errno));
	const enum gcs_status status = trace_writer_result(w, err);
	trace_writer_destroy(w);
	return status;
}

int trace_writer_fd(const struct gcs_trace_writer *w)
{
	return w->file.fd;
}

void trace_writer_leave(const struct gcs_trace_writer *w)
{
	own_files_leave(w->file.fd);
}

enum trace_file trace_writer_file(const struct gcs_trace_writer *w)
{
	return trace_output_state(&w->file);
}

const char *gcs_trace_writer_path(const struct gcs_trace_writer *w)
{
	return w->file.path;
}

void gcs_trace_written(const struct gcs_trace_writer *w, struct gcs_trace_written *written)
{
	*written = w->written;
}
