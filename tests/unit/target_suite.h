/*
 * The stage of suites with a server and clients over sockets: `target` as kit_server.h has it, made
 * before each test and without live blocks after it. Included by one test file of a program.
 */
#ifndef GCSPY_TESTS_TARGET_SUITE_H
#define GCSPY_TESTS_TARGET_SUITE_H

#include <criterion/criterion.h>

#include "codec.h"
#include "kit_server.h"
#include "net.h"

static struct target target;
static const struct gcs_client_options plain = {.name = "test"};

static inline void setup(void)
{
	kit_count_memory(0);
	cr_assert(target_init(&target, &(struct gcs_server_options){0}), "%s", target.err.text);
}

/* A server that soon gives up on who is silent. */
static inline void setup_short(void)
{
	kit_count_memory(0);
	cr_assert(target_init(&target, &(struct gcs_server_options){.keep_alive_ms = 1500}));
}

static inline void teardown(void)
{
	target_fini(&target);
	cr_assert_eq(kit_live_blocks(), 0);
}

static inline struct gcs_client *join(const struct gcs_client_options *options)
{
	struct gcs_client *c = target_client(&target, options);
	cr_assert_not_null(c, "%s", target.err.text);
	return c;
}

static inline uint64_t next_sequence(struct gcs_client *c)
{
	struct gcs_snapshot *s = gcs_client_next(c, 10000);
	cr_assert_not_null(s);
	uint64_t sequence = gcs_snapshot_occurrence(s)->sequence;
	gcs_snapshot_unref(s);
	return sequence;
}

/* The clients' commands are obeyed some time after they were given. */
static inline bool wants(uint32_t event, uint32_t audience)
{
	struct gcs_ticket t;
	bool wanted = gcs_server_enter(target.server, event, &t);
	if (wanted)
		gcs_server_miss(target.server, &t);
	return (wanted ? t.audience : 0) == audience;
}

/* A connection made by hand, which reads nothing. */
static inline int raw_client(const char *token)
{
	struct net_address address;
	struct wr w;
	struct hello hello = {.name = "raw", .token = token};
	cr_assert(net_parse(target.address, &address, &target.err));
	int fd = net_connect(&address, 5000, -1, &target.err);
	cr_assert_neq(fd, -1, "%s", target.err.text);
	wr_init(&w, 1000);
	frame_preamble(&w);
	put_hello(&w, &hello);
	cr_assert_eq(net_write(fd, w.data, w.length), (long)w.length);
	wr_fini(&w);
	return fd;
}

static inline bool closed_by_server(int fd)
{
	char bytes[4096];
	long n;
	while ((n = net_read(fd, bytes, sizeof bytes)) > 0)
		continue;
	return n < 0;
}

#endif
