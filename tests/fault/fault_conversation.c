/*
 * A server and its clients while the system around them fails (Q3, Q4): whatever fails, nothing
 * crashes, hangs or leaks, and afterwards the program is free to go on.
 *
 *	fault-conversation [ROUNDS [SEED]]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "faults.h"
#include "kit_server.h"
#include "net.h"

static uint64_t seed;

static void failed(const char *what)
{
	faults_set(0, 0);
	fprintf(stderr, "fault-conversation: %s (seed %llu)\n", what, (unsigned long long)seed);
	abort();
}

/* An answer of several parts. */
enum { BODY = 600000 };

static uint8_t body[BODY];

static void on_query(void *context, const struct gcs_query *query)
{
	struct target *t = context;
	gcs_server_answer(t->server, query->ticket, GCS_OK, query->topic, body, BODY);
}

/* Zooms that clients have, as the target knows them (F16). */
static atomic_int zooms;

static void on_zoom(void *context, const struct gcs_zoom *zoom)
{
	struct target *t = context;
	struct gcs_space space = kit_spaces[KIT_LIST];
	uint32_t id;
	enum gcs_status status = gcs_server_add_space(t->server, &space, &id, NULL);
	if (status != GCS_OK) {
		gcs_server_answer(t->server, zoom->ticket, status, "not now", NULL, 0);
		return;
	}
	atomic_fetch_add(&zooms, 1);
	if (gcs_server_zoomed(t->server, zoom->ticket, id))
		return;
	atomic_fetch_sub(&zooms, 1);
	(void)gcs_server_remove_space(t->server, id, NULL);
}

static void on_unzoom(void *context, uint32_t space)
{
	struct target *t = context;
	atomic_fetch_sub(&zooms, 1);
	(void)gcs_server_remove_space(t->server, space, NULL);
}

/* Asks for a zoom, and keeps or releases it. */
static bool zoom(struct gcs_client *c, bool release, uint32_t timeout_ms)
{
	const uint64_t low = UINT64_C(1) << 62;
	uint32_t id;
	if (gcs_client_zoom(c, KIT_HEAP, low, low + 65536, 4096, &id) != GCS_OK)
		return false;
	struct gcs_answer *a = gcs_client_answer(c, id, timeout_ms);
	uint32_t space = a == NULL ? GCS_NONE : gcs_answer_space(a);
	if (release && space != GCS_NONE)
		(void)gcs_client_unzoom(c, space, &id);
	gcs_answer_free(a);
	return space != GCS_NONE;
}

/* Asks; whatever fails, an answer that says OK is the whole one. False without an answer. */
static bool ask(struct gcs_client *c, uint32_t timeout_ms)
{
	uint32_t id;
	const struct gcs_info parameter = {"kind", "any"};
	if (gcs_client_query(c, "body", 1, &parameter, &id) != GCS_OK)
		return false;
	struct gcs_answer *a = gcs_client_answer(c, id, timeout_ms);
	bool ok = a != NULL && a->status == GCS_OK;
	if (ok && (a->length != BODY || memcmp(a->bytes, body, BODY) != 0))
		failed("an answer is not what was said");
	gcs_answer_free(a);
	return ok;
}

/* Opens, looks, commands, asks, leaves; each step may fail. */
static void visit(struct target *t)
{
	struct gcs_error err = {.text = ""};
	struct gcs_client_options options = {.address = t->address,
	    .name = "visitor",
	    .connect_timeout_ms = 500,
	    .compress = seed % 2 == 0,
	    .of_2002 = seed % 3 == 0,
	    .pause_at_start = seed % 5 == 0};
	struct gcs_client *c = gcs_client_open(&options, &err);
	if (c == NULL) {
		if (err.text[0] == '\0' || err.status == GCS_OK)
			failed("no client and no reason");
		return;
	}
	if (gcs_client_wait(c, 1000) == GCS_CLIENT_LIVE) {
		(void)gcs_client_pause(c);
		(void)gcs_client_step(c);
		(void)gcs_client_collapse_space(c, 0, true);
		(void)gcs_client_collapse_space(c, 0, false);
		for (unsigned i = 0; i < 3; i++)
			gcs_snapshot_unref(gcs_client_next(c, 20));
		(void)gcs_client_resume(c, true);
		(void)ask(c, 50);
		(void)zoom(c, seed % 2 == 0, 50);
	}
	gcs_client_error(c, &err);
	if (gcs_client_state(c) == GCS_CLIENT_LOST && (err.status == GCS_OK || err.text[0] == '\0'))
		failed("lost without a reason");
	gcs_client_close(c);
}

static atomic_bool stop;

static void *program(void *context)
{
	while (!atomic_load(&stop)) {
		target_event(context, KIT_TICK, 0);
		kit_sleep_ms(1);
	}
	return NULL;
}

static void converse(struct target *t, uint32_t rarity, const char *only)
{
	pthread_t thread;
	atomic_store(&stop, false);
	if (pthread_create(&thread, NULL, program, t) != 0)
		failed("no thread");
	faults_set(seed, rarity);
	faults_only(only);
	for (unsigned i = 0; i < 3; i++)
		visit(t);
	faults_set(0, 0);
	/* Nobody is there any more: the program must get through, whatever was left out. */
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
}

/* The server's life under faults: start (again and again), conversation, end. */
static void one_life(uint32_t rarity, const char *only)
{
	struct target t;
	const struct gcs_server_options options = {
	    .keep_alive_ms = 2000, .query = on_query, .zoom = on_zoom, .unzoom = on_unzoom};
	faults_set(seed, rarity);
	faults_only(only);
	bool started = target_init(&t, &options);
	faults_set(0, 0);
	if (!started && (t.err.status == GCS_OK || t.err.text[0] == '\0'))
		failed("no server and no reason");
	if (!started && !target_init(&t, &options))
		failed("no server without faults");
	converse(&t, rarity, only);
	/* It still serves. */
	struct gcs_client *c = target_client(&t, &(struct gcs_client_options){.name = "after"});
	if (c == NULL)
		failed("the server does not serve afterwards");
	for (unsigned i = 0; !gcs_server_wants(t.server, KIT_TICK) && i < 10000; i++)
		kit_sleep_ms(1);
	target_event(&t, KIT_TICK, 0);
	struct gcs_snapshot *s = gcs_client_next(c, 5000);
	if (s == NULL || gcs_snapshot_check(s, NULL) != GCS_OK)
		failed("no snapshot afterwards");
	gcs_snapshot_unref(s);
	if (!ask(c, 5000))
		failed("no answer afterwards");
	/* Its heap has any addresses, so that the part is not always there. */
	bool zoomed = false;
	for (unsigned i = 0; !zoomed && i < 100; i++) {
		target_event(&t, KIT_TICK, 2 + i % 7);
		zoomed = zoom(c, true, 5000);
	}
	if (!zoomed)
		failed("no zoom afterwards");
	gcs_client_close(c);
	target_fini(&t);
	if (atomic_load(&zooms) != 0)
		failed("zooms outlive their clients");
	if (kit_live_blocks() != 0)
		failed("memory was left behind");
}

static unsigned open_descriptors(void)
{
	unsigned count = 0;
	for (int fd = 3; fd < 256; fd++)
		count += dup2(fd, fd) == fd;
	return count;
}

/* A server that cannot accept must wait for better times, not spin. */
static void accepting_fails_without_a_spin(void)
{
	struct target t;
	struct rusage before, after;
	struct net_address address;
	if (!target_init(&t, &(struct gcs_server_options){0}) ||
	    !net_parse(t.address, &address, NULL))
		failed("no server");
	int fd = net_connect(&address, 1000, -1, NULL);
	faults_set(1, 1);
	faults_only("accept");
	kit_sleep_ms(20);
	int other = net_connect(&address, 1000, -1, NULL);
	getrusage(RUSAGE_SELF, &before);
	kit_sleep_ms(500);
	getrusage(RUSAGE_SELF, &after);
	long used_us = (after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1000000 +
		       (after.ru_stime.tv_sec - before.ru_stime.tv_sec) * 1000000 +
		       after.ru_utime.tv_usec - before.ru_utime.tv_usec + after.ru_stime.tv_usec -
		       before.ru_stime.tv_usec;
	if (faults_made() == 0)
		failed("accept was not called");
	faults_set(0, 0);
	if (used_us > 200000)
		failed("the server spins while it cannot accept");
	struct gcs_client *c = target_client(&t, &(struct gcs_client_options){.name = "late"});
	if (c == NULL)
		failed("the server does not accept any more");
	gcs_client_close(c);
	net_close(fd);
	net_close(other);
	target_fini(&t);
}

int main(int argc, char **argv)
{
	static const char *const calls[] = {NULL, "malloc", "calloc", "realloc", "pthread_create",
	    "socket", "pipe", "bind", "listen", "accept", "connect", "send", "recv"};
	static const uint32_t rarities[] = {2, 5, 20, 100, 400};
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 60;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : kit_seed();
	for (size_t i = 0; i < BODY; i++)
		body[i] = (uint8_t)(i * 13 >> 4);
	kit_count_memory(0);
	alarm(600); /* a hang ends the test */
	accepting_fails_without_a_spin();
	unsigned descriptors = open_descriptors();
	for (unsigned long i = 0; i < rounds; i++) {
		seed = first + i;
		one_life(rarities[i % 5], calls[i % (sizeof calls / sizeof calls[0])]);
	}
	if (open_descriptors() != descriptors)
		failed("descriptors were left open");
	printf("%lu rounds from seed %llu\n", rounds, (unsigned long long)first);
	return 0;
}
