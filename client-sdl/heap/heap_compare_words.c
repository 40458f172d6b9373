/* Differences in words and signs: tooltip, panel, legend, text. Declared in heap_compare.h. */
#include <gcspy/format.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "heap_stats.h"
#include "heap_view.h"
#include "layout.h"
#include "side.h"

#define SIGNS_FROM 10 /* pixels of a tile from which on it has a plus or a dash */
#define MINUS      "-"
#define DOT        " \xc2\xb7 "

static int64_t whole(double v)
{
	if (!(v > -9.2e18))
		return INT64_MIN;
	return v < 9.2e18 ? (int64_t)(v < 0 ? v - 0.5 : v + 0.5) : INT64_MAX;
}

/* With its sign: "+212 KiB". */
static char *put_change(const struct gcs_stream *st, double change, char *text, size_t size)
{
	char value[200];
	heap_stats_value(value, sizeof value, st, whole(fabs(change)));
	snprintf(text, size, "%s%s", change > 0 ? "+" : change < 0 ? MINUS : "\xc2\xb1", value);
	return text;
}

static const char *name_of(const struct gcs_stream *st, int64_t value)
{
	const uint64_t index = (uint64_t)value - (uint64_t)st->min;
	return index < st->enum_count ? st->enum_names[index] : "?";
}

static const int64_t *control_of(const struct gcs_snapshot *s, uint32_t space)
{
	const uint32_t control =
	    gcs_space_role(&gcs_snapshot_model(s)->spaces[space], GCS_ROLE_CONTROL);
	return control == GCS_NONE ? NULL : gcs_snapshot_values(s, space, control);
}

static void name_words(const struct gcs_stream *sa, const struct gcs_stream *st, int64_t was,
    int64_t is, char *text, size_t size)
{
	const char *before = name_of(sa, was), *now = name_of(st, is);
	if (strcmp(before, now) == 0)
		snprintf(text, size, "%.80s, unchanged since A", now);
	else
		snprintf(text, size, "was %.80s, now %.80s", before, now);
}

static void number_words(
    const struct gcs_stream *st, int64_t was, int64_t is, char *text, size_t size)
{
	char now[200], before[200], change[220];
	heap_stats_value(now, sizeof now, st, is);
	if (was == is) {
		snprintf(text, size, "%s, unchanged since A", now);
		return;
	}
	snprintf(text, size, "%s, was %s at A (%s)", now,
	    heap_stats_value(before, sizeof before, st, was),
	    put_change(st, (double)is - (double)was, change, sizeof change));
}

/* Of an expression only what is known of it: -1 to 1 of the largest difference. */
static void real_words(const struct tilediff *d, uint32_t tile, char *text, size_t size)
{
	char value[80];
	const double v = d->real[tile];
	heap_stats_real(value, sizeof value, fabs(v) * d->most, false);
	snprintf(text, size, "%s%s", v > 0 ? "+" : v < 0 ? MINUS : "\xc2\xb1", value);
}

char *heap_compare_tile(
    struct heap *heap, const struct app *app, struct tile_ref at, char *text, size_t size)
{
	const struct heap_prefs *p = heap_prefs_of(heap, app, at.space);
	text[0] = 0;
	if (!heap_compares(heap) || p == NULL || heap->now != app->snapshot)
		return text;
	if (!p->compared) {
		snprintf(text, size, "not present in A");
		return text;
	}
	const struct tilediff *d = &p->difference;
	if (at.tile >= d->tiles || at.space >= app->space_count)
		return text;
	const struct gcs_snapshot *a = heap->compare.a;
	const uint32_t was = d->of[at.tile], stream = app->stream_of[at.space];
	if (was == GCS_NONE) {
		snprintf(text, size, "new: not there at A");
		return text;
	}
	if (isinf(d->real[at.tile])) {
		snprintf(text, size, "new: unused at A");
		return text;
	}
	if (heap_by_text(p, app, at.space)) {
		if (isnan(d->real[at.tile]))
			snprintf(text, size, "no value now");
		else
			real_words(d, at.tile, text, size);
		return text;
	}
	const struct gcs_stream *st = &app_space(app, at.space)->streams[stream];
	const struct gcs_stream *sa =
	    &gcs_snapshot_model(a)->spaces[p->space_at_a].streams[p->stream_at_a];
	const int64_t old = gcs_snapshot_values(a, p->space_at_a, p->stream_at_a)[was];
	if (isnan(d->real[at.tile])) {
		char before[200];
		const bool used = tilecode_used(control_of(a, p->space_at_a), was);
		heap_stats_value(before, sizeof before, sa, old);
		snprintf(text, size, used ? "unused, was %s at A" : "unused, also at A",
		    d->other ? name_of(sa, old) : before);
		return text;
	}
	const int64_t now = gcs_snapshot_values(app->snapshot, at.space, stream)[at.tile];
	if (d->other)
		name_words(sa, st, old, now, text, size);
	else
		number_words(st, old, now, text, size);
	return text;
}

static void append(char *text, size_t size, const char *what)
{
	const size_t used = strlen(text);
	if (used < size)
		snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", what);
}

static char *put_tiles(uint32_t n, char *text, size_t size)
{
	gcs_format_number(text, size, n, GCS_DECIMAL);
	return text;
}

char *heap_compare_sum(const struct heap *heap, const struct app *app, const struct heap_prefs *p,
    uint32_t space, char *text, size_t size)
{
	const struct tilediff *d = &p->difference;
	const struct gcs_stream *st = &app_space(app, space)->streams[app->stream_of[space]];
	const bool text_shown = heap_by_text(p, app, space);
	char part[320], n[48], change[220];
	text[0] = 0;
	(void)heap;
	if (!p->compared) {
		snprintf(text, size, "not in A");
		return text;
	}
	const struct {
		uint32_t tiles;
		double sum;
		const char *word;
	} sides[] = {{d->more, d->up, "more"}, {d->less, d->down, "less"}};
	for (int i = 0; i < 2; i++) {
		if (sides[i].tiles == 0)
			continue;
		put_tiles(sides[i].tiles, n, sizeof n);
		if (d->other)
			snprintf(part, sizeof part, "%s tile%s changed", n,
			    sides[i].tiles == 1 ? "" : "s");
		else if (text_shown)
			snprintf(part, sizeof part, "%s tile%s %s", n,
			    sides[i].tiles == 1 ? "" : "s", sides[i].word);
		else
			snprintf(part, sizeof part, "%s in %s tile%s",
			    put_change(st, sides[i].sum, change, sizeof change), n,
			    sides[i].tiles == 1 ? "" : "s");
		append(text, size, part);
	}
	if (d->more + d->less == 0)
		append(text, size, "unchanged since A");
	if (d->fresh > 0) {
		snprintf(part, sizeof part, "%s new", put_tiles(d->fresh, n, sizeof n));
		append(text, size, part);
	}
	if (d->gone > 0) {
		snprintf(part, sizeof part, "%s gone", put_tiles(d->gone, n, sizeof n));
		append(text, size, part);
	}
	return text;
}

static void how_words(const struct tilediff *d, char *text, size_t size)
{
	static const char *const how[] = {"Tiles are matched by name",
	    "Tiles are matched by address", "Tiles are matched by number"};
	char now[48], before[48];
	snprintf(text, size, "%s.", how[d->how]);
	if (d->tiles == d->tiles_at_a)
		return;
	snprintf(text, size, "%s: %s now, %s at A.", how[d->how],
	    put_tiles(d->tiles, now, sizeof now), put_tiles(d->tiles_at_a, before, sizeof before));
}

static void ramp(struct app *app, struct cv_rect *column, const char *low, const char *high)
{
	struct ui *ui = &app->ui;
	uint32_t shade[256];
	struct cv_rect bar = cut_top(column, ui_px(ui, 14));
	struct cv_rect labels = cut_top(column, ui_px(ui, 18));
	cut_top(column, ui_px(ui, 4));
	if (!ui_paints(ui))
		return;
	palette_change_ramp(ui->theme, shade);
	for (int x = 0; x < bar.w; x++)
		cv_vline(ui->cv, bar.x + x, bar.y, bar.h,
		    shade[bar.w > 1 ? x * (PALETTE_SHADES - 1) / (bar.w - 1) : 0]);
	ui_label(ui, labels, TEXT_LEFT, low);
	ui_label(ui, labels, TEXT_CENTRE, "unchanged since A");
	ui_label(ui, labels, TEXT_RIGHT, high);
}

static void sample(struct app *app, struct cv_rect *column, const struct tilelook *look,
    unsigned code, const char *label)
{
	struct ui *ui = &app->ui;
	struct cv_rect row = cut_top(column, ui_px(ui, 22));
	if (!ui_paints(ui))
		return;
	const struct cv_rect box = cut_left(&row, ui_px(ui, 24));
	const int size = ui_px(ui, 16);
	tilelook_sample(ui->cv, look, ui->theme,
	    rect_make(box.x, box.y + (box.h - size) / 2, size, size), code);
	ui_value(ui, row, TEXT_LEFT, label);
}

static void paragraph(struct app *app, struct cv_rect *column, const char *words)
{
	struct ui *ui = &app->ui;
	struct cv_rect r = rect_make(column->x, column->y, column->w, 0);
	r.h = text_paragraph(
	    ui_paints(ui) ? ui->cv : NULL, ui->fonts->face[FONT_SMALL], r, ui->theme->weak, words);
	cut_top(column, r.h + ui_px(ui, 4));
}

void heap_compare_legend(struct heap *heap, struct app *app, struct cv_rect *column)
{
	const struct heap_item *item = heap_find(heap, app->active_space);
	char words[400], sum[400], low[220], high[220];
	side_section(app, column, "Since A", "Ctrl+D ends");
	snprintf(words, sizeof words, "A is %s.", heap->compare.words);
	paragraph(app, column, words);
	if (item == NULL)
		return;
	const struct heap_prefs *p = item->prefs;
	if (!p->compared) {
		paragraph(app, column, "A has no such space or stream; tiles show current values.");
		side_legend(app, column);
		return;
	}
	const struct tilediff *d = &p->difference;
	const struct gcs_stream *st = &app_space(app, item->id)->streams[app->stream_of[item->id]];
	snprintf(low, sizeof low, "less");
	snprintf(high, sizeof high, "more");
	if (!d->other && !heap_by_text(p, app, item->id) && d->most > 0) {
		put_change(st, -d->most, low, sizeof low);
		put_change(st, d->most, high, sizeof high);
	}
	if (!d->other)
		ramp(app, column, low, high);
	const struct tilelook *look = heap_look(heap, item);
	if (d->other) {
		sample(app, column, look, PALETTE_SHADES - 1, "changed since A");
		sample(app, column, look, PALETTE_SHADES / 2, "unchanged since A");
	}
	sample(app, column, look, LOOK_OVER, "new: not there or unused at A");
	sample(app, column, look, LOOK_UNUSED, "unused now");
	heap_compare_sum(heap, app, p, item->id, sum, sizeof sum);
	how_words(d, words, sizeof words);
	paragraph(app, column, sum);
	paragraph(app, column, words);
}

void heap_compare_text(struct heap *heap, struct app *app, struct textbuf *out)
{
	const struct heap_item *item = heap_find(heap, app->active_space);
	char text[400];
	if (!heap_compares(heap))
		return;
	textbuf_printf(out, "compared with A\t%s\n", heap->compare.words);
	if (item == NULL)
		return;
	textbuf_printf(out, "since A\t%s\n",
	    heap_compare_sum(heap, app, item->prefs, item->id, text, sizeof text));
	if (item->prefs->compared) {
		how_words(&item->prefs->difference, text, sizeof text);
		textbuf_printf(out, "since A\t%s\n", text);
	}
	heap_compare_tile(heap, app, app->selected, text, sizeof text);
	if (app->selected.space != GCS_NONE && text[0] != 0)
		textbuf_printf(out, "tile since A\t%s\n", text);
}

char heap_compare_letter(const struct heap_prefs *p, uint32_t tile)
{
	const double v = tile < p->difference.tiles ? p->difference.real[tile] : (double)NAN;
	if (isnan(v))
		return '/';
	if (isinf(v))
		return '*';
	return v > 0 ? '+' : v < 0 ? '-' : '.';
}

void heap_compare_signs(const struct heap *heap, struct app *app, const struct heap_item *item)
{
	struct cv *cv = &app->cv;
	const struct tilelook *look = heap_look(heap, item);
	const struct tilediff *d = &item->prefs->difference;
	const uint32_t ink = 0xff101216;
	if (!item->prefs->compared || d->other || look->tile < SIGNS_FROM)
		return;
	const int size = look->tile / 2 - (look->tile / 2 + 1) % 2, line = look->tile / 12 + 1;
	const int rows = (cv->clip.y + cv->clip.h - item->map.y) / look->pitch + 1;
	int row = (cv->clip.y - item->map.y) / look->pitch - 1;
	for (row = row > 0 ? row : 0; row < rows; row++) {
		for (uint32_t k = 0; k < item->map.columns; k++) {
			const uint64_t place = (uint64_t)row * item->map.columns + k;
			if (place >= item->map.tiles)
				return;
			const uint32_t tile = tilemap_tile(&item->map, (uint32_t)place);
			const double v = tile < d->tiles ? d->real[tile] : 0;
			if (isnan(v) || isinf(v) || v == 0)
				continue;
			const struct cv_rect r = tilemap_rect(&item->map, look, tile);
			cv_fill(cv, centred(r, size, line), ink);
			if (v > 0)
				cv_fill(cv, centred(r, line, size), ink);
		}
	}
}
