/* What holds objects, from a recording that has reference chains. */
#include <criterion/criterion.h>
#include <string.h>

#include <gcspy/plugin.h>

#include "chain_tree.h"
#include "flame_view.h"
#include "ui_replay.h"

static struct replay_world w;

/* As the agent records them: below the number of their call site. */
static void record(void)
{
	static const struct chain_step steps[] = {{CHAIN_TEXT, "site 0123456789ab", NULL, 1},
	    {CHAIN_STATIC, "shop.Feed", "INSTANCE", 1}, {CHAIN_TEXT, "shop.Session", NULL, 1}};
	struct chain_tree *tree = chain_tree_create(false);
	struct gcs_error err;
	void *bytes;
	size_t length;
	cr_assert(chain_tree_add(tree, steps, 3, 10, 4096));
	cr_assert_eq(chain_tree_encode(tree, "4 KiB live", &bytes, &length, &err), GCS_OK);
	chain_tree_destroy(tree);
	replay_record_paths(&w, 40, 20, bytes, length);
	gcs_plugin_free(bytes);
}

static void close_world(void)
{
	replay_fini(&w);
}

/* The last search up to the shown event; its call sites are left out. */
Test(replay_holders, the_last_search_up_to_the_shown_event, .fini = close_world)
{
	record();
	replay_open(&w, 1120, 640);
	cr_assert(replay_run(&w, "wait strip\nseek 30\nwait place 30\nflame_graph\nwait "
				 "answer\nflame_holders on\nwait answer\n"));
	const struct flame_view *view = w.app.views[VIEW_FLAME];
	cr_assert(view->holders.on && view->icicle, "%s", w.app.toast);
	cr_assert(replay_says(&w, "static shop.Feed.INSTANCE;shop.Session 4096"));
	cr_assert_not(replay_says(&w, "site 0123456789ab"));
	cr_assert(replay_run(
	    &w, "flame_holders off\nseek 10\nwait place 10\nflame_holders on\nwait answer\n"));
	cr_assert_not(view->holders.on);
	cr_assert_not_null(strstr(w.app.toast, "record-paths"), "%s", w.app.toast);
}
