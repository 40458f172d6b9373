/*
 * Streams that a walk over the heap counts (V1, H5): grey without a value, with a button that asks the
 * server for the heavy volume and says what it costs.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "counting.h"
#include "side.h"
#include "ui_charts.h"

static struct world w;
static char value[16];          /* of the last setting */
static enum gcs_status refusal; /* of the next one */
static uint32_t wanted;         /* the control to find, and where it is */
static struct cv_rect found;

static struct gcs_answer *no_answer(
    const char *topic, uint32_t count, const struct gcs_info *parameters)
{
	(void)topic, (void)count, (void)parameters;
	return NULL;
}

static struct gcs_answer *set_volume(const char *key, const char *text)
{
	cr_assert_str_eq(key, "volume");
	strcpy(value, text);
	const char *message = refusal != GCS_OK ? "this heap has no walk" : "at each finish";
	return world_make_answer(0, refusal, message, "", 0);
}

static const struct world_target target = {.ask = no_answer, .set = set_volume};

static void note_area(void *context, uint32_t id, struct cv_rect r)
{
	(void)context;
	if (id == wanted)
		found = r;
}

/* Moves over the panel until the control is met, and to its middle. */
static void point_at(uint32_t number)
{
	const struct cv_rect side = w.app.rect[PANEL_SIDE];
	wanted = UI_ID(PANEL_SIDE, number);
	found = rect_make(0, 0, 0, 0);
	w.app.ui.area = note_area;
	world_move(&w, side.x + side.w / 2, side.y + 20);
	w.app.ui.area = NULL;
	cr_assert(rect_has(side, found.x, found.y + found.h - 1), "control %u is in sight", number);
	world_move(&w, found.x + found.w / 2, found.y + found.h / 2);
}

static void click_button(void)
{
	point_at(SIDE_COUNT);
	world_click(&w, found.x + found.w / 2, found.y + found.h / 2, 1);
	world_wait(&w, 100);
}

static void open_counted(bool mute, bool any)
{
	world_open(&w, 1280, 800);
	w.source.mute = mute;
	world_live(&w, 1);
	w.source.target = &target;
	refusal = GCS_OK;
	value[0] = 0;
	charted_show(&w, charted_counted(12, any), "bars");
	world_run(&w, "heap_map\n");
	world_wait(&w, 0);
}

static void close_world(void)
{
	world_close(&w);
}

Test(counting, a_button_counts_and_says_what_it_costs, .fini = close_world)
{
	open_counted(false, false);
	point_at(SIDE_STREAM + COUNTED_OBJECTS);
	cr_assert_not_null(strstr(w.app.ui.tip, "Not counted"), "%s", w.app.ui.tip);
	point_at(SIDE_STREAM + COUNTED_USED);
	cr_assert_null(strstr(w.app.ui.tip, "Not counted"), "%s", w.app.ui.tip);
	cr_assert_null(counting_lacks(&w.app, 0, COUNTED_USED));
	world_move(&w, 400, 400);
	cr_assert(window_golden(&w.app, "heap-not-counted"));
	click_button();
	cr_assert_str_eq(value, "heavy");
	cr_assert_str_eq(w.app.toast, "Counting objects: at each finish");
	cr_assert(counting_is_on(&w.app));
	click_button();
	cr_assert_str_eq(value, "light");
	cr_assert_not(counting_is_on(&w.app));
	/* The tooltip has the cost. */
	point_at(SIDE_COUNT);
	cr_assert_not_null(strstr(w.app.ui.tip, "heavy-budget (20 ms)"), "%s", w.app.ui.tip);
}

Test(counting, what_is_counted_is_not_grey_and_can_be_stopped, .fini = close_world)
{
	open_counted(false, true);
	cr_assert_null(counting_lacks(&w.app, 0, COUNTED_OBJECTS));
	cr_assert(counting_is_on(&w.app), "there are counts");
	click_button();
	cr_assert_str_eq(value, "light");
}

Test(counting, a_server_that_refuses_says_why, .fini = close_world)
{
	open_counted(false, false);
	refusal = GCS_UNSUPPORTED;
	click_button();
	cr_assert_str_eq(w.app.toast, "Counting objects: this heap has no walk");
	cr_assert_not(counting_is_on(&w.app));
	refusal = GCS_OK;
	cr_assert(world_run(&w, "count_objects on\n"));
	world_wait(&w, 0);
	cr_assert(counting_is_on(&w.app));
	cr_assert_not(world_run(&w, "count_objects sideways\n"));
}

/* The button is without effect. */
Test(counting, a_source_that_cannot_be_asked_says_so, .fini = close_world)
{
	open_counted(true, false);
	const struct cv_rect side = w.app.rect[PANEL_SIDE];
	for (int y = side.y + 10; y < side.y + 260; y += 8)
		world_click(&w, side.x + side.w / 4, y, 1);
	cr_assert_str_eq(value, "");
	cr_assert_not(world_run(&w, "count_objects\n"));
	cr_assert_str_eq(w.app.toast, "Counting objects: This server answers no questions");
}
