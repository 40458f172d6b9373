/* Survivors and suspects by pointer (V13). */
#include <criterion/criterion.h>
#include <string.h>

#include "text_finder.h"
#include "ui_leak.h"

static struct leak_world w;
static struct world live;

static void close_leak(void)
{
	leak_close(&w);
}

static void close_live(void)
{
	world_close(&live);
}

static struct app *app_of(void)
{
	return &w.replay.app;
}

static struct leaks_view *view_of(void)
{
	return app_of()->views[VIEW_LEAKS];
}

static void open_leaks(void)
{
	leak_open(&w, 1280, 800);
	leak_click(&w, UI_ID(PANEL_VIEW, OVERVIEW_LEAKS));
}

/* The suspect comes first and is chosen; its growth has an error, and a reason. */
Test(leaks, the_suspect_is_first, .init = open_leaks, .fini = close_leak)
{
	cr_assert_eq(view_of()->table.selected, 0u);
	cr_assert_gt(view_of()->rows, 1u);
	cr_assert(window_says(app_of(), "beyond twice its error"));
	cr_assert(window_says(app_of(), "Growth per minute\t+122 MiB \xc2\xb1 "));
	cr_assert(window_says(app_of(), "suspect"));
}

/* Its call sites are those of the profile that the list was made from, which the shown event has
 * not. */
Test(leaks, its_call_sites_are_of_its_profile, .init = open_leaks, .fini = close_leak)
{
	const struct recorded_profile *last = replay_last_live(app_of());
	cr_assert_not_null(last);
	cr_assert(replay_run(&w.replay, "seek 1\nwait place 1\nleaks\n"));
	leak_settle(&w);
	leak_click(&w, UI_ID(PANEL_SIDE, LEAKS_SITES));
	leak_settle(&w);
	cr_assert_str_eq(app_of()->view->name, "sites");
	for (int i = 0; i < 2000 && app_of()->replay.at.place + 1 < last->place; i++)
		cr_assert(replay_run(&w.replay, "sleep 1\n"));
	cr_assert_eq(app_of()->replay.at.place + 1, last->place);
	cr_assert(replay_run(&w.replay, "wait answer\n"));
	cr_assert(window_says(app_of(), "Shop.visit"));
}

/* Each way of joining names the leak in its words. */
Test(leaks, joined_by_class_and_site, .init = open_leaks, .fini = close_leak)
{
	leak_click(&w, UI_ID(PANEL_VIEW, LEAKS_JOIN + 1));
	leak_settle(&w);
	cr_assert(window_says(app_of(), "suspect\tbyte[]\t"));
	leak_click(&w, UI_ID(PANEL_VIEW, LEAKS_JOIN + 2));
	leak_settle(&w);
	cr_assert(window_says(app_of(), "suspect\tbyte[] Shop.visit:55\t"));
	cr_assert(window_says(app_of(), "selected\tbyte[]"));
	leak_click(&w, UI_ID(PANEL_VIEW, LEAKS_JOIN));
	leak_settle(&w);
	cr_assert(window_says(app_of(), "suspect\tShop.visit:55 Shop.java\t"));
}

/* A click on a row tells about it; one on a title sorts, and the choice stays. */
Test(leaks, rows_and_titles, .init = open_leaks, .fini = close_leak)
{
	const char *why;
	const struct gcs_stats *stats = leaks_sync(view_of(), app_of(), &why);
	struct leaks_context context = {view_of(), stats};
	const struct table_rows rows = leaks_table_rows(app_of(), &context);
	struct cv_rect cell;
	cr_assert(table_cell_rect(
	    &app_of()->ui, view_of()->table_at, &view_of()->table, &rows, 1, LEAKS_NAME, &cell));
	leak_click_at(&w, cell.x + 5, cell.y + 5);
	cr_assert_eq(view_of()->table.selected, 1u);
	cr_assert(window_says(app_of(), "selected\tShop.visit:56"));
	const uint64_t key = view_of()->selected_key;
	leak_click_at(&w, cell.x + 20, view_of()->table_at.y + 8);
	cr_assert_eq(view_of()->table.sort, (int)LEAKS_NAME);
	leaks_sync(view_of(), app_of(), &why);
	cr_assert_eq(view_of()->selected_key, key);
	cr_assert_str_eq(app_of()->view->name, "leaks");
}

/* Without samples, what is missing and how to get it. */
Test(leaks, nothing_sampled, .fini = close_live)
{
	world_open(&live, 1280, 800);
	world_live(&live, 4);
	cr_assert(world_run(&live, "leaks\n"));
	figures_wait(&live.app);
	cr_assert(window_says(&live.app, "no survivors\tno profile of live objects was recorded"));
	/* A click samples, or collects, and the view stays. */
	char text[80];
	int x, y;
	cr_assert(text_find(&live.app, "Sample every 512 KiB", &x, &y));
	world_click(&live, x, y, 1);
	cr_assert_str_eq(live.source.interval, "512k");
	cr_assert_eq(live.app.view_id, VIEW_LEAKS);
	cr_assert(text_find(&live.app, "Collect", &x, &y));
	world_click(&live, x, y, 1);
	cr_assert_eq(live.app.modal, MODAL_COLLECT);
	app_close_modal(&live.app);
	cr_assert_str_eq(
	    time_figures_reason(text, sizeof text, "garbage; gcspy gc X asks for one"), "garbage");
	live.source.state = SOURCE_LOST;
	world_wait(&live, 0);
	cr_assert_not(text_find(&live.app, "Collect", &x, &y), "it is gone");
	cr_assert_not(world_run(&live, "leaks nonsense\n"));
	cr_assert(world_run(&live, "leaks class\n"));
	cr_assert_eq(live.app.figures.by, GCS_SITES_BY_CLASS);
}

/* A program whose settings say how it samples. */
static const char *settings;

static struct gcs_answer *tell_settings(
    const char *topic, uint32_t count, const struct gcs_info *parameters)
{
	(void)count;
	(void)parameters;
	return strcmp(topic, "settings") != 0
		   ? NULL
		   : world_make_answer(0, GCS_OK, "", settings, strlen(settings));
}

static struct gcs_answer *change_none(const char *key, const char *value)
{
	(void)key;
	(void)value;
	return NULL;
}

static const struct world_target sampling_target = {.ask = tell_settings, .set = change_none};

/* Connected after that many events, without one since. */
static void open_quiet(const char *words, uint64_t collections)
{
	settings = words;
	world_open(&live, 800, 600);
	live.source.target = &sampling_target;
	world_live(&live, 0);
	struct gcs_snapshot *now = world_snapshot(live.model, NULL, 0);
	gcs_snapshot_set_counter(now, WORLD_GC_START, collections);
	gcs_snapshot_set_counter(now, WORLD_GC_END, collections);
	app_show(&live.app, now);
	gcs_snapshot_unref(now);
	cr_assert(world_run(&live, "leaks\n"));
	world_wait(&live, 10);
	world_wait(&live, 10);
}

/* A program that samples, connected to after collections: what helps is a collection, and nothing
 * offers to sample eight times more coarsely. */
Test(leaks, sampling_already, .fini = close_live)
{
	int x, y;
	open_quiet("clock=0\ninterval=65536\n", 7);
	cr_assert(window_says(&live.app, "no collection since this window connected"));
	cr_assert(window_says(&live.app, "The program samples every 64 KiB. A collection shows"));
	cr_assert(window_says(&live.app, "Call sites has what earlier ones have left"));
	cr_assert_not(text_find(&live.app, "Sample every 512 KiB", &x, &y));
	cr_assert(window_golden(&live.app, "leaks-quiet"));
	/* The head's button is not the only one, and this one is beside the words. */
	const struct cv_rect r = live.app.rect[PANEL_VIEW];
	cr_assert(text_find(&live.app, "No survivors to show", &x, &y));
	cr_assert_geq(x, r.x + 16, "a margin");
	world_run(&live, "collect now\n");
	cr_assert_str_eq(live.source.topic, "gc");
	cr_assert_eq(live.source.sets, 0u);
}

/* Without a collection yet, and after sampling has been turned on here. */
Test(leaks, sampling_from_now_on, .fini = close_live)
{
	int x, y;
	open_quiet("interval=0\n", 0);
	cr_assert(window_says(&live.app, "waiting for the first collection"));
	cr_assert(window_says(&live.app, "Sampling is off."));
	cr_assert(text_find(&live.app, "Sample every 512 KiB", &x, &y));
	world_click(&live, x, y, 1);
	cr_assert_str_eq(live.source.interval, "512k");
	settings = "interval=524288\n";
	world_answer_bytes(&live, GCS_OK, "every 512 KiB", NULL, 0);
	world_wait(&live, 10);
	world_wait(&live, 10);
	cr_assert(window_says(&live.app, "The program samples every 512 KiB."));
	cr_assert_not(text_find(&live.app, "Sample every 512 KiB", &x, &y));
}

/* The cell of the first row, in which the text must have room. */
static void must_fit(enum leaks_column column)
{
	const char *why;
	const struct gcs_stats *stats = leaks_sync(view_of(), app_of(), &why);
	struct leaks_context context = {view_of(), stats};
	const struct table_rows rows = leaks_table_rows(app_of(), &context);
	const struct fonts *fonts = app_of()->ui.fonts;
	struct cv_rect cell;
	char text[TABLE_CELL];
	cr_assert(table_cell_rect(
	    &app_of()->ui, view_of()->table_at, &view_of()->table, &rows, 0, column, &cell));
	rows.cell(&context, 0, column, text, sizeof text);
	const int margin = ui_px(&app_of()->ui, 12);
	cr_assert_leq(text_width(fonts->face[FONT_UI], text), cell.w - margin, "%s", text);
	cr_assert_leq(text_width(fonts->face[FONT_BOLD], rows.column[column].title),
	    cell.w - margin, "the title");
}

/* Growth and its error are whole in a small window, at each scale. */
Test(leaks, growth_is_never_cut, .fini = close_leak)
{
	static const int scales[] = {100, 120, 130, 150, 160};
	leak_open(&w, 800, 600);
	cr_assert(replay_run(&w.replay, "leaks\n"));
	for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
		cr_assert(app_set_scale(app_of(), scales[i]));
		app_frame(app_of());
		must_fit(LEAKS_GROWTH);
		must_fit(LEAKS_ERROR);
		if (i == 0)
			cr_assert(window_golden(app_of(), "leaks-800"));
	}
	cr_assert(window_golden(app_of(), "leaks-800-large"));
}

/* Where three buttons have no room, one opens a menu of what is joined. */
Test(leaks, one_button_for_what_is_joined, .fini = close_leak)
{
	int x, y;
	leak_open(&w, 800, 600);
	cr_assert(replay_run(&w.replay, "leaks\n"));
	cr_assert(app_set_scale(app_of(), 200));
	app_frame(app_of());
	cr_assert_not(text_find(app_of(), "Classes", &x, &y));
	cr_assert(text_find(app_of(), "Outside the JDK \xe2\x80\xa6", &x, &y));
	leak_click_at(&w, x, y);
	cr_assert_eq(app_of()->modal, MODAL_MENU);
	cr_assert(text_find(app_of(), "Classes", &x, &y));
	leak_click_at(&w, x, y);
	leak_settle(&w);
	cr_assert_eq(app_of()->figures.by, GCS_SITES_BY_CLASS);
	cr_assert(text_find(app_of(), "Classes \xe2\x80\xa6", &x, &y));
	cr_assert(window_golden(app_of(), "leaks-narrow"));
}
