/* The table of call sites grouped by class, frame, thread and package, and as trees; large profiles
 * (S6, S8, V9). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"
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

static bool says(const char *text)
{
	return calls_says(&w, text);
}

static double bytes_of_rows(void)
{
	double sum = 0;
	for (uint32_t i = 0; i < view()->rows; i++)
		sum += sites_value(view(), i, SITES_BYTES);
	return sum;
}

/* Whatever a row is, all rows together are everything. */
Test(sites_groups, every_grouping_has_all_bytes, .fini = close_world)
{
	static const char *const names[] = {"class", "frame", "thread", "package"};
	calls_open_shop(&w, "2", 1120, 640);
	const double all = bytes_of_rows();
	const uint32_t sites = view()->rows;
	cr_assert(says("call sites\tLive\n"));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char step[64], text[64];
		snprintf(step, sizeof step, "sites_group %s\n", names[i]);
		snprintf(text, sizeof text, "call sites\tLive\tby %s", names[i]);
		cr_assert(world_run(&w, step));
		cr_assert(says(text), "%s", names[i]);
		cr_assert_float_eq(bytes_of_rows(), all, all / 1e6, "%s", names[i]);
		cr_assert_leq(view()->rows, sites);
		cr_assert_eq(sites_number_of_row(view(), 0), 0u, "a group is no call site");
		cr_assert_eq(w.app.view_id, VIEW_SITES);
	}
	cr_assert(says("Bytes\t\xc2\xb1\tShare\tObjects\tSamples\tAge\tPackage\n"));
	cr_assert(says("com.example.shop"));
	cr_assert_not(world_run(&w, "sites_group colour\n"));
	cr_assert(strstr(w.app.toast, "expected site, class, frame") != NULL, "%s", w.app.toast);
}

/* One key goes through all, trees among them, under one tab. */
Test(sites_groups, trees_are_groupings, .fini = close_world)
{
	static const enum view_id views[] = {VIEW_SITES, VIEW_SITES, VIEW_SITES, VIEW_SITES,
	    VIEW_CALLS, VIEW_CALLS, VIEW_CALLS, VIEW_SITES};
	calls_open_shop(&w, "2", 1120, 640);
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		world_key(&w, "Shift+T");
		cr_assert_eq(w.app.view_id, views[i], "%zu", i);
	}
	cr_assert(calls_view.under == &sites_view);
	cr_assert(world_run(&w, "sites_group bottom-up\n"));
	cr_assert(says("calls\tBottom-up\tLive"));
	world_key(&w, "2");
	cr_assert_eq(w.app.view_id, VIEW_SITES);
	/* A sandwich begins with what the selected row's objects come from. */
	world_key(&w, "Down");
	cr_assert(world_run(&w, "sites_group sandwich\n"));
	cr_assert(says("callers of com.example.shop."));
}

/* From a group to its call sites. */
Test(sites_groups, enter_shows_the_sites_of_a_group, .fini = close_world)
{
	calls_open_shop(&w, "2", 1120, 640);
	world_run(&w, "sites_group class\n");
	world_key(&w, "Down");
	cr_assert(says("class\tbyte[]"));
	const double bytes = sites_value(view(), 0, SITES_BYTES);
	world_key(&w, "Enter");
	cr_assert_str_eq(w.app.profiles.field.text, "class:byte[]");
	cr_assert_eq(view()->by, GCS_SITES_BY_SITE);
	cr_assert_gt(view()->rows, 0u);
	cr_assert_float_eq(bytes_of_rows(), bytes, bytes / 1e6);
	world_key(&w, "Escape");
	world_run(&w, "sites_group thread\n");
	world_key(&w, "Down");
	world_key(&w, "Enter");
	cr_assert_eq(strncmp(w.app.profiles.field.text, "thread:", 7), 0);
	cr_assert_gt(view()->rows, 0u);
}

/* The selected group is found again in the next profile. */
Test(sites_groups, the_selection_stays, .fini = close_world)
{
	calls_open_shop(&w, "2", 1120, 640);
	world_run(&w, "sites_group frame\n");
	world_key(&w, "Down");
	world_key(&w, "Down");
	char before[300], after[300];
	sites_put_group(before, sizeof before, view(), view()->table.selected);
	calls_next(&w, profile_shop(GCS_PROFILE_LIVE, 2));
	cr_assert_neq(view()->table.selected, TABLE_NONE);
	sites_put_group(after, sizeof after, view(), view()->table.selected);
	cr_assert_str_eq(before, after);
}

/* Tens of thousands of call sites are decoded, grouped and sorted by threads: what the window's thread
 * does meanwhile is to go on. */
Test(sites_groups, large_profiles_do_not_hold_the_window, .fini = close_world)
{
	calls_open_shop(&w, "2", 1120, 640);
	const uint32_t few = view()->rows;
	calls_next(&w, profile_many(GCS_PROFILE_LIVE, 30000));
	calls_settle(&w);
	cr_assert_gt(view()->rows, few);
	cr_assert(view()->large);
	const uint32_t rows = view()->rows;
	cr_assert(world_run(&w, "sites_sort objects\n"));
	cr_assert(view()->waiting, "sorted elsewhere");
	cr_assert_eq(view()->rows, rows, "the rows of before are shown until then");
	calls_settle(&w);
	cr_assert_not(view()->waiting);
	for (uint32_t i = 0; i + 1 < view()->rows; i++)
		cr_assert_geq(sites_value(view(), i, SITES_OBJECTS),
		    sites_value(view(), i + 1, SITES_OBJECTS));
	/* Requests that follow each other: the last one counts. */
	cr_assert(world_run(&w, "sites_sort class\nsites_group class\nsites_sort bytes\n"));
	calls_settle(&w);
	cr_assert_eq(view()->by, GCS_SITES_BY_CLASS);
	cr_assert_eq(view()->table.sort, SITES_BYTES);
	for (uint32_t i = 0; i + 1 < view()->rows; i++)
		cr_assert_geq(
		    sites_value(view(), i, SITES_BYTES), sites_value(view(), i + 1, SITES_BYTES));
	calls_next(&w, profile_shop(GCS_PROFILE_LIVE, 0));
	calls_settle(&w);
	cr_assert_leq(view()->rows, few);
}
