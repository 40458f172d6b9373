/* What the views say about samples: which are live, what they cover, growth, the line of one's own
 * code, collections on request (S3, S6, S8). */
#include <criterion/criterion.h>
#include <gcspy/memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flame_view.h"
#include "kit.h"
#include "palette.h"
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

Test(samples, waits_for_the_answer_in_scripts, .fini = close_world)
{
	open_view();
	cr_assert_not(world_run(&w, "wait answer\n"));
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	cr_assert(world_run(&w, "wait answer\nheap_map\nwait answer\n"));
}

/* Live is what has survived; the rest has a total, and a column when asked for. */
Test(samples, what_is_not_collected_yet_is_apart, .fini = close_world)
{
	struct gcs_profile *p = profile_shop(GCS_PROFILE_LIVE, 0);
	profile_add_new(p, 3);
	open_view();
	world_answer(&w, GCS_OK, "", p);
	cr_assert_eq(view()->rows, 10u);
	cr_assert(calls_says(&w, "Live\tsurvived young collection 40"));
	cr_assert(calls_says(&w, "old objects judged by old collection 31"));
	cr_assert(calls_says(&w, "MiB of 166 MiB used ("));
	cr_assert(calls_says(&w, "was allocated before the sampling (since "));
	cr_assert(calls_says(&w, "New\t3 MiB not collected yet"));
	cr_assert_eq(sites_column_count(view()), SITES_NEW);
	world_key(&w, "Shift+I");
	cr_assert_eq(view()->rows, 11u);
	cr_assert_eq(sites_column_count(view()), SITES_COLUMNS);
	cr_assert(world_run(&w, "sites_sort new\n"));
	cr_assert(calls_says(&w, "0 B\t\xc2\xb1 0 B\t0.0 %"));
	cr_assert(calls_says(&w, "Request.parse:12 Request.java\t3 MiB"));
	char *state = view_state_of(&w.app, VIEW_SITES, STATE_STYLE);
	cr_assert_not_null(strstr(state, "on"), "%s", state);
	free(state);
	world_run(&w, "sites_new off\n");
	cr_assert_eq(view()->rows, 10u);
}

static struct cv_rect offer;

static void note_offer(void *context, uint32_t id, struct cv_rect r)
{
	(void)context;
	if (id == UI_ID(PANEL_VIEW, PROFILES_OFFER))
		offer = r;
}

/* Samples of which nothing is live, with as many collections. */
static struct gcs_profile *without_survivors(uint64_t collections)
{
	struct gcs_profile_head head = {.kind = GCS_PROFILE_LIVE,
	    .server = "",
	    .as_of = "",
	    .interval = 1,
	    .samples = 2788,
	    .judged = {collections, 1, "young"},
	    .died = collections > 0 ? 2788 : 0};
	return gcs_profile_create(&head);
}

/* S3: all are garbage, or no collection has told yet, which one can ask for. */
Test(samples, no_survivors_have_a_reason, .fini = close_world)
{
	open_view();
	w.app.ui.area = note_offer;
	world_answer(&w, GCS_OK, "", without_survivors(47));
	cr_assert(calls_says(&w, "No survivors in this profile"));
	cr_assert(calls_says(&w, "None of the sampled objects that a collection has judged"));
	struct gcs_profile *p = without_survivors(47);
	profile_add_new(p, 2);
	calls_next(&w, p);
	cr_assert(calls_says(&w, "None of the sampled objects that a collection has judged"));
	world_move(&w, 5, 300);
	cr_assert(rect_empty(offer), "a collection would change nothing");
	p = without_survivors(0);
	profile_add_new(p, 2);
	calls_next(&w, p);
	cr_assert(calls_says(&w, "no collection had judged its sampled objects"));
	world_move(&w, 6, 300);
	cr_assert_not(rect_empty(offer));
	world_click(&w, offer.x + 5, offer.y + 5, 1);
	cr_assert_eq(w.app.modal, MODAL_COLLECT);
}

Test(samples, no_survivors_in_a_tile, .fini = close_world)
{
	open_view();
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	profiles_show_place(&w.app, "range=0x1000-0x2000");
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", without_survivors(47));
	cr_assert(calls_says(&w, "No survivors in 0x1000–0x2000"));
	cr_assert(calls_says(&w, "judged is alive. Escape shows all call sites."));
}

/* The line above a table is about its kind. */
Test(samples, totals_are_since_sampling_began, .fini = close_world)
{
	char text[400];
	bool warn;
	open_view();
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	profiles_head_text(&w.app, text, sizeof text, &warn);
	cr_assert_not_null(strstr(text, "Live: survived"), "%s", text);
	cr_assert(world_run(&w, "sites_kind allocated\n"));
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_ALLOCATED, 0));
	profiles_head_text(&w.app, text, sizeof text, &warn);
	cr_assert_str_eq(text, "since sampling began");
}

/* Growth is that of survivors, per minute; without a collection between it is not known. */
Test(samples, growth_needs_a_collection_between, .fini = close_world)
{
	open_view();
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
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

Test(samples, an_older_server_says_what_its_live_is, .fini = close_world)
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
	cr_assert_not_null(strstr(live->judged, "Live includes what was allocated since the last"));
	cr_assert_str_empty(live->new_bytes);
}

static uint32_t named(const char *name)
{
	return calltree_find_name(flame_part(w.app.views[VIEW_FLAME]), name);
}

/* Without a collection between, no view has colours or figures of growth. */
Test(samples, unknown_growth_has_no_colour, .fini = close_world)
{
	calls_open_shop(&w, "3", 960, 640);
	const struct flame_view *flame = w.app.views[VIEW_FLAME];
	world_key(&w, "Shift+A");
	world_key(&w, "Ctrl+D");
	calls_next(&w, profile_shop(GCS_PROFILE_LIVE, 0));
	calls_settle(&w);
	const uint32_t frames = gcs_tree_count(flame_part(flame)->tree);
	const uint32_t neutral = flame_colour(flame, 0);
	for (double part = -1; part <= 1; part += 0.25)
		cr_assert_neq(neutral, palette_change(part));
	for (uint32_t i = 0; i < frames; i++)
		cr_assert_eq(flame_colour(flame, i), neutral);
	const struct cv_rect r = flame_rect(flame, &w.app, named("PageWriter.flush"));
	world_move(&w, r.x + 10, r.y + 5);
	cr_assert_not_null(strstr(w.app.ui.tip, "Bytes\tnot known"), "%s", w.app.ui.tip);
	cr_assert_not_null(strstr(w.app.ui.tip, "Objects\tnot known"));
	cr_assert_null(strstr(w.app.ui.tip, "0.0 %"));
	world_move(&w, 2, 2);
	world_wait(&w, TOAST_MS);
	cr_assert(world_golden(&w, "flame-unknown"));
	world_key(&w, "4");
	calls_settle(&w);
	cr_assert(
	    calls_says(&w, "not known\tnot known\tnot known\tnot known\tnot known\tnot known\t0"));
	/* With one, it is known. */
	world_key(&w, "3");
	calls_next(&w, profile_shop(GCS_PROFILE_LIVE, 1));
	calls_settle(&w);
	cr_assert_neq(flame_colour(flame, 0), neutral);
}

static const char *facts(void)
{
	static char text[4000];
	struct textbuf out = {0};
	profiles_facts(&w.app, &out);
	snprintf(text, sizeof text, "%s", textbuf_text(&out));
	textbuf_fini(&out);
	return text;
}

/* Two lines above the data; hovering and the general information have the rest. */
Test(samples, the_header_has_two_lines, .fini = close_world)
{
	static const char *const all[] = {"Live\tsurvived young collection 42", "old collection 31",
	    "Coverage\tSamples cover ", "\n\tthe rest is what had not been collected yet",
	    "gcspy histogram", "New\t0 B not collected yet", "As of\t",
	    "Sampling\tevery 512 KiB since ", "Samples\t6,102", "Tracked\t1,911",
	    "Missing\t12 dropped (memory budget)", "Missing\t3 lost (buffer full)"};
	char line[900];
	bool warn;
	open_view();
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 2));
	profiles_head_text(&w.app, line, sizeof line, &warn);
	cr_assert_eq(strncmp(line, "Live: survived young collection 42", 34), 0, "%s", line);
	cr_assert_not(warn);
	profiles_cover_text(&w.app, line, sizeof line);
	cr_assert_not_null(strstr(line, " of 166 MiB used (58 %) \xc2\xb7 6,102 samples"));
	profiles_loss_text(&w.app, line, sizeof line);
	cr_assert_str_eq(line, "15 samples missing");
	const struct cv_rect table = view()->table_at;
	world_move(&w, table.x + 200, table.y - ui_px(&w.app.ui, 54));
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		cr_assert_not_null(strstr(facts(), all[i]), "%s: %s", all[i], facts());
		cr_assert_not_null(strstr(w.app.ui.tip, all[i]), "%s: %s", all[i], w.app.ui.tip);
	}
	world_key(&w, "I");
	world_key(&w, "Ctrl+C");
	cr_assert_not_null(strstr(w.clipboard, "Coverage\tSamples cover "));
	world_key(&w, "Escape");
	/* Lines too long for a narrow window do not take more room. */
	const int height = view()->table_at.y - w.app.rect[PANEL_VIEW].y;
	app_resize(&w.app, 700, 640);
	app_frame(&w.app);
	cr_assert_eq(view()->table_at.y - w.app.rect[PANEL_VIEW].y, height);
}

/* The first frame outside the JDK and libraries is beside the leaf in every view. */
Test(samples, the_line_of_ones_own_code, .fini = close_world)
{
	static const char handler[] =
	    "library com.example.shop.render. com.example.shop.session.\n";
	struct flame_view *flame;
	calls_open_shop(&w, "2", 1200, 640);
	cr_assert(calls_says(&w, "PageWriter.flush:88 PageWriter.java"));
	cr_assert(calls_says(&w, "Sessions.open:57 Sessions.java"));
	world_key(&w, "3");
	flame = w.app.views[VIEW_FLAME];
	flame_select(flame, &w.app, named("Arrays.copyOf"));
	cr_assert(calls_says(&w, "Outside the JDK\tPageWriter.flush\n\tPageWriter.java:88\n"));
	flame_select(flame, &w.app, named("ThreadPoolExecutor.runWorker"));
	cr_assert(calls_says(&w, "\tPageWriter.java:88, largest of 10 sites\n"));
	cr_assert(world_run(&w, handler));
	calls_settle(&w);
	flame_select(flame, &w.app, named("Arrays.copyOf"));
	cr_assert(calls_says(&w, "Outside libraries\tHandler.handle\n\tHandler.java:41\n"));
	const struct cv_rect r = flame_rect(flame, &w.app, named("Arrays.copyOf"));
	world_move(&w, r.x + 10, r.y + 5);
	cr_assert_not_null(strstr(w.app.ui.tip, "Outside libraries\tHandler.handle"));
	world_key(&w, "2");
	cr_assert(calls_says(&w, "Outside libraries"));
	cr_assert(calls_says(&w, "Handler.handle:38 Handler.java"));
	world_key(&w, "4");
	calls_settle(&w);
	cr_assert(calls_says(&w, "\tName\tOutside libraries\n"));
	cr_assert(calls_says(&w, "\tall\tHandler.handle:41 Handler.java\n"));
	cr_assert(world_run(&w, "sites_sort own\nlibrary none\n"));
	calls_settle(&w);
	cr_assert(calls_says(&w, "\tName\tOutside the JDK\n"));
	cr_assert(calls_says(&w, "\tall\tPageWriter.flush:88 PageWriter.java\n"));
	char many[300] = "library";
	for (int i = 0; i <= PROFILES_LIBRARIES; i++)
		snprintf(many + strlen(many), sizeof many - strlen(many), " a%d.", i);
	cr_assert_not(world_run(&w, strcat(many, "\n")));
	cr_assert_str_empty(w.app.profiles.libraries.text);
}

/* A collection is agreed to once for a program, and its result is reported. */
Test(samples, a_collection_is_asked_for, .fini = close_world)
{
	static const char done[] = "collection=41\npause=12300000\n";
	calls_open_shop(&w, "2", 960, 640);
	const unsigned queries = w.source.queries;
	world_key(&w, "Ctrl+G");
	cr_assert_eq(w.app.modal, MODAL_COLLECT);
	cr_assert(world_golden(&w, "collect"));
	world_key(&w, "Escape");
	cr_assert_eq(w.source.queries, queries, "not agreed to");
	world_key(&w, "Ctrl+G");
	world_key(&w, "Enter");
	cr_assert_eq(w.app.modal, MODAL_NONE);
	cr_assert_str_eq(w.source.topic, "gc");
	world_answer_bytes(&w, GCS_OK, "", done, sizeof done - 1);
	cr_assert_str_eq(w.app.toast, "Collection 41 paused the program for 12.3 ms");
	world_wait(&w, 0);
	cr_assert_str_eq(w.source.kind, "live", "it has judged what was new");
	/* While another answer is awaited, it waits its turn. */
	world_key(&w, "Ctrl+G");
	cr_assert_eq(w.app.modal, MODAL_NONE, "agreed to before");
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 1));
	cr_assert_str_eq(w.source.topic, "gc");
	world_answer(&w, GCS_UNSUPPORTED, "Epsilon does not collect garbage", NULL);
	cr_assert_str_eq(w.app.toast, "No collection: Epsilon does not collect garbage");
	w.source.refusal = GCS_UNSUPPORTED;
	cr_assert(world_run(&w, "collect now\n"));
	cr_assert_str_eq(w.app.toast, "No collection: this server does not collect on request");
	w.source.refusal = GCS_OK;
	world_key(&w, "Ctrl+G");
	world_answer_bytes(&w, GCS_OK, "", "nonsense", 8);
	cr_assert_str_eq(w.app.toast, "No collection: the server's answer is not understood");
	app_disconnect(&w.app);
	cr_assert_not(world_run(&w, "collect now\n"));
	cr_assert_str_eq(w.app.toast, "No collection: not connected");
}
