/* The flight ring of a server (F21): the last seconds in memory, saved as a recording. */
#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gcspy/memory.h>
#include <gcspy/flight_ring.h>
#include <gcspy/trace.h>

#include "kit.h"
#include "kit_profile.h"
#include "kit_server.h"

#define SECOND UINT64_C(1000000000)

static char folder[100], path[200];
static struct target t;
static struct gcs_error err;
static atomic_uint begun, ended; /* recordings */
static struct gcs_ring_saved last;
static char last_path[300], last_why[200];

static void setup(void)
{
	kit_count_memory(0);
	snprintf(folder, sizeof folder, "/tmp/gcspy-ring-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/ring-%%p.gcspy", folder);
	atomic_store(&begun, 0);
	atomic_store(&ended, 0);
}

static uint32_t files(bool remove_them)
{
	DIR *dir = opendir(folder);
	uint32_t count = 0;
	char name[400];
	for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		count++;
		snprintf(name, sizeof name, "%s/%s", folder, e->d_name);
		if (remove_them)
			unlink(name);
	}
	closedir(dir);
	return count;
}

static void teardown(void)
{
	files(true);
	rmdir(folder);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define RingTest(name) Test(server_ring, name, .init = setup, .fini = teardown)

static void on_saving(void *context)
{
	(void)context;
	atomic_fetch_add(&begun, 1);
}

static void on_saved(void *context, const struct gcs_ring_saved *saved)
{
	(void)context;
	last = *saved;
	snprintf(last_path, sizeof last_path, "%s", saved->path);
	snprintf(last_why, sizeof last_why, "%s", saved->why);
	atomic_fetch_add(&ended, 1);
}

static struct gcs_ring_options options(void)
{
	return (struct gcs_ring_options){
	    .path = path, .seconds = 60, .saving = on_saving, .saved = on_saved};
}

static void start(const struct gcs_ring_options *ring)
{
	const struct gcs_server_options o = {.port = -1};
	cr_assert(target_init_ring(&t, &o, ring, NULL), "%s", t.err.text);
}

static void events(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		cr_assert_neq(target_event(&t, i % KIT_EVENTS, 0), 0);
}

static struct gcs_ring_state ring_state(void)
{
	struct gcs_ring_state state;
	cr_assert(gcs_server_ring_state(t.server, &state));
	return state;
}

/* The last recording has the events `from` to `to`, whole and in order. */
static void expect_events(uint64_t from, uint64_t to)
{
	struct gcs_trace_info info;
	cr_assert_eq(last.error.status, GCS_OK, "%s", last.error.text);
	struct gcs_trace *trace = gcs_trace_open(last_path, &err);
	cr_assert_not_null(trace, "%s", err.text);
	gcs_trace_get_info(trace, &info);
	cr_assert(info.complete);
	cr_assert_eq(info.events, to - from + 1);
	cr_assert_eq(last.events, info.events);
	cr_assert_eq(last.bytes, info.bytes);
	for (uint64_t i = 0; i < info.events; i++) {
		struct gcs_snapshot *s = gcs_trace_at(trace, i, &err);
		cr_assert_not_null(s, "%s", err.text);
		cr_assert_eq(gcs_snapshot_occurrence(s)->sequence, from + i);
		cr_assert_eq(gcs_snapshot_occurrence(s)->missed, 0);
		gcs_snapshot_unref(s);
	}
	gcs_trace_close(trace);
}

RingTest(saves_what_led_to_it_and_what_follows)
{
	const struct gcs_ring_options o = options();
	start(&o);
	cr_assert(gcs_server_attached(t.server));
	cr_assert_eq(target_stats(&t).clients, 0);
	events(200);
	cr_assert_eq(files(false), 0, "nothing is written before");
	cr_assert_eq(gcs_server_save_ring(t.server, "a long pause", &err), GCS_OK);
	events(20);
	cr_assert(ring_state().saving);
	gcs_server_stop(t.server);
	cr_assert_eq(atomic_load(&begun), 1);
	cr_assert_eq(atomic_load(&ended), 1);
	cr_assert_str_eq(last_why, "a long pause");
	cr_assert_not(last.last);
	cr_assert_not(gcs_server_attached(t.server));
	cr_assert_eq(target_event(&t, KIT_TICK, 0), 0, "nobody wants it any more");
	target_fini(&t);
	cr_assert_eq(files(false), 1);
	expect_events(1, 220);
}

/* A request just before the program ends is served. */
RingTest(is_saved_at_the_end_of_the_program)
{
	const struct gcs_ring_options o = options();
	start(&o);
	events(10);
	cr_assert_eq(gcs_server_save_ring(t.server, "end", &err), GCS_OK);
	target_fini(&t);
	expect_events(1, 10);
}

RingTest(a_recording_ends_by_itself_and_the_next_stands_alone)
{
	struct gcs_ring_options o = options();
	o.after_seconds = 1;
	start(&o);
	events(10);
	for (uint32_t i = 1; i <= 2; i++) {
		cr_assert_eq(gcs_server_save_ring(t.server, "again", &err), GCS_OK);
		cr_assert_eq(gcs_server_save_ring(t.server, "prolonged", &err), GCS_OK);
		kit_until(atomic_load(&ended) == i);
		cr_assert_str_eq(last_why, "again");
		expect_events(1, 10 * i);
		cr_assert_not(ring_state().saving);
		events(10);
	}
	cr_assert_eq(ring_state().files, 2);
	cr_assert_eq(files(false), 2);
	target_fini(&t);
	cr_assert_eq(atomic_load(&ended), 2);
}

RingTest(has_at_most_so_many_bytes)
{
	struct gcs_ring_options o = options();
	o.bytes = 100000;
	start(&o);
	/* One whole state may exceed the limit by itself; these do not. */
	for (uint32_t i = 0; i < 300; i++) {
		target_event(&t, KIT_TICK, 500 + i % 9);
		cr_assert_leq(ring_state().bytes, 100000);
		cr_assert_geq(ring_state().events, 1);
	}
	const uint32_t kept = ring_state().events;
	cr_assert_lt(kept, 300);
	cr_assert_gt(kept, 1);
	cr_assert_eq(gcs_server_save_ring(t.server, "", &err), GCS_OK);
	gcs_server_stop(t.server);
	target_fini(&t);
	expect_events(300 - kept + 1, 300);
}

/* Events a second apart: those of the last 30 s stay, and one before them. */
RingTest(has_the_last_seconds)
{
	struct gcs_ring_options o = options();
	o.seconds = 30;
	start(&o);
	struct gcs_model *model = kit_model();
	for (uint64_t i = 1; i <= 100; i++) {
		struct gcs_ticket ticket;
		struct gcs_snapshot *s = kit_snapshot(model);
		gcs_snapshot_set_occurrence(
		    s, &(struct gcs_occurrence){
			   .sequence = i, .event = KIT_TICK, .time_ns = i * SECOND});
		cr_assert_eq(gcs_server_relay(t.server, s, &ticket, &err), GCS_OK, "%s", err.text);
		gcs_snapshot_unref(s);
		cr_assert_eq(ring_state().events, i < 32 ? i : 32);
	}
	cr_assert_eq(ring_state().span_ns, 31 * SECOND);
	gcs_model_unref(model);
	cr_assert_eq(gcs_server_save_ring(t.server, "", &err), GCS_OK);
	target_fini(&t);
	expect_events(69, 100);
}

RingTest(what_was_missed_is_in_the_recording)
{
	const struct gcs_ring_options o = options();
	struct gcs_ticket ticket;
	start(&o);
	for (uint32_t i = 0; i < 4; i++) {
		cr_assert(gcs_server_enter(t.server, KIT_TICK, &ticket));
		gcs_server_miss(t.server, &ticket);
		gcs_server_leave(t.server, &ticket);
		events(1);
	}
	cr_assert_eq(gcs_server_save_ring(t.server, "", &err), GCS_OK);
	target_fini(&t);
	struct gcs_trace *trace = gcs_trace_open(last_path, &err);
	struct gcs_snapshot *s = gcs_trace_at(trace, 3, &err);
	cr_assert_eq(gcs_snapshot_occurrence(s)->sequence, 8);
	cr_assert_eq(
	    gcs_snapshot_occurrence(s)->missed, 3, "the one before the file does not count");
	gcs_snapshot_unref(s);
	gcs_trace_close(trace);
}

RingTest(the_newest_profile_is_in_the_recording)
{
	const struct gcs_ring_options o = options();
	start(&o);
	events(3);
	for (int64_t number = 1; number <= 2; number++) {
		void *bytes;
		size_t length;
		struct gcs_profile *p =
		    gcs_profile_create(&(struct gcs_profile_head){.kind = GCS_PROFILE_LIVE,
			.server = "",
			.as_of = "",
			.judged = {(uint64_t)number, number, "Young"},
			.judged_old.kind = ""});
		cr_assert_eq(gcs_profile_encode(p, &bytes, &length, &err), GCS_OK);
		cr_assert(gcs_server_record_profile(t.server, bytes, length));
		cr_assert_not(gcs_server_record_profile(t.server, bytes, 1));
		gcs_free(bytes);
		gcs_profile_free(p);
	}
	cr_assert_eq(gcs_server_save_ring(t.server, "", &err), GCS_OK);
	target_fini(&t);
	struct gcs_trace_info info;
	struct gcs_trace *trace = gcs_trace_open(last_path, &err);
	gcs_trace_get_info(trace, &info);
	cr_assert_eq(info.events, 3);
	cr_assert_eq(info.profiles, 1);
	struct gcs_profile *p = gcs_trace_profile(trace, 0, &err);
	cr_assert_eq(gcs_profile_head(p)->judged.number, 2);
	gcs_profile_free(p);
	gcs_trace_close(trace);
}

RingTest(writes_at_most_so_many_files)
{
	struct gcs_ring_options o = options();
	o.files = 2;
	o.seconds = 1;
	start(&o);
	events(5);
	for (uint32_t i = 1; i <= 2; i++) {
		cr_assert_eq(gcs_server_save_ring(t.server, "", &err), GCS_OK);
		kit_until(atomic_load(&ended) == i);
		cr_assert_eq(last.last, i == 2);
	}
	cr_assert_eq(gcs_server_save_ring(t.server, "", &err), GCS_LIMIT);
	cr_assert_str_eq(err.text, "all of the 2 recordings of the ring have been written");
	target_fini(&t);
	cr_assert_eq(files(false), 2);
}

/* Nobody waits for a file that cannot be written, and the ring goes on. */
RingTest(a_file_that_cannot_be_written_is_reported)
{
	struct gcs_ring_options o = options();
	o.path = "/proc/no/such/folder";
	start(&o);
	events(5);
	cr_assert_eq(gcs_server_save_ring(t.server, "why", &err), GCS_OK);
	kit_until(atomic_load(&ended) == 1);
	cr_assert_eq(last.error.status, GCS_IO);
	cr_assert_str_empty(last_path);
	cr_assert_str_eq(last_why, "why");
	cr_assert_eq(atomic_load(&begun), 0);
	events(5);
	cr_assert_eq(ring_state().events, 10);
	target_fini(&t);
	cr_assert_eq(atomic_load(&ended), 1);
}

RingTest(a_ring_without_events_leaves_no_file)
{
	const struct gcs_ring_options o = options();
	start(&o);
	cr_assert_eq(gcs_server_save_ring(t.server, "", &err), GCS_OK);
	target_fini(&t);
	cr_assert_eq(last.error.status, GCS_STATE);
	cr_assert_eq(files(false), 0);
}

/* One slot for both; the recorder's failure at its limit is not the ring's. */
RingTest(shares_the_slot_of_a_recorder)
{
	char other[200];
	snprintf(other, sizeof other, "%s/all.gcspy", folder);
	struct gcs_recorder *r = gcs_recorder_create(
	    &(struct gcs_recorder_options){
		.trace = {.path = other, .flush_ms = 1, .max_bytes = 20000}},
	    &err);
	const struct gcs_ring_options o = options();
	const struct gcs_server_options so = {.max_clients = GCS_MAX_CLIENTS - 1};
	cr_assert(target_init_ring(&t, &so, &o, r), "%s", t.err.text);
	struct gcs_client *c = target_client(&t, &(struct gcs_client_options){0});
	cr_assert_not_null(c);
	struct gcs_recorder_stats stats = {.events = 0};
	uint64_t count = 0;
	for (; count < 20000 && stats.error.status == GCS_OK; count++) {
		target_event(&t, KIT_TICK, 500 + (uint32_t)count % 9);
		gcs_recorder_get_stats(r, &stats);
		kit_sleep_ms(1);
	}
	cr_assert_eq(stats.error.status, GCS_LIMIT);
	target_event(&t, KIT_TICK, 600);
	gcs_client_close(c);
	kit_until(target_stats(&t).clients == 0);
	target_event(&t, KIT_TICK, 601);
	cr_assert_eq(atomic_load(&t.goings), 0);
	cr_assert_eq(gcs_server_save_ring(t.server, "", &err), GCS_OK);
	const uint32_t kept = ring_state().events;
	target_fini(&t);
	cr_assert_eq(atomic_load(&t.goings), 1);
	expect_events(count + 2 - kept + 1, count + 2);
}

RingTest(wrong_options_and_moments)
{
	struct gcs_ring_options o = options();
	struct gcs_ring_state state;
	struct gcs_server *s =
	    gcs_server_create(&(struct gcs_server_options){.name = "none", .port = -1}, &err);
	cr_assert_eq(gcs_server_save_ring(s, "", &err), GCS_STATE);
	cr_assert_str_eq(err.text, "this program keeps no ring of its last seconds");
	cr_assert_not(gcs_server_ring_state(s, &state));
	o.seconds = 0;
	cr_assert_eq(gcs_server_set_ring(s, &o, &err), GCS_ARGUMENT);
	o.seconds = GCS_MAX_RING_SECONDS + 1;
	cr_assert_eq(gcs_server_set_ring(s, &o, &err), GCS_ARGUMENT);
	cr_assert_str_eq(err.text, "a ring of 3601 seconds: expected 1 to 3600");
	o.seconds = 10;
	o.after_seconds = 11;
	cr_assert_eq(gcs_server_set_ring(s, &o, &err), GCS_ARGUMENT);
	o.after_seconds = 10;
	o.path = "%x";
	cr_assert_eq(gcs_server_set_ring(s, &o, &err), GCS_ARGUMENT);
	cr_assert_not_null(strstr(err.text, "%x"));
	o.path = NULL;
	cr_assert_eq(gcs_server_set_ring(s, &o, &err), GCS_ARGUMENT);
	o.path = path;
	cr_assert_eq(gcs_server_set_ring(s, &o, &err), GCS_OK);
	cr_assert_eq(gcs_server_set_ring(s, &o, &err), GCS_STATE);
	cr_assert_eq(gcs_server_save_ring(s, "", &err), GCS_STATE, "before the start");
	cr_assert_eq(gcs_server_start(s, &err), GCS_OK);
	cr_assert_eq(gcs_server_set_ring(s, &o, &err), GCS_STATE);
	gcs_server_destroy(s);
	cr_assert_eq(files(false), 0);
}

RingTest(without_memory)
{
	const struct gcs_ring_options o = options();
	struct gcs_server *s =
	    gcs_server_create(&(struct gcs_server_options){.name = "none", .port = -1}, &err);
	for (size_t count = 0;; count++) {
		kit_fail_after(count);
		enum gcs_status status = gcs_server_set_ring(s, &o, &err);
		const bool failed = kit_has_failed();
		kit_fail_after(SIZE_MAX);
		if (!failed) {
			cr_assert_eq(status, GCS_OK);
			break;
		}
		cr_assert_eq(status, GCS_NOMEM);
	}
	gcs_server_destroy(s);
}

static enum gcs_status set_record(void)
{
	return gcs_server_set_trigger(t.server,
	    &(struct gcs_trigger){.name = "third",
		.condition = "event = Tick and count = 3",
		.actions = GCS_TRIGGER_KEEP | GCS_TRIGGER_RECORD},
	    &err);
}

/* F17, F21: the file has what led to the event, and what has fired. */
RingTest(a_trigger_saves_it)
{
	const struct gcs_ring_options o = options();
	start(&o);
	cr_assert_eq(set_record(), GCS_OK, "%s", err.text);
	for (uint32_t i = 0; i < 5; i++) {
		struct gcs_ticket ticket;
		gcs_server_enter(t.server, KIT_TICK, &ticket);
		if (gcs_server_triggered(t.server, KIT_TICK))
			gcs_server_check(t.server, &ticket, &(struct gcs_values){.known = 0});
		gcs_server_publish(t.server, &ticket, gcs_server_begin(t.server, &ticket));
		gcs_server_leave(t.server, &ticket);
		cr_assert_eq(ring_state().files, i >= 2);
	}
	target_fini(&t);
	cr_assert_eq(atomic_load(&ended), 1);
	cr_assert_str_eq(last_why, "third");
	expect_events(1, 5);
	struct gcs_trace *trace = gcs_trace_open(last_path, &err);
	for (uint64_t i = 0; i < 10; i++) {
		struct gcs_snapshot *s =
		    i < 5 ? gcs_trace_at(trace, i, &err) : gcs_trace_moment(trace, i - 5, &err);
		cr_assert_not_null(s, "%s", err.text);
		cr_assert_eq(gcs_snapshot_fired_count(s), i % 5 == 2);
		if (i % 5 == 2)
			cr_assert_str_eq(gcs_snapshot_fired(s, 0)->trigger, "third");
		gcs_snapshot_unref(s);
	}
	gcs_trace_close(trace);
}

static char said[200]; /* the answer's text */

static enum gcs_status ask(struct gcs_client *c, const char *save)
{
	uint32_t id;
	const struct gcs_info parameter = {.key = "save", .value = save};
	cr_assert_eq(
	    gcs_client_query(c, "flight-ring", save == NULL ? 0 : 1, &parameter, &id), GCS_OK);
	struct gcs_answer *answer = gcs_client_answer(c, id, 10000);
	cr_assert_not_null(answer);
	const enum gcs_status status = answer->status;
	snprintf(said, sizeof said, "%.*s", (int)answer->length, (const char *)answer->bytes);
	gcs_answer_free(answer);
	return status;
}

/* F18: by hand, from any client that knows plugins. */
RingTest(a_client_saves_it)
{
	struct gcs_ring_options o = options();
	const struct gcs_server_options so = {.port = 0};
	o.files = 1;
	o.seconds = 1;
	cr_assert(target_init_ring(&t, &so, &o, NULL), "%s", t.err.text);
	struct gcs_client *c = target_client(&t, &(struct gcs_client_options){0});
	events(7);
	cr_assert_eq(ask(c, NULL), GCS_OK);
	cr_assert_eq(strncmp(said, "7 events, ", 10), 0, "%s", said);
	cr_assert_not_null(strstr(said, "\n0 recordings\n"), "%s", said);
	cr_assert_eq(ring_state().files, 0);
	cr_assert_eq(ask(c, "yes"), GCS_OK);
	cr_assert_not_null(strstr(said, "\n1 recording"), "%s", said);
	kit_until(atomic_load(&ended) == 1);
	cr_assert_str_eq(last_why, "a client");
	cr_assert_eq(ask(c, "yes"), GCS_LIMIT);
	cr_assert_eq(ask(c, "maybe"), GCS_ARGUMENT);
	gcs_client_close(c);
	target_fini(&t);
	expect_events(1, 7);
}
