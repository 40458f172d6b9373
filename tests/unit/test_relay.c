/* A server that relays a recording (F21, F22): its clients see what was recorded, in any order. */
#include <criterion/criterion.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/client.h>
#include <gcspy/server.h>

#include "kit.h"
#include "kit_trace.h"
#include "player.h"

enum { COUNT = 700 };

static struct kit_trace recorded;
static uint64_t state;
static struct gcs_error err;
static struct gcs_server *server;
static struct gcs_client *client;

static void setup(void)
{
	kit_count_memory(0);
	state = kit_seed();
	kit_trace_record(&recorded, COUNT, 0, &state);
}

static void teardown(void)
{
	gcs_client_close(client);
	gcs_server_destroy(server);
	kit_trace_fini(&recorded);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define RelayTest(name) Test(relay, name, .init = setup, .fini = teardown)

static void serve(void (*seek)(void *, const struct gcs_seek *), void *context)
{
	const struct gcs_server_options o = {.name = "replay", .seek = seek, .context = context};
	server = gcs_server_create(&o, &err);
	cr_assert_not_null(server, "%s", err.text);
	for (uint32_t i = 0; i < KIT_EVENTS; i++)
		cr_assert_eq(gcs_server_add_event(server, &kit_events[i], NULL, &err), GCS_OK);
	cr_assert_eq(gcs_server_start(server, &err), GCS_OK, "%s", err.text);
}

static void attach(void)
{
	char address[32];
	snprintf(address, sizeof address, "%d", gcs_server_port(server));
	const struct gcs_client_options o = {
	    .address = address, .queue_limit = 4096, .every_snapshot = true};
	client = gcs_client_open(&o, &err);
	cr_assert_not_null(client, "%s", err.text);
	cr_assert_eq(gcs_client_wait(client, 10000), GCS_CLIENT_LIVE);
}

/* Spaces and groups of the recorded moment, as a client that knows later ones sees them. */
static const char *difference(const struct gcs_snapshot *got, const struct gcs_snapshot *truth)
{
	const struct gcs_model *have = gcs_snapshot_model(got);
	const struct gcs_model *want = gcs_snapshot_model(truth);
	if (have->space_count < want->space_count)
		return "spaces are missing";
	for (uint32_t i = 0; i < have->space_count; i++) {
		const bool gone = i >= want->space_count || want->spaces[i].gone;
		if (have->spaces[i].gone != gone)
			return "a space is there that was not, or not there that was";
		if (!gone && (strcmp(have->spaces[i].name, want->spaces[i].name) != 0 ||
				 gcs_snapshot_tiles(got, i) != gcs_snapshot_tiles(truth, i)))
			return "a space differs";
		for (uint32_t k = 0;
		     !gone && gcs_snapshot_tiles(got, i) != 0 && k < want->spaces[i].stream_count;
		     k++)
			if (memcmp(gcs_snapshot_values(got, i, k), gcs_snapshot_values(truth, i, k),
				gcs_snapshot_tiles(got, i) * sizeof(int64_t)) != 0)
				return "values differ";
	}
	const struct gcs_occurrence *a = gcs_snapshot_occurrence(got);
	const struct gcs_occurrence *b = gcs_snapshot_occurrence(truth);
	if (a->event != b->event || a->time_ns != b->time_ns || a->sequence != b->sequence ||
	    a->wall_ns != b->wall_ns || a->missed != b->missed)
		return "the occurrence differs";
	for (uint32_t i = 0; i < KIT_EVENTS; i++)
		if (gcs_snapshot_counter(got, i) != gcs_snapshot_counter(truth, i))
			return "a counter differs";
	return NULL;
}

/* Relays a place of the trace and compares what the client gets. */
static void relay(struct gcs_trace *t, uint32_t place)
{
	struct gcs_ticket ticket;
	struct gcs_snapshot *s = gcs_trace_at(t, place, &err);
	cr_assert_not_null(s, "%s", err.text);
	cr_assert_eq(gcs_server_relay(server, s, &ticket, &err), GCS_OK, "%s", err.text);
	gcs_server_leave(server, &ticket);
	gcs_snapshot_unref(s);
	struct gcs_snapshot *got = gcs_client_next(client, 10000);
	cr_assert_not_null(got, "event %u did not come", place);
	const char *words = difference(got, recorded.snapshots[place]);
	cr_assert_null(words, "event %u: %s", place, words);
	gcs_snapshot_unref(got);
}

RelayTest(what_was_recorded_in_any_order)
{
	serve(NULL, NULL);
	attach();
	struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
	for (uint32_t i = 0; i < COUNT; i++)
		relay(t, i);
	for (uint32_t i = COUNT; i-- != 0;)
		relay(t, i);
	for (uint32_t i = 0; i < 200; i++)
		relay(t, kit_below(&state, COUNT));
	gcs_trace_close(t);
}

RelayTest(who_comes_later_gets_the_present_state_at_once)
{
	serve(NULL, NULL);
	struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
	struct gcs_ticket ticket;
	struct gcs_snapshot *s = gcs_trace_at(t, 300, &err);
	cr_assert_eq(gcs_server_relay(server, s, &ticket, &err), GCS_OK);
	cr_assert_eq(ticket.audience, 0);
	gcs_snapshot_unref(s);
	for (int turn = 0; turn < 2; turn++) {
		attach();
		struct gcs_snapshot *got = gcs_client_next(client, 10000);
		cr_assert_not_null(got);
		cr_assert_null(difference(got, recorded.snapshots[300]));
		gcs_snapshot_unref(got);
		gcs_client_close(client);
		client = NULL;
	}
	gcs_trace_close(t);
}

/* A step that arrives between the data of an event and its wait is not lost: the program would stand
 * for ever. */
RelayTest(an_interrupt_before_the_wait_ends_it)
{
	struct gcs_ticket ticket;
	serve(NULL, NULL);
	attach();
	const struct gcs_position stands = {.events = COUNT};
	gcs_server_set_position(server, &stands);
	cr_assert_eq(gcs_client_pause(client), GCS_OK);
	kit_until(gcs_client_run_state(client, NULL, NULL) == GCS_PAUSED);
	struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
	struct gcs_snapshot *s = gcs_trace_at(t, 3, &err);
	cr_assert_eq(gcs_server_relay(server, s, &ticket, &err), GCS_OK);
	gcs_server_interrupt(server);
	cr_assert_not(gcs_server_relay_leave(server, &ticket));
	gcs_client_close(client);
	client = NULL;
	cr_assert(gcs_server_relay_leave(server, &ticket), "one interrupt ends one wait");
	gcs_snapshot_unref(s);
	gcs_trace_close(t);
}

RelayTest(events_of_another_program_are_refused)
{
	const struct gcs_server_options o = {.name = "other"};
	server = gcs_server_create(&o, &err);
	struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
	struct gcs_snapshot *s = gcs_trace_at(t, 3, &err);
	struct gcs_ticket ticket;
	cr_assert_eq(gcs_server_relay(server, s, &ticket, &err), GCS_ARGUMENT);
	gcs_snapshot_unref(s);
	gcs_trace_close(t);
}

/* A whole replay: player, server, client. */

static struct gcs_player *_Atomic player;

static bool jumps(void)
{
	return atomic_load(&player) == NULL || gcs_player_jumps(atomic_load(&player));
}

static void on_show(
    void *context, struct gcs_snapshot *snapshot, const struct gcs_position *position)
{
	struct gcs_ticket ticket;
	(void)context;
	gcs_server_set_position(server, position);
	if (gcs_server_relay(server, snapshot, &ticket, NULL) != GCS_OK)
		return;
	while (gcs_server_backlog(server) > 16)
		kit_sleep_ms(1);
	while (!jumps() && !gcs_server_relay_leave(server, &ticket))
		continue;
}

static void on_changed(void *context)
{
	struct gcs_position p;
	(void)context;
	if (atomic_load(&player) == NULL)
		return;
	gcs_player_position(atomic_load(&player), &p);
	gcs_server_set_position(server, &p);
}

static void on_seek(void *context, const struct gcs_seek *seek)
{
	(void)context;
	gcs_player_control(atomic_load(&player), seek);
	if (seek->action != GCS_SEEK_SPEED && seek->action != GCS_SEEK_LOOP)
		gcs_server_interrupt(server);
}

static struct gcs_snapshot *latest_at(uint64_t place)
{
	const uint64_t time = 1000000000u + place * 1000000u;
	for (unsigned i = 0; i < 5000; i++) {
		struct gcs_snapshot *s = gcs_client_latest(client);
		if (s != NULL && gcs_snapshot_occurrence(s)->time_ns == time)
			return s;
		gcs_snapshot_unref(s);
		kit_sleep_ms(2);
	}
	return NULL;
}

static void expect_at(uint64_t place)
{
	struct gcs_snapshot *s = latest_at(place);
	cr_assert_not_null(s, "it never came to event %u", (unsigned)place);
	const char *words = difference(s, recorded.snapshots[place]);
	cr_assert_null(words, "event %u: %s", (unsigned)place, words);
	gcs_snapshot_unref(s);
}

static void ask(enum gcs_seek_action action, int64_t value)
{
	const struct gcs_seek seek = {.action = action, .value = value};
	cr_assert_eq(gcs_client_seek(client, &seek), GCS_OK);
}

static bool paused(void)
{
	return gcs_client_run_state(client, NULL, NULL) == GCS_PAUSED;
}

static bool position_known(void)
{
	struct gcs_position p;
	return gcs_client_position(client, &p);
}

static double speed_now(void)
{
	struct gcs_position p;
	return gcs_client_position(client, &p) ? p.speed : 0;
}

RelayTest(a_client_leads_a_replay)
{
	serve(on_seek, NULL);
	struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
	const struct gcs_player_options o = {.speed = 0, .show = on_show, .changed = on_changed};
	atomic_store(&player, gcs_player_create(t, &o, &err));
	attach();
	kit_until(position_known());
	struct gcs_position p;
	gcs_client_position(client, &p);
	cr_assert_eq(p.events, COUNT);
	ask(GCS_SEEK_PLACE, 650);
	expect_at(650);
	ask(GCS_SEEK_MOVE, -3);
	expect_at(647);
	ask(GCS_SEEK_TIME, 1000000000 + 20 * 1000000);
	expect_at(20);
	/* Held, and led elsewhere all the same. */
	cr_assert_eq(gcs_client_pause(client), GCS_OK);
	ask(GCS_SEEK_SPEED, 1000000);
	kit_until(speed_now() == GCS_SPEED_FASTEST);
	kit_until(paused());
	ask(GCS_SEEK_PLACE, 333);
	expect_at(333);
	kit_until(paused());
	for (uint64_t i = 334; i < 340; i++) {
		cr_assert_eq(gcs_client_step(client), GCS_OK);
		expect_at(i);
	}
	/* Backwards step by step. */
	ask(GCS_SEEK_SPEED, -1);
	kit_until(speed_now() == -0.001);
	kit_until(paused());
	cr_assert_eq(gcs_client_step(client), GCS_OK);
	expect_at(338);
	/* And released. */
	ask(GCS_SEEK_SPEED, 1000000);
	cr_assert_eq(gcs_client_resume(client, true), GCS_OK);
	expect_at(COUNT - 1);
	gcs_client_close(client);
	client = NULL;
	gcs_server_stop(server);
	gcs_player_destroy(atomic_load(&player));
}

RelayTest(a_live_server_is_not_led)
{
	serve(NULL, NULL);
	attach();
	struct gcs_position p;
	cr_assert_not(gcs_client_position(client, &p));
	cr_assert_eq(
	    gcs_client_seek(client, &(struct gcs_seek){.action = GCS_SEEK_PLACE}), GCS_UNSUPPORTED);
}
