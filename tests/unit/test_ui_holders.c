/* What holds the objects of a call site: from a row to the question of the plugin `paths`. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/plugin.h>

#include "chain_tree.h"
#include "flame_view.h"
#include "plugins_view.h"
#include "ui_profile.h"
#include "ui_replay.h"

static struct world w;
static char question[400];

static const struct gcs_parameter parameters[] = {
    {.name = "site", .kind = GCS_PARAMETER_TEXT, .initial = ""},
    {.name = "class", .kind = GCS_PARAMETER_TEXT, .initial = ""},
    {.name = "tile", .kind = GCS_PARAMETER_ADDRESS, .initial = "0x0"},
    {.name = "where", .kind = GCS_PARAMETER_TEXT, .initial = ""},
};

static const struct gcs_plugin paths = {.name = "paths",
    .title = "Why alive",
    .kind = GCS_PLUGIN_TABLE,
    .parameter_count = 4,
    .parameters = parameters};

#define ENDED                                                                                      \
	"62.3 MiB live in about 62,000 objects: chains of 3 of 120 sampled ones; 3 pauses, "       \
	"longest 554 ms, 1.2 s in all; ended early: a pause was longer than the limit "            \
	"of 500 ms, which max-pause=555 raises"

static bool ended; /* the next search ends early */

static struct gcs_answer *make_answer(void)
{
	static const struct chain_step steps[] = {{CHAIN_STATIC, "shop.Feed", "INSTANCE", 1},
	    {CHAIN_FIELD, "java.util.ArrayList", "elementData", 1},
	    {CHAIN_ELEMENT, "java.lang.Object[]", "", 1}, {CHAIN_TEXT, "shop.Session", NULL, 1}};
	struct chain_tree *tree = chain_tree_create(false);
	struct gcs_error err;
	void *bytes;
	size_t length;
	static const struct chain_step local[] = {{CHAIN_TEXT, "thread worker-*", NULL, 1},
	    {CHAIN_FIELD, "shop.Worker", "last", 1}, {CHAIN_TEXT, "shop.Session", NULL, 1}};
	cr_assert(chain_tree_add(tree, steps, 4, 10, 4096));
	cr_assert(chain_tree_add(tree, local, 3, 2, 1024));
	cr_assert_eq(
	    chain_tree_encode(tree, ended ? ENDED : "4 KiB live", &bytes, &length, &err), GCS_OK);
	chain_tree_destroy(tree);
	struct gcs_answer *answer = world_make_answer(
	    0, GCS_OK, ended ? "pauses=3 longest-us=554273 tags=130 ended=1" : "", bytes, length);
	gcs_plugin_free(bytes);
	return answer;
}

static struct gcs_answer *ask(
    const char *topic, uint32_t count, const struct gcs_info *parameters_given)
{
	size_t used = (size_t)snprintf(question, sizeof question, "%s", topic);
	if (strcmp(topic, "paths") != 0)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		used += (size_t)snprintf(question + used, sizeof question - used, " %s=%s",
		    parameters_given[i].key, parameters_given[i].value);
	return make_answer();
}

static struct gcs_answer *set(const char *key, const char *value)
{
	(void)key, (void)value;
	return NULL;
}

static const struct world_target functions = {.ask = ask, .set = set};

static void open_sites(bool with_plugin)
{
	struct gcs_error err;
	question[0] = 0;
	world_open(&w, 1120, 640);
	if (with_plugin)
		cr_assert_eq(gcs_model_add_plugin(w.model, &paths, NULL, &err), GCS_OK);
	w.source.site_locations = true;
	w.source.target = &functions;
	world_live(&w, 12);
	world_key(&w, "2");
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 2));
	w.app.profiles.automatic = false;
	world_wait(&w, 0);
}

static void close_world(void)
{
	world_close(&w);
}

/* The key asks about the selected row, wherever a tile is selected, and shows the tree. */
Test(holders, of_the_selected_call_site, .fini = close_world)
{
	open_sites(true);
	world_key(&w, "Down");
	world_key(&w, "Ctrl+Y");
	world_wait(&w, 10);
	unsigned long long number = 0;
	int end = 0;
	cr_assert_eq(sscanf(question, "paths site=%12llx%n", &number, &end), 1, "%s", question);
	cr_assert_neq(number, 0u);
	cr_assert_eq(end, 23);
	cr_assert(strstr(question, "class=s") == NULL && strstr(question, "where=") == NULL);
	cr_assert_eq(w.app.view_id, VIEW_PLUGINS);
	cr_assert(window_says(&w.app, "static shop.Feed.INSTANCE"));
	cr_assert(window_says(&w.app, "java.util.ArrayList[*]"));
}

/* A search that ended early says so in full, and what raises the limit; not what is for programs. */
Test(holders, an_early_end_has_its_reason, .fini = close_world)
{
	ended = true;
	open_sites(true);
	world_key(&w, "Down");
	world_key(&w, "Ctrl+Y");
	world_wait(&w, 10);
	cr_assert(window_says(&w.app, "ended early: a pause was longer than the limit of 500 ms, "
				      "which max-pause=555 raises"));
	cr_assert_null(strstr(window_text(&w.app), "longest-us"));
	struct plugins_view *view = w.app.views[VIEW_PLUGINS];
	const struct plugin_answer *a = &plugins_page(view)->answer;
	const struct ui *ui = &w.app.ui;
	const struct cv_rect narrow = rect_make(0, 0, 500, 400);
	cr_assert_gt(text_width(ui->fonts->face[FONT_BOLD], a->title), narrow.w);
	cr_assert_geq(plugin_answer_head(a, ui, narrow, false),
	    3 * font_height(ui->fonts->face[FONT_BOLD]), "it has several lines");
}

Test(holders, of_a_number_that_is_given, .fini = close_world)
{
	open_sites(true);
	cr_assert(world_run(&w, "site_holders 0123456789ab\n"), "%s", w.app.toast);
	cr_assert_eq(strncmp(question, "paths site=0123456789ab", 23), 0, "%s", question);
	question[0] = 0;
	cr_assert_not(world_run(&w, "site_holders 12\n"));
	cr_assert_not_null(strstr(w.app.toast, "12 hexadecimal digits"));
	cr_assert_str_eq(question, "");
}

static const struct flame_view *flame(void)
{
	return w.app.views[VIEW_FLAME];
}

static struct cv_rect frame(const char *name)
{
	const uint32_t node = calltree_find_name(flame_part(flame()), name);
	cr_assert_neq(node, GCS_NONE, "%s", name);
	return flame_rect(flame(), &w.app, node);
}

static void ask_and_draw(void)
{
	open_sites(true);
	world_key(&w, "Down");
	world_key(&w, "Ctrl+Y");
	world_wait(&w, 10);
	world_key(&w, "Ctrl+Shift+Y");
	world_wait(&w, 10);
}

/* The chains as a graph: roots on top, as wide as what they hold, the class at the end. */
Test(holders, as_a_flame_graph_with_the_roots_on_top, .fini = close_world)
{
	ask_and_draw();
	cr_assert_eq(w.app.view_id, VIEW_FLAME);
	const struct cv_rect root = frame("static shop.Feed.INSTANCE");
	const struct cv_rect list = frame("java.util.ArrayList[*]");
	const struct cv_rect last = frame("shop.Session");
	const struct cv_rect other = frame("thread worker-*");
	cr_assert(root.y < list.y && list.y < last.y);
	cr_assert(root.y == other.y && root.w > 3 * other.w && root.w < 5 * other.w);
	cr_assert(window_says(&w.app, "Holders: 4 KiB live"));
	cr_assert(window_says(
	    &w.app, "static shop.Feed.INSTANCE;java.util.ArrayList[*];shop.Session 4096"));
	cr_assert(window_says(&w.app, "thread worker-*;shop.Worker.last;shop.Session 1024"));
	world_wait(&w, TOAST_MS);
	cr_assert(world_golden(&w, "flame-holders"));
	/* Its frames are no call sites, so that nothing is marked on the heap map. */
	w.app.profiles.kept = false;
	cr_assert(world_run(&w, "frame shop.Session\n"));
	cr_assert_not(w.app.profiles.kept);
	world_key(&w, "Ctrl+Y");
	cr_assert_not_null(strstr(w.app.toast, "Select a call site"), "%s", w.app.toast);
}

/* Escape leads back to the call sites, whose root is where it was. */
Test(holders, escape_shows_the_call_sites_again, .fini = close_world)
{
	ask_and_draw();
	cr_assert(flame()->icicle);
	world_key(&w, "Escape");
	world_wait(&w, 10);
	cr_assert_eq(w.app.view_id, VIEW_FLAME);
	cr_assert_not(flame()->icicle);
	cr_assert(window_says(&w.app, "flame graph\tLive"));
	cr_assert_eq(
	    calltree_find_name(flame_part(flame()), "static shop.Feed.INSTANCE"), GCS_NONE);
	cr_assert(world_run(&w, "flame_holders on\n"));
	world_wait(&w, 10);
	cr_assert_gt(frame("static shop.Feed.INSTANCE").w, 0);
}

static void click_widget(uint32_t id)
{
	for (int y = 40; y < 640; y += 6)
		for (int x = 4; x < 1120; x += 12) {
			world_move(&w, x, y);
			if (w.app.ui.hot != id)
				continue;
			world_click(&w, x, y, 1);
			world_wait(&w, 10);
			return;
		}
	cr_assert_fail("no widget %u", id);
}

/* By the pointer: from the answer to its graph, and from there to the call sites. */
Test(holders, buttons_for_the_pointer, .fini = close_world)
{
	open_sites(true);
	world_key(&w, "Down");
	world_key(&w, "Ctrl+Y");
	world_wait(&w, 10);
	click_widget(UI_ID(PANEL_VIEW, PLUGINS_FLAME));
	cr_assert_eq(w.app.view_id, VIEW_FLAME);
	cr_assert(flame()->holders.on);
	click_widget(UI_ID(PANEL_VIEW, FLAME_BUTTON + 2));
	cr_assert_not(flame()->holders.on);
}

Test(holders, no_graph_before_an_answer, .fini = close_world)
{
	open_sites(true);
	cr_assert_not(world_run(&w, "flame_holders on\n"));
	cr_assert_not_null(strstr(w.app.toast, "Ctrl+Y at a call site"), "%s", w.app.toast);
	cr_assert_neq(strncmp(question, "paths", 5), 0, "%s", question);
}

/* A click on Holders asks about the selected frame, where nothing has been asked yet. */
Test(holders, the_button_asks, .fini = close_world)
{
	open_sites(true);
	world_key(&w, "3");
	world_wait(&w, 10);
	world_wait(&w, 10);
	cr_assert(world_run(&w, "frame Sessions.open\n"));
	click_widget(UI_ID(PANEL_VIEW, FLAME_BUTTON + 2));
	cr_assert_eq(strncmp(question, "paths site=", 11), 0, "%s", question);
	cr_assert_eq(w.app.view_id, VIEW_PLUGINS);
	cr_assert(window_says(&w.app, "static shop.Feed.INSTANCE"));
	click_widget(UI_ID(PANEL_VIEW, PLUGINS_FLAME));
	cr_assert(flame()->holders.on);
}

Test(holders, a_program_that_does_not_say, .fini = close_world)
{
	open_sites(false);
	world_key(&w, "Down");
	world_key(&w, "Ctrl+Y");
	world_wait(&w, 10);
	cr_assert_eq(w.app.view_id, VIEW_SITES);
	cr_assert_not_null(strstr(w.app.toast, "does not say what holds"), "%s", w.app.toast);
}
