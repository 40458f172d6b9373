/* What the pointer leaves behind, the buttons at a mouse's side, who is greeted. */
#include <criterion/criterion.h>
#include <string.h>

#include "heap_view.h"
#include "ui_world.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static struct heap *heap(void)
{
	return w.app.views[VIEW_HEAP];
}

Test(pointer, side_buttons_go_back_and_forward, .fini = close_world)
{
	world_open(&w, 1000, 700);
	world_live(&w, 2);
	world_wait(&w, 2000);
	world_key(&w, "6");
	world_wait(&w, 2000);
	world_key(&w, "5");
	world_wait(&w, 2000);
	const struct tile_ref selected = w.app.selected;
	world_click(&w, 300, 300, BUTTON_BACK);
	cr_assert_eq(w.app.view_id, VIEW_CHARTS);
	world_click(&w, 300, 300, BUTTON_BACK);
	cr_assert_eq(w.app.view_id, VIEW_HEAP);
	world_click(&w, 300, 300, BUTTON_BACK);
	cr_assert_str_eq(w.app.toast, "Nothing to go back to");
	world_click(&w, 300, 300, BUTTON_FORWARD);
	cr_assert_eq(w.app.view_id, VIEW_CHARTS);
	cr_assert_eq(w.app.selected.space, selected.space, "what is below is not clicked");
	/* A dialog is not left by them. */
	world_key(&w, "?");
	world_click(&w, 300, 300, BUTTON_FORWARD);
	cr_assert(w.app.modal == MODAL_HELP && w.app.view_id == VIEW_CHARTS);
}

/* The pixels of the window above the timeline. */
static uint64_t picture(void)
{
	uint64_t hash = 1;
	app_frame(&w.app);
	for (int i = 0; i < w.app.cv.w * 400; i++)
		hash = (hash ^ w.app.cv.px[i]) * UINT64_C(0x100000001b3);
	return hash;
}

Test(pointer, tools_go_when_it_leaves, .fini = close_world)
{
	world_open(&w, 1000, 700);
	world_live(&w, 2);
	const uint64_t before = picture();
	const struct heap_item *item = heap_find(heap(), WORLD_CARDS);
	const struct cv_rect r = heap_item_rect(heap(), &w.app, item);
	static const struct {
		enum ui_event_kind kind;
		int x, y;
	} away[] = {
	    {EV_LEAVE, -1, -1}, {EV_MOVE, 200, 20}, {EV_MOVE, 200, 690}, {EV_MOVE, 900, 300}};
	for (size_t i = 0; i < sizeof away / sizeof *away; i++) {
		world_move(&w, r.x + 40, r.y + 8);
		cr_assert_eq(heap()->bar, (uint32_t)WORLD_CARDS);
		cr_assert_neq(picture(), before, "the tools are there");
		app_event(&w.app,
		    &(struct ui_event){.kind = away[i].kind, .x = away[i].x, .y = away[i].y});
		app_frame(&w.app);
		cr_assert_eq(heap()->bar, GCS_NONE, "%zu", i);
		app_event(&w.app, &(struct ui_event){.kind = EV_LEAVE, .x = -1, .y = -1});
		cr_assert_eq(picture(), before, "%zu", i);
	}
}

static struct gcs_model *other_model(void)
{
	struct gcs_model *model = gcs_model_create("Another server");
	struct gcs_error err = {.text = ""};
	static const struct gcs_stream stream = {
	    .name = "Used", .type = GCS_TYPE_I8, .max = 1, .max_stream = GCS_NONE};
	gcs_model_add_group(
	    model, &(struct gcs_group){.name = "Its group", .parent = GCS_NONE}, NULL, &err);
	gcs_model_add_space(model,
	    &(struct gcs_space){.name = "Its space",
		.description = "",
		.tile_title = "Tile",
		.block_info = "",
		.unused_text = "",
		.group = 0,
		.stream_count = 1,
		.streams = &stream},
	    NULL, &err);
	cr_assert_eq(model->space_count, 1u, "%s", err.text);
	return model;
}

static void show_other(void)
{
	struct gcs_model *model = other_model();
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	cr_assert(s != NULL && gcs_snapshot_resize(s, 0, 20));
	gcs_snapshot_set_gathered(s, 0, true);
	world_put(&w, s);
	gcs_snapshot_unref(s);
	gcs_model_unref(model);
}

Test(pointer, another_server_is_named, .fini = close_world)
{
	world_open(&w, 1000, 700);
	world_live(&w, 2);
	cr_assert_eq(w.app.toast[0], 0, "the first one needs no words");
	world_key(&w, "G");
	cr_assert_eq(w.source.collapses, 1u);
	/* From a living connection straight to another one. */
	cr_assert(app_connect(&w.app, "127.0.0.1:4000"));
	w.source.state = SOURCE_LIVE;
	app_poll(&w.app);
	cr_assert_eq(w.source.collapses, 1u, "its groups are not known yet");
	show_other();
	cr_assert_str_eq(w.app.toast, "Connected to Another server");
	cr_assert_eq(w.source.collapses, 1u, "and are others");
	cr_assert_not(w.app.group_closed[0]);
	world_key(&w, "G");
	cr_assert_eq(w.source.collapses, 2u);
	/* The same address again: most likely the same server, named at once. */
	cr_assert(app_connect(&w.app, "127.0.0.1:4000"));
	w.source.state = SOURCE_LIVE;
	app_poll(&w.app);
	cr_assert_eq(w.source.collapses, 3u);
}
