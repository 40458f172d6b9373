/* Looks of history graphs (V8, V9): patterns and the legend that shows them, a value alone, the user's
 * colours and font, thinned lines, what is written beside graphs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "palette.h"
#include "tilecode.h"
#include "ui_history.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static struct hist_view *open_heap(const char *choice)
{
	world_open(&w, 960, 640);
	world_live(&w, 1);
	world_key(&w, "5");
	cr_assert(world_run(&w, choice));
	for (int i = 0; i < 40; i++)
		world_event(&w);
	return history_of(&w.app);
}

static struct hist_view *open_field(unsigned events, uint32_t tiles)
{
	world_open(&w, 960, 640);
	world_live(&w, 1);
	world_key(&w, "5");
	for (unsigned i = 0; i < events; i++)
		field_event(&w, tiles, field_noise);
	return history_of(&w.app);
}

static uint32_t pixel(int x, int y)
{
	return w.app.cv.px[y * w.app.cv.w + x] & 0xffffffu;
}

/* How many colours there are, at most 9. */
static int colours_in(struct cv_rect r)
{
	uint32_t seen[9];
	int n = 0;
	for (int y = r.y; y < r.y + r.h; y++) {
		for (int x = r.x; x < r.x + r.w; x++) {
			int i = 0;
			while (i < n && seen[i] != pixel(x, y))
				i++;
			if (i == n && n < 9)
				seen[n++] = pixel(x, y);
		}
	}
	return n;
}

/* The longest run of a look in the lines in sight. */
static struct cv_rect run_of(struct hist_view *v, unsigned look)
{
	const struct hist_plan *p = &v->plan;
	struct cv_rect best = {0};
	for (uint32_t l = 0; l < p->page && l < p->lines; l++) {
		const uint16_t *line =
		    hist_shown_line(&v->shown, &v->graph, p, &v->set, p->top + l);
		for (uint32_t a = 0, b; a < p->block[0].columns; a = b) {
			for (b = a + 1; b < p->block[0].columns && line[b] == line[a];)
				b++;
			int x = hist_column_x(&p->block[0], a);
			int width = hist_column_x(&p->block[0], b) - x;
			if ((line[a] & LOOK_MASK) == look && width > best.w)
				best = rect_make(x, hist_line_y(p, p->top + l), width, p->row_px);
		}
	}
	return best;
}

/* Where the legend paints its i-th value. */
static struct cv_rect sample(uint32_t i)
{
	int x, y;
	cr_assert(history_spot(&w.app, HIST_VALUES + i, &x, &y));
	return rect_make(w.app.rect[PANEL_SIDE].x + 18, y - 7, 14, 14);
}

static bool is_patterned(unsigned look)
{
	return look >= LOOK_ENUM && palette_enum_pattern(look - LOOK_ENUM) != PATTERN_SOLID;
}

/* Rows of four pixels and more have the patterns of the maps, smaller ones none; the legend shows
 * the same. */
static void expect_legend(struct hist_view *v, const char *steps, enum hist_detail detail)
{
	cr_assert(world_run(&w, steps));
	app_frame(&w.app);
	cr_assert_eq(v->plan.detail, detail, "%s", steps);
	unsigned look, tried = 0, patterned = 0;
	char name[600];
	for (uint32_t i = 0; hist_value_at(v, 0, i, &look, name, sizeof name); i++) {
		struct cv_rect run = run_of(v, look);
		if (run.w < 12)
			continue;
		int graph = colours_in(run), legend = colours_in(sample(i));
		cr_assert_eq(graph > 1, legend > 1, "%s after %s: %d and %d colours", name, steps,
		    graph, legend);
		cr_assert(detail == HIST_PICTURES || graph == 1 || look == LOOK_UNUSED ||
			      is_patterned(look),
		    "%s", name);
		cr_assert(detail == HIST_PLAIN || !is_patterned(look) || graph > 1, "%s", name);
		tried++;
		patterned += is_patterned(look);
	}
	cr_assert_geq(tried, 4);
	cr_assert_geq(patterned, 2);
}

Test(history_look, the_legend_shows_what_the_graph_paints, .fini = close_world)
{
	struct hist_view *v = open_heap("history separator=0\nhistory fill=off\n");
	expect_legend(v, "history tile=2\n", HIST_PLAIN);
	expect_legend(v, "history tile=2\nkey +\nkey +\nkey +\n", HIST_TEXTURES);
	for (int i = 0; i < 5; i++)
		world_event(&w);
	expect_legend(v, "history tile=4\n", HIST_TEXTURES);
	w.app.side_shown = false;
	cr_assert(world_run(&w, "history totals=off\nhistory pauses=off\n"));
	app_resize(&w.app, 1800, 640);
	w.app.side_shown = true;
	app_layout(&w.app);
	expect_legend(v, "history tile=7\n", HIST_PICTURES);
}

/* Colour is not the only cue: a value of the legend is shown alone, by click, key and command. */
Test(history_look, a_value_alone, .fini = close_world)
{
	struct hist_view *v = open_heap("history separator=0\nhistory fill=off\n");
	unsigned eden = LOOK_ENUM + 1, old = LOOK_ENUM + 3;
	struct cv_rect a = run_of(v, eden), b = run_of(v, old);
	uint32_t eden_was = pixel(a.x, a.y), old_was = pixel(b.x, b.y);
	int x, y;
	cr_assert(history_spot(&w.app, HIST_VALUES + 1, &x, &y));
	world_move(&w, x, y);
	cr_assert_str_eq(w.app.ui.tip, "Show only this value");
	world_click(&w, x, y, 1);
	cr_assert(v->only.on);
	cr_assert_str_eq(v->only.name, "Eden");
	cr_assert_eq(pixel(a.x, a.y), eden_was);
	cr_assert_neq(pixel(b.x, b.y), old_was);
	cr_assert(history_says(&w.app, "only Eden, the rest dimmed"));
	world_click(&w, x, y, 1);
	cr_assert_not(v->only.on);
	cr_assert_eq(pixel(b.x, b.y), old_was);
	w.app.ui.focus = UI_ID(PANEL_SIDE, HIST_VALUES + 3);
	world_key(&w, "Enter");
	cr_assert_str_eq(v->only.name, "Old");
	cr_assert_eq(pixel(b.x, b.y), old_was);
	cr_assert_neq(pixel(a.x, a.y), eden_was);
	w.app.ui.focus = 0;
	world_key(&w, "Escape");
	cr_assert_not(v->only.on);
	cr_assert_eq(w.app.view_id, VIEW_HISTORY);
	cr_assert(world_run(&w, "history only=uncommitted\n"));
	cr_assert_eq(v->palette.only[0], (int)LOOK_UNUSED);
	cr_assert(history_refuses(&w, "history only=Lunch\n", "expected Free, Eden, "));
	cr_assert(world_run(&w, "history only=none\n"));
	cr_assert_not(v->only.on);
	/* Of a stream without the value nothing is dimmed. */
	cr_assert(world_run(&w, "history only=Eden\nhistory stream=Used\n"));
	world_event(&w);
	cr_assert_eq(v->palette.only[0], -1);
}

static bool picture_has(const char *path, uint32_t colour)
{
	int width, height;
	uint32_t *px = png_read(path, &width, &height);
	bool has = false;
	cr_assert_not_null(px);
	for (int i = 0; i < width * height && !has; i++)
		has = (px[i] & 0xffffffu) == colour;
	free(px);
	return has;
}

static bool text_has(const char *path, const char *what)
{
	static char text[1 << 21];
	FILE *f = fopen(path, "r");
	size_t n = f != NULL ? fread(text, 1, sizeof text - 1, f) : 0;
	cr_assert(f != NULL && fclose(f) == 0);
	text[n] = 0;
	return strstr(text, what) != NULL;
}

Test(history_look, colours_of_the_users_own, .fini = close_world)
{
	char folder[] = "/tmp/gcspy-look-XXXXXX", step[240], png[80], svg[80];
	cr_assert_not_null(mkdtemp(folder));
	struct hist_view *v = open_heap("history stream=Used\nhistory separator=20\n");
	cr_assert(world_run(&w, "history low=#102030\nhistory high=yellow\n"
				"history zero=#010203\nhistory background=navy\n"
				"history unused=#400001\nhistory border_colour=#0a0b0c\n"
				"history title_colour=#fedcba\nhistory separator_colour=lime\n"));
	cr_assert_eq(v->set.colour[HIST_COLOUR_LOW], 0x102030);
	cr_assert_eq(v->set.colour[HIST_COLOUR_HIGH], 0xffff00);
	app_frame(&w.app);
	cr_assert_eq(v->palette.colour[0] & 0xffffffu, 0x102030);
	cr_assert_eq(v->palette.colour[PALETTE_SHADES - 1] & 0xffffffu, 0xffff00);
	struct cv_rect zero = run_of(v, LOOK_ZERO);
	cr_assert_eq(pixel(zero.x, zero.y), 0x010203);
	cr_assert_eq(pixel(v->plan.raster.x - 1, v->plan.raster.y + 9), 0x0a0b0c);
	snprintf(png, sizeof png, "%s/a.png", folder);
	snprintf(svg, sizeof svg, "%s/a.svg", folder);
	snprintf(step, sizeof step, "history_png %s\nexport_svg %s\n", png, svg);
	cr_assert(world_run(&w, step));
	static const uint32_t wanted[] = {0x010203, 0x400001, 0x0a0b0c, 0xfedcba};
	static const char *const words[] = {"#010203", "#400001", "#0a0b0c", "#fedcba", "#00ff00"};
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		cr_assert(picture_has(png, wanted[i]), "%x", wanted[i]);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		cr_assert(text_has(svg, words[i]), "%s", words[i]);
	unlink(png);
	unlink(svg);
	rmdir(folder);
	/* One line names the key and the valid values. */
	cr_assert(history_refuses(&w, "history low=#12345\n", "low=#12345: expected #rrggbb"));
	cr_assert(history_refuses(&w, "history low=#12345g\n", "expected #rrggbb, theme"));
	cr_assert(history_refuses(&w, "history zero=mauve\n", "black, silver, gray, white"));
	cr_assert(history_refuses(&w, "history font=7\n", "large, or 8 to 24"));
	cr_assert(world_run(&w, "history font=large\nhistory defaults\n"));
	struct hist_settings fresh;
	hist_settings_init(&fresh);
	char a[300], b[300];
	for (uint32_t i = 0; i < hist_setting_count(); i++)
		cr_assert_str_eq(hist_setting_text(&v->set, &hist_settings[i], a, sizeof a),
		    hist_setting_text(&fresh, &hist_settings[i], b, sizeof b));
	/* What is shown stays. */
	cr_assert_str_eq(v->graph.lane[0].stream, "Used");
}

static uint32_t control_of(const char *key)
{
	uint32_t i = 0;
	while (strcmp(hist_settings[i].key, key) != 0)
		i++;
	return HIST_SIDE + 2 * i;
}

/* The same by the side panel: a swatch, a field that is checked, Defaults. */
Test(history_look, colours_by_the_panel, .fini = close_world)
{
	struct hist_view *v = open_heap("history_settings\n");
	w.app.ui.focus = UI_ID(PANEL_SIDE, control_of("high"));
	world_key(&w, "Enter");
	cr_assert_eq(v->set.colour[HIST_COLOUR_HIGH], 0x000000);
	world_key(&w, "Enter");
	cr_assert_eq(v->set.colour[HIST_COLOUR_HIGH], 0xc0c0c0);
	w.app.ui.focus = UI_ID(PANEL_SIDE, control_of("high") + 1);
	world_key(&w, "Ctrl+A");
	world_type(&w, "#ff80");
	cr_assert_eq(v->set.colour[HIST_COLOUR_HIGH], 0xc0c0c0);
	w.app.toast[0] = 0;
	world_key(&w, "Enter");
	cr_assert_not_null(strstr(w.app.toast, "history high=#ff80: expected"), "%s", w.app.toast);
	world_type(&w, "00");
	cr_assert_eq(v->set.colour[HIST_COLOUR_HIGH], 0xff8000);
	/* What has the keyboard is in sight. */
	w.app.ui.focus = UI_ID(PANEL_SIDE, HIST_DEFAULTS);
	app_dirty(&w.app, PANEL_SIDE);
	app_frame(&w.app);
	app_frame(&w.app);
	int x, y;
	cr_assert(history_spot(&w.app, HIST_DEFAULTS, &x, &y));
	struct cv_rect panel = w.app.rect[PANEL_SIDE];
	cr_assert(y > panel.y && y < panel.y + panel.h, "%d", y);
	world_key(&w, "Enter");
	cr_assert_eq(v->set.colour[HIST_COLOUR_HIGH], HIST_OF_THEME);
	cr_assert_str_eq(v->colour[HIST_COLOUR_HIGH].text, "theme");
}

Test(history_look, font_of_labels, .fini = close_world)
{
	struct hist_view *v = open_heap("history font=normal\n");
	struct cv_rect before = v->plan.raster, axis = v->plan.axis;
	cr_assert(world_run(&w, "history font=24\n"));
	app_frame(&w.app);
	cr_assert_gt(v->plan.raster.y, before.y + 30);
	cr_assert_gt(v->plan.axis.w, axis.w + 30);
	cr_assert_gt(font_height(hist_font(v, &w.app, FONT_SMALL)),
	    font_height(w.app.ui.fonts->face[FONT_SMALL]));
	cr_assert(world_run(&w, "history font=small\nhistory font=normal\n"));
	app_frame(&w.app);
	cr_assert_eq(v->plan.raster.y, before.y);
}

/* Separators never stand close unless the user says so, and words tell what is left out. */
Test(history_look, lines_are_thinned, .fini = close_world)
{
	struct hist_view *v = open_field(300, 20000);
	cr_assert(world_run(&w, "history event=Tick\nhistory fill=off\n"));
	app_frame(&w.app);
	const struct hist_block *b = &v->plan.block[0];
	uint64_t period = hist_separator_period(v, &w.app, &v->plan, 0);
	cr_assert_geq((double)period * b->w / 20000, 24);
	cr_assert_lt((double)period * b->w / 20000, 60);
	char words[100];
	snprintf(words, sizeof words, "every %u%s separator", (unsigned)period / 80,
	    period / 80 % 10 == 2 && period / 80 % 100 != 12 ? "nd" : "th");
	cr_assert(history_says(&w.app, words));
	cr_assert(history_says(&w.app, "one line per 8th Tick"));
	cr_assert(world_run(&w, "history separator=1600\n"));
	cr_assert_eq(hist_separator_period(v, &w.app, &v->plan, 0), 1600);
	cr_assert(world_run(&w, "history separator=0\nhistory stream=\nhistory tile=10\n"));
	for (int i = 0; i < 60; i++)
		field_event(&w, 40, field_noise);
	cr_assert(history_says(&w.app, "one line per 2nd Tick"));
	/* They are found between the graphs, where there is nothing else. */
	cr_assert(world_run(&w, "history space+=Other\nhistory separator_colour=red\n"
				"history space_separators=off\n"));
	for (int i = 0; i < 60; i++)
		field_event(&w, 40, field_noise);
	int x = v->plan.block[0].x + v->plan.block[0].w + 1, last = 0, lines = 0;
	struct cv_rect r = v->plan.raster;
	for (int y = r.y; y < r.y + r.h; y++) {
		if (pixel(x, y) == w.app.ui.theme->ground)
			continue;
		cr_assert(last == 0 || y - last >= 12, "%d after %d", y, last);
		last = y;
		lines++;
	}
	cr_assert_geq(lines, 5);
}

/* Charts leave the graphs their room, and numbers are whole. */
Test(history_look, charts_are_narrow, .fini = close_world)
{
	struct hist_view *v = open_field(3, 60);
	cr_assert(world_run(&w, "history space+=Other\n"));
	for (int i = 0; i < 20; i++)
		field_event(&w, 60, field_noise);
	cr_assert_geq(v->plan.charts, 3);
	int all = v->plan.chart_px * (int)v->plan.charts;
	cr_assert_lt(all * 3, w.app.rect[PANEL_VIEW].w);
	struct font *font = hist_font(v, &w.app, FONT_SMALL);
	static const int64_t values[] = {0, 7, 999, 1000, 44915, 1234567, 999999999, INT64_MAX};
	char text[300], first[300];
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		hist_chart_fit(v, &w.app, 0, values[i], 60, text, sizeof text);
		cr_assert_leq(text_width(font, text), 60, "%s", text);
	}
	hist_chart_fit(v, &w.app, 0, 44915, 100, text, sizeof text);
	cr_assert_str_eq(text, "44,915 things");
	hist_chart_fit(v, &w.app, 0, 44915, 50, text, sizeof text);
	cr_assert_str_eq(text, "44,915");
	hist_chart_fit(v, &w.app, 0, 44915, 30, text, sizeof text);
	cr_assert_str_eq(text, "45 k");
	hist_chart_fit(v, &w.app, CHART_PAUSE, 24312345, 40, text, sizeof text);
	cr_assert_str_eq(text, "24 ms");
	hist_chart_fit(v, &w.app, CHART_USED, 115 << 20, 42, text, sizeof text);
	cr_assert_str_eq(text, "115 MiB");
	hist_chart_fit(v, &w.app, CHART_USED, 115 << 20, 40, text, sizeof text);
	cr_assert_str_eq(text, "115 M");
	/* The pointer tells the whole. */
	struct cv_rect r = v->plan.chart[0];
	world_move(&w, r.x + 3, r.y + 3);
	hist_chart_text(v, 0, hist_chart_value(v, &v->plan, 0, v->plan.top), first, sizeof first);
	cr_assert_not_null(strstr(w.app.ui.tip, first), "%s", w.app.ui.tip);
}

/* Long lists open by a button, with the mouse and with the keyboard. */
Test(history_look, all_streams_can_be_reached, .fini = close_world)
{
	struct gcs_error err;
	open_field(2, 20);
	struct gcs_space space = w.model->spaces[1];
	struct gcs_stream many[20];
	char names[20][24];
	for (int i = 0; i < 20; i++) {
		many[i] = space.streams[0];
		snprintf(names[i], sizeof names[i], "Measure %d", i);
		many[i].name = names[i];
	}
	space.streams = many;
	space.stream_count = 20;
	struct gcs_model *m = gcs_model_copy(w.model);
	cr_assert_eq(gcs_model_set_space(m, 1, &space, &err), GCS_OK, "%s", err.text);
	gcs_model_unref(w.model);
	w.model = m;
	gcs_snapshot_unref(w.last);
	w.last = NULL;
	w.step = 50;
	field_event(&w, 20, field_noise);
	cr_assert(world_run(&w, "history space=Other\n"));
	field_event(&w, 20, field_noise);
	int x, y;
	struct hist_view *v = history_of(&w.app);
	cr_assert_not(history_spot(&w.app, HIST_STREAM_NAMES + 19, &x, &y));
	w.app.ui.focus = UI_ID(PANEL_SIDE, HIST_MORE + 1);
	world_key(&w, "Enter");
	cr_assert(v->unfolded[1]);
	cr_assert(history_spot(&w.app, HIST_STREAM_NAMES + 19, &x, &y));
	w.app.ui.focus = UI_ID(PANEL_SIDE, HIST_STREAM_NAMES + 19);
	world_key(&w, "Enter");
	field_event(&w, 20, field_noise);
	cr_assert_str_eq(v->graph.lane[v->graph.lanes - 1].stream, "Measure 19");
	/* What is in the graph stays listed. */
	cr_assert(history_spot(&w.app, HIST_MORE + 1, &x, &y));
	w.app.side_scroll += y - w.app.rect[PANEL_SIDE].y - 40;
	app_dirty(&w.app, PANEL_SIDE);
	app_frame(&w.app);
	cr_assert(history_spot(&w.app, HIST_MORE + 1, &x, &y));
	world_click(&w, w.app.rect[PANEL_SIDE].x + 30, y, 1);
	cr_assert_not(v->unfolded[1]);
	cr_assert(history_spot(&w.app, HIST_STREAM_NAMES + 19, &x, &y));
	cr_assert_not(history_spot(&w.app, HIST_STREAM_NAMES + 18, &x, &y));
}
