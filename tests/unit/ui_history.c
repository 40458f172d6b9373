#include "ui_history.h"

#include <gcspy/trace.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {"A", "B", "C", "D"};

static const struct gcs_stream streams[] = {
    [FIELD_VALUE] = {.name = "Value",
	.type = GCS_TYPE_I32,
	.max = 1000,
	.paint = GCS_PAINT_ZERO,
	.summary = GCS_SUMMARY_TOTAL,
	.suffix = " things",
	.max_stream = GCS_NONE},
    [FIELD_KIND] = {.name = "Kind",
	.type = GCS_TYPE_I8,
	.presentation = GCS_ENUM,
	.max = 3,
	.enum_count = 4,
	.enum_names = kinds,
	.max_stream = GCS_NONE},
    [FIELD_CONTROL] = {.name = "Control",
	.role = GCS_ROLE_CONTROL,
	.type = GCS_TYPE_I8,
	.max = 63,
	.initial = GCS_TILE_USED,
	.max_stream = GCS_NONE},
};

struct gcs_model *field_model(void)
{
	struct gcs_model *m = gcs_model_create("field");
	struct gcs_error err = {.text = ""};
	const struct gcs_attribute pause = {
	    .name = "Pause", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_NANOSECONDS};
	const struct gcs_event event = {
	    .name = "Tick", .description = "", .attribute_count = 1, .attributes = &pause};
	struct gcs_space space = {.name = "Field",
	    .description = "",
	    .tile_title = "Tile",
	    .block_info = "",
	    .unused_text = "fallow",
	    .group = GCS_NONE,
	    .main = true,
	    .stream_count = 3,
	    .streams = streams};
	world_must(m != NULL && gcs_model_add_event(m, &event, NULL, &err) == GCS_OK, err.text);
	world_must(gcs_model_add_space(m, &space, NULL, &err) == GCS_OK, err.text);
	space.name = "Other";
	space.main = false;
	space.stream_count = 1;
	world_must(gcs_model_add_space(m, &space, NULL, &err) == GCS_OK, err.text);
	return m;
}

uint64_t field_time(unsigned step)
{
	return UINT64_C(5000000000) + step * UINT64_C(10000000);
}

int64_t field_noise(uint32_t tile, unsigned step)
{
	uint32_t h = tile * 2654435761u ^ (step + 0x9e3779b9u) * 2246822519u;
	h ^= h >> 15;
	h *= 2654435761u;
	return (h ^ h >> 13) % 1001;
}

struct gcs_snapshot *field_snapshot(struct gcs_model *model, const struct gcs_snapshot *previous,
    unsigned step, uint32_t tiles, int64_t (*value)(uint32_t tile, unsigned step))
{
	struct gcs_snapshot *s = gcs_snapshot_begin(model, previous);
	world_must(s != NULL, "gcs_snapshot_begin");
	const struct gcs_occurrence o = {
	    .sequence = step + 1, .event = 0, .time_ns = field_time(step)};
	gcs_snapshot_set_occurrence(s, &o);
	gcs_snapshot_set_number(s, 0, 1000 * (int64_t)(step % 7));
	gcs_snapshot_set_counter(s, 0, step + 1);
	for (uint32_t space = 0; space < model->space_count && space < 2; space++) {
		uint32_t n = space == 0 ? tiles : 3;
		if (model->spaces[space].gone)
			continue;
		world_must(gcs_snapshot_resize(s, space, n), "resize");
		int64_t *out = n > 0 ? gcs_snapshot_write(s, space, FIELD_VALUE) : NULL;
		int64_t *kind = n > 0 && space == 0 ? gcs_snapshot_write(s, 0, FIELD_KIND) : NULL;
		int64_t total = 0;
		for (uint32_t i = 0; i < n; i++) {
			out[i] = value(i, step);
			total += out[i];
			if (kind != NULL)
				kind[i] = out[i] % 4;
		}
		gcs_snapshot_set_summary(s, space, FIELD_VALUE, 1, &total);
		gcs_snapshot_set_gathered(s, space, true);
	}
	return s;
}

struct hist_lane field_lane(const char *space, const char *stream)
{
	struct hist_lane lane = {.bare = *stream == 0};
	snprintf(lane.space, sizeof lane.space, "%s", space);
	snprintf(lane.stream, sizeof lane.stream, "%s", stream);
	return lane;
}

void field_record(
    const char *path, unsigned first, unsigned count, unsigned stride, uint32_t tiles, bool finish)
{
	struct gcs_error err = {.text = ""};
	const struct gcs_trace_options options = {.path = path, .replace = true};
	struct gcs_trace_writer *writer = gcs_trace_create(&options, &err);
	world_must(writer != NULL, err.text);
	struct gcs_model *model = field_model();
	struct gcs_snapshot *last = NULL;
	for (unsigned i = 0; i < count; i += stride) {
		struct gcs_snapshot *s = field_snapshot(model, last, first + i, tiles, field_noise);
		gcs_snapshot_unref(last);
		last = s;
		world_must(gcs_trace_write(writer, s, &err) == GCS_OK, err.text);
		/* Small chunks, so that damage leaves something. */
		if (i % 20 == 0)
			gcs_trace_flush(writer, true, NULL);
	}
	gcs_snapshot_unref(last);
	gcs_model_unref(model);
	world_must(gcs_trace_flush(writer, true, &err) == GCS_OK, err.text);
	if (!finish) {
		/* As if the writer had been killed: what is there now, without its end. */
		static char bytes[1 << 22];
		FILE *f = fopen(path, "rb");
		size_t n = f != NULL ? fread(bytes, 1, sizeof bytes, f) : 0;
		world_must(f != NULL && fclose(f) == 0 && n < sizeof bytes, path);
		world_must(gcs_trace_finish(writer, &err) == GCS_OK, err.text);
		f = fopen(path, "wb");
		world_must(f != NULL && fwrite(bytes, 1, n, f) == n && fclose(f) == 0, path);
		return;
	}
	world_must(gcs_trace_finish(writer, &err) == GCS_OK, err.text);
}

void field_event(struct world *w, uint32_t tiles, int64_t (*value)(uint32_t tile, unsigned step))
{
	/* The world's own description is another one. */
	if (w->model->space_count != 2) {
		gcs_model_unref(w->model);
		w->model = field_model();
		gcs_snapshot_unref(w->last);
		w->last = NULL;
		w->step = 0;
	}
	struct gcs_snapshot *s = field_snapshot(w->model, w->last, w->step++, tiles, value);
	gcs_snapshot_unref(w->last);
	w->last = s;
	struct world_source *q = &w->source;
	world_must(q->count < WORLD_QUEUE, "queue");
	q->queue[(q->first + q->count++) % WORLD_QUEUE] = gcs_snapshot_ref(s);
	app_poll(&w->app);
	app_frame(&w->app);
}

struct hist_view *history_of(const struct app *app)
{
	return app->views[VIEW_HISTORY];
}

bool history_says(struct app *app, const char *what)
{
	struct textbuf out = {0};
	app->view->copy_text(app->view_self, app, &out);
	bool is = strstr(textbuf_text(&out), what) != NULL;
	if (!is)
		fprintf(stderr, "not said: %s\nbut:\n%.600s\n", what, textbuf_text(&out));
	textbuf_fini(&out);
	return is;
}

bool history_refuses(struct world *w, const char *step, const char *words)
{
	if (!world_run(w, step) && strstr(w->app.toast, words) != NULL)
		return true;
	fprintf(stderr, "%s: %s\n", step, w->app.toast);
	return false;
}

bool history_spot(const struct app *app, uint32_t id, int *x, int *y)
{
	const struct hist_view *v = history_of(app);
	struct cv_rect panel = app->rect[PANEL_SIDE];
	for (uint32_t i = 0; i < v->spots; i++) {
		if (v->spot[i].id != UI_ID(PANEL_SIDE, id))
			continue;
		*x = panel.x + panel.w / 4;
		*y = panel.y + v->spot[i].y - app->side_scroll + v->spot[i].h / 2;
		return true;
	}
	return false;
}
