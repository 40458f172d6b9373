/* The view of charts as a user has it: keys, commands, mouse, texts, vector pictures (V9, V10, V4, V2). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "charts.h"
#include "ui_charts.h"

static struct world w;

static void open_world(void)
{
	world_open(&w, 960, 640);
	world_live(&w, 12);
	world_key(&w, "6");
}

static void close_world(void)
{
	world_close(&w);
}

static struct charts *charts(void)
{
	return w.app.views[VIEW_CHARTS];
}

static bool copied(const char *text)
{
	w.app.ui.focus = 0;
	world_move(&w, 100, 300);
	world_key(&w, "Ctrl+C");
	return strstr(w.clipboard, text) != NULL;
}

TestSuite(charts_view, .init = open_world, .fini = close_world);

Test(charts_view, keys_and_names)
{
	cr_assert_eq(w.app.view_id, VIEW_CHARTS);
	for (int i = 1; i <= CHART_COUNT; i++) {
		world_key(&w, "Shift+K");
		cr_assert_eq(charts()->kind, (enum chart_kind)(i % CHART_COUNT));
	}
	cr_assert(world_run(&w, "chart treemap\n"));
	cr_assert_eq(charts()->kind, CHART_TREEMAP);
	cr_assert_not(world_run(&w, "chart pie\n"));
	cr_assert_not_null(strstr(w.app.toast, "unknown chart \"pie\""));
	world_key(&w, "1");
	cr_assert(world_run(&w, "chart line\n"), "from another view");
	cr_assert(w.app.view_id == VIEW_CHARTS && charts()->kind == CHART_LINE);
}

Test(charts_view, tabs_by_mouse_and_keyboard)
{
	struct cv_rect r = w.app.rect[PANEL_VIEW];
	world_click(&w, r.x + 90, r.y + 14, 1);
	cr_assert_eq(charts()->kind, CHART_HISTOGRAM);
	world_key(&w, "Tab");
	for (int i = 0; i < 30 && w.app.ui.focus != UI_ID(PANEL_VIEW, CHARTS_TAB + CHART_TABLE);
	     i++)
		world_key(&w, "Tab");
	world_key(&w, "Enter");
	cr_assert_eq(charts()->kind, CHART_TABLE);
}

/* A click selects the tile of the column, the pointer tells it at once. */
Test(charts_view, bars_select_and_tell)
{
	cr_assert(world_run(&w, "stream Used\n"));
	struct cv_rect r;
	cr_assert(charts_view.place(charts(), &w.app, WORLD_REGIONS, 100, &r));
	world_move(&w, r.x + 1, r.y + 50);
	cr_assert(w.app.hovered.space == WORLD_REGIONS && w.app.hovered.tile == 100);
	cr_assert_not_null(strstr(w.app.ui.tip, "0x706400000"), "%s", w.app.ui.tip);
	world_click(&w, r.x + 1, r.y + 50, 1);
	cr_assert(w.app.selected.space == WORLD_REGIONS && w.app.selected.tile == 100);
	world_key(&w, "Right");
	cr_assert_eq(w.app.selected.tile, 101);
	world_key(&w, "Home");
	cr_assert_eq(w.app.selected.tile, 0);
	world_key(&w, "Left");
	cr_assert_eq(w.app.selected.tile, 0);
	world_key(&w, "End");
	world_key(&w, "Down");
	cr_assert_eq(w.app.selected.tile, 191);
	world_key(&w, "Up");
	cr_assert_eq(w.app.selected.tile, 181);
	world_key(&w, "Escape");
	cr_assert_eq(w.app.selected.space, GCS_NONE);
	cr_assert(copied("0x706400000-0x706500000\t1 MiB (100 %)"));
	cr_assert(copied("160 used, 32 uncommitted"));
	cr_assert(copied("0x70a000000-0x70a100000\t\n"), "unused tiles have no value");
}

Test(charts_view, spaces_and_streams)
{
	world_key(&w, "N");
	cr_assert_eq(w.app.active_space, WORLD_CARDS);
	world_key(&w, "N");
	world_key(&w, "N");
	cr_assert_eq(w.app.active_space, WORLD_REGIONS, "round and round");
	world_key(&w, "P");
	cr_assert_eq(w.app.active_space, WORLD_THREADS);
	cr_assert(copied("Allocated of Threads"));
	world_key(&w, "P");
	world_key(&w, "P");
	world_key(&w, "]");
	cr_assert(copied("Used of G1 regions"));
}

Test(charts_view, histogram_goes_through_a_bin)
{
	cr_assert(world_run(&w, "chart histogram\n"));
	cr_assert(copied("Old\t35 (21.9 %)"), "%s", w.clipboard);
	world_key(&w, "Up");
	world_key(&w, "Up");
	cr_assert_eq(w.app.selected.tile, 120, "the first of Eden");
	world_key(&w, "Right");
	cr_assert_eq(w.app.selected.tile, 121);
	world_key(&w, "Left");
	world_key(&w, "Left");
	cr_assert_eq(w.app.selected.tile, 131, "round and round");
	cr_assert(copied("12 tiles in Eden, number 12 is selected"), "%s", w.clipboard);
	world_event(&w);
	cr_assert(copied("in Eden"), "the bin stays with the next event");
	world_key(&w, "Escape");
	cr_assert_not(copied("in Eden"));
	struct cv_rect r;
	cr_assert(charts_view.place(charts(), &w.app, WORLD_REGIONS, 100, &r));
	world_click(&w, r.x + r.w / 2, r.y + r.h - 4, 1);
	cr_assert_eq(w.app.selected.tile, 96, "the first humongous one");
	cr_assert(world_run(&w, "stream Used\n"));
	cr_assert(copied("median "));
}

Test(charts_view, lines_are_added_and_taken_away)
{
	cr_assert(world_run(&w, "chart line\nstream Used\n"));
	world_key(&w, "Shift+N");
	cr_assert(copied("line 2\tLive"), "%s", w.clipboard);
	world_key(&w, "Shift+N");
	cr_assert(copied("line 3\tRemembered cards"));
	world_key(&w, "Escape");
	cr_assert_not(copied("line 3"));
	for (int i = 0; i < 3; i++)
		world_key(&w, "Shift+N");
	cr_assert_not(copied("line 2"), "after the last none is left");
	cr_assert(world_run(&w, "chart_add Live\n"));
	cr_assert(copied("same scale"), "both are bytes");
	cr_assert(world_run(&w, "chart_add Age\n"));
	cr_assert(copied("each on its own scale"));
	cr_assert_not(world_run(&w, "chart_add Nonsense\n"));
	cr_assert_not(world_run(&w, "chart_add Control\n"), "no data");
	cr_assert_not(world_run(&w, "chart_add Type\n"), "categories");
	cr_assert(world_run(&w, "stream Type\n"));
	cr_assert(copied("Type has categories, which form no line"), "%s", w.clipboard);
}

Test(charts_view, scatter_takes_another_stream)
{
	cr_assert(world_run(&w, "chart scatter\nstream Used\n"));
	cr_assert(copied("Live (y) against Used"), "%s", w.clipboard);
	cr_assert(copied("correlation 0."));
	world_key(&w, "Shift+X");
	cr_assert(copied("Remembered cards (y) against"));
	cr_assert(world_run(&w, "chart_y Age\n"));
	cr_assert(copied("Age (y) against"));
	world_key(&w, "Shift+X");
	cr_assert(copied("Type (y) against"), "round and round");
	cr_assert(copied("no correlation: categories have no order"));
	struct cv_rect r;
	cr_assert(charts_view.place(charts(), &w.app, WORLD_REGIONS, 97, &r));
	world_click(&w, r.x + 1, r.y + 1, 1);
	uint32_t first = w.app.selected.tile;
	world_click(&w, r.x + 1, r.y + 1, 1);
	cr_assert_neq(w.app.selected.tile, first, "clicks go through the tiles of a point");
	world_key(&w, "N");
	cr_assert(copied("only one stream"));
	cr_assert_not(world_run(&w, "chart_y Used\n"), "not in this space");
}

/* Nothing is left out in silence: what has no room, or no tiles, is named. */
Test(charts_view, treemap_names_what_it_does_not_draw)
{
	cr_assert(world_run(&w, "chart treemap\n"));
	app_frame(&w.app);
	struct chart_treemap_state *t = &charts()->treemap;
	for (uint32_t i = 0; i < t->count; i++)
		if (t->node[i].kind == TREEMAP_SPACE && t->node[i].id == WORLD_THREADS)
			t->node[i].r = rect_make(0, 0, 0, 0); /* a sliver of less than a pixel */
	struct chart_heading head;
	chart_treemap.heading(charts(), &w.app, &head);
	cr_assert_not_null(
	    strstr(head.text, "1 space too small to draw: Threads"), "%s", head.text);
	t->count = 0; /* as in a group without an area */
	chart_treemap.heading(charts(), &w.app, &head);
	cr_assert_not_null(
	    strstr(head.text, "3 spaces too small to draw: G1 regions, Card table, Threads"), "%s",
	    head.text);
	cr_assert_not_null(strstr(head.text, "right: spaces without byte sizes"), "%s", head.text);
}

Test(charts_view, treemap_has_all_spaces)
{
	cr_assert(world_run(&w, "chart treemap\n"));
	cr_assert(copied("space\tG1 regions\t192 MiB\t100.0 %"), "%s", w.clipboard);
	cr_assert(copied("part\tOld\t35 MiB\t18.2 %"));
	cr_assert(copied("part\tuncommitted\t32 MiB\t16.7 %"));
	cr_assert(copied("space\tCard table\t400 tiles"));
	world_key(&w, "Right");
	cr_assert_eq(w.app.active_space, WORLD_CARDS);
	world_key(&w, "Home");
	cr_assert_eq(w.app.active_space, WORLD_REGIONS);
	const struct chart_treemap_state *t = &charts()->treemap;
	for (uint32_t i = 0; i < t->count; i++) {
		if (t->node[i].kind != TREEMAP_LEAF || t->node[i].id != WORLD_CARDS)
			continue;
		struct cv_rect r = t->node[i].r;
		world_move(&w, r.x + r.w / 2, r.y + r.h / 2);
		cr_assert_not_null(strstr(w.app.ui.tip, "Share of total\t"));
		world_click(&w, r.x + r.w / 2, r.y + r.h / 2, 1);
		break;
	}
	cr_assert_eq(w.app.active_space, WORLD_CARDS);
}

Test(charts_view, table_sorts_and_filters)
{
	cr_assert(world_run(&w, "chart table\nsites_sort Used\n"));
	const struct chart_table_state *t = &charts()->table;
	struct chart_data d;
	cr_assert(chart_data_init(&d, w.app.snapshot, WORLD_REGIONS, REGION_USED));
	cr_assert_eq(d.values[t->order[0]], d.max, "the largest first");
	world_key(&w, "Shift+O");
	cr_assert_eq(d.values[t->order[0]], d.min);
	cr_assert_geq(t->order[191], 160u, "unused ones are last both ways");
	world_key(&w, "Down");
	cr_assert_eq(w.app.selected.tile, t->order[0]);
	world_key(&w, "End");
	cr_assert_eq(w.app.selected.tile, t->order[191]);
	/* The order stays while values change, and says so; after a second it is updated. */
	world_event(&w);
	cr_assert(copied("sorted as of event 12"), "%s", w.clipboard);
	world_wait(&w, CHART_RESORT_MS);
	cr_assert_not(copied("sorted as of"), "without another event, too");
	world_key(&w, "Ctrl+F");
	world_type(&w, "0x700300010");
	cr_assert_eq(t->count, 1);
	cr_assert_eq(t->order[0], 3);
	world_key(&w, "Escape");
	world_key(&w, "Escape");
	cr_assert_eq(t->count, 192);
	cr_assert(world_run(&w, "sites_filter humong\n"));
	cr_assert_eq(t->count, 8);
	cr_assert_not(world_run(&w, "export_svg /tmp/never\n"), "a table is no picture");
	cr_assert(world_run(&w, "sites_filter 17\n"));
	cr_assert_geq(t->count, 1u);
	cr_assert_not(copied("Region\tType\tUsed\tLive\n"));
	cr_assert(copied("Region\tType\tUsed"));
}

Test(charts_view, long_tables_are_cut_when_copied)
{
	charted_show(&w, charted_snapshot(100000, CHARTED_PLAIN, 1), "table");
	struct textbuf out = {0};
	charts_view.copy_text(charts(), &w.app, &out);
	cr_assert_not_null(strstr(textbuf_text(&out), "\nand 90000 more\n"));
	textbuf_fini(&out);
}

Test(charts_view, fragmentation_over_events)
{
	cr_assert(world_run(&w, "chart fragmentation\n"));
	world_event(&w);
	world_event(&w);
	const struct chart_fragmentation_state *f = &charts()->fragmentation;
	cr_assert_eq(f->count, 3);
	cr_assert(copied("event 14\t"), "%s", w.clipboard);
	world_key(&w, "Right");
	uint32_t first = w.app.selected.tile;
	world_key(&w, "Right");
	cr_assert_neq(w.app.selected.tile, first);
	world_key(&w, "N");
	cr_assert(copied("does not expose free memory"));
	world_key(&w, "P");
	world_event(&w);
	cr_assert_eq(f->count, 2, "another space, another line");
	/* Back in time, as in a recording: what came later is not there yet. */
	world_event(&w);
	cr_assert_eq(f->count, 3);
	w.step -= 2;
	world_event(&w);
	cr_assert_eq(f->count, 2);
	cr_assert_eq(f->course[1].sequence, f->last);
}

/* As many events as one likes: the line thins out. */
Test(charts_view, the_line_has_a_bound)
{
	cr_assert(world_run(&w, "chart fragmentation\n"));
	const struct chart_fragmentation_state *f = &charts()->fragmentation;
	for (uint32_t i = 0; i < 2 * CHART_COURSE; i++) {
		struct gcs_snapshot *s = gcs_snapshot_begin(w.model, w.last);
		gcs_snapshot_set_occurrence(s, &(struct gcs_occurrence){.sequence = 100 + i});
		gcs_snapshot_set_gathered(s, WORLD_REGIONS, true);
		app_show(&w.app, s);
		charts_view.poll(charts(), &w.app);
		gcs_snapshot_unref(s);
	}
	cr_assert_eq(f->seen, 2 * CHART_COURSE + 1);
	cr_assert(f->count <= CHART_COURSE && f->count > CHART_COURSE / 4);
	for (uint32_t i = 1; i < f->count; i++)
		cr_assert_gt(f->course[i].sequence, f->course[i - 1].sequence);
}

/* Every chart with values of any size and with none, in windows of any size, as picture and text. */
Test(charts_view, nothing_is_too_strange)
{
	static const struct {
		uint32_t tiles;
		enum charted how;
	} cases[] = {{0, CHARTED_PLAIN}, {1, CHARTED_PLAIN}, {1, CHARTED_EXTREME},
	    {2, CHARTED_UNUSED}, {500, CHARTED_EXTREME}, {60, CHARTED_STRANGE},
	    {500, CHARTED_UNUSED}};
	static const int sizes[][2] = {{960, 640}, {200, 150}, {400, 300}, {1600, 300}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (int kind = 0; kind < CHART_COUNT; kind++) {
			const char *name = charts_at((enum chart_kind)kind)->name;
			charted_show(&w, charted_snapshot(cases[i].tiles, cases[i].how, 1), name);
			for (uint32_t stream = 0; stream < CHARTED_CONTROL; stream++) {
				const int *size = sizes[(stream + i) % 4];
				app_set_stream(&w.app, 0, stream);
				app_resize(&w.app, size[0], size[1]);
				struct textbuf out = {0};
				app_frame(&w.app);
				charts_view.copy_text(charts(), &w.app, &out);
				if (charts_view.svg != NULL)
					charts_view.svg(charts(), &w.app, &out);
				cr_assert_null(strstr(textbuf_text(&out), "nan"), "%s", name);
				cr_assert_null(strstr(textbuf_text(&out), "inf\""), "%s", name);
				textbuf_fini(&out);
				for (int x = 0; x < size[0]; x += 37)
					world_move(&w, x, size[1] * x / size[0]);
				world_click(&w, size[0] / 3, size[1] / 2, 1);
				world_key(&w, "Right");
				world_key(&w, "Down");
				world_key(&w, "End");
				world_key(&w, "Shift+N");
				world_key(&w, "Shift+X");
				cr_assert(world_run(&w, "chart bars\n"));
				char script[40];
				snprintf(script, sizeof script, "chart %s\n", name);
				cr_assert(world_run(&w, script));
			}
		}
	}
}

Test(charts_view, tiles_that_are_not_counted)
{
	charted_show(&w, charted_counted(12, true), "table");
	cr_assert(world_run(&w, "stream Objects\n"));
	cr_assert(copied("\t21\tNot counted\t\xe2\x80\x93\n") ||
		      copied("\t28\tNot counted\t\xe2\x80\x93\n"),
	    "%s", w.clipboard);
	cr_assert(world_run(&w, "chart bars\n"));
	cr_assert(copied("8 counted, 4 not counted"), "%s", w.clipboard);
	charted_show(&w, charted_counted(12, false), "bars");
	cr_assert(world_run(&w, "stream Objects\n"));
	cr_assert(copied("No tile has been counted"), "%s", w.clipboard);
}

Test(charts_view, vector_pictures_are_closed)
{
	cr_assert(world_run(&w, "stream Used\n"));
	for (int kind = 0; kind < CHART_COUNT; kind++) {
		char script[40];
		struct textbuf out = {0};
		snprintf(
		    script, sizeof script, "chart %s\n", charts_at((enum chart_kind)kind)->name);
		cr_assert(world_run(&w, script));
		bool ok = charts_view.svg(charts(), &w.app, &out);
		cr_assert_eq(ok, kind != CHART_TABLE);
		const char *text = textbuf_text(&out);
		size_t n = strlen(text);
		if (ok) {
			cr_assert(strncmp(text, "<svg ", 5) == 0);
			cr_assert(n > 7 && strcmp(text + n - 7, "</svg>\n") == 0);
			cr_assert_not_null(strstr(text, "G1 regions"));
		}
		textbuf_fini(&out);
	}
}
