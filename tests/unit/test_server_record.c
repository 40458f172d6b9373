/* A recorder in a server's audience (F21): it gets everything, disturbs nobody, and nobody disturbs
 * it. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gcspy/memory.h>
#include <gcspy/trace.h>

#include "kit.h"
#include "kit_profile.h"
#include "kit_server.h"
#include "now.h"

static char path[100];
static struct target t;
static struct gcs_error err;
static struct gcs_recorder_stats last;
static atomic_uint ends;

static void setup(void)
{
	uint64_t state = kit_seed();
	kit_count_memory(0);
	snprintf(path, sizeof path, "/tmp/gcspy-record-%ld-%u", (long)getpid(),
	    (unsigned)kit_below(&state, 1000000));
	atomic_store(&ends, 0);
}

static void teardown(void)
{
	unlink(path);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define RecordTest(name) Test(server_record, name, .init = setup, .fini = teardown)

static void finished(void *context, const struct gcs_recorder_stats *stats)
{
	(void)context;
	last = *stats;
	atomic_fetch_add(&ends, 1);
}

static struct gcs_recorder *make(void)
{
	struct gcs_recorder *r = gcs_recorder_create(
	    &(struct gcs_recorder_options){
		.trace.path = path, .queue_limit = 4096, .finished = finished},
	    &err);
	cr_assert_not_null(r, "%s", err.text);
	return r;
}

static void start(const struct gcs_server_options *options)
{
	cr_assert(target_init_recorded(&t, options, make()), "%s", t.err.text);
}

/* The file has that many events, consecutive except for `missed` of them. */
static void expect_events(uint64_t events, uint64_t missed)
{
	struct gcs_trace_info info;
	struct gcs_trace *trace = gcs_trace_open(path, &err);
	uint64_t told = 0;
	cr_assert_not_null(trace, "%s", err.text);
	gcs_trace_get_info(trace, &info);
	cr_assert(info.complete);
	cr_assert_eq(info.events, events);
	for (uint64_t i = 0; i < events; i++) {
		struct gcs_snapshot *s = gcs_trace_at(trace, i, &err);
		const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
		told = o->missed;
		cr_assert_eq(o->sequence, i + 1 + told);
		gcs_snapshot_unref(s);
	}
	cr_assert_eq(told, missed);
	gcs_trace_close(trace);
}

RecordTest(needs_no_client_and_no_port)
{
	start(&(struct gcs_server_options){.port = -1});
	cr_assert_eq(gcs_server_port(t.server), -1);
	cr_assert(gcs_server_attached(t.server));
	cr_assert_eq(target_stats(&t).clients, 0);
	cr_assert_eq(target_stats(&t).clients_ever, 0);
	cr_assert_eq(atomic_load(&t.looks), 1);
	cr_assert_eq(atomic_load(&t.comings), 1);
	for (uint32_t i = 0; i < 200; i++)
		cr_assert_neq(target_event(&t, i % KIT_EVENTS, 0), 0);
	gcs_server_stop(t.server);
	cr_assert_eq(atomic_load(&t.goings), 1);
	cr_assert_eq(atomic_load(&ends), 1);
	cr_assert_eq(last.error.status, GCS_OK);
	cr_assert_eq(last.events, 200);
	struct stat st;
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(last.bytes, (uint64_t)st.st_size);
	cr_assert_not(gcs_server_attached(t.server));
	cr_assert_eq(target_event(&t, KIT_TICK, 0), 0, "nobody wants it any more");
	target_fini(&t);
	expect_events(200, 0);
}

RecordTest(clients_change_nothing)
{
	static const struct gcs_filter none = {.enabled = false, .period = 1};
	start(&(struct gcs_server_options){.max_clients = 1});
	struct gcs_client *c = target_client(&t, &(struct gcs_client_options){0});
	cr_assert_not_null(c, "the recorder takes no client's place");
	cr_assert_eq(target_stats(&t).clients, 1);
	struct gcs_client *second =
	    gcs_client_open(&(struct gcs_client_options){.address = t.address}, &err);
	cr_assert_eq(gcs_client_wait(second, 5000), GCS_CLIENT_LOST);
	gcs_client_close(second);
	cr_assert_eq(atomic_load(&t.comings), 1, "somebody was there already");
	for (uint32_t i = 0; i < KIT_EVENTS; i++)
		gcs_client_set_filter(c, i, &none);
	gcs_client_collapse_space(c, KIT_HEAP, true);
	for (uint32_t i = 0; i < 50; i++)
		cr_assert_neq(target_event(&t, i % KIT_EVENTS, 0), 0);
	kit_until(gcs_server_wants_space(
	    t.server, &(struct gcs_ticket){.audience = UINT32_MAX}, KIT_HEAP));
	gcs_client_close(c);
	kit_until(target_stats(&t).clients == 0);
	cr_assert_eq(atomic_load(&t.goings), 0);
	cr_assert(gcs_server_attached(t.server));
	for (uint32_t i = 0; i < 50; i++)
		cr_assert_neq(target_event(&t, i % KIT_EVENTS, 0), 0);
	target_fini(&t);
	expect_events(100, 0);
}

RecordTest(takes_the_highest_of_the_places)
{
	struct gcs_client *clients[GCS_MAX_CLIENTS];
	start(&(struct gcs_server_options){.max_clients = GCS_MAX_CLIENTS});
	for (uint32_t i = 0; i < GCS_MAX_CLIENTS; i++)
		clients[i] =
		    gcs_client_open(&(struct gcs_client_options){.address = t.address}, &err);
	uint32_t lost = 0;
	for (uint32_t i = 0; i < GCS_MAX_CLIENTS; i++)
		lost += gcs_client_wait(clients[i], 10000) == GCS_CLIENT_LOST;
	cr_assert_eq(lost, 1);
	cr_assert_eq(target_event(&t, KIT_TICK, 0), UINT32_MAX);
	for (uint32_t i = 0; i < GCS_MAX_CLIENTS; i++)
		gcs_client_close(clients[i]);
	target_fini(&t);
	expect_events(1, 0);
}

RecordTest(profiles_and_what_was_missed)
{
	/* Of a collection whose event never comes. */
	struct gcs_profile *p =
	    gcs_profile_create(&(struct gcs_profile_head){.kind = GCS_PROFILE_LIVE,
		.server = "",
		.as_of = "",
		.judged = {1, INT64_MAX, "Young"},
		.judged_old.kind = ""});
	struct gcs_ticket ticket;
	void *bytes;
	size_t length;
	cr_assert_eq(gcs_profile_encode(p, &bytes, &length, &err), GCS_OK);
	start(&(struct gcs_server_options){.port = -1});
	target_event(&t, KIT_TICK, 0);
	cr_assert(gcs_server_record_profile(t.server, bytes, length));
	cr_assert(gcs_server_enter(t.server, KIT_TICK, &ticket));
	gcs_server_miss(t.server, &ticket);
	gcs_server_leave(t.server, &ticket);
	target_event(&t, KIT_TICK, 0);
	gcs_server_stop(t.server);
	cr_assert_not(gcs_server_record_profile(t.server, bytes, length));
	cr_assert_eq(last.profiles, 1);
	target_fini(&t);
	gcs_free(bytes);
	gcs_profile_free(p);
	struct gcs_trace *trace = gcs_trace_open(path, &err);
	struct gcs_trace_profile_info info;
	cr_assert(gcs_trace_profile_info(trace, 0, &info));
	cr_assert_eq(info.place, 2);
	struct gcs_snapshot *s = gcs_trace_at(trace, 1, &err);
	cr_assert_eq(gcs_snapshot_occurrence(s)->missed, 1);
	gcs_snapshot_unref(s);
	gcs_trace_close(trace);
}

RecordTest(a_disk_that_hangs_holds_nobody)
{
	cr_assert_eq(mkfifo(path, 0600), 0);
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct gcs_recorder *r = gcs_recorder_create(
	    &(struct gcs_recorder_options){.trace = {.path = path, .replace = true, .flush_ms = 1},
		.finish_ms = 100,
		.queue_limit = 8,
		.finished = finished},
	    &err);
	cr_assert_not_null(r, "%s", err.text);
	cr_assert(target_init_recorded(&t, &(struct gcs_server_options){.port = -1}, r));
	struct gcs_recorder_stats stats = {.dropped = 0};
	const uint64_t begin = now_ns();
	for (uint32_t i = 0; i < 5000 && stats.dropped == 0; i++) {
		target_event(&t, KIT_TICK, 4000 + i % 2);
		gcs_recorder_get_stats(r, &stats);
	}
	cr_assert_gt(stats.dropped, 0);
	gcs_server_stop(t.server);
	cr_assert_lt(now_ns() - begin, 20000000000u);
	cr_assert_eq(last.error.status, GCS_TIMEOUT);
	cr_assert_not_null(strstr(last.error.text, path));
	target_fini(&t);
	/* Its writer goes when the reader does, and frees what it has. */
	close(fd);
	kit_until(kit_live_blocks() == 0);
}

/* A file at its limit: what nobody gets any more is not gathered any more. */
RecordTest(a_recorder_that_fails_gives_up_its_place)
{
	for (int port = -1; port <= 0; port++) {
		struct gcs_recorder *r = gcs_recorder_create(
		    &(struct gcs_recorder_options){
			.trace = {.path = path, .flush_ms = 1, .max_bytes = 20000},
			.finished = finished},
		    &err);
		cr_assert_not_null(r, "%s", err.text);
		cr_assert(target_init_recorded(&t, &(struct gcs_server_options){.port = port}, r));
		for (uint32_t i = 0; i < 20000 && target_event(&t, KIT_TICK, 500 + i % 9) != 0; i++)
			kit_sleep_ms(1);
		cr_assert_eq(target_event(&t, KIT_TICK, 0), 0);
		kit_until(!gcs_server_attached(t.server));
		kit_until(atomic_load(&t.goings) == 1);
		target_fini(&t);
		cr_assert_eq(last.error.status, GCS_LIMIT);
		cr_assert_eq(atomic_load(&t.lines), 1);
		cr_assert_not_null(strstr(t.line, "has reached its limit"), "%s", t.line);
		cr_assert_eq(atomic_load(&t.goings), 1, "told once");
		unlink(path);
	}
}

RecordTest(comes_before_the_start_or_not_at_all)
{
	start(&(struct gcs_server_options){.port = 0});
	cr_assert_eq(gcs_server_record(t.server, NULL, &err), GCS_STATE);
	target_fini(&t);
	unlink(path);
	/* A server that never starts finishes it as well. */
	struct gcs_server *s =
	    gcs_server_create(&(struct gcs_server_options){.name = "none", .port = -1}, &err);
	struct gcs_recorder *r = make();
	cr_assert_eq(gcs_server_record(s, r, &err), GCS_OK);
	cr_assert_eq(gcs_server_record(s, r, &err), GCS_STATE);
	gcs_server_destroy(s);
	cr_assert_eq(atomic_load(&ends), 2);
}

/* A program that records, has a child of fork, and is killed; returns the child. */
static pid_t killed_with_a_child(void)
{
	int say[2];
	pid_t child = -1;
	cr_assert_eq(pipe(say), 0);
	const pid_t program = fork();
	if (program == 0) {
		start(&(struct gcs_server_options){.port = -1});
		child = fork();
		if (child == 0) {
			for (;;)
				pause();
		}
		if (write(say[1], &child, sizeof child) == sizeof child)
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	int how;
	cr_assert_eq(waitpid(program, &how, 0), program);
	cr_assert(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
	cr_assert_eq(read(say[0], &child, sizeof child), (ssize_t)sizeof child);
	close(say[0]);
	close(say[1]);
	return child;
}

RecordTest(what_is_left_of_a_killed_program_keeps_no_file)
{
	const pid_t child = killed_with_a_child();
	struct gcs_recorder *r = gcs_recorder_create(
	    &(struct gcs_recorder_options){.trace = {.path = path, .replace = true}}, &err);
	kill(child, SIGKILL);
	cr_assert_not_null(r, "%s", err.text);
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_OK);
}
