/* The snapshot that the heap map is compared with. Declared in heap_compare.h. */
#include "heap_compare.h"

#include <gcspy/format.h>
#include <gcspy/trace.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap_stats.h"
#include "heap_view.h"

/* A snapshot to be read from a recording. */
struct reading {
	struct work work;
	char path[EVENT_HISTORY_PATH];
	uint64_t event; /* from 1; 0: the last */
	/* The result. */
	struct gcs_snapshot *snapshot;
	uint64_t place; /* of the event, from 1 */
	struct gcs_error err;
};

static void drop(struct work *work)
{
	struct reading *r = (struct reading *)work;
	gcs_snapshot_unref(r->snapshot);
	free(r);
}

static void read_snapshot(struct work *work)
{
	struct reading *r = (struct reading *)work;
	struct gcs_trace_info info;
	struct gcs_trace *trace = gcs_trace_open(r->path, &r->err);
	if (trace == NULL)
		return;
	gcs_trace_get_info(trace, &info);
	if (r->event > info.events) {
		gcs_fail(&r->err, GCS_ARGUMENT, "%s: has only %llu events", r->path,
		    (unsigned long long)info.events);
	} else {
		r->place = r->event > 0 ? r->event : info.events;
		r->snapshot = r->place > 0 ? gcs_trace_at(trace, r->place - 1, &r->err) : NULL;
		if (r->place == 0)
			gcs_fail(&r->err, GCS_STATE, "%s: has no events", r->path);
	}
	gcs_trace_close(trace);
}

static void changed(struct heap *heap, struct app *app)
{
	for (uint32_t i = 0; i < heap->prefs_count; i++) {
		struct heap_prefs *p = heap->prefs[i];
		if (p->style.real.values == p->difference.real)
			p->style.real.values = NULL;
		p->compared = false;
		tilediff_fini(&p->difference);
	}
	heap_restyle(heap, app);
}

/* Takes over the reference. */
static void set_base(struct heap *heap, struct app *app, struct gcs_snapshot *a)
{
	struct gcs_snapshot *before = heap->compare.a;
	if (heap->site.on && a != NULL)
		heap_site_leave(&heap->site);
	heap->compare.a = a;
	changed(heap, app);
	gcs_snapshot_unref(before);
}

void heap_compare_fini(struct heap *heap)
{
	worker_fini(&heap->compare.loader);
	gcs_snapshot_unref(heap->compare.a);
	heap->compare.a = NULL;
}

bool heap_compares(const struct heap *heap)
{
	return heap->compare.a != NULL && !heap->site.on;
}

bool heap_compare_end(struct heap *heap, struct app *app)
{
	if (heap->compare.a == NULL && !heap->compare.reading)
		return false;
	heap->compare.reading = false;
	set_base(heap, app, NULL);
	app_toast(app, "Comparison ended");
	return true;
}

bool heap_compare_mark(struct heap *heap, struct app *app, const char *argument)
{
	if (argument == NULL && heap_compare_end(heap, app))
		return true;
	heap->compare.reading = false;
	if (!heap_put_event(heap->compare.label, sizeof heap->compare.label, app->snapshot))
		snprintf(heap->compare.label, sizeof heap->compare.label, "the first snapshot");
	set_base(heap, app, gcs_snapshot_ref(app->snapshot));
	app_toast(app, "Mark A set: tiles show changes since now; Ctrl+D or Esc ends");
	return true;
}

/* "FILE" or "FILE EVENT"; a file whose name is the whole argument has precedence. */
static void split(struct reading *r, const char *argument)
{
	snprintf(r->path, sizeof r->path, "%s", argument);
	char *last = strrchr(r->path, ' ');
	uint64_t event;
	if (last == NULL || access(r->path, F_OK) == 0 || !gcs_parse_number(last + 1, &event) ||
	    event == 0)
		return;
	*last = 0;
	r->event = event;
}

bool heap_compare_file(struct heap *heap, struct app *app, const char *argument)
{
	if (argument == NULL) {
		app_toast(
		    app, "compare_tiles: expected FILE [EVENT], a recording and an event in it");
		return false;
	}
	if (strcmp(argument, "off") == 0) {
		if (!heap_compare_end(heap, app))
			app_toast(app, "Comparison ended");
		return true;
	}
	struct reading *r = strlen(argument) < EVENT_HISTORY_PATH ? calloc(1, sizeof *r) : NULL;
	if (r == NULL) {
		app_toast(
		    app, "Cannot compare: paths are limited to %d bytes", EVENT_HISTORY_PATH - 1);
		return false;
	}
	r->work = (struct work){.run = read_snapshot, .drop = drop};
	split(r, argument);
	heap->compare.reading = true;
	heap->compare.loader.wake = app->wake;
	heap->compare.loader.wake_context = app->wake_context;
	worker_give(&heap->compare.loader, &r->work);
	heap_compare_poll(heap, app);
	return true;
}

void heap_compare_poll(struct heap *heap, struct app *app)
{
	char number[48];
	struct reading *r = (struct reading *)worker_take(&heap->compare.loader);
	if (r == NULL)
		return;
	const bool wanted = heap->compare.reading;
	heap->compare.reading = false;
	if (wanted && r->snapshot == NULL) {
		app_toast(app, "%s", r->err.text);
	} else if (wanted) {
		const char *slash = strrchr(r->path, '/');
		gcs_format_number(number, sizeof number, (int64_t)r->place, GCS_DECIMAL);
		snprintf(heap->compare.label, sizeof heap->compare.label, "%.200s, event %s",
		    slash != NULL ? slash + 1 : r->path, number);
		set_base(heap, app, r->snapshot);
		r->snapshot = NULL;
		app_toast(app, "Comparing tiles with %.200s", heap->compare.label);
	}
	drop(&r->work);
}

/* The space of A with the same name, or GCS_NONE. */
static uint32_t space_at_a(const struct heap *heap, const struct app *app, uint32_t space)
{
	const struct gcs_model *m = gcs_snapshot_model(heap->compare.a);
	const uint32_t found = gcs_model_find_space(m, app_space(app, space)->name);
	return found == GCS_NONE || m->spaces[found].gone ? GCS_NONE : found;
}

/* Evaluates the expression in both snapshots. */
static bool compare_text(struct heap *heap, struct heap_prefs *p, uint32_t space_a)
{
	struct expr expr;
	struct gcs_error err;
	const struct gcs_snapshot *a = heap->compare.a;
	const struct gcs_space *s = &gcs_snapshot_model(a)->spaces[space_a];
	if (!p->valid || p->real == NULL || p->expr.before ||
	    !expr_compile(&expr, p->text, s, &err))
		return false;
	double *at_a = malloc(((size_t)gcs_snapshot_tiles(a, space_a) + 1) * sizeof *at_a);
	if (at_a == NULL)
		return false;
	expr_evaluate(&expr, a, NULL, space_a, at_a);
	tilediff_reals(&p->difference, at_a, p->real);
	free(at_a);
	return true;
}

bool heap_compare_space(
    struct heap *heap, const struct app *app, struct heap_prefs *p, uint32_t space)
{
	p->compared = false;
	if (!heap_compares(heap) || space >= app->space_count)
		return false;
	const uint32_t at_a = space_at_a(heap, app, space), stream = app->stream_of[space];
	const struct gcs_space *s = app_space(app, space);
	if (at_a == GCS_NONE || stream >= s->stream_count ||
	    !tilediff_match(&p->difference, heap->compare.a, at_a, app->snapshot, space))
		return false;
	p->space_at_a = at_a;
	const struct gcs_space *sa = &gcs_snapshot_model(heap->compare.a)->spaces[at_a];
	p->stream_at_a = gcs_space_find_stream(sa, s->streams[stream].name);
	if (heap_by_text(p, app, space)) {
		p->compared = compare_text(heap, p, at_a);
	} else if (p->stream_at_a != GCS_NONE &&
		   (sa->streams[p->stream_at_a].presentation == GCS_ENUM) ==
		       (s->streams[stream].presentation == GCS_ENUM)) {
		tilediff_stream(&p->difference, heap->compare.a, at_a, p->stream_at_a,
		    app->snapshot, space, stream);
		p->compared = true;
	}
	return p->compared;
}
