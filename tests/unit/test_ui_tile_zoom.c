/*
 * Tiles that stand for the same memory, and zooms into them, as a user sees them (F15, F16): a
 * world whose threads have buffers in the regions, and a server whose part the test plays.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "ui_world.h"

enum { VALUE, CONTROL, START, END, STREAMS };
enum { BLOCK = 65536, FINE = 4096, TILES = 16, MIB = 1 << 20 };
enum { FIRST_ZOOM = WORLD_SPACES, SECOND_ZOOM };

#define BASE UINT64_C(0x700000000)

static struct world w;
static struct gcs_error err;

static const struct gcs_stream streams[STREAMS] = {
    [VALUE] = {.name = "Used",
	.type = GCS_TYPE_I32,
	.presentation = GCS_PERCENT,
	.max = BLOCK,
	.format = GCS_BYTES,
	.paint = GCS_PAINT_ZERO,
	.max_stream = GCS_NONE},
    [CONTROL] = {.name = "Control",
	.role = GCS_ROLE_CONTROL,
	.type = GCS_TYPE_I8,
	.max = 63,
	.initial = GCS_TILE_USED,
	.max_stream = GCS_NONE},
    [START] = {.name = "Start",
	.role = GCS_ROLE_RANGE_START,
	.type = GCS_TYPE_I64,
	.max = INT64_MAX,
	.format = GCS_HEX,
	.max_stream = GCS_NONE},
    [END] = {.name = "End",
	.role = GCS_ROLE_RANGE_END,
	.type = GCS_TYPE_I64,
	.max = INT64_MAX,
	.format = GCS_HEX,
	.max_stream = GCS_NONE},
};

static const struct gcs_space threads = {.name = "TLABs",
    .tile_title = "Thread",
    .block_info = "1 thread to a tile",
    .group = 1,
    .kind = GCS_SPACE_LIST,
    .stream_count = STREAMS,
    .streams = streams};

static void close_world(void)
{
	world_close(&w);
}

/* Makes a change of the description; the next snapshots have it. */
static struct gcs_model *begin_change(void)
{
	struct gcs_model *m = gcs_model_copy(w.model);
	world_must(m != NULL, "gcs_model_copy");
	return m;
}

static void end_change(struct gcs_model *m)
{
	gcs_model_unref(w.model);
	w.model = m;
}

static void fill(
    struct gcs_snapshot *s, uint32_t space, uint32_t tile, uint64_t start, uint64_t end)
{
	gcs_snapshot_write(s, space, VALUE)[tile] = (int64_t)(tile * 4001 % BLOCK);
	gcs_snapshot_write(s, space, START)[tile] = (int64_t)start;
	gcs_snapshot_write(s, space, END)[tile] = (int64_t)end;
}

/* Three buffers: in region 120, in 121 and 122, and none. */
static void fill_buffers(struct gcs_snapshot *s)
{
	static const char *const names[] = {"main", "worker-1", "worker-2"};
	gcs_snapshot_resize(s, WORLD_THREADS, 3);
	fill(s, WORLD_THREADS, 0, BASE + 120 * MIB + BLOCK, BASE + 120 * MIB + 2 * BLOCK);
	fill(s, WORLD_THREADS, 1, BASE + 122 * MIB - 100, BASE + 122 * MIB + BLOCK);
	fill(s, WORLD_THREADS, 2, 0, 0);
	for (uint32_t i = 0; i < 3; i++)
		gcs_snapshot_set_name(s, WORLD_THREADS, i, names[i]);
	gcs_snapshot_set_gathered(s, WORLD_THREADS, true);
}

static void fill_zoom(struct gcs_snapshot *s, uint32_t space, uint64_t start, uint64_t block)
{
	if (space >= gcs_snapshot_model(s)->space_count ||
	    gcs_snapshot_model(s)->spaces[space].gone)
		return;
	gcs_snapshot_resize(s, space, TILES);
	for (uint32_t i = 0; i < TILES; i++)
		fill(s, space, i, start + i * block, start + (i + 1) * block);
	gcs_snapshot_set_gathered(s, space, true);
}

/* One more event with all of it. */
static void event(void)
{
	struct gcs_snapshot *made = world_snapshot(w.model, w.last, w.step++);
	struct gcs_snapshot *s = gcs_snapshot_begin(w.model, made);
	struct gcs_occurrence o = *gcs_snapshot_occurrence(made);
	gcs_snapshot_set_occurrence(s, &o);
	gcs_snapshot_set_gathered(s, WORLD_REGIONS, true);
	gcs_snapshot_set_gathered(s, WORLD_CARDS, true);
	fill_buffers(s);
	fill_zoom(s, FIRST_ZOOM, BASE + 120 * MIB, BLOCK);
	fill_zoom(s, SECOND_ZOOM, BASE + 120 * MIB + BLOCK, FINE);
	gcs_snapshot_unref(w.last);
	gcs_snapshot_unref(made);
	w.last = s;
	struct world_source *q = &w.source;
	q->queue[(q->first + q->count++) % WORLD_QUEUE] = gcs_snapshot_ref(s);
	app_poll(&w.app);
	app_frame(&w.app);
}

static void open_world(int width, int height)
{
	world_open(&w, width, height);
	struct gcs_model *m = begin_change();
	cr_assert_eq(gcs_model_set_space(m, WORLD_THREADS, &threads, &err), GCS_OK, "%s", err.text);
	end_change(m);
	world_live(&w, 0);
	for (int i = 0; i < 4; i++)
		event();
}

/* The server describes a zoom, and answers. */
static void grant(uint32_t id, const char *name, uint64_t block)
{
	struct gcs_model *m = begin_change();
	struct gcs_space space = {.name = name,
	    .tile_title = "Block",
	    .block_info = block == BLOCK ? "Blocks of 64 KiB" : "Blocks of 4 KiB",
	    .group = 0,
	    .block_bytes = block,
	    .stream_count = STREAMS,
	    .streams = streams};
	enum gcs_status status = id < m->space_count ? gcs_model_set_space(m, id, &space, &err)
						     : gcs_model_add_space(m, &space, NULL, &err);
	cr_assert_eq(status, GCS_OK, "%s", err.text);
	end_change(m);
	world_answer_zoom(&w, GCS_OK, "", (uint8_t)id);
}

static void withdraw(uint32_t id)
{
	struct gcs_model *m = begin_change();
	cr_assert_eq(gcs_model_remove_space(m, id, &err), GCS_OK);
	end_change(m);
	event();
}

static const char *text(void)
{
	return window_text(&w.app);
}

static bool says(const char *what)
{
	return strstr(text(), what) != NULL;
}

static struct cv_rect tile_at(uint32_t space, uint32_t tile)
{
	struct cv_rect r;
	cr_assert(w.app.view->place(w.app.view_self, &w.app, space, tile, &r));
	return r;
}

/* The pixel on the upper edge of a tile's frame. */
static bool framed(uint32_t space, uint32_t tile)
{
	struct cv_rect r = tile_at(space, tile);
	int gap = r.w >= 16 ? 2 : 1;
	uint32_t px =
	    w.app.cv.px[(size_t)(r.y - gap) * (size_t)w.app.cv.w + (size_t)(r.x + r.w / 2)];
	return (px & 0xffffff) == w.app.ui.theme->related;
}

Test(tile_zoom, a_buffer_shows_its_region_and_a_region_its_buffers, .fini = close_world)
{
	open_world(900, 700);
	cr_assert(world_run(&w, "select TLABs 0\n")); /* which unfolds them */
	cr_assert(says("Same memory\t120 in G1 regions"), "%s", text());
	cr_assert(framed(WORLD_REGIONS, 120) && !framed(WORLD_REGIONS, 121));
	cr_assert(world_run(&w, "select TLABs 1\n"));
	cr_assert(says("Same memory\t121, 122 in G1 regions"), "%s", text());
	cr_assert(!framed(WORLD_REGIONS, 120) && framed(WORLD_REGIONS, 121) &&
		  framed(WORLD_REGIONS, 122));
	cr_assert(world_run(&w, "select TLABs 2\n"));
	cr_assert_not(says("Same memory"), "a thread without a buffer");
	cr_assert_not(framed(WORLD_REGIONS, 121));
	cr_assert(world_run(&w, "select G1 regions 122\n"));
	cr_assert(says("Same memory\tworker-1 in TLABs"), "%s", text());
	cr_assert(framed(WORLD_THREADS, 1) && !framed(WORLD_THREADS, 0));
	cr_assert_not(framed(WORLD_REGIONS, 122), "its own space has the selection");
	world_key(&w, "Escape");
	cr_assert_not(framed(WORLD_THREADS, 1));
}

/* A buffer that moves takes the frame along; marks survive events and are taken away again. */
Test(tile_zoom, frames_follow_the_values, .fini = close_world)
{
	open_world(900, 700);
	cr_assert(world_run(&w, "select TLABs 0\n"));
	event();
	cr_assert(framed(WORLD_REGIONS, 120));
	struct gcs_snapshot *s = gcs_snapshot_begin(w.model, w.last);
	fill(s, WORLD_THREADS, 0, BASE + 7 * MIB, BASE + 9 * MIB);
	app_show(&w.app, s);
	gcs_snapshot_unref(s);
	app_frame(&w.app);
	cr_assert(framed(WORLD_REGIONS, 7) && framed(WORLD_REGIONS, 8));
	cr_assert(!framed(WORLD_REGIONS, 120) && !framed(WORLD_REGIONS, 9));
}

Test(tile_zoom, into_a_tile_and_back, .fini = close_world)
{
	open_world(900, 700);
	cr_assert(world_run(&w, "select G1 regions 120\nkey Z\n"));
	cr_assert(w.source.zooms == 1 && w.source.zoom_space == WORLD_REGIONS &&
		  w.source.zoom_start == BASE + 120 * MIB &&
		  w.source.zoom_end == BASE + 121 * MIB && w.source.zoom_block == BLOCK);
	cr_assert(tile_zoom_waits(&w.app));
	grant(FIRST_ZOOM, "G1 regions 0x707800000-0x707900000 at 64 KiB", BLOCK);
	cr_assert(tile_zoom_waits(&w.app), "it is not in the picture yet");
	event();
	cr_assert_not(tile_zoom_waits(&w.app));
	cr_assert(w.app.active_space == FIRST_ZOOM && w.app.selected.space == FIRST_ZOOM &&
		  w.app.selected.tile == 0);
	cr_assert(says("G1 regions > 120 \xc2\xb7 16 tiles"), "%s", text());
	cr_assert(framed(WORLD_REGIONS, 120), "at its location");
	cr_assert(world_run(&w, "select G1 regions 120\n"));
	cr_assert(says("0 \xe2\x80\x93 15 in G1 regions 0x707800000"), "%s", text());
	for (uint32_t i = 0; i < TILES; i++)
		cr_assert(framed(FIRST_ZOOM, i), "a region shows its zoom: %u", i);
	world_key(&w, "Shift+Z");
	cr_assert(w.source.unzooms == 1 && w.source.unzoom_space == FIRST_ZOOM);
	cr_assert(w.app.selected.space == WORLD_REGIONS && w.app.selected.tile == 120);
	cr_assert_not(says("at 64 KiB\t"), "it is not shown any more, though no event came");
	withdraw(FIRST_ZOOM);
	cr_assert_eq(w.app.active_space, WORLD_REGIONS);
	world_key(&w, "Shift+Z");
	cr_assert_eq(w.source.unzooms, 1, "there is none left");
	cr_assert(strstr(w.app.toast, "No zoom") != NULL);
}

Test(tile_zoom, zooms_stack, .fini = close_world)
{
	open_world(900, 700);
	cr_assert(world_run(&w, "select G1 regions 120\nlook_closer\n"));
	grant(FIRST_ZOOM, "G1 regions 0x707800000-0x707900000 at 64 KiB", BLOCK);
	event();
	cr_assert(world_run(&w, "key Right\nkey Z\n"));
	cr_assert(w.source.zoom_space == FIRST_ZOOM && w.source.zoom_block == FINE &&
		  w.source.zoom_start == BASE + 120 * MIB + BLOCK);
	grant(SECOND_ZOOM, "G1 regions 0x707810000-0x707820000 at 4 KiB", FINE);
	event();
	cr_assert(says("G1 regions > 120 > 1 \xc2\xb7 16 tiles"), "%s", text());
	cr_assert(framed(FIRST_ZOOM, 1) && framed(WORLD_REGIONS, 120) && framed(WORLD_THREADS, 0));
	world_key(&w, "Shift+Z");
	cr_assert_eq(w.source.unzoom_space, SECOND_ZOOM);
	cr_assert(w.app.selected.space == FIRST_ZOOM && w.app.selected.tile == 1);
	world_key(&w, "Shift+Z");
	cr_assert_eq(w.source.unzoom_space, FIRST_ZOOM);
	cr_assert(w.app.selected.space == WORLD_REGIONS && w.app.selected.tile == 120);
}

/* From a space without blocks: into the memory that the tile stands for. */
Test(tile_zoom, into_a_buffer, .fini = close_world)
{
	open_world(900, 700);
	cr_assert(world_run(&w, "select TLABs 0\nlook_closer\n"));
	cr_assert(w.source.zoom_space == WORLD_REGIONS &&
		  w.source.zoom_start == BASE + 120 * MIB + BLOCK && w.source.zoom_block == FINE);
}

Test(tile_zoom, what_cannot_be_done_is_said, .fini = close_world)
{
	open_world(900, 700);
	world_key(&w, "Z");
	cr_assert(strstr(w.app.toast, "Select the tile") != NULL, "%s", w.app.toast);
	cr_assert_not(world_run(&w, "select TLABs 2\nlook_closer\n"));
	cr_assert(strstr(w.app.toast, "no memory to zoom into") != NULL, "%s", w.app.toast);
	cr_assert_not(world_run(&w, "select Card table 2\nlook_closer\n"));
	cr_assert_eq(w.source.zooms, 0);
	cr_assert(world_run(&w, "select G1 regions 120\nlook_closer\n"));
	cr_assert_not(world_run(&w, "look_closer\n"));
	cr_assert(strstr(w.app.toast, "still pending") != NULL, "%s", w.app.toast);
	world_answer_zoom(&w, GCS_LIMIT, "a client has at most 8 zooms: release one", 0);
	cr_assert(strstr(w.app.toast, "at most 8 zooms") != NULL, "%s", w.app.toast);
	cr_assert_not(tile_zoom_waits(&w.app));
	w.source.refusal = GCS_UNSUPPORTED;
	cr_assert_not(world_run(&w, "look_closer\n"));
	cr_assert(strstr(w.app.toast, "does not support zooming") != NULL, "%s", w.app.toast);
}

Test(tile_zoom, another_connection_has_no_zooms, .fini = close_world)
{
	open_world(900, 700);
	cr_assert(world_run(&w, "select G1 regions 120\nlook_closer\n"));
	grant(FIRST_ZOOM, "G1 regions 0x707800000-0x707900000 at 64 KiB", BLOCK);
	event();
	cr_assert_eq(w.app.tile_zoom.count, 1);
	cr_assert(app_connect(&w.app, "127.0.0.1:3000"));
	w.source.state = SOURCE_LIVE;
	app_poll(&w.app);
	cr_assert_eq(w.app.tile_zoom.count, 0);
	world_key(&w, "Shift+Z");
	cr_assert_eq(w.source.unzooms, 0);
	/* One that the server withdraws by itself is forgotten. */
	cr_assert(world_run(&w, "select G1 regions 120\nlook_closer\n"));
	world_answer_zoom(&w, GCS_OK, "", FIRST_ZOOM);
	event();
	cr_assert_eq(w.app.tile_zoom.count, 1);
	withdraw(FIRST_ZOOM);
	cr_assert_eq(w.app.tile_zoom.count, 0);
	cr_assert(app_shows(&w.app, w.app.active_space));
}

Test(tile_zoom, a_source_that_cannot, .fini = close_world)
{
	world_open(&w, 640, 400);
	w.source.mute = true;
	world_live(&w, 2);
	cr_assert_not(world_run(&w, "select G1 regions 3\nlook_closer\n"));
	cr_assert(strstr(w.app.toast, "This source") != NULL);
}

/* The picture of it: a region, its zoom, the zoom of that, and a buffer in both. */
Test(tile_zoom, picture, .fini = close_world)
{
	open_world(960, 640);
	cr_assert(world_run(&w, "select G1 regions 120\nlook_closer\n"));
	grant(FIRST_ZOOM, "G1 regions 0x707800000-0x707900000 at 64 KiB", BLOCK);
	event();
	cr_assert(world_run(&w, "key Right\nlook_closer\n"));
	grant(SECOND_ZOOM, "G1 regions 0x707810000-0x707820000 at 4 KiB", FINE);
	event();
	cr_assert(world_run(&w, "select TLABs 0\n"));
	cr_assert(world_golden(&w, "zooms"));
	cr_assert(world_run(&w, "theme light\nselect G1 regions 120\n"));
	cr_assert(world_golden(&w, "zooms-light"));
	cr_assert(world_run(&w, "theme contrast\ncolours cividis\nselect TLABs 1\n"));
	cr_assert(world_golden(&w, "zooms-contrast"));
}
