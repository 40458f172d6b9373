/* The rows of the table of survivors; declared in leaks_view.h. */
#include "leaks_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "figures.h"

enum { SECONDS_PER_MINUTE = 60 };

/* A narrow window keeps what it is about: the growth and its error. */
static const struct table_column columns[LEAKS_COLUMNS] = {
    [LEAKS_VERDICT] = {"verdict", "", TEXT_LEFT, 82, 0, 1, true},
    [LEAKS_NAME] = {"name", "Survivors", TEXT_LEFT, 124, 4, 0, true},
    [LEAKS_COURSE] = {"course", "Over the time seen", TEXT_LEFT, 120, 1, 3, false},
    [LEAKS_BYTES] = {"bytes", "Bytes", TEXT_RIGHT, 80, 0, 2, false},
    [LEAKS_GROWTH] = {"growth", "Growth/min", TEXT_RIGHT, 112, 0, 0, false},
    [LEAKS_ERROR] = {"error", "\xc2\xb1", TEXT_RIGHT, 78, 0, 0, false},
    [LEAKS_SHARE] = {"share", "Of growth", TEXT_RIGHT, 74, 0, 4, false},
    [LEAKS_AGE] = {"age", "By age", TEXT_LEFT, 76, 0, 5, false},
    [LEAKS_REASON] = {"reason", "Why", TEXT_LEFT, 160, 2, 6, true},
};

const char *leaks_verdict_word(enum gcs_verdict verdict)
{
	static const char *const words[] = {[GCS_VERDICT_GROWS] = "suspect",
	    [GCS_VERDICT_SMALL] = "small",
	    [GCS_VERDICT_STOPPED] = "stopped",
	    [GCS_VERDICT_UNCERTAIN] = "uncertain",
	    [GCS_VERDICT_STEADY] = "no suspect",
	    [GCS_VERDICT_UNKNOWN] = "not known"};
	return words[verdict];
}

void leaks_put_reason(
    const struct gcs_stats *stats, const struct gcs_survivor *s, char *text, size_t size)
{
	switch (s->verdict) {
	case GCS_VERDICT_GROWS:
		snprintf(text, size,
		    "grows beyond twice its error, and still in the later half; %.0f %% of "
		    "what grows",
		    100 * s->share);
		return;
	case GCS_VERDICT_SMALL:
		snprintf(text, size, "grows, but by less than a tenth of the heap's growth");
		return;
	case GCS_VERDICT_STOPPED:
		snprintf(text, size, "did not grow in the later half of the time");
		return;
	case GCS_VERDICT_UNCERTAIN:
		snprintf(text, size, "grows by less than twice the error of its samples");
		return;
	case GCS_VERDICT_STEADY:
		snprintf(text, size, "%s",
		    gcs_stats_heap_is_steady(stats)
			? "what collections leave of the heap does not grow"
			: "whether the heap grows is not certain");
		return;
	case GCS_VERDICT_UNKNOWN:
		time_figures_reason(text, size, stats->no_suspects.text);
		return;
	}
}

void leaks_put_name(
    const struct gcs_stats *stats, const struct gcs_survivor *s, char *text, size_t size)
{
	uint32_t stack = s->site->stack;
	const struct gcs_frame *frame = gcs_sites_caller(stats->survivors, &stack);
	char line[300];
	figures_put_line(line, sizeof line, frame);
	switch (gcs_sites_by(stats->survivors)) {
	case GCS_SITES_BY_CLASS:
		snprintf(text, size, "%s", s->site->class_name);
		return;
	case GCS_SITES_BY_SITE:
		line[strcspn(line, "\t")] = 0;
		snprintf(text, size, "%s\t%s", s->site->class_name, frame != NULL ? line : "");
		return;
	default:
		snprintf(text, size, "%s", frame != NULL ? line : "no frame outside the JDK");
	}
}

static double value_of(const struct gcs_survivor *s, int column)
{
	switch (column) {
	case LEAKS_VERDICT:
		return (double)s->verdict;
	case LEAKS_BYTES:
		return s->site->bytes;
	case LEAKS_ERROR:
		return isnan(s->error) ? -1 : s->error;
	case LEAKS_SHARE:
		return s->share;
	case LEAKS_AGE:
		return s->site->mean_age;
	default:
		return isnan(s->per_second) ? -INFINITY : s->per_second;
	}
}

/* qsort has no context; the window has one thread. */
static const struct gcs_stats *sorted;
static char (*sorted_names)[LEAKS_NAME_TEXT]; /* of each survivor, if they are sorted by name */
static int sorted_by;
static bool sorted_falling;

static int compare(const void *left, const void *right)
{
	const uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
	const struct gcs_survivor *a = &sorted->survivor_list[i], *b = &sorted->survivor_list[k];
	if (sorted_names != NULL) {
		const int order = strcmp(sorted_names[i], sorted_names[k]);
		return order != 0 ? (sorted_falling ? -order : order) : (i > k) - (i < k);
	}
	const double x = value_of(a, sorted_by), y = value_of(b, sorted_by);
	if (x != y)
		return (x < y) == sorted_falling ? 1 : -1;
	return (i > k) - (i < k);
}

static void sort(struct leaks_view *view, const struct gcs_stats *stats)
{
	free(view->order);
	view->rows = 0;
	view->order = malloc((stats->survivor_count + (size_t)1) * sizeof *view->order);
	if (view->order == NULL)
		return;
	view->rows = stats->survivor_count;
	for (uint32_t i = 0; i < view->rows; i++)
		view->order[i] = i;
	sorted = stats;
	sorted_by = view->sort = view->table.sort;
	sorted_falling = view->falling = view->table.falling;
	sorted_names = NULL;
	if (sorted_by == LEAKS_NAME)
		sorted_names = malloc(((size_t)view->rows + 1) * sizeof *sorted_names);
	for (uint32_t i = 0; sorted_names != NULL && i < view->rows; i++)
		leaks_put_name(
		    stats, &stats->survivor_list[i], sorted_names[i], sizeof sorted_names[i]);
	qsort(view->order, view->rows, sizeof *view->order, compare);
	free(sorted_names);
}

/* The row of what was selected; at first that of the first suspect. */
static void select_again(struct leaks_view *view, const struct gcs_stats *stats)
{
	view->table.selected = TABLE_NONE;
	for (uint32_t i = 0; i < view->rows; i++) {
		const struct gcs_survivor *s = &stats->survivor_list[view->order[i]];
		const bool same = view->selected_key != 0 ? s->key == view->selected_key
							  : s->verdict == GCS_VERDICT_GROWS;
		if (same) {
			view->table.selected = i;
			view->selected_key = s->key;
			return;
		}
	}
}

const struct gcs_stats *leaks_sync(struct leaks_view *view, struct app *app, const char **why)
{
	const struct gcs_stats *stats = time_figures(app, why);
	if (stats == NULL || stats->survivor_count == 0) {
		view->rows = 0;
		view->version = 0;
		view->table.selected = TABLE_NONE;
		if (stats != NULL)
			*why = stats->no_live.text[0] != 0
				   ? stats->no_live.text
				   : "nothing sampled has survived a collection";
		return NULL;
	}
	const bool other = view->version != app->figures.version;
	if (other || view->sort != view->table.sort || view->falling != view->table.falling) {
		if (view->join != (uint32_t)gcs_sites_by(stats->survivors))
			view->selected_key = 0;
		view->join = (uint32_t)gcs_sites_by(stats->survivors);
		view->version = app->figures.version;
		sort(view, stats);
		select_again(view, stats);
	}
	return view->order != NULL ? stats : NULL;
}

const struct gcs_survivor *leaks_row(
    const struct leaks_view *view, const struct gcs_stats *stats, uint32_t row)
{
	return row < view->rows ? &stats->survivor_list[view->order[row]] : NULL;
}

const struct gcs_survivor *leaks_selected(
    const struct leaks_view *view, const struct gcs_stats *stats)
{
	return leaks_row(view, stats, view->table.selected);
}

static void put_figure(char *text, size_t size, double value, enum gcs_unit unit, bool sign)
{
	char number[40];
	if (isnan(value)) {
		snprintf(text, size, "-");
		return;
	}
	gcs_format_figure(number, sizeof number, fabs(value), unit);
	snprintf(text, size, "%s%s", !sign ? "" : value < 0 ? "\xe2\x80\x93" : "+", number);
}

static void cell(void *context, uint32_t row, int column, char *text, size_t size)
{
	const struct leaks_context *c = context;
	const struct gcs_survivor *s = leaks_row(c->view, c->stats, row);
	*text = 0;
	switch (column) {
	case LEAKS_VERDICT:
		snprintf(text, size, s->verdict == GCS_VERDICT_GROWS ? "%s" : "\t%s",
		    leaks_verdict_word(s->verdict));
		break;
	case LEAKS_NAME:
		leaks_put_name(c->stats, s, text, size);
		break;
	case LEAKS_BYTES:
		put_figure(text, size, s->site->bytes, GCS_UNIT_BYTES, false);
		break;
	case LEAKS_GROWTH:
		put_figure(text, size, s->per_second * SECONDS_PER_MINUTE, GCS_UNIT_BYTES, true);
		break;
	case LEAKS_ERROR:
		put_figure(text, size, s->error * SECONDS_PER_MINUTE, GCS_UNIT_BYTES, false);
		break;
	case LEAKS_SHARE:
		put_figure(text, size,
		    s->verdict == GCS_VERDICT_UNCERTAIN || s->share < 0 ? NAN : s->share,
		    GCS_UNIT_SHARE, false);
		break;
	case LEAKS_REASON:
		text[0] = '\t';
		leaks_put_reason(c->stats, s, text + 1, size - 1);
		break;
	default:
		break;
	}
}

static enum table_tone tone(void *context, uint32_t row, int column)
{
	const struct leaks_context *c = context;
	const struct gcs_survivor *s = leaks_row(c->view, c->stats, row);
	if (column == LEAKS_VERDICT)
		return s->verdict == GCS_VERDICT_GROWS ? TABLE_MORE : TABLE_PLAIN;
	if (column != LEAKS_GROWTH || isnan(s->per_second))
		return TABLE_PLAIN;
	if (fabs(s->per_second) <= 2 * s->error)
		return TABLE_UNCERTAIN;
	return s->per_second > 0 ? TABLE_MORE : TABLE_LESS;
}

static bool marked(void *context, uint32_t row)
{
	const struct leaks_context *c = context;
	return leaks_row(c->view, c->stats, row)->verdict == GCS_VERDICT_GROWS;
}

struct table_rows leaks_table_rows(const struct app *app, struct leaks_context *context)
{
	return (struct table_rows){.column = columns,
	    .columns = LEAKS_COLUMNS,
	    .count = context->view->rows,
	    .cell = cell,
	    .tone = tone,
	    .marked = marked,
	    .context = context,
	    .old = app_is_old(app) && !app->replay.on};
}
