#include "range.h"

#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "side.h"

enum { WORDS = 96 };

/* Bytes allocated since the previous event: used before this one, less used after that one. */
static void add_allocated(struct range_figures *f, const struct event_header *m, int64_t *left)
{
	const int64_t now = m->before_bytes >= 0 ? m->before_bytes : m->used_bytes;
	if (now >= 0 && *left >= 0) {
		const int64_t more = now - *left;
		f->allocated = (f->allocated > 0 ? f->allocated : 0) + (more > 0 ? more : 0);
	}
	if (now >= 0)
		*left = m->used_bytes >= 0 ? m->used_bytes : now;
}

void range_count(
    const struct overview *o, uint64_t from_ns, uint64_t to_ns, struct range_figures *f)
{
	int64_t left = -1;
	const uint32_t begin = overview_find(o, from_ns);
	*f = (struct range_figures){.allocated = -1};
	uint32_t i = begin;
	for (; i < o->count && o->at[i].time_ns <= to_ns; i++) {
		const struct event_header *m = &o->at[i];
		if (m->event < GCS_MAX_EVENTS)
			f->events[m->event]++;
		left = m->after_gap ? -1 : left;
		add_allocated(f, m, &left);
		f->known++;
		if (m->pause_ns < 0)
			continue;
		f->pauses++;
		f->pause_ns += m->pause_ns;
		f->longest_ns = m->pause_ns > f->longest_ns ? m->pause_ns : f->longest_ns;
	}
	if (f->known > 0)
		f->all = o->at[i - 1].place - o->at[begin].place + 1;
	if (f->all < f->known) /* a replaying server shows events in any order */
		f->all = f->known;
}

void range_summary(const struct app *app, char *text, size_t size)
{
	const struct event_history_range *r = &app->range;
	uint64_t first, last;
	char from[32], to[32], length[64];
	event_history_span(app, &first, &last);
	gcs_format_number(length, sizeof length, (int64_t)(r->to_ns - r->from_ns), GCS_NANOSECONDS);
	snprintf(text, size, "%s \xe2\x80\x93 %s \xc2\xb7 %s",
	    replay_put_time(from, sizeof from, r->from_ns > first ? r->from_ns - first : 0),
	    replay_put_time(to, sizeof to, r->to_ns > first ? r->to_ns - first : 0), length);
}

/* Calls `row` for each line. */
static void each_row(const struct app *app, const struct range_figures *f,
    void (*row)(void *context, const char *name, const char *text), void *context)
{
	const struct gcs_model *model = app_model(app);
	char text[WORDS], more[48];
	gcs_format_number(text, sizeof text, (int64_t)f->known, GCS_DECIMAL);
	if (f->all > f->known)
		snprintf(text + strlen(text), sizeof text - strlen(text), " of %s",
		    gcs_format_number(more, sizeof more, (int64_t)f->all, GCS_DECIMAL));
	row(context, f->all > f->known ? "Known events" : "Events", text);
	for (uint32_t i = 0; model != NULL && i < model->event_count; i++)
		if (f->events[i] > 0)
			row(context, model->events[i].name,
			    gcs_format_number(
				text, sizeof text, (int64_t)f->events[i], GCS_DECIMAL));
	if (f->pauses > 0) {
		row(context, "Collections with a pause",
		    gcs_format_number(text, sizeof text, (int64_t)f->pauses, GCS_DECIMAL));
		row(context, "Total pause time",
		    gcs_format_number(text, sizeof text, f->pause_ns, GCS_NANOSECONDS));
		row(context, "Longest pause",
		    gcs_format_number(text, sizeof text, f->longest_ns, GCS_NANOSECONDS));
	}
	if (f->allocated >= 0)
		row(context, "Allocated between events",
		    gcs_format_number(text, sizeof text, f->allocated, GCS_BYTES));
}

struct side {
	struct app *app;
	struct cv_rect *column;
};

static void put_side(void *context, const char *name, const char *text)
{
	const struct side *side = context;
	side_row(side->app, side->column, name, text, false);
}

void range_side(struct app *app, struct cv_rect *column)
{
	struct range_figures figures;
	char words[WORDS];
	struct side side = {app, column};
	if (!app->range.on)
		return;
	range_count(event_history_overview(app), app->range.from_ns, app->range.to_ns, &figures);
	range_summary(app, words, sizeof words);
	side_section(app, column, "Selected range", "");
	side_row(app, column, "Time", words, false);
	each_row(app, &figures, put_side, &side);
}

static void put_text(void *context, const char *name, const char *text)
{
	textbuf_printf(context, "%s\t%s\n", name, text);
}

void range_text(const struct app *app, struct textbuf *out)
{
	struct range_figures figures;
	char words[WORDS];
	if (!app->range.on)
		return;
	range_count(event_history_overview(app), app->range.from_ns, app->range.to_ns, &figures);
	range_summary(app, words, sizeof words);
	textbuf_printf(out, "Selected range\t%s\n", words);
	each_row(app, &figures, put_text, out);
}
