/* The table of call sites: keys, pointer, filters, files, repainting (S6, V4, V11, Q2). */
#include <criterion/criterion.h>
#include <gcspy/memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "kit.h"
#include "png.h"
#include "sites_view.h"
#include "ui_calls.h"
#include "ui_profile.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static struct sites_view *view(void)
{
	return w.app.views[VIEW_SITES];
}

static void open_view(void)
{
	world_open(&w, 960, 640);
	world_live(&w, 2);
	world_key(&w, "2");
	world_wait(&w, 0);
}

static void open_shop(void)
{
	open_view();
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
}

static bool says(const char *text)
{
	return calls_says(&w, text);
}

/* The class in a row, as far as the cell shows it. */
static const char *class_in(uint32_t row)
{
	static char text[TABLE_CELL];
	sites_cell(view(), row, SITES_CLASS_NAME, text, sizeof text);
	text[strcspn(text, "\t")] = 0;
	return text;
}

Test(sites_table, sorted_by_key_and_by_name, .fini = close_world)
{
	open_shop();
	cr_assert_str_eq(class_in(0), "byte[]");
	world_key(&w, "Shift+O");
	cr_assert_str_eq(class_in(0), "ConcurrentHashMap$Node");
	cr_assert(world_run(&w, "sites_sort class\n"));
	cr_assert_str_eq(class_in(0), "ConcurrentHashMap$Node");
	cr_assert_str_eq(class_in(1), "DirectByteBuffer");
	cr_assert(world_run(&w, "sites_sort age\n"));
	cr_assert_str_eq(class_in(1), "int[]");
	cr_assert(world_run(&w, "sites_sort objects\n"));
	cr_assert_str_eq(class_in(0), "String");
	world_key(&w, "O");
	cr_assert_eq(view()->table.sort, (int)SITES_SAMPLES);
	cr_assert_not(world_run(&w, "sites_sort colour\n"));
}

/* "Bytes/min" has room for its title in bold and the mark of the order; no bar is below "+254.9 %". */
Test(sites_table, a_comparison_has_room_for_its_titles, .fini = close_world)
{
	open_shop();
	world_key(&w, "Ctrl+D");
	world_run(&w, "sites_refresh\n");
	world_wait(&w, 10);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 3));
	const struct table_rows rows = sites_table_rows(view(), &w.app);
	const struct ui *ui = &w.app.ui;
	const struct table_column *bytes = &rows.column[SITES_BYTES];
	cr_assert_str_eq(bytes->title, "Bytes/min");
	enum { MARGINS = 12, ORDER = 13 };
	cr_assert_geq(ui_px(ui, bytes->width - MARGINS - ORDER),
	    text_width(ui->fonts->face[FONT_BOLD], bytes->title));
	cr_assert_geq(ui_px(ui, rows.bar_text), text_width(ui->fonts->face[FONT_UI], "+254.9 %"));
	cr_assert_gt(rows.column[SITES_SHARE].width - MARGINS, rows.bar_text);
}

Test(sites_table, the_selected_site_stays_selected, .fini = close_world)
{
	open_shop();
	world_key(&w, "Down");
	world_key(&w, "Down");
	cr_assert_str_eq(class_in(view()->table.selected), "HashMap$Node[]");
	world_key(&w, "Shift+O");
	cr_assert_str_eq(class_in(view()->table.selected), "HashMap$Node[]");
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 5));
	cr_assert_str_eq(class_in(view()->table.selected), "HashMap$Node[]");
	cr_assert(says("call site\tjava.util.HashMap$Node[]"));
	cr_assert(says("frame\tjava.util.HashMap.resize\tHashMap.java:702"));
	/* The button in the side panel, reached by keyboard, and Ctrl+C there. */
	for (int i = 0; i < 60 && w.app.ui.focus >> 16 != PANEL_SIDE; i++)
		world_key(&w, "Tab");
	world_key(&w, "Enter");
	cr_assert(strstr(w.clipboard, "call site\tjava.util.HashMap$Node[]\n") == w.clipboard);
	w.clipboard[0] = 0;
	world_key(&w, "Ctrl+C");
	cr_assert(strstr(w.clipboard, "\tHashMap.java:702\n") != NULL, "%s", w.clipboard);
	world_key(&w, "Escape");
	cr_assert(world_run(&w, "sites_filter order\n"));
	cr_assert_eq(view()->table.selected, TABLE_NONE);
	cr_assert(world_run(&w, "back\n"));
	cr_assert_str_eq(class_in(view()->table.selected), "HashMap$Node[]");
}

Test(sites_table, movement_by_the_same_keys_as_among_tiles, .fini = close_world)
{
	open_view();
	world_answer(&w, GCS_OK, "", profile_many(GCS_PROFILE_LIVE, 1000));
	world_key(&w, "End");
	cr_assert_eq(view()->table.selected, 999u);
	world_key(&w, "PageUp");
	cr_assert_lt(view()->table.selected, 999u);
	world_key(&w, "Home");
	cr_assert_eq(view()->table.selected, 0u);
	world_key(&w, "Up");
	cr_assert_eq(view()->table.selected, 0u);
	uint32_t stream = w.app.stream_of[w.app.active_space];
	world_key(&w, "]");
	cr_assert_eq(w.app.stream_of[w.app.active_space], stream, "not among unseen tiles");
	cr_assert(strstr(w.app.toast, "heap map") != NULL);
}

Test(sites_table, filter_by_keyboard_and_back_step_by_step, .fini = close_world)
{
	open_shop();
	world_key(&w, "/");
	world_type(&w, "hashmap");
	cr_assert_eq(view()->rows, 2u);
	world_key(&w, "Down");
	cr_assert_eq(view()->table.selected, 0u, "the rows are reached from the field");
	cr_assert(says("filter\thashmap\t2 sites"));
	world_key(&w, "Enter");
	cr_assert_eq(w.app.ui.focus, UI_ID(PANEL_VIEW, SITES_TABLE));
	world_key(&w, "End");
	cr_assert_eq(view()->table.selected, 1u);
	world_key(&w, "Escape");
	cr_assert_eq(w.app.ui.focus, 0u);
	world_key(&w, "Escape");
	cr_assert(view()->rows == 10 && w.app.profiles.field.text[0] == 0);
	world_key(&w, "Escape");
	cr_assert(w.app.view == &heap_view);
	cr_assert(world_run(&w, "sites_filter /a(b\n"));
	cr_assert(w.app.view == &sites_view, "a command of the view shows it");
	cr_assert(says("invalid pattern"));
}

Test(sites_table, runtime_frame_by_key_and_by_box, .fini = close_world)
{
	open_shop();
	world_key(&w, "H");
	cr_assert(w.app.profiles.runtime_frame && view()->runtime_frame);
	for (int i = 0; i < 30 && w.app.ui.focus != UI_ID(PANEL_VIEW, PROFILES_RUNTIME_FRAMES); i++)
		world_key(&w, "Tab");
	world_key(&w, "Space");
	cr_assert_not(view()->runtime_frame);
}

/* The tab of a view, which moves with what is shown. */
struct tab {
	uint32_t id;
	struct cv_rect at;
};

static void note_tab(void *context, uint32_t id, struct cv_rect r)
{
	struct tab *tab = context;
	if (id == tab->id)
		tab->at = r;
}

static void click_tab(enum view_id view)
{
	enum { TABS = 10 }; /* panel_tabs.c */
	struct tab tab = {.id = UI_ID(PANEL_HEADER, TABS + (int)view)};
	w.app.ui.area = note_tab;
	w.app.ui.area_context = &tab;
	world_move(&w, w.app.rect[PANEL_HEADER].x + 2, w.app.rect[PANEL_HEADER].y + 2);
	w.app.ui.area = NULL;
	cr_assert_gt(tab.at.w, 0);
	world_click(&w, tab.at.x + tab.at.w / 2, tab.at.y + tab.at.h / 2, 1);
}

Test(sites_table, pointer_on_tabs_titles_and_rows, .fini = close_world)
{
	open_shop();
	struct cv_rect r = view()->table_at;
	world_click(&w, r.x + 40, r.y + 40, 1);
	cr_assert_eq(view()->table.selected, 0u);
	world_click(&w, r.x + 60, r.y + 10, 1);
	cr_assert_not(view()->table.falling);
	world_click(&w, w.app.rect[PANEL_VIEW].x + 120, w.app.rect[PANEL_VIEW].y + 20, 1);
	cr_assert_eq(w.app.profiles.kind, GCS_PROFILE_RECENT);
	/* The tabs in the header. */
	click_tab(VIEW_HEAP);
	cr_assert(w.app.view == &heap_view);
	click_tab(VIEW_SITES);
	cr_assert(w.app.view == &sites_view);
}

static void saved_profile(const char *path, struct gcs_profile **profile)
{
	static unsigned char packed[1 << 16], bytes[1 << 20];
	FILE *f = fopen(path, "rb");
	cr_assert_not_null(f);
	size_t n = fread(packed, 1, sizeof packed, f);
	fclose(f);
	cr_assert(n > 8 && memcmp(packed, "GCSPROF1", 8) == 0);
	uLongf size = sizeof bytes;
	cr_assert_eq(uncompress(bytes, &size, packed + 8, (uLong)n - 8), Z_OK);
	struct gcs_error err;
	*profile = gcs_profile_decode(bytes, size, &err);
	cr_assert_not_null(*profile, "%s", err.text);
}

Test(sites_table, profile_is_saved_compressed, .fini = close_world)
{
	open_view();
	world_key(&w, "Ctrl+S");
	cr_assert_str_eq(w.app.toast, "No profile to save yet");
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	char path[] = "/tmp/gcspy-test-XXXXXX";
	int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	close(fd);
	char step[200];
	snprintf(step, sizeof step, "sites_save %s\n", path);
	cr_assert(world_run(&w, step));
	struct gcs_profile *profile;
	saved_profile(path, &profile);
	cr_assert_eq(gcs_profile_entry_count(profile),
	    gcs_profile_entry_count(
		shared_profile_get(w.app.profiles.data[GCS_PROFILE_LIVE].profile)));
	cr_assert_eq(gcs_profile_head(profile)->kind, GCS_PROFILE_LIVE);
	gcs_profile_free(profile);
	remove(path);
	/* Another ending is another format. */
	snprintf(step, sizeof step, "sites_save %s.svg\n", path);
	cr_assert(world_run(&w, step));
	char svg[200], head[6] = "";
	snprintf(svg, sizeof svg, "%s.svg", path);
	FILE *f = fopen(svg, "rb");
	cr_assert(f != NULL && fread(head, 1, 5, f) == 5);
	fclose(f);
	cr_assert(strcmp(head, "<?xml") == 0 || strncmp(head, "<svg", 4) == 0, "%s", head);
	remove(svg);
	cr_assert_not(world_run(&w, "sites_save /nowhere/at/all.sites\n"));
	cr_assert_str_eq(w.app.toast, "/nowhere/at/all.sites: No such file or directory");
}

Test(sites_table, copied_as_a_table, .fini = close_world)
{
	open_shop();
	world_key(&w, "Ctrl+C");
	cr_assert(strstr(w.clipboard, "Bytes\t\xc2\xb1\tShare\tObjects\tSamples\tAge\tClass\tTop "
				      "frame\tOutside the JDK\n") != NULL);
	cr_assert(strstr(w.clipboard, "\tHashMap$Node[] java.util\tHashMap.resize "
				      "HashMap.java:702\tSessions.open:57 Sessions.java\n") != NULL,
	    "%s", w.clipboard);
}

Test(sites_table, nothing_is_painted_when_nothing_changed, .fini = close_world)
{
	open_shop();
	cr_assert_not(app_frame(&w.app));
	damage_clear(&w.app.cv.damage);
	/* A collection changes the header and the timeline, not the table. */
	world_event(&w);
	for (int i = 0; i < w.app.cv.damage.count; i++)
		cr_assert_not(rect_meets(w.app.cv.damage.rect[i], w.app.rect[PANEL_VIEW]));
	/* A move within a row paints no row; one to the next row paints two. */
	struct cv_rect r = view()->table_at;
	world_move(&w, r.x + 40, r.y + 40);
	damage_clear(&w.app.cv.damage);
	world_move(&w, r.x + 41, r.y + 40);
	cr_assert_not(app_frame(&w.app));
	cr_assert_eq(w.app.cv.damage.count, 0);
}

Test(sites_table, any_size_of_the_window, .fini = close_world)
{
	open_shop();
	world_key(&w, "Down");
	static const int sizes[][2] = {
	    {320, 240}, {1, 1}, {2000, 100}, {90, 900}, {400, 300}, {800, 600}};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		app_resize(&w.app, sizes[i][0], sizes[i][1]);
		world_key(&w, "PageDown");
		world_key(&w, "Tab");
		world_key(&w, "Right");
		world_key(&w, "Left");
		world_move(&w, sizes[i][0] / 2, sizes[i][1] / 2);
		world_key(&w, "2");
	}
}

/* An answer of any kind, if one is awaited. */
static void answer_something(uint64_t *state)
{
	enum gcs_profile_kind kind = GCS_PROFILE_LIVE;
	if (!w.source.pending || w.source.answer != NULL)
		return;
	gcs_profile_find_kind(w.source.kind, &kind);
	switch (kit_below(state, 7)) {
	case 0:
		world_answer(&w, GCS_STATE, "sampling is off", NULL);
		break;
	case 1:
		world_answer(&w, GCS_OK, "", profile_empty(kind, 0));
		break;
	case 2:
		world_answer(&w, GCS_OK, "", profile_strange(kind));
		break;
	case 3:
		world_answer(&w, GCS_OK, "", profile_many(kind, 300));
		break;
	case 4:
		world_answer_bytes(&w, GCS_OK, "", "\x01\x00\x05", 3);
		break;
	default:
		world_answer(&w, GCS_OK, "", profile_shop(kind, kit_below(state, 5)));
		break;
	}
}

static void do_something(uint64_t *state)
{
	static const char *const keys[] = {"1", "2", "2", "2", "Up", "Down", "End", "Home",
	    "PageDown", "PageUp", "Left", "Right", "Tab", "Shift+Tab", "Enter", "Space", "Escape",
	    "K", "O", "Shift+O", "H", "R", "E", "/", "Shift+A", "Ctrl+C", "Q", "F9", "Ctrl++",
	    "Ctrl+-", "?", "I", "Shift+PageDown", "Delete", "Backspace"};
	static const int sizes[] = {1, 90, 320, 640, 1000, 1400};
	int x = (int)kit_below(state, 1400), y = (int)kit_below(state, 1000);
	switch (kit_below(state, 12)) {
	case 0:
		world_click(&w, x, y, 1 + (int)kit_below(state, 3));
		break;
	case 1:
		world_move(&w, x, y);
		break;
	case 2:
		world_type(&w, kit_below(state, 2) == 0 ? "a" : "/(");
		break;
	case 3:
		app_event(&w.app,
		    &(struct ui_event){
			.kind = EV_WHEEL, .x = x, .y = y, .wheel = (int)kit_below(state, 40) - 20});
		break;
	case 4:
		if (kit_below(state, 8) == 0)
			app_resize(&w.app, sizes[kit_below(state, 6)], sizes[kit_below(state, 6)]);
		break;
	case 5:
		w.source.state = kit_below(state, 4) == 0 ? SOURCE_LOST : SOURCE_LIVE;
		if (kit_below(state, 10) == 0)
			app_connect(&w.app, "127.0.0.1:3000");
		app_poll(&w.app);
		break;
	case 6:
		if (w.app.source.ops != NULL)
			world_event(&w);
		break;
	default:
		world_key(&w, keys[kit_below(state, sizeof keys / sizeof *keys)]);
		break;
	}
}

/* What was painted piece by piece is what painting everything gives (V11). */
static void compare_with_full_repaint(void)
{
	static uint32_t before[1400 * 1400];
	size_t n = (size_t)w.app.cv.w * (size_t)w.app.cv.h;
	cr_assert_leq(n, sizeof before / sizeof *before);
	/* It counts the frames, and so is never the same twice. */
	if (w.app.stats_shown)
		app_command(&w.app, COMMAND_frame_overlay, NULL);
	/* A frame that finds a panel scrolled too far asks for one more. */
	while (app_frame(&w.app))
		;
	memcpy(before, w.app.cv.px, n * sizeof *before);
	app_dirty_all(&w.app);
	while (app_frame(&w.app))
		;
	if (memcmp(before, w.app.cv.px, n * sizeof *before) == 0)
		return;
	png_write("repaint-pieces.png", before, w.app.cv.w, w.app.cv.h, NULL);
	png_write("repaint-all.png", w.app.cv.px, w.app.cv.w, w.app.cv.h, NULL);
	size_t at = 0;
	while (before[at] == w.app.cv.px[at])
		at++;
	int width = w.app.cv.w;
	cr_assert(false, "pixel %d, %d of %d x %d: see repaint-*.png", (int)at % width,
	    (int)at / width, width, w.app.cv.h);
}

Test(sites_table, a_monkey_at_keyboard_mouse_and_server, .fini = close_world)
{
	uint64_t state = kit_seed();
	open_view();
	for (int i = 0; i < 3000; i++) {
		do_something(&state);
		answer_something(&state);
		world_wait(&w, kit_below(&state, 2000));
		cr_assert(
		    view()->table.selected == TABLE_NONE || view()->table.selected < view()->rows,
		    "step %d: %u of %u in %s", i, view()->table.selected, view()->rows,
		    w.app.view->name);
		cr_assert_geq(view()->table.scroll, 0);
		if (i % 20 == 0 && w.app.view == &sites_view)
			compare_with_full_repaint();
	}
}
