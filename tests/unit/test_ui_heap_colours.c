/*
 * Colours of a space as a user gives them (V2): by the dialog, by command, and of names by the bars
 * of the histogram; what is painted and what the legend shows follow.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "charts.h"
#include "heap_view.h"
#include "ui_world.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static void open_map(void)
{
	world_open(&w, 900, 600);
	world_live(&w, 4);
}

static struct heap *heap(void)
{
	return w.app.views[VIEW_HEAP];
}

#define SAYS(what)     cr_assert(window_says(&w.app, what))
#define SAYS_NOT(what) cr_assert_null(strstr(window_text(&w.app), what))
#define RUN(script)    cr_assert(world_run(&w, script), "%s", w.app.toast)
#define FAILS(script)  cr_assert_not(world_run(&w, script))

/* The pixel in the middle of a tile. */
static uint32_t pixel_of(uint32_t space, uint32_t tile)
{
	struct cv_rect r;
	cr_assert(w.app.view->place(w.app.view_self, &w.app, space, tile, &r));
	app_frame(&w.app);
	const int x = r.x + r.w / 2, y = r.y + r.h / 2;
	return w.app.cv.px[y * w.app.cv.w + x] & 0xffffff;
}

static bool anywhere(uint32_t colour)
{
	app_frame(&w.app);
	for (int y = w.app.rect[PANEL_VIEW].y; y < w.app.rect[PANEL_VIEW].y + 300; y++)
		for (int x = 0; x < w.app.rect[PANEL_VIEW].w; x++)
			if ((w.app.cv.px[y * w.app.cv.w + x] & 0xffffff) == (colour & 0xffffff))
				return true;
	return false;
}

static int hue(const char *name)
{
	return palette_find_any(name) - PALETTE_RAMPS;
}

Test(heap_colours, a_ramp_of_its_own, .fini = close_world)
{
	uint32_t shade[256];
	open_map();
	RUN("stream Used\n");
	const uint32_t before = pixel_of(0, 0);
	RUN("space_colours stream=red\n");
	const uint32_t red = pixel_of(0, 0);
	cr_assert_neq(before, red);
	palette_ramp(palette_find_any("red"), true, shade);
	bool found = false;
	for (int i = 0; i < PALETTE_SHADES; i++)
		found = found || (shade[i] & 0xffffff) == red;
	cr_assert(found, "%06x is a shade of red", red);
	SAYS("colour\tStream\tred");
	world_event(&w);
	RUN("space_colours stream=cividis\n");
	cr_assert_neq(pixel_of(0, 0), red, "ramps, too");
	RUN("space_colours defaults\n");
	cr_assert_eq(heap_tileset(heap(), heap_find(heap(), 0)), &heap()->tileset[0]);
	SAYS_NOT("colour\tStream");
	FAILS("space_colours stream=mauve\n");
	cr_assert_not_null(strstr(w.app.toast, "unknown colour mauve"), "%s", w.app.toast);
	FAILS("space_colours selection=viridis\n");
	FAILS("space_colours nothing=red\n");
	FAILS("space_colours red\n");
}

Test(heap_colours, marks_and_selection, .fini = close_world)
{
	open_map();
	RUN("select G1 regions 20\nmark 30 40\nspace_colours selection=lime\n"
	    "space_colours marker=pink\nspace_colours link=violet\n");
	cr_assert(anywhere(palette_hue(hue("lime"))));
	cr_assert(anywhere(palette_hue(hue("pink"))));
	RUN("space Card table\n");
	SAYS_NOT("colour\t");
	RUN("space G1 regions\nhide\nshow_hidden\n");
	SAYS("colour\tSelection\tlime");
	SAYS("colour\tLink\tviolet");
}

Test(heap_colours, names_by_command, .fini = close_world)
{
	open_map();
	RUN("stream Type\n");
	const struct gcs_stream *st = &app_space(&w.app, 0)->streams[REGION_TYPE];
	const int64_t *type = gcs_snapshot_values(w.app.snapshot, 0, REGION_TYPE);
	const uint32_t value = (uint32_t)(type[0] - st->min);
	char step[160];
	snprintf(step, sizeof step, "space_colours %s=magenta\n", st->enum_names[value]);
	RUN(step);
	cr_assert_eq(heap_colours_name(&w.app, 0, REGION_TYPE, value), palette_hue(hue("magenta")));
	cr_assert_eq(heap_colours_name(&w.app, 0, REGION_AGE, value), palette_enum_colour(value),
	    "of this stream alone");
	cr_assert(anywhere(palette_hue(hue("magenta"))));
	snprintf(step, sizeof step, "space_colours %s=default\n", st->enum_names[value]);
	RUN(step);
	cr_assert_not(anywhere(palette_hue(hue("magenta"))));
	snprintf(step, sizeof step, "space_colours %s=viridis\n", st->enum_names[value]);
	FAILS(step);
}

static void find_bar(const struct charts *c, uint32_t bin, int *x, int *y)
{
	const struct cv_rect area = c->plot.area;
	*x = area.x + (int)((2 * bin + 1) * (uint32_t)area.w / (2 * c->histogram.bins.count));
	*y = area.y + area.h - 2;
}

Test(heap_colours, a_double_click_on_a_bar_gives_the_next, .fini = close_world)
{
	open_map();
	RUN("stream Type\nchart histogram\n");
	const struct charts *c = w.app.views[VIEW_CHARTS];
	app_frame(&w.app);
	const struct gcs_stream *st = &app_space(&w.app, 0)->streams[REGION_TYPE];
	uint32_t bin = 0;
	while (bin < c->histogram.bins.named &&
	       (c->histogram.bins.tiles[bin] == 0 ||
		   (st->paint == GCS_PAINT_ZERO && st->min + (int64_t)bin == st->zero)))
		bin++;
	cr_assert_lt(bin, c->histogram.bins.named);
	int x, y;
	find_bar(c, bin, &x, &y);
	world_click(&w, x, y, 1);
	cr_assert_eq(heap_colours_name(&w.app, 0, REGION_TYPE, bin), palette_enum_colour(bin));
	world_click(&w, x, y, 1);
	cr_assert_eq(heap_colours_name(&w.app, 0, REGION_TYPE, bin), palette_hue(0));
	world_wait(&w, 1000);
	world_click(&w, x, y, 1);
	world_wait(&w, 1000);
	world_click(&w, x, y, 1);
	cr_assert_eq(heap_colours_name(&w.app, 0, REGION_TYPE, bin), palette_hue(0),
	    "two clicks are no double click");
	world_key(&w, "Enter");
	cr_assert_eq(heap_colours_name(&w.app, 0, REGION_TYPE, bin), palette_hue(1), "by key");
	RUN("heap_map\n");
	cr_assert(anywhere(palette_hue(1)), "the map has it");
	RUN("charts\n");
	world_key(&w, "Backspace");
	cr_assert_eq(heap_colours_name(&w.app, 0, REGION_TYPE, bin), palette_enum_colour(bin));
	RUN("stream Used\n");
	app_frame(&w.app);
	world_key(&w, "Down");
	world_key(&w, "Enter");
	cr_assert_not_null(strstr(w.app.toast, "Only categories"), "%s", w.app.toast);
}

Test(heap_colours, the_dialog_by_keys, .fini = close_world)
{
	open_map();
	RUN("stream Used\nspace_colours\n");
	cr_assert_eq(w.app.modal, MODAL_COLOURS);
	const struct heap_colours *c = &heap_prefs_of(heap(), &w.app, 0)->colours;
	world_key(&w, "Right");
	cr_assert_str_eq(heap_colours_word(c, COLOUR_STREAM), "viridis");
	world_key(&w, "Left");
	world_key(&w, "Left");
	cr_assert_str_eq(heap_colours_word(c, COLOUR_STREAM), "silver", "round and round");
	world_key(&w, "Down");
	world_key(&w, "Right");
	cr_assert_str_eq(heap_colours_word(c, COLOUR_SELECTION), "red");
	world_key(&w, "Ctrl+C");
	cr_assert_not_null(strstr(w.clipboard, "Selection\tred"), "%s", w.clipboard);
	world_wait(&w, TOAST_MS + 1);
	cr_assert(world_golden(&w, "space-colours"));
	world_key(&w, "Delete");
	cr_assert_str_eq(heap_colours_word(c, COLOUR_SELECTION), "default");
	for (int i = 0; i < 40 && w.app.ui.focus != UI_ID(PANEL_MODAL, 30); i++)
		world_key(&w, "Tab");
	world_key(&w, "Enter");
	cr_assert_str_eq(heap_colours_word(c, COLOUR_STREAM), "default");
	world_key(&w, "Escape");
	cr_assert_eq(w.app.modal, MODAL_NONE);
}
