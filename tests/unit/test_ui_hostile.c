/*
 * Whatever a server tells and whatever is done meanwhile, the window lives (V1 to V11): random
 * descriptions and states at the limits of what a client accepts, answers, keys, pointers and
 * commands. The sanitizers look on in the preset asan.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "kit.h"
#include "ui_profile.h"
#include "ui_strange.h"
#include "ui_world.h"

enum { ROUNDS = 25, STEPS = 60 };

static struct world w;
static uint64_t state;
static unsigned spaces, shown,
    taken; /* described; snapshots that were shown; commands that did something */

static void close_world(void)
{
	world_close(&w);
}

/* Those that leave the program, write files or stand for the whole window's state. */
static bool is_left_out(enum command_id id)
{
	return id == COMMAND_quit || id == COMMAND_connect || id == COMMAND_disconnect ||
	       id == COMMAND_dump || strcmp(command_at(id)->args, "[FILE]") == 0 ||
	       strstr(command_at(id)->name, "record") != NULL;
}

static void any_command(void)
{
	static const char *const arguments[] = {NULL, "", "0", "1", "-1", "99999999999999999999",
	    "x", "live", "Used", "0x10-0x20", "range=0x0-0xffffffffffffffff", "%n%s", "a=b c=d",
	    "\xe5\x90\x8d\xe5\x89\x8d", "[Used] * 2 + tile", "1:30", "heap 17", ".", "font=24",
	    "only=none", "separator=1", "tile=10", "#12", "defaults", "/nowhere/at/all"};
	const enum command_id id = (enum command_id)kit_below(&state, COMMAND_COUNT);
	if (!is_left_out(id))
		taken += app_command(
		    &w.app, id, arguments[kit_below(&state, sizeof arguments / sizeof *arguments)]);
}

static void any_key(void)
{
	struct ui_event ev = {.kind = EV_KEY, .x = -1, .y = -1};
	if (kit_below(&state, 3) == 0) {
		snprintf(ev.text, sizeof ev.text, "%c", 0x20 + (char)kit_below(&state, 95));
		ev.kind = EV_TEXT;
	} else {
		ev.key = KEY_BASE + 1 + kit_below(&state, KEY_LIMIT - KEY_BASE - 1);
		ev.mods = kit_below(&state, 8);
	}
	struct keystroke stroke;
	if (key_of_event(&ev, &stroke) && command_of_key(stroke) != COMMAND_COUNT &&
	    is_left_out(command_of_key(stroke)))
		return;
	app_event(&w.app, &ev);
	w.app.quit = false; /* the list of commands may have ended it */
}

static void any_pointer(void)
{
	static const enum ui_event_kind kinds[] = {EV_MOVE, EV_DOWN, EV_UP, EV_WHEEL, EV_LEAVE};
	struct ui_event ev = {.kind = kinds[kit_below(&state, 5)],
	    .x = (int)kit_below(&state, (uint32_t)w.app.cv.w),
	    .y = (int)kit_below(&state, (uint32_t)w.app.cv.h),
	    .mods = kit_below(&state, 8)};
	ev.button = ev.kind == EV_DOWN || ev.kind == EV_UP ? 1 + (int)kit_below(&state, 3) : 0;
	ev.wheel = ev.kind == EV_WHEEL ? (int)kit_below(&state, 7) - 3 : 0;
	app_event(&w.app, &ev);
	w.app.quit = false; /* a row of the help or of the list of commands may end it */
}

static void any_answer(void)
{
	static const enum gcs_status statuses[] = {
	    GCS_OK, GCS_OK, GCS_OK, GCS_STATE, GCS_UNSUPPORTED, GCS_LIMIT, GCS_CLOSED};
	if (!w.source.pending || w.source.answer != NULL)
		return;
	const enum gcs_status status = statuses[kit_below(&state, 7)];
	const enum gcs_profile_kind kind =
	    (enum gcs_profile_kind)kit_below(&state, GCS_PROFILE_KIND_COUNT);
	char noise[64];
	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (char)kit_random(&state);
	switch (kit_below(&state, 4)) {
	case 0:
		world_answer_bytes(&w, status, "100 % \xf0\x9f\x92\xa5\n", noise, sizeof noise);
		break;
	case 1:
		world_answer(&w, status, "", profile_strange(kind));
		break;
	default:
		world_answer(&w, status, "words", status == GCS_OK ? profile_shop(kind, 1) : NULL);
	}
}

static void put(struct gcs_snapshot *s)
{
	struct world_source *q = &w.source;
	if (q->count == WORLD_QUEUE)
		return;
	q->queue[(q->first + q->count++) % WORLD_QUEUE] = gcs_snapshot_ref(s);
}

static void any_step(struct gcs_model *model)
{
	struct gcs_snapshot *s;
	switch (kit_below(&state, 8)) {
	case 0:
		s = strange_snapshot(model,
		    w.last != NULL && gcs_snapshot_model(w.last) == model ? w.last : NULL, &state);
		gcs_snapshot_unref(w.last);
		w.last = s;
		put(s);
		break;
	case 1:
		any_answer();
		break;
	case 2:
		world_wait(&w, kit_below(&state, 5000));
		break;
	case 3:
	case 4:
		any_pointer();
		break;
	case 5:
		any_key();
		break;
	default:
		any_command();
	}
	app_poll(&w.app);
	shown += w.app.snapshot != NULL && w.app.snapshot == w.last;
	app_frame(&w.app);
}

static void live_through(int rounds)
{
	for (int round = 0; round < rounds; round++) {
		struct gcs_model *model = strange_model(&state);
		spaces += model->space_count;
		w.source.state = kit_below(&state, 5) == 0 ? SOURCE_LOST : SOURCE_LIVE;
		app_connect(&w.app, "127.0.0.1:3000");
		app_resize(
		    &w.app, 200 + (int)kit_below(&state, 1100), 150 + (int)kit_below(&state, 700));
		app_set_scale(&w.app, 50 + (int)kit_below(&state, 250));
		for (int step = 0; step < STEPS; step++)
			any_step(model);
		window_text(&w.app);
		gcs_model_unref(model);
	}
	cr_assert(!w.app.quit);
}

Test(hostile, anything_may_come, .fini = close_world)
{
	state = kit_seed();
	world_open(&w, 800, 600);
	w.source.state = SOURCE_LIVE;
	live_through(ROUNDS);
	/* It was no idle talk. */
	cr_assert_gt(spaces, ROUNDS);
	cr_assert_gt(shown, 5 * ROUNDS);
	cr_assert_gt(taken, 2 * ROUNDS);
}

/* The same while each view in turn is shown most of the time. */
Test(hostile, in_every_view, .fini = close_world)
{
	state = kit_seed();
	world_open(&w, 800, 600);
	w.source.state = SOURCE_LIVE;
	for (int view = 0; view < VIEW_COUNT; view++) {
		app_set_view(&w.app, (enum view_id)view);
		live_through(2);
	}
}

/* Names that would steer a terminal, forge a line or show another name than they are. */
static struct gcs_model *foul_model(void)
{
	struct gcs_error err;
	struct gcs_model *m = gcs_model_create("s\x1b]0;owned\x07"
					       "erver\ncount\tforged\t9");
	const struct gcs_event event = {.name = "GC\xc2\x9b"
						"31m\tfinish\xe2\x80\xae"
						"f"};
	const struct gcs_stream stream = {.name = "used\n\xe2\x81\xa6x",
	    .max = 100,
	    .presentation = GCS_PLAIN,
	    .summary = GCS_SUMMARY_TOTAL,
	    .max_stream = GCS_NONE,
	    .colour = 0xff0000};
	const struct gcs_space space = {.name = "he\x1b[2Jap\xd8\x9c",
	    .main = true,
	    .group = GCS_NONE,
	    .stream_count = 1,
	    .streams = (struct gcs_stream *)(uintptr_t)&stream};
	cr_assert_eq(gcs_model_add_event(m, &event, NULL, &err), GCS_OK, "%s", err.text);
	cr_assert_eq(gcs_model_add_space(m, &space, NULL, &err), GCS_OK, "%s", err.text);
	return m;
}

Test(hostile, no_name_steers_the_reader_of_a_dump, .fini = close_world)
{
	static const char *const foul[] = {"\x1b", "\x07", "\xc2\x9b", "\xe2\x80\xae",
	    "\xe2\x81\xa6", "\xd8\x9c", "\ncount\tforged", "\xff"};
	struct gcs_model *m = foul_model();
	struct gcs_snapshot *s = gcs_snapshot_begin(m, NULL);
	cr_assert(gcs_snapshot_resize(s, 0, 2));
	cr_assert(gcs_snapshot_set_name(s, 0, 1, "tile\x1b[1m\t\xff"));
	cr_assert(gcs_snapshot_set_space_info(s, 0, "info\r\x1b[0m\nspace\tforged"));
	world_open(&w, 960, 640);
	w.source.state = SOURCE_LIVE;
	gcs_snapshot_set_counter(s, 0, UINT64_MAX);
	app_connect(&w.app, "127.0.0.1:3000");
	put(s);
	app_poll(&w.app);
	app_frame(&w.app);
	for (enum dump_kind kind = DUMP_ALL; kind < DUMP_KINDS; kind++) {
		struct textbuf text = {0};
		if (kind == DUMP_STACKS)
			continue;
		cr_assert(dump_text(&w.app, kind, &text));
		cr_assert_not_null(strstr(textbuf_text(&text), "he?[2Jap"));
		cr_assert_null(strstr(textbuf_text(&text), "\t-1\n"));
		for (size_t i = 0; i < sizeof foul / sizeof *foul; i++)
			cr_expect_null(strstr(textbuf_text(&text), foul[i]),
			    "dump %d, text %zu: %s", (int)kind, i, textbuf_text(&text));
		textbuf_fini(&text);
	}
	gcs_snapshot_unref(s);
	gcs_model_unref(m);
}
