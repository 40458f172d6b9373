/*
 * The heap map as differences to an earlier picture (V4): which tile is which, what is more,
 * less, new, another name; marked in the window and read from a recording.
 */
#include <criterion/criterion.h>
#include <gcspy/trace.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "heap_view.h"
#include "tilediff.h"
#include "ui_world.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static void open_map(int width, int height, unsigned events)
{
	world_open(&w, width, height);
	world_live(&w, events);
}

static struct heap *heap(void)
{
	return w.app.views[VIEW_HEAP];
}

static struct heap_prefs *prefs(uint32_t space)
{
	return heap_prefs_of(heap(), &w.app, space);
}

#define SAYS(what)     cr_assert(window_says(&w.app, what))
#define SAYS_NOT(what) cr_assert_null(strstr(window_text(&w.app), what))
#define RUN(script)    cr_assert(world_run(&w, script), "%s", w.app.toast)

/* A space with addresses and names, of `tiles` tiles that begin at `base`, with values from
 * `low`. */
static struct gcs_snapshot *picture(
    struct gcs_model *model, uint32_t tiles, uint64_t base, int64_t low)
{
	struct gcs_snapshot *s = world_snapshot(model, NULL, 1);
	const struct gcs_space *space = &gcs_snapshot_model(s)->spaces[WORLD_REGIONS];
	cr_assert(gcs_snapshot_resize(s, WORLD_REGIONS, tiles));
	int64_t *start =
	    gcs_snapshot_write(s, WORLD_REGIONS, gcs_space_role(space, GCS_ROLE_RANGE_START));
	int64_t *end =
	    gcs_snapshot_write(s, WORLD_REGIONS, gcs_space_role(space, GCS_ROLE_RANGE_END));
	int64_t *used = gcs_snapshot_write(s, WORLD_REGIONS, REGION_USED);
	int64_t *type = gcs_snapshot_write(s, WORLD_REGIONS, REGION_TYPE);
	int64_t *control = gcs_snapshot_write(s, WORLD_REGIONS, REGION_CONTROL);
	for (uint32_t i = 0; i < tiles; i++) {
		start[i] = (int64_t)(base + i * 0x100000ull);
		end[i] = start[i] + 0x100000;
		used[i] = low + i;
		type[i] = 1;
		control[i] = GCS_TILE_USED;
	}
	return s;
}

Test(tilediff, addresses_find_tiles_that_have_moved)
{
	struct gcs_model *model = world_model();
	struct gcs_snapshot *a = picture(model, 8, 0x1000000, 100);
	struct gcs_snapshot *b = picture(model, 8, 0x1200000, 130);
	struct tilediff d = {0};
	cr_assert(tilediff_match(&d, a, WORLD_REGIONS, b, WORLD_REGIONS));
	cr_assert_eq(d.how, TILEDIFF_ADDRESS);
	for (uint32_t i = 0; i < 8; i++)
		cr_assert_eq(d.of[i], i < 6 ? i + 2 : GCS_NONE, "tile %u", i);
	tilediff_stream(&d, a, WORLD_REGIONS, REGION_USED, b, WORLD_REGIONS, REGION_USED);
	/* 130 + i is compared with 100 + i + 2. */
	cr_assert_eq(d.more, 6u);
	cr_assert_eq(d.fresh, 2u);
	cr_assert_eq(d.gone, 2u);
	cr_assert_float_eq(d.up, 6 * 28.0, 1e-9);
	cr_assert_float_eq(d.most, 28, 1e-9);
	cr_assert_float_eq(d.real[0], 1, 1e-9);
	cr_assert(isinf(d.real[7]));
	tilediff_fini(&d);
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
	gcs_model_unref(model);
}

Test(tilediff, another_run_is_compared_by_number)
{
	struct gcs_model *model = world_model();
	struct gcs_snapshot *a = picture(model, 10, 0x7000000000, 50);
	struct gcs_snapshot *b = picture(model, 8, 0x6000000000, 40);
	int64_t *control = gcs_snapshot_write(b, WORLD_REGIONS, REGION_CONTROL);
	control[3] = GCS_TILE_UNUSED;
	int64_t *used = gcs_snapshot_write(b, WORLD_REGIONS, REGION_USED);
	used[5] = 56;
	used[6] = 56;
	struct tilediff d = {0};
	cr_assert(tilediff_match(&d, a, WORLD_REGIONS, b, WORLD_REGIONS));
	cr_assert_eq(d.how, TILEDIFF_NUMBER);
	cr_assert(d.tiles == 8 && d.tiles_at_a == 10 && d.gone == 2);
	tilediff_stream(&d, a, WORLD_REGIONS, REGION_USED, b, WORLD_REGIONS, REGION_USED);
	cr_assert(isnan(d.real[3]), "not used now");
	cr_assert(d.real[5] > 0 && d.real[6] == 0 && d.real[7] < 0);
	cr_assert(d.more == 1 && d.same == 1 && d.less == 5 && d.fresh == 0);
	cr_assert_float_eq(d.real[0], -1, 1e-9);
	cr_assert_float_eq(d.real[5], 1.0 / 10, 1e-9);
	tilediff_fini(&d);
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
	gcs_model_unref(model);
}

/* Threads are who they are called, wherever they stand. */
Test(tilediff, names_go_before_numbers)
{
	struct gcs_model *model = world_model();
	struct gcs_snapshot *a = world_snapshot(model, NULL, 1);
	struct gcs_snapshot *b = world_snapshot(model, NULL, 2);
	static const char *const first[] = {"one", "two", "three", "four", "", "two"};
	static const char *const second[] = {"three", "one", "", "five", "two", "four"};
	for (uint32_t i = 0; i < 6; i++) {
		cr_assert(gcs_snapshot_set_name(a, WORLD_THREADS, i, first[i]));
		cr_assert(gcs_snapshot_set_name(b, WORLD_THREADS, i, second[i]));
	}
	struct tilediff d = {0};
	cr_assert(tilediff_match(&d, a, WORLD_THREADS, b, WORLD_THREADS));
	cr_assert_eq(d.how, TILEDIFF_NAME);
	const uint32_t of[] = {2, 0, GCS_NONE, GCS_NONE, 1, 3};
	for (uint32_t i = 0; i < 6; i++)
		cr_assert_eq(d.of[i], of[i], "tile %u is %u", i, d.of[i]);
	tilediff_fini(&d);
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
	gcs_model_unref(model);
}

Test(heap_compare, a_mark_shows_what_has_changed_since, .fini = close_world)
{
	open_map(900, 600, 3);
	RUN("stream Used\nselect G1 regions 97\n");
	const struct gcs_snapshot *a = gcs_snapshot_ref(w.app.snapshot);
	world_key(&w, "Ctrl+D");
	cr_assert_eq(w.app.view_id, VIEW_HEAP, "it does not leave the map");
	SAYS("compared with A\t");
	SAYS("since A\tunchanged since A");
	for (int i = 0; i < 3; i++) {
		world_event(&w);
		cr_assert(window_is_whole(&w.app));
	}
	const int64_t *was = gcs_snapshot_values(a, 0, REGION_USED);
	const int64_t *now = gcs_snapshot_values(w.app.snapshot, 0, REGION_USED);
	const struct tilediff *d = &prefs(0)->difference;
	cr_assert_eq(d->tiles, 192u);
	uint32_t more = 0, less = 0;
	uint32_t grown = GCS_NONE;
	for (uint32_t i = 0; i < 192; i++) {
		if (isnan(d->real[i]) || isinf(d->real[i]))
			continue;
		cr_assert_eq(now[i] > was[i], d->real[i] > 0, "tile %u", i);
		cr_assert_eq(now[i] < was[i], d->real[i] < 0, "tile %u", i);
		more += now[i] > was[i];
		less += now[i] < was[i];
		grown = now[i] > was[i] ? i : grown;
	}
	cr_assert(more > 0 && more == d->more && less == d->less, "%u and %u", more, less);
	SAYS("Used since A: +");
	char step[80], words[700];
	snprintf(step, sizeof step, "select G1 regions %u\n", grown);
	RUN(step);
	heap_compare_tile(heap(), &w.app, w.app.selected, words, sizeof words);
	cr_assert_not_null(strstr(words, ", was "), "%s", words);
	cr_assert_not_null(strstr(words, " at A ("), "%s", words);
	cr_assert_not_null(strstr(words, " (+"), "%s", words);
	SAYS(words);
	struct cv_rect r;
	cr_assert(w.app.view->place(w.app.view_self, &w.app, 0, grown, &r));
	world_move(&w, r.x + 1, r.y + 1);
	cr_assert_not_null(strstr(w.app.ui.tip, words), "%s", w.app.ui.tip);
	cr_assert(window_is_whole(&w.app));
	RUN("order falling\nzoom_in\nzoom_in\n");
	cr_assert(window_is_whole(&w.app));
	world_event(&w);
	cr_assert(window_is_whole(&w.app));
	world_key(&w, "Ctrl+D");
	SAYS_NOT("since A");
	cr_assert(window_is_whole(&w.app));
	gcs_snapshot_unref(a);
}

Test(heap_compare, names_say_what_they_were, .fini = close_world)
{
	open_map(900, 600, 3);
	RUN("stream Type\nkey Ctrl+D\n");
	for (int i = 0; i < 4; i++)
		world_event(&w);
	const struct tilediff *d = &prefs(0)->difference;
	cr_assert(d->other && d->more > 0 && d->less == 0);
	uint32_t other = GCS_NONE;
	for (uint32_t i = 0; i < d->tiles; i++)
		other = d->real[i] > 0 && !isinf(d->real[i]) ? i : other;
	char words[700];
	heap_compare_tile(heap(), &w.app, (struct tile_ref){0, other}, words, sizeof words);
	cr_assert_eq(strncmp(words, "was ", 4), 0, "%s", words);
	cr_assert_not_null(strstr(words, ", now "), "%s", words);
	SAYS(" tiles changed");
	RUN("select G1 regions 4\n");
	world_key(&w, "Escape");
	cr_assert_null(heap()->compare.a, "Esc ends it");
	cr_assert_eq(w.app.selected.tile, 4u, "and nothing else");
}

Test(heap_compare, an_expression_is_compared_too, .fini = close_world)
{
	open_map(900, 600, 3);
	RUN("expression Used * 2\nkey Ctrl+D\n");
	for (int i = 0; i < 3; i++) {
		world_event(&w);
		cr_assert(window_is_whole(&w.app));
	}
	cr_assert(prefs(0)->compared);
	cr_assert_gt(prefs(0)->difference.more + prefs(0)->difference.less, 0u);
	RUN("expression off\ncompare mark\n");
	cr_assert_not_null(heap()->compare.a);
}

static void wait_for_file(void)
{
	for (int i = 0; i < 2000 && heap()->compare.reading; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		world_wait(&w, HEAP_COMPARE_POLL_MS);
	}
	cr_assert_not(heap()->compare.reading);
	app_frame(&w.app);
}

Test(heap_compare, a_recording_is_the_base, .fini = close_world)
{
	char path[] = "/tmp/gcspy-compare-XXXXXX", script[120];
	const int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	close(fd);
	struct gcs_error err;
	struct gcs_model *model = world_model();
	const struct gcs_trace_options options = {.path = path, .replace = true};
	struct gcs_snapshot *s = NULL;
	struct gcs_trace_writer *writer = gcs_trace_create(&options, &err);
	cr_assert_not_null(writer, "%s", err.text);
	for (unsigned i = 1; i <= 3; i++) {
		struct gcs_snapshot *next = world_snapshot(model, s, i);
		cr_assert_eq(gcs_trace_write(writer, next, &err), GCS_OK);
		gcs_snapshot_unref(s);
		s = next;
	}
	cr_assert_eq(gcs_trace_finish(writer, &err), GCS_OK);
	gcs_snapshot_unref(s);
	gcs_model_unref(model);
	open_map(900, 600, 5);
	RUN("stream Used\n");
	snprintf(script, sizeof script, "compare_tiles %s 2\n", path);
	RUN(script);
	wait_for_file();
	cr_assert_not_null(strstr(heap()->compare.label, ", event 2"), "%s", heap()->compare.label);
	cr_assert(prefs(0)->compared);
	SAYS("event 2");
	cr_assert(window_is_whole(&w.app));
	snprintf(script, sizeof script, "compare_tiles %s\n", path);
	RUN(script);
	wait_for_file();
	cr_assert_not_null(strstr(heap()->compare.label, ", event 3"), "the last");
	snprintf(script, sizeof script, "compare_tiles %s 4\n", path);
	RUN(script);
	wait_for_file();
	cr_assert_not_null(strstr(w.app.toast, "has only 3 events"), "%s", w.app.toast);
	cr_assert_not_null(heap()->compare.a, "what was there stays");
	RUN("compare_tiles /nowhere/at all.gcspy\n");
	wait_for_file();
	cr_assert_not_null(strstr(w.app.toast, "/nowhere/at all.gcspy"), "%s", w.app.toast);
	RUN("compare_tiles off\n");
	cr_assert_null(heap()->compare.a);
	unlink(path);
}

/* Another program, without the space or with another kind of stream under its name. */
Test(heap_compare, what_a_does_not_have_is_told, .fini = close_world)
{
	open_map(900, 600, 3);
	RUN("key Ctrl+D\n");
	struct gcs_model *next = gcs_model_copy(w.model);
	struct gcs_space other = next->spaces[WORLD_THREADS];
	struct gcs_error err;
	other.name = "Other threads";
	cr_assert_eq(gcs_model_set_space(next, WORLD_THREADS, &other, &err), GCS_OK);
	struct gcs_snapshot *s = world_snapshot(next, w.app.snapshot, 20);
	app_show(&w.app, s);
	app_frame(&w.app);
	cr_assert(prefs(WORLD_REGIONS)->compared);
	cr_assert_not(prefs(WORLD_THREADS)->compared);
	RUN("select Other threads 1\n");
	SAYS("not in A");
	SAYS("not present in A");
	cr_assert(window_is_whole(&w.app));
	gcs_snapshot_unref(s);
	gcs_model_unref(next);
}

Test(heap_compare, pictures, .fini = close_world)
{
	open_map(900, 600, 3);
	RUN("stream Used\nzoom_in\nzoom_in\nkey Ctrl+D\n");
	for (int i = 0; i < 3; i++)
		world_event(&w);
	world_wait(&w, TOAST_MS + 1);
	RUN("select G1 regions 60\n");
	cr_assert(world_golden(&w, "heap-since-a"));
	RUN("theme light\n");
	cr_assert(world_golden(&w, "heap-since-a-light"));
	RUN("theme contrast\nstream Type\n");
	cr_assert(world_golden(&w, "heap-since-a-names"));
}
