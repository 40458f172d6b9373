/*
 * What the flame graph shows of a profile (S6, S8, Q2): recursion, ages, differences, large and
 * hostile profiles, the selected call site and tile, text and pictures for other programs.
 */
#include <criterion/criterion.h>
#include <gcspy/memory.h>
#include <gcspy/trace.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "flame_view.h"
#include "palette.h"
#include "ui_calls.h"
#include "ui_profile.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static struct flame_view *view(void)
{
	return w.app.views[VIEW_FLAME];
}

static const struct gcs_node *node(uint32_t number)
{
	return gcs_tree_node(flame_part(view())->tree, number);
}

static uint32_t named(const char *name)
{
	uint32_t found = calltree_find_name(flame_part(view()), name);
	cr_assert_neq(found, GCS_NONE, "%s", name);
	return found;
}

static void open_shop(void)
{
	calls_open_shop(&w, "3", 1120, 640);
}

static bool says(const char *text)
{
	return calls_says(&w, text);
}

Test(flame_profiles, recursion_is_collapsed, .fini = close_world)
{
	open_shop();
	calls_next(&w, calls_recursive(40));
	cr_assert_eq(gcs_tree_depth(flame_part(view())->tree), 42u);
	world_key(&w, "Shift+C");
	calls_settle(&w);
	cr_assert_eq(gcs_tree_depth(flame_part(view())->tree), 3u);
	cr_assert(fabs(node(0)->total_bytes - 8192) < 1e-6);
}

Test(flame_profiles, only_some_ages, .fini = close_world)
{
	open_shop();
	double all = node(0)->total_bytes;
	cr_assert(world_run(&w, "age_band 20\n"));
	cr_assert_lt(node(0)->total_bytes, all);
	cr_assert(says("Only objects aged 20 collections or more"));
	cr_assert(world_run(&w, "age_band 0 1\n"));
	cr_assert(says("Only objects aged 0 collections"));
	cr_assert_not(world_run(&w, "age_band 3 2\n"));
	cr_assert_not(world_run(&w, "age_band x\n"));
	cr_assert(world_run(&w, "age_band 3000 4000\n"));
	cr_assert(says("No objects of this age"));
	world_key(&w, "2");
	cr_assert(says("No objects of this age"));
	world_key(&w, "3");
	cr_assert(world_run(&w, "age_band all\n"));
	for (int i = 0; i < 4; i++)
		world_key(&w, "Shift+E");
	cr_assert(fabs(node(0)->total_bytes - all) < 1, "the bands end with all again");
	/* Totals have no ages. */
	world_run(&w, "age_band 20\nsites_kind allocated\n");
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_ALLOCATED, 0));
	cr_assert_not(says("Only objects aged"));
	world_key(&w, "Shift+E");
	cr_assert_not_null(strstr(w.app.toast, "Allocation totals have no ages"));
}

Test(flame_profiles, difference_to_a_mark, .fini = close_world)
{
	open_shop();
	world_key(&w, "Ctrl+D");
	cr_assert(says("Compared with mark A"));
	calls_next(&w, profile_shop(GCS_PROFILE_LIVE, 5));
	uint32_t flush = named("PageWriter.flush");
	cr_assert(node(flush)->base_samples == 61 && node(flush)->samples == 66);
	world_run(&w, "frame PageWriter.flush\n");
	cr_assert(says("Bytes\t+2.52 MiB"));
	cr_assert_eq(flame_colour(view(), flush),
	    palette_change(calltree_change(node(flush), GCS_BY_BYTES)));
	/* Widths nest also where something has gone. */
	calls_next(&w, calls_single());
	cr_assert(node(named("Thread.run"))->total_bytes == 0);
	cr_assert_gt(flame_rect(view(), &w.app, named("Thread.run")).w, 10);
	/* Another kind has nothing to be compared with, and says so. */
	world_run(&w, "sites_kind recent\n");
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_RECENT, 0));
	cr_assert(says("Cannot compare: mark A is a profile of kind live"));
	world_key(&w, "Escape");
	cr_assert_null(w.app.profiles.base.profile);
	cr_assert(w.app.view == &flame_view);
}

Test(flame_profiles, difference_to_a_file, .fini = close_world)
{
	open_shop();
	char path[64], step[100];
	snprintf(path, sizeof path, "flame-base-%ld.sites", (long)getpid());
	cr_assert(calls_save(profile_shop(GCS_PROFILE_LIVE, 4), path));
	snprintf(step, sizeof step, "compare %s\n", path);
	cr_assert(world_run(&w, step));
	calls_settle(&w);
	cr_assert(says("Compared with flame-base-"));
	cr_assert_eq(node(0)->base_samples, 171u + 40u);
	world_key(&w, "Ctrl+D");
	cr_assert_null(w.app.profiles.base.profile);
	remove(path);
	world_run(&w, step);
	calls_settle(&w);
	cr_assert_not_null(strstr(w.app.toast, path), "%s", w.app.toast);
	cr_assert(calls_save(profile_shop(GCS_PROFILE_ALLOCATED, 4), path));
	world_run(&w, step);
	calls_settle(&w);
	cr_assert_not_null(strstr(w.app.toast, "contains allocated call sites, not live"));
	remove(path);
}

/* A recording of one event with profiles of two kinds. */
static void record_two_kinds(const char *path)
{
	static const enum gcs_profile_kind kinds[] = {GCS_PROFILE_LIVE, GCS_PROFILE_ALLOCATED};
	const struct gcs_trace_options options = {.path = path, .replace = true};
	struct gcs_trace_writer *writer = gcs_trace_create(&options, NULL);
	struct gcs_snapshot *s = world_snapshot(w.model, NULL, 0);
	cr_assert(writer != NULL && gcs_trace_write(writer, s, NULL) == GCS_OK);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct gcs_profile *p = profile_shop(kinds[i], 0);
		void *bytes;
		size_t length;
		cr_assert_eq(gcs_profile_encode(p, &bytes, &length, NULL), GCS_OK);
		cr_assert_eq(gcs_trace_write_profile(writer, bytes, length, NULL), GCS_OK);
		gcs_profile_free(p);
		gcs_free(bytes);
	}
	gcs_snapshot_unref(s);
	cr_assert_eq(gcs_trace_finish(writer, NULL), GCS_OK);
}

/* S8: each kind is compared with that of the recording. */
Test(flame_profiles, difference_of_each_kind_to_a_recording, .fini = close_world)
{
	open_shop();
	char path[64], step[100];
	snprintf(path, sizeof path, "flame-base-%ld.gcspy", (long)getpid());
	record_two_kinds(path);
	snprintf(step, sizeof step, "compare %s\n", path);
	cr_assert(world_run(&w, step));
	calls_settle(&w);
	cr_assert(says("restricted\tCompared with: flame-base-"));
	world_run(&w, "sites_kind allocated\n");
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_ALLOCATED, 1));
	calls_settle(&w);
	cr_assert(says("restricted\tCompared with: flame-base-"));
	cr_assert_not_null(profiles_before(&w.app));
	cr_assert_eq(gcs_profile_head(shared_profile_get(profiles_before(&w.app)))->kind,
	    GCS_PROFILE_ALLOCATED);
	/* It has none of this kind. */
	world_run(&w, "sites_kind recent\n");
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_RECENT, 0));
	calls_settle(&w);
	cr_assert_not_null(strstr(w.app.toast, "no recent call sites"), "%s", w.app.toast);
	cr_assert(says("restricted\tNot comparable with: flame-base-"));
	remove(path);
}

Test(flame_profiles, hidden_frames_are_counted, .fini = close_world)
{
	open_shop();
	cr_assert(says("no frames hidden"));
	calls_next(&w, profile_many(GCS_PROFILE_LIVE, 8000));
	calls_settle(&w);
	cr_assert_gt(view()->hidden, 1000u);
	cr_assert(says("frames hidden"));
	/* In a large picture of a small part nothing is. */
	uint32_t all = view()->hidden;
	for (int i = 0; i < 30; i++)
		world_key(&w, "+");
	cr_assert_lt(view()->hidden, all);
}

/* Another thread makes large trees; what was there stays until they are ready (50,000 frames). */
Test(flame_profiles, large_profiles_do_not_stop_the_window, .fini = close_world)
{
	open_shop();
	calls_next(&w, profile_many(GCS_PROFILE_LIVE, 100000));
	cr_assert(view()->maker.waiting);
	cr_assert_not_null(flame_part(view()));
	calls_settle(&w);
	cr_assert_gt(gcs_tree_count(flame_part(view())->tree), 50000u);
	/* A small one requested meanwhile overtakes, and stays. */
	calls_next(&w, profile_many(GCS_PROFILE_LIVE, 60000));
	calls_next(&w, calls_single());
	calls_settle(&w);
	cr_assert_eq(gcs_tree_count(flame_part(view())->tree), 3u);
	world_wait(&w, 100);
	cr_assert_eq(gcs_tree_count(flame_part(view())->tree), 3u);
}

Test(flame_profiles, deep_and_strange_profiles, .fini = close_world)
{
	open_shop();
	calls_next(&w, calls_recursive(4000));
	calls_settle(&w);
	world_run(&w, "frame app.Leaf\n");
	cr_assert_eq(node(view()->selected)->depth, 4002u);
	struct cv_rect r = flame_rect(view(), &w.app, view()->selected);
	cr_assert(rect_meets(r, view()->area), "what is selected is in sight");
	world_key(&w, "Enter");
	world_key(&w, "Escape");
	cr_assert(says("app.Main.walk;app.Main.walk"));
	calls_next(&w, profile_strange(GCS_PROFILE_LIVE));
	calls_settle(&w);
	for (int i = 0; i < 40; i++)
		world_key(&w, i % 3 == 0 ? "Right" : "Up");
	world_key(&w, "Enter");
	for (int x = 0; x < 1120; x += 37)
		world_move(&w, x, view()->area.y + view()->area.h - 30);
	struct textbuf out = {0};
	cr_assert(flame_svg(view(), &w.app, &out) && !out.failed);
	textbuf_fini(&out);
	static const int sizes[][2] = {{1, 1}, {320, 240}, {90, 900}, {2000, 60}};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		app_resize(&w.app, sizes[i][0], sizes[i][1]);
		world_key(&w, "Shift+F");
		world_key(&w, "PageUp");
		world_key(&w, "Enter");
		world_move(&w, sizes[i][0] / 2, sizes[i][1] / 2);
	}
}

/* Text for other programs: collapsed stacks, and a vector picture. */
Test(flame_profiles, stacks_and_picture_for_others, .fini = close_world)
{
	open_shop();
	struct textbuf out = {0};
	flame_copy(view(), &w.app, &out);
	const char *text = textbuf_text(&out);
	cr_assert_not_null(
	    strstr(text,
		"\njava.lang.Thread.run;java.util.concurrent.ThreadPoolExecutor.runWorker;com."
		"example."
		"shop.http.Handler.handle;com.example.shop.render.PageWriter.flush;java.io."
		"ByteArrayOutputStream.grow;java.util.Arrays.copyOf;byte[] 32"),
	    "%s", text);
	textbuf_fini(&out);
	world_run(&w, "frame Sessions.open\n");
	world_key(&w, "Enter");
	flame_copy(view(), &w.app, &out);
	cr_assert_null(strstr(textbuf_text(&out), "PageWriter"), "only what is zoomed");
	textbuf_fini(&out);
	char path[64], step[100];
	snprintf(path, sizeof path, "flame-%ld.svg", (long)getpid());
	snprintf(step, sizeof step, "export_svg %s\n", path);
	cr_assert(world_run(&w, step));
	cr_assert_eq(access(path, R_OK), 0);
	remove(path);
	cr_assert(flame_svg(view(), &w.app, &out));
	cr_assert_not_null(strstr(textbuf_text(&out), "com.example.shop.session.Sessions.open\n"));
	cr_assert_not_null(strstr(textbuf_text(&out), "HashMap$Node[]"));
	textbuf_fini(&out);
	world_run(&w, "sites_kind frequent\n");
	cr_assert_not(flame_svg(view(), &w.app, &out), "there is nothing to draw");
	textbuf_fini(&out);
}

/* The selection is highlighted in the heap map; call sites of the tile are marked (S8). */
Test(flame_profiles, selection_and_tiles, .fini = close_world)
{
	open_shop();
	world_run(&w, "frame Sessions.open\n");
	world_key(&w, "1");
	world_wait(&w, 0);
	cr_assert_str_eq(w.source.topic, "tiles");
	world_answer(&w, GCS_UNSUPPORTED, "no", NULL);
	cr_assert(says("map of call site\tSessions.open"));
	world_key(&w, "Escape");
	cr_assert(world_run(&w, "select G1 regions 30\n"));
	world_wait(&w, 0);
	world_wait(&w, 300);
	cr_assert_str_eq(w.source.topic, "sites");
	cr_assert_str_eq(w.source.where, "range=0x701e00000-0x701f00000");
	world_answer(&w, GCS_OK, "", calls_single());
	cr_assert(says("site in tile\tbyte[] Main.main\t100.0 %"));
	world_key(&w, "3");
	world_wait(&w, 0);
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_OK, "", calls_recursive(3));
	cr_assert_not_null(flame_part(view())->marked);
	cr_assert(flame_part(view())->marked[named("app.Main.main")]);
	cr_assert_not(flame_part(view())->marked[named("app.Leaf")]);
	/* Too many for the map: nothing is coloured, and T says why. */
	calls_next(&w, profile_many(GCS_PROFILE_LIVE, 500));
	world_key(&w, "Home");
	world_key(&w, "T");
	cr_assert_not_null(strstr(w.app.toast, "Too many call sites to show"));
	cr_assert(w.app.view == &flame_view);
}
