/* Playing a trace (F22): speeds, directions, ends, jumps, damage. */
#include <criterion/criterion.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "kit.h"
#include "kit_trace.h"
#include "now.h"
#include "player.h"

enum { COUNT = 600, MOST_SHOWN = 100000 };

static struct kit_trace recorded;
static uint64_t state;
static struct gcs_error err;
static struct gcs_player *player;
static atomic_uint shown;
static atomic_uint changes;
static atomic_bool hold_show;
static uint32_t places[MOST_SHOWN];
static _Atomic(const char *) wrong;

static void on_show(
    void *context, struct gcs_snapshot *snapshot, const struct gcs_position *position)
{
	(void)context;
	while (atomic_load(&hold_show))
		kit_sleep_ms(1);
	const unsigned n = atomic_load(&shown);
	const struct gcs_snapshot *truth = recorded.snapshots[position->place];
	const char *difference = kit_difference(snapshot, truth, UINT64_MAX);
	if (difference == NULL &&
	    gcs_snapshot_occurrence(snapshot)->time_ns != gcs_snapshot_occurrence(truth)->time_ns)
		difference = "the time";
	if (difference != NULL)
		atomic_store(&wrong, difference);
	if (n < MOST_SHOWN)
		places[n] = (uint32_t)position->place;
	atomic_store(&shown, n + 1);
}

static bool ended(void)
{
	struct gcs_position p;
	gcs_player_position(player, &p);
	return p.ended;
}

static void on_changed(void *context)
{
	(void)context;
	atomic_fetch_add(&changes, 1);
}

static void setup(void)
{
	kit_count_memory(0);
	state = kit_seed();
	kit_trace_record(&recorded, COUNT, 100, &state);
}

static void teardown(void)
{
	gcs_player_destroy(player);
	cr_assert_null(atomic_load(&wrong), "%s", atomic_load(&wrong));
	kit_trace_fini(&recorded);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define PlayerTest(name) Test(player, name, .init = setup, .fini = teardown)

static void play(double speed, bool loop)
{
	struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
	cr_assert_not_null(t, "%s", err.text);
	const struct gcs_player_options o = {
	    .speed = speed, .loop = loop, .show = on_show, .changed = on_changed};
	player = gcs_player_create(t, &o, &err);
	cr_assert_not_null(player, "%s", err.text);
}

PlayerTest(forwards_to_the_end_and_back)
{
	play(GCS_SPEED_FASTEST, false);
	kit_until(ended());
	cr_assert_eq(atomic_load(&shown), COUNT);
	for (uint32_t i = 0; i < COUNT; i++)
		cr_assert_eq(places[i], i);
	gcs_player_set_speed(player, -GCS_SPEED_FASTEST);
	kit_until(atomic_load(&shown) == 2 * COUNT - 1 && ended());
	for (uint32_t i = 0; i < COUNT - 1; i++)
		cr_assert_eq(places[COUNT + i], COUNT - 2 - i);
}

PlayerTest(another_speed_at_the_end_is_still_the_end)
{
	play(GCS_SPEED_FASTEST, false);
	kit_until(ended());
	gcs_player_set_speed(player, 2);
	cr_assert(ended());
	/* Paused, it is not at the end of play; playing again, it is, and says so. */
	gcs_player_set_speed(player, 0);
	cr_assert_not(ended());
	const unsigned before = atomic_load(&changes);
	gcs_player_set_speed(player, 3);
	kit_until(ended() && atomic_load(&changes) == before + 2);
	cr_assert_eq(atomic_load(&shown), COUNT);
}

/* What is to be shown again has not been played: nobody may take the end before for the end after. */
PlayerTest(a_jump_is_not_at_the_end)
{
	play(GCS_SPEED_FASTEST, false);
	kit_until(ended());
	atomic_store(&hold_show, true);
	gcs_player_seek(player, 0);
	cr_assert_not(ended());
	gcs_player_move(player, 5);
	cr_assert_not(ended());
	atomic_store(&hold_show, false);
	kit_until(ended());
	gcs_player_seek(player, COUNT - 1);
	kit_until(ended());
}

PlayerTest(stands_and_moves)
{
	struct gcs_position p;
	play(0, false);
	kit_until(atomic_load(&shown) == 1);
	cr_assert_eq(places[0], 0);
	gcs_player_move(player, 3);
	kit_until(atomic_load(&shown) == 2);
	cr_assert_eq(places[1], 3);
	gcs_player_move(player, -1);
	kit_until(atomic_load(&shown) == 3);
	cr_assert_eq(places[2], 2);
	gcs_player_move(player, -100);
	kit_until(atomic_load(&shown) == 4);
	cr_assert_eq(places[3], 0);
	gcs_player_move(player, INT64_MIN);
	kit_until(atomic_load(&shown) == 5);
	gcs_player_move(player, INT64_MAX);
	kit_until(atomic_load(&shown) == 6);
	cr_assert_eq(places[5], COUNT - 1);
	gcs_player_seek(player, 1234567);
	kit_until(atomic_load(&shown) == 7);
	cr_assert_eq(places[6], COUNT - 1);
	gcs_player_seek_time(player, 1000000000u + 77 * 1000000u + 5);
	kit_until(atomic_load(&shown) == 8);
	cr_assert_eq(places[7], 77);
	kit_sleep_ms(30);
	gcs_player_position(player, &p);
	cr_assert_eq(p.place, 77);
	cr_assert_eq(p.events, COUNT);
	cr_assert_eq(p.time_ns, 1077000000u);
	cr_assert_eq(atomic_load(&shown), 8, "it stands still");
}

PlayerTest(time_passes_as_recorded)
{
	/* 600 events of 1 ms each. */
	play(10, false);
	kit_until(ended());
	cr_assert_eq(atomic_load(&shown), COUNT);
	atomic_store(&shown, 0);
	gcs_player_seek(player, 0);
	gcs_player_set_speed(player, 0.1);
	const uint64_t begin = now_ns();
	kit_sleep_ms(100);
	const unsigned now = atomic_load(&shown);
	/* 10 ms for each event: far fewer than at the original speed, however slow the machine. */
	cr_assert_lt(now, 20 + (now_ns() - begin) / 10000000u);
}

PlayerTest(loops_in_both_directions)
{
	play(GCS_SPEED_FASTEST, true);
	kit_until(atomic_load(&shown) > 2 * COUNT);
	cr_assert_eq(places[COUNT], 0);
	gcs_player_set_speed(player, 0);
	gcs_player_seek(player, 1);
	unsigned before = 0;
	do { /* until it stands there */
		before = atomic_load(&shown);
		kit_sleep_ms(20);
	} while (before != atomic_load(&shown) || places[before - 1] != 1);
	gcs_player_set_speed(player, -GCS_SPEED_FASTEST);
	kit_until(atomic_load(&shown) > before + 3);
	cr_assert_eq(places[before], 0);
	cr_assert_eq(places[before + 1], COUNT - 1);
	gcs_player_set_loop(player, false);
	kit_until(ended());
}

PlayerTest(damage_is_passed_over)
{
	size_t length;
	unsigned char *bytes = kit_trace_bytes(recorded.path, &length);
	memset(bytes + length / 3, 0, length / 8); /* more than a profile takes */
	kit_trace_put(recorded.path, bytes, length);
	kit_trace_free(bytes);
	play(GCS_SPEED_FASTEST, false);
	kit_until(ended());
	struct gcs_position p;
	gcs_player_position(player, &p);
	/* Where it begins is no matter of skipping: the first events may be the damaged ones. */
	cr_assert(p.skipped != 0 || places[0] != 0);
	cr_assert_eq(places[0] + atomic_load(&shown) + p.skipped, COUNT);
	cr_assert_eq(places[atomic_load(&shown) - 1], COUNT - 1);
	gcs_player_set_speed(player, -GCS_SPEED_FASTEST);
	kit_until(ended());
	gcs_player_position(player, &p);
	cr_assert_eq(p.place, places[0]);
}

PlayerTest(gives_profiles_and_moments_of_its_place)
{
	play(0, false);
	kit_until(atomic_load(&shown) == 1);
	struct gcs_profile *profile = gcs_player_profile(player, GCS_PROFILE_LIVE, &err);
	cr_assert_not_null(profile, "%s", err.text);
	gcs_profile_free(profile);
	cr_assert_null(gcs_player_profile(player, GCS_PROFILE_ALLOCATED, &err));
	gcs_player_seek(player, COUNT - 1);
	kit_until(atomic_load(&shown) == 2);
	profile = gcs_player_profile(player, GCS_PROFILE_ALLOCATED, &err);
	cr_assert_not_null(profile, "%s", err.text);
	gcs_profile_free(profile);
	struct gcs_snapshot *moment = gcs_player_moment(player, 5, &err);
	cr_assert_eq(gcs_snapshot_occurrence(moment)->time_ns, 1005000000u);
	gcs_snapshot_unref(moment);
}

PlayerTest(commands_from_everywhere_at_once)
{
	play(100, true);
	for (unsigned i = 0; i < 500; i++) {
		switch (kit_below(&state, 5)) {
		case 0:
			gcs_player_seek(player, kit_below(&state, COUNT));
			break;
		case 1:
			gcs_player_set_speed(player, (double)kit_below(&state, 4000) - 2000);
			break;
		case 2:
			gcs_player_move(player, (int64_t)kit_below(&state, 9) - 4);
			break;
		case 3:
			gcs_player_seek_time(player, 1000000000u + kit_below(&state, 700000000u));
			break;
		default:
			gcs_player_set_loop(player, kit_below(&state, 2) == 0);
			break;
		}
		if (i % 10 == 0)
			kit_sleep_ms(1);
	}
}
