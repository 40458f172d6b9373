/* The view of call sites: what is asked and when, what is kept, keys, files (S6, V4, Q2, Q3). */
#include <criterion/criterion.h>
#include <gcspy/memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "png.h"
#include "kit.h"
#include "sites_view.h"
#include "ui_calls.h"
#include "ui_profile.h"
#include "ui_world.h"

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

static void dump(struct textbuf *out)
{
	app_dump(&w.app, out);
}

static bool says(const char *text)
{
	struct textbuf out = {0};
	dump(&out);
	bool found = strstr(textbuf_text(&out), text) != NULL;
	if (!found)
		fprintf(stderr, "not said: %s\n%s", text, textbuf_text(&out));
	textbuf_fini(&out);
	return found;
}

Test(calls, nothing_is_asked_while_the_view_is_closed, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_live(&w, 2);
	world_wait(&w, 10000);
	cr_assert_eq(w.source.queries, 0u);
	cr_assert(world_is_idle(&w));
	world_key(&w, "2");
	world_wait(&w, 0);
	cr_assert_eq(w.source.queries, 1u);
	cr_assert_str_eq(w.source.topic, "sites");
	cr_assert_str_eq(w.source.kind, "live");
	world_key(&w, "1");
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	world_wait(&w, 60000);
	cr_assert_eq(w.source.queries, 1u);
	cr_assert(w.app.view == &heap_view);
	/* The answer that came meanwhile is there at once. */
	world_key(&w, "2");
	cr_assert(says("30.7 MiB"));
}

Test(calls, one_question_at_a_time, .fini = close_world)
{
	open_view();
	cr_assert_eq(w.source.queries, 1u);
	cr_assert(world_is_idle(&w), "nothing is due while an answer is awaited");
	/* The source of the tests ends the program at a second question. */
	world_key(&w, "R");
	world_key(&w, "K");
	world_wait(&w, 60000);
	cr_assert_eq(w.source.queries, 1u);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	world_wait(&w, 0);
	cr_assert_eq(w.source.queries, 2u);
	cr_assert_str_eq(w.source.kind, "recent");
}

Test(calls, asks_again_every_few_seconds_or_on_request, .fini = close_world)
{
	open_shop();
	cr_assert_eq(app_wait_ms(&w.app), PROFILES_REFRESH_MS);
	world_wait(&w, PROFILES_REFRESH_MS - 1);
	cr_assert_eq(w.source.queries, 1u);
	world_wait(&w, 1);
	cr_assert_eq(w.source.queries, 2u);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 1));
	world_key(&w, "Shift+A");
	world_wait(&w, 60000);
	cr_assert_eq(w.source.queries, 2u);
	cr_assert(world_is_idle(&w));
	world_key(&w, "R");
	cr_assert_eq(w.source.queries, 3u);
}

Test(calls, sampling_is_turned_on_by_a_key, .fini = close_world)
{
	open_view();
	world_answer(&w, GCS_STATE, "sampling is off", NULL);
	cr_assert(says("Sampling is off"));
	world_key(&w, "E");
	cr_assert_eq(w.source.sets, 1u);
	cr_assert_str_eq(w.source.interval, "512k");
	world_answer(&w, GCS_OK, "the interval is 512 KiB", NULL);
	cr_assert_str_eq(w.app.toast, "the interval is 512 KiB");
	world_wait(&w, 0);
	cr_assert_eq(w.source.queries, 2u, "and the samples are asked for at once");
	/* Waiting for an answer, the request is kept until it can be sent. */
	cr_assert(world_run(&w, "sites_sample 64k\n"));
	cr_assert_eq(w.source.sets, 1u);
	world_answer(&w, GCS_OK, "", profile_empty(GCS_PROFILE_LIVE, 524288));
	world_wait(&w, 0);
	cr_assert_str_eq(w.source.interval, "64k");
	world_answer(&w, GCS_ARGUMENT, "interval 64k: not today", NULL);
	cr_assert_str_eq(w.app.toast, "Failed: interval 64k: not today");
	cr_assert(says("No samples yet"));
}

Test(calls, the_offer_is_a_button_too, .fini = close_world)
{
	open_view();
	world_answer(&w, GCS_STATE, "another agent samples", NULL);
	cr_assert(says("another agent samples."));
	world_key(&w, "Tab");
	for (int i = 0; i < 20 && w.app.ui.focus != UI_ID(PANEL_VIEW, PROFILES_OFFER); i++)
		world_key(&w, "Tab");
	world_key(&w, "Enter");
	cr_assert_eq(w.source.sets, 1u);
}

Test(calls, sources_and_servers_without_call_sites, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_key(&w, "2");
	cr_assert(says("Not connected"));
	w.source.mute = true;
	world_live(&w, 1);
	cr_assert(says("This source has no call sites"));
	world_key(&w, "R");
	world_key(&w, "E");
	world_wait(&w, 60000);
	cr_assert_eq(w.source.queries + w.source.sets, 0u);
	w.source.mute = false;
	w.source.refusal = GCS_UNSUPPORTED;
	cr_assert(app_connect(&w.app, "old:3000"));
	w.source.state = SOURCE_LIVE;
	world_event(&w);
	world_wait(&w, 0);
	cr_assert(says("This program does not sample allocations"));
	/* What was refused is not asked again at each turn. */
	cr_assert_eq(w.source.queries, 1u);
	cr_assert_eq(app_wait_ms(&w.app), PROFILES_REFRESH_MS);
	w.source.refusal = GCS_OK;
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_UNSUPPORTED, "no call sites here", NULL);
	cr_assert(says("no call sites here"));
}

Test(calls, last_data_stay_when_the_connection_is_lost, .fini = close_world)
{
	open_shop();
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_CLOSED, "", NULL);
	w.source.state = SOURCE_LOST;
	app_poll(&w.app);
	world_wait(&w, 0);
	cr_assert(says("Not connected, showing the last data"));
	cr_assert(says("HashMap$Node[]"));
	unsigned asked = w.source.queries;
	/* Another connection owes nothing of what the last one was asked. */
	cr_assert(app_connect(&w.app, "127.0.0.1:3000"));
	world_wait(&w, 60000);
	cr_assert_eq(w.source.queries, asked);
	w.source.state = SOURCE_LIVE;
	world_wait(&w, 0);
	world_wait(&w, 0);
	cr_assert_eq(w.source.queries, asked + 1);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	struct textbuf out = {0};
	dump(&out);
	cr_assert_null(strstr(textbuf_text(&out), "showing the last data"));
	textbuf_fini(&out);
}

Test(calls, another_program_does_not_show_the_last_ones_data, .fini = close_world)
{
	open_shop();
	cr_assert(app_connect(&w.app, "other:3000"));
	w.source.state = SOURCE_LIVE;
	world_event(&w);
	world_wait(&w, 0);
	struct textbuf out = {0};
	dump(&out);
	cr_assert_null(strstr(textbuf_text(&out), "HashMap"), "not even until it has answered");
	textbuf_fini(&out);
	world_answer(&w, GCS_STATE, "sampling is off", NULL);
	cr_assert(says("Sampling is off\n"));
	cr_assert_eq(w.app.rect[PANEL_SIDE].w, 0);
	cr_assert_null(view()->now.profile);
}

Test(calls, a_question_that_cannot_be_sent_is_no_answer, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_live(&w, 1);
	w.source.refusal = GCS_STATE;
	world_key(&w, "2");
	world_wait(&w, 0);
	cr_assert_eq(w.source.queries, 1u);
	struct textbuf out = {0};
	dump(&out);
	cr_assert_null(strstr(textbuf_text(&out), "Sampling is off"));
	textbuf_fini(&out);
}

Test(calls, a_question_dies_with_its_connection, .fini = close_world)
{
	open_view();
	app_disconnect(&w.app);
	world_wait(&w, 60000);
	cr_assert(says("Not connected"));
	cr_assert(app_connect(&w.app, "127.0.0.1:3000"));
	w.source.state = SOURCE_LIVE;
	world_wait(&w, 0);
	world_wait(&w, 0);
	cr_assert_eq(w.source.queries, 2u);
}

Test(calls, hostile_answers_are_words, .fini = close_world)
{
	open_view();
	world_answer_bytes(&w, GCS_OK, "", "\x01\xff\xff\xff", 4);
	cr_assert(says("No call sites"));
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_RECENT, 0));
	cr_assert(says("a different kind of profile"));
	world_wait(&w, PROFILES_REFRESH_MS);
	void *large = calloc(1, PROFILES_MOST_BYTES + 1);
	cr_assert_not_null(large);
	world_answer_bytes(&w, GCS_OK, "", large, PROFILES_MOST_BYTES + 1);
	free(large);
	cr_assert(says("too large to show"));
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, (enum gcs_status)77, "\x1b[31m\nwords", NULL);
	cr_assert(says("?[31m?words"));
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_OK, "", profile_strange(GCS_PROFILE_LIVE));
	cr_assert(says("two?lines?and?more"));
	for (int i = 0; i < 10; i++) {
		world_key(&w, "Down");
		world_key(&w, "O");
		world_key(&w, "Shift+PageDown");
		cr_assert(w.app.side_content < 20000, "a deep stack is cut");
	}
	cr_assert(says("more frames"));
}

Test(calls, an_error_later_keeps_what_is_there, .fini = close_world)
{
	open_shop();
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_STATE, "sampling is off", NULL);
	cr_assert(says("Sampling is off (E turns it on), showing the last data"));
	cr_assert(says("HashMap$Node[]"));
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_LIMIT, "", NULL);
	cr_assert(says("No response, showing the last data"));
}

Test(calls, kinds_keep_their_data, .fini = close_world)
{
	open_shop();
	world_key(&w, "Right");
	world_wait(&w, 0);
	cr_assert_str_eq(w.source.kind, "recent");
	world_answer(&w, GCS_OK, "", profile_empty(GCS_PROFILE_RECENT, 524288));
	cr_assert(says("No samples yet"));
	world_key(&w, "Left");
	cr_assert(says("HashMap$Node[]"));
	cr_assert(world_run(&w, "sites_kind allocated\n"));
	cr_assert_eq(w.app.profiles.kind, GCS_PROFILE_ALLOCATED);
	cr_assert_not(world_run(&w, "sites_kind dead\n"));
	world_key(&w, "K");
	cr_assert_eq(w.app.profiles.kind, GCS_PROFILE_LIVE);
}

/* The class in a row, as far as the cell shows it. */
static const char *class_in(uint32_t row)
{
	static char text[TABLE_CELL];
	sites_cell(view(), row, SITES_CLASS_NAME, text, sizeof text);
	text[strcspn(text, "\t")] = 0;
	return text;
}

Test(calls, sorted_by_key_and_by_name, .fini = close_world)
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

Test(calls, the_selected_site_stays_selected, .fini = close_world)
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

Test(calls, movement_by_the_same_keys_as_among_tiles, .fini = close_world)
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

Test(calls, filter_by_keyboard_and_back_step_by_step, .fini = close_world)
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

Test(calls, runtime_frame_by_key_and_by_box, .fini = close_world)
{
	open_shop();
	world_key(&w, "H");
	cr_assert(w.app.profiles.runtime_frame && view()->runtime_frame);
	for (int i = 0; i < 30 && w.app.ui.focus != UI_ID(PANEL_VIEW, PROFILES_RUNTIME_FRAMES); i++)
		world_key(&w, "Tab");
	world_key(&w, "Space");
	cr_assert_not(view()->runtime_frame);
}

Test(calls, pointer_on_tabs_titles_and_rows, .fini = close_world)
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
	struct cv_rect h = w.app.rect[PANEL_HEADER];
	world_click(&w, h.x + 20, h.y + 12, 1);
	cr_assert(w.app.view == &heap_view);
	world_click(&w, h.x + 120, h.y + 12, 1);
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

Test(calls, profile_is_saved_compressed, .fini = close_world)
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

Test(calls, copied_as_a_table, .fini = close_world)
{
	open_shop();
	world_key(&w, "Ctrl+C");
	cr_assert(strstr(w.clipboard, "Bytes\t\xc2\xb1\tShare\tObjects\tSamples\tAge\tClass\tTop "
				      "frame\tOutside the JDK\n") != NULL);
	cr_assert(strstr(w.clipboard, "\tHashMap$Node[] java.util\tHashMap.resize "
				      "HashMap.java:702\tSessions.open Sessions.java:57\n") != NULL,
	    "%s", w.clipboard);
}

Test(calls, nothing_is_painted_when_nothing_changed, .fini = close_world)
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

Test(calls, any_size_of_the_window, .fini = close_world)
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

Test(calls, a_monkey_at_keyboard_mouse_and_server, .fini = close_world)
{
	uint64_t state = kit_seed();
	open_view();
	for (int i = 0; i < 3000; i++) {
		do_something(&state);
		answer_something(&state);
		world_wait(&w, kit_below(&state, 2000));
		cr_assert(
		    view()->table.selected == TABLE_NONE || view()->table.selected < view()->rows);
		cr_assert_geq(view()->table.scroll, 0);
		if (i % 20 == 0 && w.app.view == &sites_view)
			compare_with_full_repaint();
	}
}

Test(calls, waits_for_the_answer_in_scripts, .fini = close_world)
{
	open_view();
	cr_assert_not(world_run(&w, "wait answer\n"));
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	cr_assert(world_run(&w, "wait answer\nheap_map\nwait answer\n"));
}

/* Live is what has survived; the rest has a total, and a column when asked for. */
Test(calls, what_is_not_collected_yet_is_apart, .fini = close_world)
{
	struct gcs_profile *p = profile_shop(GCS_PROFILE_LIVE, 0);
	profile_add_new(p, 3);
	open_view();
	world_answer(&w, GCS_OK, "", p);
	cr_assert_eq(view()->rows, 10u);
	cr_assert(calls_says(&w, "Live: survived young collection 40"));
	cr_assert(calls_says(&w, "old objects judged by old collection 31"));
	cr_assert(calls_says(&w, "MiB of 166 MiB used ("));
	cr_assert(calls_says(&w, "are not seen"));
	cr_assert(calls_says(&w, "Not collected yet: 3 MiB"));
	cr_assert_eq(sites_column_count(view()), SITES_NEW);
	world_key(&w, "Shift+I");
	cr_assert_eq(view()->rows, 11u);
	cr_assert_eq(sites_column_count(view()), SITES_COLUMNS);
	cr_assert(world_run(&w, "sites_sort new\n"));
	cr_assert(calls_says(&w, "0 B\t\xc2\xb1 0 B\t0.0 %"));
	cr_assert(calls_says(&w, "Request.parse Request.java:12\t3 MiB"));
	char *state = view_state_of(&w.app, VIEW_SITES, STATE_STYLE);
	cr_assert_not_null(strstr(state, "on"), "%s", state);
	free(state);
	world_run(&w, "sites_new off\n");
	cr_assert_eq(view()->rows, 10u);
}

/* Growth is that of survivors, per minute; without a collection between it is not known. */
Test(calls, growth_needs_a_collection_between, .fini = close_world)
{
	open_shop();
	world_key(&w, "Ctrl+D");
	struct gcs_profile *p = profile_shop(GCS_PROFILE_LIVE, 0);
	profile_add_new(p, 30);
	calls_next(&w, p);
	cr_assert(
	    calls_says(&w, "growth is not known: no collection between: young collection 40"));
	cr_assert(calls_says(&w, "not known\tnot known\tnot known"));
	cr_assert_eq(view()->rows, 10u, "what is new has not grown");
	world_key(&w, "4");
	cr_assert(calls_says(&w, "not known\tnot known\tnot known"));
	world_key(&w, "2");
	calls_next(&w, profile_shop(GCS_PROFILE_LIVE, 20));
	cr_assert(calls_says(&w, "growth per minute, of survivors"));
	cr_assert(calls_says(&w, "Bytes/min"));
	/* 20 samples more of one site in the 60 s between the collections. */
	for (uint32_t i = 0; i < view()->rows; i++) {
		const struct gcs_change *c = &view()->row[i].change;
		char cell[TABLE_CELL], rate[64];
		cr_assert(c->before != NULL && c->after != NULL);
		sites_cell(view(), i, SITES_BYTES, cell, sizeof cell);
		sites_put_change(
		    rate, sizeof rate, sites_put_bytes, c->after->bytes - c->before->bytes);
		cr_assert_str_eq(cell, rate);
	}
}

Test(calls, an_older_server_says_what_its_live_is, .fini = close_world)
{
	struct gcs_profile_head head = {.kind = GCS_PROFILE_LIVE,
	    .server = "",
	    .as_of = "",
	    .interval = 1,
	    .live_includes_new = true};
	struct gcs_profile *p = gcs_profile_create(&head);
	profile_add_new(p, 2);
	const struct profiles_live *live = &w.app.profiles.live;
	open_view();
	world_answer(&w, GCS_OK, "", p);
	cr_assert_eq(view()->rows, 1u, "they are not told apart");
	cr_assert_not_null(strstr(live->text, "Live includes what was allocated since the last"));
	cr_assert_null(strstr(live->text, "Not collected yet"));
}
