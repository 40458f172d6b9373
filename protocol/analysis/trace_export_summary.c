/* All attributes and summaries, a line per event. Columns are identified by name. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "arena.h"
#include "intern_table.h"
#include "trace_export.h"
#include "trace_tsv.h"

enum { MOST_COLUMNS = 1000000 };

/* The values of a model, in a fixed order; `map` has the column of each. */
struct columns {
	struct intern_texts names;
	struct arena arena;
	struct gcs_model *model; /* whose columns are mapped, with a reference */
	uint32_t *map;
	uint32_t count, capacity;
	bool too_many, no_memory;
};

struct cell {
	enum { EMPTY, NUMBER, TEXT } kind;
	enum gcs_format format;
	int64_t number;
	const char *text; /* lives as long as the snapshot */
};

static void columns_fini(struct columns *c)
{
	intern_texts_fini(&c->names);
	arena_fini(&c->arena);
	gcs_model_unref(c->model);
	gcs_free(c->map);
}

static void add_column(struct columns *c, const char *name)
{
	uint32_t column = intern_find_text(&c->names, name);
	c->too_many = c->too_many || c->names.count == MOST_COLUMNS;
	if (c->too_many || c->no_memory)
		return;
	if (c->count == c->capacity) {
		uint32_t more = c->capacity == 0 ? 64 : 2 * c->capacity;
		uint32_t *map = gcs_realloc(c->map, more * sizeof *map);
		c->no_memory = map == NULL;
		if (c->no_memory)
			return;
		c->map = map;
		c->capacity = more;
	}
	if (column == UINT32_MAX) {
		const char *copy = arena_text(&c->arena, name, strlen(name));
		column = copy == NULL ? UINT32_MAX : intern_text(&c->names, copy);
		c->no_memory = column == UINT32_MAX;
	}
	c->map[c->count++] = column;
}

static void add_summary(struct columns *c, const struct gcs_space *space, uint32_t stream)
{
	const struct gcs_stream *s = &space->streams[stream];
	char name[3 * GCS_MAX_NAME + 16];
	uint32_t length = gcs_summary_length(s);
	for (uint32_t i = 0; i < length; i++) {
		if (s->summary == GCS_SUMMARY_COUNTS)
			snprintf(
			    name, sizeof name, "%s/%s: %s", space->name, s->name, s->enum_names[i]);
		else
			snprintf(name, sizeof name, "%s/%s%s", space->name, s->name,
			    i == 0 ? "" : " of");
		add_column(c, name);
	}
}

/* Maps the columns of a model; new ones are added. */
static void map_model(struct columns *c, const struct gcs_model *m)
{
	if (c->model == m)
		return;
	gcs_model_unref(c->model);
	c->model = gcs_model_ref((struct gcs_model *)(uintptr_t)m);
	c->count = 0;
	for (uint32_t i = 0; i < m->event_count; i++)
		for (uint32_t k = 0; k < m->events[i].attribute_count; k++)
			add_column(c, m->events[i].attributes[k].name);
	for (uint32_t i = 0; i < m->space_count; i++)
		for (uint32_t k = 0; !m->spaces[i].gone && k < m->spaces[i].stream_count; k++)
			add_summary(c, &m->spaces[i], k);
}

static enum gcs_status check_columns(const struct columns *c, struct gcs_error *err)
{
	if (c->too_many)
		return gcs_fail(
		    err, GCS_LIMIT, "the table would have more than %d columns", MOST_COLUMNS);
	return c->no_memory ? gcs_fail(err, GCS_NOMEM, "no memory for the table") : GCS_OK;
}

static enum gcs_status find_columns(struct columns *c, struct gcs_trace *trace,
    const struct gcs_trace_range *range, struct gcs_error *err)
{
	struct trace_walk w;
	struct gcs_snapshot *s;
	trace_walk_begin(&w, trace, range->first, range->last, false);
	while (!c->too_many && !c->no_memory && (s = trace_walk_next(&w, err)) != NULL) {
		map_model(c, gcs_snapshot_model(s));
		gcs_snapshot_unref(s);
	}
	return err->status == GCS_OK ? check_columns(c, err) : err->status;
}

static void fill_attribute(
    struct cell *cell, const struct gcs_snapshot *s, const struct gcs_attribute *a, uint32_t id)
{
	const char *text = gcs_snapshot_text(s, id);
	int64_t value;
	if (text != NULL)
		*cell = (struct cell){.kind = TEXT, .text = text};
	else if (!gcs_snapshot_number(s, id, &value))
		return;
	else if (a->kind == GCS_ATTRIBUTE_ENUM && value >= 0 && value < (int64_t)a->enum_count)
		*cell = (struct cell){.kind = TEXT, .text = a->enum_names[value]};
	else
		*cell = (struct cell){.kind = NUMBER, .number = value, .format = a->format};
}

static void fill(struct cell *cells, const struct columns *c, const struct gcs_snapshot *s)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	uint32_t event = gcs_snapshot_occurrence(s)->event, at = 0;
	for (uint32_t i = 0; i < m->event_count; i++)
		for (uint32_t k = 0; k < m->events[i].attribute_count; k++, at++)
			if (i == event)
				fill_attribute(
				    &cells[c->map[at]], s, &m->events[i].attributes[k], k);
	for (uint32_t i = 0; i < m->space_count; i++) {
		for (uint32_t k = 0; !m->spaces[i].gone && k < m->spaces[i].stream_count; k++) {
			const struct gcs_stream *stream = &m->spaces[i].streams[k];
			uint32_t length = gcs_summary_length(stream), count = 0;
			const int64_t *values = gcs_snapshot_summary(s, i, k, &count);
			if (!gcs_snapshot_any_counted(s, i, k))
				values = NULL;
			for (uint32_t n = 0; n < length; n++, at++)
				if (values != NULL && n < count)
					cells[c->map[at]] = (struct cell){.kind = NUMBER,
					    .number = values[n],
					    .format = stream->summary == GCS_SUMMARY_COUNTS
							  ? GCS_DECIMAL
							  : stream->format};
		}
	}
}

static void put_head(struct text *t, const struct columns *c)
{
	tsv_moment_names(t);
	text_raw(t, "\tsequence\telapsed\tcompensation\tmissed");
	for (uint32_t i = 0; i < c->names.count; i++) {
		text_raw(t, "\t");
		tsv_text(t, c->names.items[i]);
	}
	text_raw(t, "\n");
}

static void put_line(
    struct text *t, const struct gcs_snapshot *s, const struct cell *cells, uint32_t count)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	text_format(t, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, o->sequence,
	    o->elapsed_ns, o->compensation_ns, o->missed);
	for (uint32_t i = 0; i < count; i++) {
		text_raw(t, "\t");
		if (cells[i].kind == NUMBER)
			tsv_number(t, cells[i].number, cells[i].format);
		else if (cells[i].kind == TEXT)
			tsv_text(t, cells[i].text);
	}
	text_raw(t, "\n");
}

static enum gcs_status put_lines(struct text *t, struct columns *c, struct gcs_trace *trace,
    struct gcs_trace_range *range, struct gcs_error *err)
{
	struct gcs_trace_info info;
	struct trace_walk w;
	struct gcs_snapshot *s;
	uint32_t count = c->names.count;
	struct cell *cells = gcs_alloc((count + 1) * sizeof *cells);
	if (cells == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the table");
	gcs_trace_get_info(trace, &info);
	trace_walk_begin(&w, trace, range->first, range->last, false);
	while (!t->failed && !c->no_memory && (s = trace_walk_next(&w, err)) != NULL) {
		map_model(c, gcs_snapshot_model(s));
		memset(cells, 0, count * sizeof *cells);
		/* A file that grows while it is read may have columns that the head lacks. */
		if (!c->no_memory && c->names.count == count)
			fill(cells, c, s);
		tsv_moment(t, w.place, s, info.first_time_ns);
		put_line(t, s, cells, count);
		gcs_snapshot_unref(s);
	}
	range->written = w.given;
	range->unreadable = w.unreadable;
	gcs_free(cells);
	return err->status == GCS_OK ? check_columns(c, err) : err->status;
}

enum gcs_status gcs_trace_export_summary(struct gcs_trace *trace, struct gcs_trace_range *range,
    const struct gcs_sink *sink, struct gcs_error *err)
{
	struct columns c = {.count = 0};
	struct gcs_error own;
	struct text text;
	err = err == NULL ? &own : err;
	enum gcs_status status = find_columns(&c, trace, range, err);
	if (status == GCS_OK) {
		text_begin(&text, sink);
		put_head(&text, &c);
		status = put_lines(&text, &c, trace, range, err);
		status = status == GCS_OK ? text_end(&text, err) : status;
	}
	columns_fini(&c);
	return status;
}
