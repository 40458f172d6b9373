/* The values of one stream, a line for each event and a column for each tile. */
#include <gcspy/format.h>

#include "trace_export.h"
#include "trace_tsv.h"

/* The widest event of the range: its tiles give the columns. */
struct widest {
	struct gcs_snapshot *snapshot; /* NULL: no event has the stream */
	uint32_t space, stream;
	uint32_t tiles;
};

struct wanted {
	const char *space;
	const char *stream;
};

/* Where the stream is in this snapshot; false when it has none of that name. */
static bool locate(
    const struct gcs_snapshot *s, const struct wanted *wanted, uint32_t *space, uint32_t *stream)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	*space = gcs_model_find_space(m, wanted->space);
	if (*space == GCS_NONE)
		return false;
	*stream = gcs_space_find_stream(&m->spaces[*space], wanted->stream);
	return *stream != GCS_NONE;
}

static enum gcs_status find_widest(struct gcs_trace *trace, const struct gcs_trace_range *range,
    const struct wanted *wanted, struct widest *widest, struct gcs_error *err)
{
	struct trace_walk w;
	struct gcs_snapshot *s;
	*widest = (struct widest){.snapshot = NULL};
	trace_walk_begin(&w, trace, range->first, range->last, false);
	while ((s = trace_walk_next(&w, err)) != NULL) {
		uint32_t space, stream;
		bool wider =
		    locate(s, wanted, &space, &stream) &&
		    (widest->snapshot == NULL || gcs_snapshot_tiles(s, space) > widest->tiles);
		if (!wider) {
			gcs_snapshot_unref(s);
			continue;
		}
		gcs_snapshot_unref(widest->snapshot);
		*widest = (struct widest){.snapshot = s,
		    .space = space,
		    .stream = stream,
		    .tiles = gcs_snapshot_tiles(s, space)};
	}
	return err->status;
}

static void put_head(struct text *t, const struct widest *widest)
{
	char name[GCS_MAX_TEXT + 1];
	tsv_moment_names(t);
	for (uint32_t i = 0; i < widest->tiles; i++) {
		text_raw(t, "\t");
		tsv_text(
		    t, gcs_format_tile_name(name, sizeof name, widest->snapshot, widest->space, i));
	}
	text_raw(t, "\n");
}

static void put_value(struct text *t, const struct gcs_stream *stream, int64_t value)
{
	uint64_t index = (uint64_t)value - (uint64_t)stream->min;
	if (stream->presentation == GCS_ENUM && index < stream->enum_count)
		tsv_text(t, stream->enum_names[index]);
	else
		tsv_number(t, value, stream->format);
}

/* System streams have a value in every tile, others only where the tile is in use and has been counted. */
static void put_values(
    struct text *t, const struct gcs_snapshot *s, const struct wanted *wanted, uint32_t columns)
{
	uint32_t id, stream_id, tiles = 0;
	const int64_t *values = NULL, *control = NULL, *counted = NULL;
	const struct gcs_stream *stream = NULL;
	if (locate(s, wanted, &id, &stream_id)) {
		const struct gcs_space *space = &gcs_snapshot_model(s)->spaces[id];
		uint32_t role = gcs_space_role(space, GCS_ROLE_CONTROL);
		stream = &space->streams[stream_id];
		values = gcs_snapshot_values(s, id, stream_id);
		counted = gcs_snapshot_counted(s, id, stream_id);
		tiles = values == NULL ? 0 : gcs_snapshot_tiles(s, id);
		if (role != GCS_NONE && stream->role == GCS_ROLE_DATA)
			control = gcs_snapshot_values(s, id, role);
	}
	for (uint32_t i = 0; i < columns; i++) {
		text_raw(t, "\t");
		if (i < tiles && (control == NULL || (control[i] & GCS_TILE_USED) != 0) &&
		    (counted == NULL || counted[i] != 0))
			put_value(t, stream, values[i]);
	}
	text_raw(t, "\n");
}

static enum gcs_status put_lines(struct text *t, struct gcs_trace *trace,
    struct gcs_trace_range *range, const struct wanted *wanted, uint32_t columns,
    struct gcs_error *err)
{
	struct gcs_trace_info info;
	struct trace_walk w;
	struct gcs_snapshot *s;
	gcs_trace_get_info(trace, &info);
	trace_walk_begin(&w, trace, range->first, range->last, false);
	while (!t->failed && (s = trace_walk_next(&w, err)) != NULL) {
		tsv_moment(t, w.place, s, info.first_time_ns);
		put_values(t, s, wanted, columns);
		gcs_snapshot_unref(s);
	}
	range->written = w.given;
	range->unreadable = w.unreadable;
	return err->status;
}

enum gcs_status gcs_trace_export_stream(struct gcs_trace *trace, const char *space,
    const char *stream, struct gcs_trace_range *range, const struct gcs_sink *sink,
    struct gcs_error *err)
{
	const struct wanted wanted = {.space = space, .stream = stream};
	struct gcs_error own;
	struct widest widest;
	struct text text;
	err = err == NULL ? &own : err;
	enum gcs_status status = find_widest(trace, range, &wanted, &widest, err);
	if (status == GCS_OK && widest.snapshot == NULL)
		status = gcs_fail(err, GCS_ARGUMENT,
		    "no event has a stream \"%.100s\" in a space \"%.100s\"", stream, space);
	if (status == GCS_OK) {
		text_begin(&text, sink);
		put_head(&text, &widest);
		status = put_lines(&text, trace, range, &wanted, widest.tiles, err);
		status = status == GCS_OK ? text_end(&text, err) : status;
	}
	gcs_snapshot_unref(widest.snapshot);
	return status;
}
