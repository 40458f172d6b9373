/* What the views keep in the settings between two runs: looks, choices of a server and of its
 * spaces, layouts; hostile names and damaged lines. */
#define _XOPEN_SOURCE 700 /* mkdtemp. NOLINT(bugprone-reserved-identifier) */
#include <unistd.h>

#include "settings_suite.h"

#include "calls.h"
#include "charts.h"
#include "events_view.h"
#include "flame_view.h"
#include "heap_view.h"
#include "history_view.h"

static char kept[SETTINGS_BYTES + 1000];

/* The window is closed, and opened again with what it has kept. */
static void again(void)
{
	view_state_end(&w.app);
	snprintf(kept, sizeof kept, "%s", file_text());
	world_close(&w);
	begin_with(kept);
}

static struct heap_prefs *prefs(uint32_t space)
{
	return heap_prefs_of(w.app.views[VIEW_HEAP], &w.app, space);
}

/* The made-up server under another name, its first space too. */
static struct gcs_model *renamed(const char *server, const char *name)
{
	struct gcs_model *from = world_model(), *to = gcs_model_create(server);
	struct gcs_error err = {.text = ""};
	for (uint32_t i = 0; i < from->event_count; i++)
		gcs_model_add_event(to, &from->events[i], NULL, &err);
	for (uint32_t i = 0; i < from->group_count; i++)
		gcs_model_add_group(to, &from->groups[i], NULL, &err);
	for (uint32_t i = 0; i < from->space_count; i++) {
		struct gcs_space space = from->spaces[i];
		if (i == 0 && name != NULL)
			space.name = name;
		gcs_model_add_space(to, &space, NULL, &err);
	}
	cr_assert_eq(to->space_count, from->space_count, "%s", err.text);
	gcs_model_unref(from);
	return to;
}

/* The next events are those of another server. */
static void other_server(struct gcs_model *model)
{
	gcs_snapshot_unref(w.last);
	w.last = NULL;
	gcs_model_unref(w.model);
	w.model = model;
	w.step = 0;
}

/* Names that others have given come back whatever is in them. */
Test(view_state, arguments_come_back_whatever_is_in_them, .init = make_folder, .fini = close_world)
{
	static const char *const values[] = {"", "plain", "two words", "100 %", "a/b=c",
	    "a; theme light", "\x01\x7f\t\n", "\xc3\xbc \xe6\x96\x87", "%20", "  blanks  "};
	begin_with("");
	struct hist_view *hist = w.app.views[VIEW_HISTORY];
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		char argument[100];
		struct textbuf state = {0}, list = {0};
		snprintf(argument, sizeof argument, "prefix=%s", values[i]);
		view_state_put(&state, "", COMMAND_history, argument);
		view_state_put(&state, "", COMMAND_history, "postfix=x");
		view_state_list(&list, textbuf_text(&state));
		const char *text = textbuf_text(&list);
		cr_assert_null(strpbrk(text, "\t\n\x01\x7f"), "%s", text);
		cr_assert_eq(view_state_run(&w.app, VIEW_HISTORY, "x", text), VIEW_HISTORY);
		cr_assert_eq(w.app.toast[0], 0, "%s", w.app.toast);
		cr_assert_str_eq(hist->set.prefix, values[i]);
		cr_assert_str_eq(hist->set.postfix, "x");
		hist->set.postfix[0] = 0;
		textbuf_fini(&list);
		textbuf_fini(&state);
	}
}

/* The file can be anybody's: nothing in it writes a file, ends the program, or is half read. */
Test(view_state, bad_commands_are_passed_over, .init = make_folder, .fini = close_world)
{
	static char large[SETTINGS_VALUE + 200] = "history space=";
	memset(large + 14, 'x', SETTINGS_VALUE + 150);
	static const char *const bad[] = {"novalue", "=x", "theme", "theme ", "history space=%",
	    "history space=%2", "history space=%zz", "history space=%00", "quit now",
	    "dump /tmp/gcspy-no", "export_png x", "connect host:1", "startup x", "space=old",
	    large};
	begin_with("");
	struct hist_view *hist = w.app.views[VIEW_HISTORY];
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char list[SETTINGS_VALUE + 300];
		hist->choice.spaces = 0;
		w.app.toast[0] = 0;
		snprintf(list, sizeof list, " %s; history space=c", bad[i]);
		view_state_run(&w.app, VIEW_HISTORY, "x", list);
		cr_assert_not_null(strstr(w.app.toast, "ignored "), "%s: %s", bad[i], w.app.toast);
		cr_assert_eq(hist->choice.spaces, 1u);
		cr_assert_str_eq(hist->choice.space[0], "c");
	}
	cr_assert_not(w.app.quit);
	cr_assert_neq(access("/tmp/gcspy-no", F_OK), 0);
}

Test(view_state, looks_come_back_for_every_server, .init = make_folder, .fini = close_world)
{
	begin_with("");
	cr_assert(
	    world_run(&w, "history smooth=5\nhistory reduce=mean\nhistory tile=4\n"
			  "history separator=0\nhistory prefix=my heap 100%\nhistory max=on\n"
			  "flame_way\nflame_measure\ncollapse_recursion\nsites_group bottom-up\n"
			  "sites_sort objects\nsites_plumbing\nchart treemap\n"));
	world_live(&w, 2);
	cr_assert(world_run(&w, "layout proportional\nrecency\n"));
	again();
	const struct hist_settings *set = &((struct hist_view *)w.app.views[VIEW_HISTORY])->set;
	cr_assert(set->smooth == 2 && set->reduce == 1 && set->tile == 4 && set->separator == 0);
	cr_assert_str_eq(set->prefix, "my heap 100%");
	cr_assert(set->newest && set->follow && set->collect);
	const struct flame_view *flame = w.app.views[VIEW_FLAME];
	cr_assert(flame->icicle && flame->collapse && flame->measure == GCS_BY_OBJECTS);
	const struct calls_view *calls = w.app.views[VIEW_CALLS];
	cr_assert_eq(calls->form, CALLTREE_UP);
	cr_assert_eq(calls->table.sort, CALLS_OBJECTS);
	cr_assert(w.app.profiles.runtime_frame);
	cr_assert_eq(((struct charts *)w.app.views[VIEW_CHARTS])->kind, CHART_TREEMAP);
	const struct heap *heap = w.app.views[VIEW_HEAP];
	cr_assert(heap->shape == HEAP_PROPORTIONAL && heap->recency);
	/* Nothing is written that was not chosen. */
	cr_assert_null(strstr(kept, "history.rows"));
	cr_assert_null(strstr(kept, "events.sort"));
	other_server(renamed("Somebody else", NULL));
	world_live(&w, 2);
	cr_assert(heap->shape == HEAP_PROPORTIONAL && set->tile == 4);
}

static const char choices[] =
    "stream Live\nsplit Age\norder falling\ncolumns 24\ntile_size 12\npin\nexpression Used - "
    "prev(Used)\n"
    "select Threads 1\nstream Allocated\nselect Card table 3\nhide\n"
    "history space=Card table\nhistory stream=State\nhistory event=GC end\n"
    "select G1 regions 1\nchart_add Used\nchart_y Age\nsites_group sandwich a.B.c\n"
    "select Threads 0\nheap_map\n";

Test(view_state, choices_come_back_for_that_server, .init = make_folder, .fini = close_world)
{
	begin_with("");
	world_live(&w, 2);
	cr_assert(world_run(&w, choices), "%s", w.app.toast);
	again();
	world_live(&w, 1);
	const struct heap_prefs *p = prefs(WORLD_REGIONS);
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], (uint32_t)REGION_LIVE);
	cr_assert(p->pinned && !p->hidden && p->columns == 24 && p->pitch == 12 &&
		  p->order_kind == ORDER_FALLING);
	cr_assert(p->parts == 1 && strcmp(p->part[0], "Age") == 0);
	cr_assert_str_eq(p->text, "Used - prev(Used)");
	cr_assert(heap_by_text(p, &w.app, WORLD_REGIONS), "and it colours the tiles");
	cr_assert(prefs(WORLD_CARDS)->hidden);
	cr_assert_eq(w.app.active_space, (uint32_t)WORLD_THREADS);
	const struct hist_view *hist = w.app.views[VIEW_HISTORY];
	cr_assert_eq(hist->choice.spaces, 1u);
	cr_assert_str_eq(hist->choice.space[0], "Card table");
	cr_assert_str_eq(hist->choice.stream[0], "State");
	cr_assert_str_eq(hist->set.event, "GC end");
	const struct charts *c = w.app.views[VIEW_CHARTS];
	cr_assert(c->line.space == WORLD_REGIONS && c->line.count == 1);
	cr_assert_eq(c->line.added[0], (uint32_t)REGION_USED);
	cr_assert_eq(c->scatter.y, (uint32_t)REGION_AGE);
	cr_assert_str_eq(((struct calls_view *)w.app.views[VIEW_CALLS])->method, "a.B.c");
	/* What is given up is forgotten. */
	cr_assert(world_run(&w,
	    "select G1 regions 1\npin\ncolumns 0\ntile_size fit\norder address\nsplit off\n"
	    "expression off\nstream Type\nhistory space=\nhistory stream=\n"
	    "history event=none\nheap_map\n"));
	again();
	cr_assert_null(strstr(kept, "/G1%20regions"), "%s", kept);
	cr_assert_null(strstr(kept, "history.target"), "%s", kept);
}

Test(view_state, servers_are_told_apart, .init = make_folder, .fini = close_world)
{
	begin_with("");
	world_live(&w, 2);
	cr_assert(world_run(&w, choices), "%s", w.app.toast);
	/* Another server in the same window: as if nothing had been chosen. */
	other_server(renamed("java Other, process 12", NULL));
	world_live(&w, 2);
	cr_assert_not(prefs(WORLD_REGIONS)->pinned);
	cr_assert_not(prefs(WORLD_CARDS)->hidden);
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], (uint32_t)REGION_TYPE);
	cr_assert_eq(((struct hist_view *)w.app.views[VIEW_HISTORY])->choice.spaces, 0u);
	cr_assert_eq(((struct charts *)w.app.views[VIEW_CHARTS])->line.count, 0u);
	cr_assert(world_run(&w, "select Threads 0\npin\nheap_map\n"));
	/* And back: as it was. Another process of the other one is the other one. */
	other_server(world_model());
	world_live(&w, 2);
	cr_assert(prefs(WORLD_REGIONS)->pinned && !prefs(WORLD_THREADS)->pinned);
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], (uint32_t)REGION_LIVE);
	again();
	other_server(renamed("java Other, process 4711", NULL));
	world_live(&w, 2);
	cr_assert(prefs(WORLD_THREADS)->pinned && !prefs(WORLD_REGIONS)->pinned);
	cr_assert_not_null(strstr(kept, " java%20Other/Threads\t"), "%s", kept);
}

Test(view_state, what_begins_goes_before_what_is_kept, .init = make_folder, .fini = close_world)
{
	begin_with(
	    "startup = history stream=Used\n"
	    "history.target = 2026-11-20T10:00:00Z HotSpot 21.0.2 (G1)\thistory stream=Age\n");
	world_live(&w, 2);
	const struct hist_view *hist = w.app.views[VIEW_HISTORY];
	cr_assert_eq(hist->choice.streams, 1u);
	cr_assert_str_eq(hist->choice.stream[0], "Used");
}

Test(view_state, names_that_are_gone_do_no_harm, .init = make_folder, .fini = close_world)
{
	begin_with(
	    "history.target = 2026-11-20T10:00:00Z HotSpot 21.0.2 (G1)\thistory space=Gone\n"
	    "charts.target = 2026-11-20T10:00:00Z HotSpot 21.0.2 (G1)\tspace Gone; chart_add X; "
	    "space G1 regions; chart_y Gone\n"
	    "heap.target = 2026-11-20T10:00:00Z HotSpot 21.0.2 (G1)\tspace Gone\n"
	    "space = 2026-11-20T10:00:00Z HotSpot%2021.0.2%20(G1)/G1%20regions\t"
	    "stream Gone; split Gone; expression gone+1\n");
	world_live(&w, 2);
	cr_assert_eq(w.app.toast[0], 0, "%s", w.app.toast);
	const struct hist_view *hist = w.app.views[VIEW_HISTORY];
	cr_assert_eq(hist->graph.lanes, 1u, "the main space stands in");
	cr_assert_eq(w.app.active_space, (uint32_t)WORLD_REGIONS);
	cr_assert(world_run(&w, "chart line\nchart scatter\nhistory\nheap_map\n"));
}

/* Each of these is one line about one command, and the rest is read. */
Test(view_state, damaged_commands_are_told_and_the_rest_is_read, .init = make_folder,
    .fini = close_world)
{
	begin_with("history.rows = 1000000000\nhistory.tile = 3\nflame.way = sideways\n"
		   "heap.layout = %zz\ncalls.sort = \nevents.newest_first = perhaps\n"
		   "charts.chart = pie\nhistory.unknown = 7\nsites.order = falling\n");
	cr_assert_not_null(strstr(w.app.toast, "Settings, "), "%s", w.app.toast);
	cr_assert_not_null(strstr(w.app.toast, "ignored "), "%s", w.app.toast);
	cr_assert_null(strchr(w.app.toast, '\n'));
	const struct hist_settings *set = &((struct hist_view *)w.app.views[VIEW_HISTORY])->set;
	cr_assert(set->rows == 1000 && set->tile == 3);
	cr_assert_not(((struct flame_view *)w.app.views[VIEW_FLAME])->icicle);
	again();
	world_close(&w);
	remove_folder();
	make_folder();
	begin_with("space = 2026-11-20T10:00:00Z HotSpot%2021.0.2%20(G1)/G1%20regions\t"
		   "columns -4; columns 9999999; order upwards; pin 7; split ; split Used; "
		   "split Age; split Live; split Type; junk; %%%; =x; pin on\n");
	world_live(&w, 2);
	cr_assert_not_null(
	    strstr(w.app.toast, "Settings, space: ignored columns -4"), "%s", w.app.toast);
	const struct heap_prefs *p = prefs(WORLD_REGIONS);
	cr_assert(p->pinned && p->columns == 0 && p->order_kind == ORDER_ADDRESS);
	cr_assert_eq(p->parts, (uint32_t)TILE_PARTS - 1);
}

/* Styles and lists of earlier versions are read; what they kept as words is one line, and stays. */
Test(view_state, files_of_earlier_versions, .init = make_folder, .fini = close_world)
{
	static const char old[] =
	    "layout = 2026-11-20T10:00:00Z mine\tview=events side=yes flame.way=flames\n"
	    "heap.layout = proportional\nheap.recency = yes\nside_shown = no\n"
	    "flame.way = icicles\nflame.width = objects\nsites.sort = objects\n"
	    "sites.order = rising\nhistory.prefix = my%20heap%20100%25\n"
	    "space = 2026-11-20T10:00:00Z HotSpot%2021.0.2%20(G1)/G1%20regions\tpinned=yes "
	    "columns=24\n"
	    "recent_file = 2026-11-21T10:00:00Z /t/run.gcspy\n";
	begin_with(old);
	cr_assert_eq(w.app.toast[0], 0, "%s", w.app.toast);
	world_live(&w, 2);
	const struct heap *heap = w.app.views[VIEW_HEAP];
	const struct flame_view *flame = w.app.views[VIEW_FLAME];
	cr_assert(heap->shape == HEAP_PROPORTIONAL && heap->recency && !w.app.side_shown);
	cr_assert(flame->icicle && flame->measure == GCS_BY_OBJECTS);
	cr_assert_str_eq(
	    ((struct hist_view *)w.app.views[VIEW_HISTORY])->set.prefix, "my heap 100%");
	cr_assert_str_eq(
	    w.app.toast, "Settings, space: ignored pinned=yes columns=24: not understood");
	cr_assert(world_run(&w, "layout_use mine\n"));
	cr_assert_not_null(strstr(w.app.toast, "Settings, layout mine: "), "%s", w.app.toast);
	again();
	for (const char *line = old; *line != 0; line += strcspn(line, "\n") + 1) {
		char whole[200];
		snprintf(whole, sizeof whole, "%.*s", (int)strcspn(line, "\n") + 1, line);
		cr_assert_not_null(strstr(kept, whole), "%s is gone", whole);
	}
}

Test(view_state, random_damage_is_survived, .init = make_folder, .fini = close_world)
{
	begin_with("");
	world_live(&w, 2);
	cr_assert(world_run(&w, choices), "%s", w.app.toast);
	again();
	static char damaged[sizeof kept];
	unsigned seed = 7;
	for (int round = 0; round < 40; round++) {
		size_t n = strlen(kept);
		memcpy(damaged, kept, n + 1);
		for (int i = 0; i < 6; i++) {
			seed = seed * 1103515245 + 12345;
			damaged[(seed >> 8) % n] = (char)(32 + (seed >> 16) % 95);
		}
		world_close(&w);
		begin_with(damaged);
		world_live(&w, 2);
		cr_assert_not_null(w.app.snapshot);
	}
}

Test(view_state, hostile_names_stay_within_their_line, .init = make_folder, .fini = close_world)
{
	char server[GCS_MAX_NAME + 1], name[GCS_MAX_NAME + 1];
	memset(server, '%', sizeof server - 1);
	memset(name, ' ', sizeof name - 1);
	server[sizeof server - 1] = name[sizeof name - 1] = 0;
	memcpy(name, "a=b/../; pin on", 15);
	begin_with("");
	other_server(renamed(server, name));
	world_live(&w, 2);
	cr_assert(world_run(&w, "pin\nhistory space=Threads\nheap_map\n"), "%s", w.app.toast);
	again();
	other_server(renamed(server, name));
	world_live(&w, 2);
	cr_assert(prefs(0)->pinned && !prefs(1)->pinned);
	cr_assert_eq(((struct hist_view *)w.app.views[VIEW_HISTORY])->choice.spaces, 1u);
}

Test(view_state, as_many_as_there_is_room_for, .init = make_folder, .fini = close_world)
{
	begin_with("");
	for (int i = 0; i < (int)STATE_SERVERS + 10; i++) {
		char name[40];
		snprintf(name, sizeof name, "server %d", i);
		other_server(renamed(name, NULL));
		world_live(&w, 1);
		cr_assert(world_run(&w, "history space=Threads\nheap_map\n"));
	}
	again();
	cr_assert_null(strstr(kept, "server 9\t"), "the oldest have gone");
	cr_assert_not_null(strstr(kept, "server 10\t"));
	for (int i = 0; i < (int)STATE_SPACES + 7; i++) {
		char name[20];
		snprintf(name, sizeof name, "space %d", i);
		view_state_put_space(&w.app, name, "pin on");
	}
	w.app.view_state.target[0] = 'x';
	for (int i = 0; i < (int)STATE_SPACES + 7; i++) {
		char name[20];
		snprintf(name, sizeof name, "space %d", i);
		view_state_put_space(&w.app, name, "pin on");
	}
	cr_assert_str_eq(view_state_space(&w.app, "space 6"), "");
	cr_assert_str_eq(view_state_space(&w.app, "space 7"), "pin on");
}

Test(view_state, two_windows_do_not_undo_each_other, .init = make_folder, .fini = close_world)
{
	static struct world other;
	begin_with("history.tile = 3\n");
	struct settings s;
	struct gcs_error err;
	cr_assert(settings_open(&s, path, &err));
	world_open(&other, 800, 600);
	view_state_begin(&other.app, &s, NULL);
	cr_assert(world_run(&w, "history smooth=9\n"));
	cr_assert(world_run(&other, "history tile=5\nflame_way\n"));
	world_close(&other);
	again();
	cr_assert_not_null(strstr(kept, "history.smooth = 9"), "%s", kept);
	cr_assert_not_null(strstr(kept, "history.tile = 5"), "%s", kept);
	cr_assert_not_null(strstr(kept, "flame.way = icicles"), "%s", kept);
}

Test(view_state, a_layout_has_the_looks_of_all_views, .init = make_folder, .fini = close_world)
{
	begin_with("");
	world_live(&w, 1);
	cr_assert(world_run(&w, "history tile=6\nhistory prefix=a b\nflame_way\nchart table\n"
				"heap_map\nlayout proportional\nlayout_save mine\n"
				"history tile=2\nhistory prefix=\nflame_way\nchart bars\nheap_map\n"
				"layout wrapped\n"));
	again();
	cr_assert(world_run(&w, "layout_use mine\n"), "%s", w.app.toast);
	const struct hist_settings *set = &((struct hist_view *)w.app.views[VIEW_HISTORY])->set;
	cr_assert_eq(set->tile, 6);
	cr_assert_str_eq(set->prefix, "a b");
	cr_assert(((struct flame_view *)w.app.views[VIEW_FLAME])->icicle);
	cr_assert_eq(((struct charts *)w.app.views[VIEW_CHARTS])->kind, CHART_TABLE);
	cr_assert_eq(((struct heap *)w.app.views[VIEW_HEAP])->shape, HEAP_PROPORTIONAL);
}

/* Ctrl+Z goes back from layout to layout: panel, theme, scale, looks; not from view to
 * view. */
Test(view_state, layouts_are_undone, .init = make_folder, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_key(&w, "Ctrl+Z");
	cr_assert_str_eq(w.app.toast, "No earlier layout");
	int theme = w.app.theme;
	app_command(&w.app, COMMAND_side_panel, NULL);
	app_command(&w.app, COMMAND_theme, "light");
	app_command(&w.app, COMMAND_history, NULL);
	cr_assert(app_command(&w.app, COMMAND_history, "tile=7"));
	app_command(&w.app, COMMAND_scale_up, NULL);
	int scale = w.app.scale;
	world_key(&w, "Ctrl+Z");
	cr_assert_lt(w.app.scale, scale);
	cr_assert_eq(w.app.theme, theme_find("light"));
	world_key(&w, "Ctrl+Z");
	struct textbuf script = {0};
	layouts_put(&w.app, &script);
	cr_assert_null(
	    strstr(textbuf_text(&script), "history tile=7"), "%s", textbuf_text(&script));
	textbuf_fini(&script);
	cr_assert_eq(w.app.view_id, VIEW_HISTORY, "the view is a place");
	world_key(&w, "Ctrl+Z");
	cr_assert_eq(w.app.theme, theme);
	cr_assert_not(w.app.side_shown);
	world_key(&w, "Ctrl+Z");
	cr_assert(w.app.side_shown);
	world_key(&w, "Ctrl+Z");
	cr_assert_str_eq(w.app.toast, "No earlier layout");
	/* Many are bounded. */
	for (int i = 0; i < 3 * LAYOUTS_UNDO; i++)
		app_command(&w.app, COMMAND_theme, NULL);
	for (int i = 0; i < LAYOUTS_UNDO; i++)
		cr_assert(app_command(&w.app, COMMAND_layout_undo, NULL), "%d of %u, %s", i,
		    w.app.layouts.count, w.app.layouts.now);
	cr_assert_not(app_command(&w.app, COMMAND_layout_undo, NULL));
}

/* S8: which classes are libraries holds for all views and the next window. */
Test(view_state, libraries_come_back, .init = make_folder, .fini = close_world)
{
	char many[1000] = "library";
	const struct profiles_libraries *l = &w.app.profiles.libraries;
	begin_with("");
	cr_assert(world_run(&w, "library org.apache. com.example.shop.\n"));
	cr_assert(l->prefix[2] == NULL && strcmp(l->prefix[1], "com.example.shop.") == 0);
	again();
	cr_assert_str_eq(l->text, "org.apache. com.example.shop.");
	cr_assert_str_eq(l->prefix[0], "org.apache.");
	for (int i = 0; i <= PROFILES_LIBRARIES; i++)
		strcat(many, " p.");
	strcat(many, "\n");
	cr_assert_not(world_run(&w, many));
	cr_assert_str_eq(l->text, "org.apache. com.example.shop.", "too many change nothing");
	cr_assert_str_eq(l->prefix[0], "org.apache.");
	cr_assert(world_run(&w, "library none\n"));
	cr_assert_null(l->prefix[0]);
	again();
	cr_assert_str_eq(l->text, "");
}
