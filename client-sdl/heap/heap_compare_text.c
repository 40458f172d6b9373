/* Differences as text and signs: tooltip, panel, legend. Declared in heap_compare.h. */
#include <gcspy/format.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "heap_stats.h"
#include "heap_view.h"
#include "layout.h"
#include "side.h"

#define SIGNS_FROM 10 /* minimum tile size in pixels for a plus or a dash */

static const char *sign(double change)
{
	return change > 0 ? "+" : change < 0 ? "-" : "\xc2\xb1";
}

/* "+212 KiB". */
static char *put_change(const struct gcs_stream *st, double change, char *text, size_t size)
{
	char value[200];
	const double whole = fabs(change);
	heap_stats_value(
	    value, sizeof value, st, whole < 9.2e18 ? (int64_t)(whole + 0.5) : INT64_MAX);
	snprintf(text, size, "%s%s", sign(change), value);
	return text;
}

static const char *name_of(const struct gcs_stream *st, int64_t value)
{
	const uint64_t index = (uint64_t)value - (uint64_t)st->min;
	return index < st->enum_count ? st->enum_names[index] : "?";
}

static void put_names(const struct gcs_stream *sa, const struct gcs_stream *st, int64_t was,
    int64_t is, char *text, size_t size)
{
	const char *before = name_of(sa, was), *now = name_of(st, is);
	if (strcmp(before, now) == 0)
		snprintf(text, size, "%.80s, unchanged since A", now);
	else
		snprintf(text, size, "was %.80s, now %.80s", before, now);
}

static void put_numbers(
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

/* Of an expression, scaled from -1 to 1 of the largest difference. */
static void put_real(const struct tilediff *d, uint32_t tile, char *text, size_t size)
{
	char value[80];
	heap_stats_real(value, sizeof value, fabs(d->real[tile]) * d->most, false);
	snprintf(text, size, "%s%s", sign(d->real[tile]), value);
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
			put_real(d, at.tile, text, size);
		return text;
	}
	const struct gcs_stream *st = &app_space(app, at.space)->streams[stream];
	const struct gcs_stream *sa =
	    &gcs_snapshot_model(a)->spaces[p->space_at_a].streams[p->stream_at_a];
	const int64_t old = gcs_snapshot_values(a, p->space_at_a, p->stream_at_a)[was];
	if (isnan(d->real[at.tile])) {
		char before[200];
		const bool used =
		    tilecode_used(tilecode_column(a, p->space_at_a, GCS_ROLE_CONTROL), was);
		heap_stats_value(before, sizeof before, sa, old);
		snprintf(text, size, used ? "unused, was %s at A" : "unused, also at A",
		    d->other ? name_of(sa, old) : before);
		return text;
	}
	const int64_t now = gcs_snapshot_values(app->snapshot, at.space, stream)[at.tile];
	if (d->other)
		put_names(sa, st, old, now, text, size);
	else
		put_numbers(st, old, now, text, size);
	return text;
}

static void append(char *text, size_t size, const char *what)
{
	const size_t used = strlen(text);
	if (used < size)
		snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", what);
}

static void append_count(char *text, size_t size, uint32_t n, const char *what)
{
	char number[48], part[80];
	if (n == 0)
		return;
	gcs_format_number(number, sizeof number, n, GCS_DECIMAL);
	snprintf(part, sizeof part, "%s %s", number, what);
	append(text, size, part);
}

char *heap_compare_sum(
    const struct app *app, const struct heap_prefs *p, uint32_t space, char *text, size_t size)
{
	const struct tilediff *d = &p->difference;
	const struct gcs_stream *st = &app_space(app, space)->streams[app->stream_of[space]];
	const bool text_shown = heap_by_text(p, app, space);
	char part[320], n[64], change[220];
	text[0] = 0;
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
		heap_put_tiles(n, sizeof n, sides[i].tiles);
		if (d->other || text_shown)
			snprintf(
			    part, sizeof part, "%s %s", n, d->other ? "changed" : sides[i].word);
		else
			snprintf(part, sizeof part, "%s in %s",
			    put_change(st, sides[i].sum, change, sizeof change), n);
		append(text, size, part);
	}
	if (d->more + d->less == 0)
		append(text, size, "unchanged since A");
	append_count(text, size, d->fresh, "new");
	append_count(text, size, d->gone, "gone");
	return text;
}

static void put_matching(const struct tilediff *d, char *text, size_t size)
{
	static const char *const how[] = {"Tiles are matched by name",
	    "Tiles are matched by address", "Tiles are matched by number"};
	char now[48], before[48];
	snprintf(text, size, "%s.", how[d->how]);
	if (d->tiles == d->tiles_at_a)
		return;
	gcs_format_number(now, sizeof now, d->tiles, GCS_DECIMAL);
	gcs_format_number(before, sizeof before, d->tiles_at_a, GCS_DECIMAL);
	snprintf(text, size, "%s: %s now, %s at A.", how[d->how], now, before);
}

static void sample(struct app *app, struct cv_rect *column, const struct tileset *set,
    unsigned code, const char *label)
{
	const struct cv_rect box = side_sample(app, column, label, "");
	if (ui_paints(&app->ui))
		tileset_sample(app->ui.cv, set, app->ui.theme, box, code);
}

static void paragraph(struct app *app, struct cv_rect *column, const char *text)
{
	side_paragraph(app, column, FONT_SMALL, app->ui.theme->weak, 4, text);
}

void heap_compare_legend(struct heap *heap, struct app *app, struct cv_rect *column)
{
	const struct heap_item *item = heap_find(heap, app->active_space);
	char text[400], labels[3][RAMP_LABEL] = {"less", "unchanged since A", "more"};
	side_section(app, column, "Since A", "Ctrl+D ends");
	snprintf(text, sizeof text, "A is %s.", heap->compare.label);
	paragraph(app, column, text);
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
	if (!heap_by_text(p, app, item->id) && d->most > 0) {
		put_change(st, -d->most, labels[0], RAMP_LABEL);
		put_change(st, d->most, labels[2], RAMP_LABEL);
	}
	const struct tileset *set = heap_tileset(heap, item);
	uint32_t shade[PALETTE_SHADES];
	palette_change_ramp(app->ui.theme, shade);
	if (!d->other) {
		side_ramp_in(app, column, shade, labels);
	} else {
		sample(app, column, set, PALETTE_SHADES - 1, "changed since A");
		sample(app, column, set, PALETTE_SHADES / 2, "unchanged since A");
	}
	sample(app, column, set, LOOK_OVER, "new: not there or unused at A");
	sample(app, column, set, LOOK_UNUSED, "unused now");
	paragraph(app, column, heap_compare_sum(app, p, item->id, text, sizeof text));
	put_matching(d, text, sizeof text);
	paragraph(app, column, text);
}

void heap_compare_text(struct heap *heap, struct app *app, struct textbuf *out)
{
	const struct heap_item *item = heap_find(heap, app->active_space);
	char text[400];
	if (!heap_compares(heap))
		return;
	textbuf_printf(out, "compared with A\t%s\n", heap->compare.label);
	if (item == NULL)
		return;
	textbuf_printf(
	    out, "since A\t%s\n", heap_compare_sum(app, item->prefs, item->id, text, sizeof text));
	if (item->prefs->compared) {
		put_matching(&item->prefs->difference, text, sizeof text);
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
	const struct tileset *set = heap_tileset(heap, item);
	const struct tilediff *d = &item->prefs->difference;
	const uint32_t ink = 0xff101216;
	if (!item->prefs->compared || d->other || set->tile < SIGNS_FROM)
		return;
	const int size = set->tile / 2 - (set->tile / 2 + 1) % 2, line = set->tile / 12 + 1;
	const int rows = (cv->clip.y + cv->clip.h - item->map.y) / set->pitch + 1;
	int row = (cv->clip.y - item->map.y) / set->pitch - 1;
	for (row = row > 0 ? row : 0; row < rows; row++) {
		for (uint32_t k = 0; k < item->map.columns; k++) {
			const uint64_t place = (uint64_t)row * item->map.columns + k;
			if (place >= item->map.tiles)
				return;
			const uint32_t tile = tilemap_tile(&item->map, (uint32_t)place);
			const double v = tile < d->tiles ? d->real[tile] : 0;
			if (isnan(v) || isinf(v) || v == 0)
				continue;
			const struct cv_rect r = tilemap_rect(&item->map, set, tile);
			cv_fill(cv, centred(r, size, line), ink);
			if (v > 0)
				cv_fill(cv, centred(r, line, size), ink);
		}
	}
}
