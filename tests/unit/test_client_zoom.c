/* Zooms between clients and a server over sockets (F16), also with clients that leave (Q3). */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "kit_server.h"

static struct target target;
static struct gcs_error err;
static uint32_t map; /* a space of four blocks of 64 KiB from LOW on */

#define LOW   UINT64_C(0x7f0000000000)
#define BLOCK UINT64_C(65536)

static const struct gcs_stream streams[] = {
    {.name = "Value", .max = 1},
    {.name = "From", .role = GCS_ROLE_RANGE_START, .type = GCS_TYPE_I64, .max = INT64_MAX},
    {.name = "To", .role = GCS_ROLE_RANGE_END, .type = GCS_TYPE_I64, .max = INT64_MAX},
};

/* The target's requests; owned by the I/O thread except for the counters. */
static struct {
	atomic_uint zooms, unzooms;
	atomic_uint ended;         /* the last space that is not wanted any more */
	_Atomic uint64_t ticket;   /* of the last zoom */
	atomic_bool later, refuse; /* do not answer at once; say no */
	uint32_t spare;            /* a withdrawn space to use again, or GCS_NONE */
	struct gcs_zoom last;
	char name[64];
} asked;

static bool make(uint64_t ticket)
{
	struct gcs_space space = {.name = asked.name,
	    .group = GCS_NONE,
	    .block_bytes = asked.last.block_bytes,
	    .stream_count = 3,
	    .streams = streams};
	uint32_t id = asked.spare;
	enum gcs_status status = id != GCS_NONE
				     ? gcs_server_set_space(target.server, id, &space, &err)
				     : gcs_server_add_space(target.server, &space, &id, &err);
	cr_assert_eq(status, GCS_OK, "%s", err.text);
	asked.spare = GCS_NONE;
	if (gcs_server_zoomed(target.server, ticket, id))
		return true;
	cr_assert_eq(gcs_server_remove_space(target.server, id, NULL), GCS_OK);
	asked.spare = id;
	return false;
}

static void on_zoom(void *context, const struct gcs_zoom *zoom)
{
	cr_assert_eq(context, &target);
	asked.last = *zoom;
	snprintf(asked.name, sizeof asked.name, "%s in detail", zoom->of->name);
	atomic_store(&asked.ticket, zoom->ticket);
	if (atomic_load(&asked.refuse))
		gcs_server_answer(target.server, zoom->ticket, GCS_STATE, "not now", NULL, 0);
	else if (!atomic_load(&asked.later))
		(void)make(zoom->ticket);
	atomic_fetch_add(&asked.zooms, 1);
}

static void on_unzoom(void *context, uint32_t space)
{
	cr_assert_eq(context, &target);
	cr_assert_eq(gcs_server_remove_space(target.server, space, NULL), GCS_OK);
	asked.spare = space;
	atomic_store(&asked.ended, space);
	atomic_fetch_add(&asked.unzooms, 1);
}

static void begin(const struct gcs_server_options *options)
{
	const struct gcs_space space = {.name = "Map",
	    .group = GCS_NONE,
	    .block_bytes = BLOCK,
	    .stream_count = 3,
	    .streams = streams};
	kit_count_memory(0);
	asked.spare = GCS_NONE;
	cr_assert(target_init(&target, options), "%s", target.err.text);
	cr_assert_eq(gcs_server_add_space(target.server, &space, &map, &err), GCS_OK);
}

static void setup(void)
{
	begin(&(struct gcs_server_options){.zoom = on_zoom, .unzoom = on_unzoom});
}

static void setup_without(void)
{
	begin(&(struct gcs_server_options){0});
}

static void teardown(void)
{
	target_fini(&target);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define ZoomTest(name) Test(client_zoom, name, .init = setup, .fini = teardown, .timeout = 60)

static void publish(void)
{
	struct gcs_ticket ticket;
	if (gcs_server_enter(target.server, KIT_TICK, &ticket)) {
		struct gcs_snapshot *s = gcs_server_begin(target.server, &ticket);
		cr_assert(gcs_snapshot_resize(s, map, 4));
		for (uint32_t i = 0; i < 4; i++) {
			gcs_snapshot_write(s, map, 1)[i] = (int64_t)(LOW + i * BLOCK);
			gcs_snapshot_write(s, map, 2)[i] = (int64_t)(LOW + (i + 1) * BLOCK);
		}
		gcs_server_publish(target.server, &ticket, s);
	}
	gcs_server_leave(target.server, &ticket);
}

/* A client that has seen the map. */
static struct gcs_client *join(void)
{
	struct gcs_client *c =
	    target_client(&target, &(const struct gcs_client_options){.name = "zooms"});
	cr_assert_not_null(c, "%s", target.err.text);
	publish();
	struct gcs_snapshot *s = gcs_client_next(c, 10000);
	cr_assert_not_null(s);
	gcs_snapshot_unref(s);
	return c;
}

static uint32_t ask(struct gcs_client *c, uint32_t space, uint64_t start, uint64_t end)
{
	uint32_t id = 0;
	cr_assert_eq(gcs_client_zoom(c, space, start, end, 4096, &id), GCS_OK);
	return id;
}

/* The space that answers; GCS_NONE with `status` when there is none. */
static uint32_t answered(struct gcs_client *c, uint32_t id, enum gcs_status *status)
{
	struct gcs_answer *a = gcs_client_answer(c, id, 10000);
	cr_assert_not_null(a);
	cr_assert_eq(a->status == GCS_OK, a->message[0] == '\0', "a refusal says why");
	uint32_t space = gcs_answer_space(a);
	*status = a->status;
	gcs_answer_free(a);
	return space;
}

static uint32_t zoom(struct gcs_client *c)
{
	enum gcs_status status;
	uint32_t space = answered(c, ask(c, map, LOW, LOW + BLOCK), &status);
	cr_assert(status == GCS_OK && space != GCS_NONE, "%s", gcs_status_name(status));
	return space;
}

static enum gcs_status unzoom(struct gcs_client *c, uint32_t space)
{
	uint32_t id;
	enum gcs_status status;
	cr_assert_eq(gcs_client_unzoom(c, space, &id), GCS_OK);
	cr_assert_eq(answered(c, id, &status), GCS_NONE);
	return status;
}

static bool knows(struct gcs_client *c, uint32_t space)
{
	struct gcs_model *m = gcs_client_model(c);
	bool there = space < m->space_count && !m->spaces[space].gone;
	gcs_model_unref(m);
	return there;
}

ZoomTest(granted_described_and_looked_at)
{
	struct gcs_client *c = join(), *other = join();
	unsigned looks = atomic_load(&target.looks);
	uint32_t space = zoom(c);
	cr_assert(knows(c, space), "the description comes before the answer");
	kit_until(knows(other, space));
	kit_until(atomic_load(&target.looks) > looks);
	cr_assert(asked.last.space == map && asked.last.start == LOW &&
		  asked.last.end == LOW + BLOCK && asked.last.block_bytes == 4096);
	cr_assert_str_eq(asked.name, "Map in detail");
	cr_assert_eq(unzoom(other, space), GCS_STATE, "it is another client's");
	cr_assert_eq(unzoom(c, map), GCS_ARGUMENT);
	cr_assert_eq(unzoom(c, space), GCS_OK);
	cr_assert_eq(atomic_load(&asked.ended), space);
	kit_until(!knows(c, space) && !knows(other, space));
	cr_assert_eq(unzoom(c, space), GCS_ARGUMENT);
	gcs_client_close(c);
	gcs_client_close(other);
	cr_assert_eq(atomic_load(&asked.unzooms), 1);
}

ZoomTest(what_the_server_refuses_never_reaches_the_target)
{
	struct gcs_client *c = join();
	enum gcs_status status;
	uint32_t id;
	answered(c, ask(c, map, LOW - 1, LOW + 1), &status);
	cr_assert_eq(status, GCS_ARGUMENT);
	answered(c, ask(c, KIT_LIST, LOW, LOW + 1), &status);
	cr_assert_eq(status, GCS_ARGUMENT);
	cr_assert_eq(atomic_load(&asked.zooms), 0);
	cr_assert_eq(gcs_client_zoom(c, map, LOW, LOW + 1, 0, &id), GCS_ARGUMENT);
	cr_assert_eq(gcs_client_zoom(c, GCS_MAX_SPACES, LOW, LOW + 1, 512, &id), GCS_ARGUMENT);
	cr_assert_eq(gcs_client_unzoom(c, GCS_MAX_SPACES, &id), GCS_ARGUMENT);
	gcs_client_close(c);
}

/* A refusal gives the place back. */
ZoomTest(the_target_may_refuse)
{
	struct gcs_client *c = join();
	enum gcs_status status;
	atomic_store(&asked.refuse, true);
	for (unsigned i = 0; i < 3 * GCS_MAX_ZOOMS_EACH; i++) {
		cr_assert_eq(answered(c, ask(c, map, LOW, LOW + 1), &status), GCS_NONE);
		cr_assert_eq(status, GCS_STATE);
	}
	atomic_store(&asked.refuse, false);
	uint32_t space = zoom(c);
	cr_assert_eq(unzoom(c, space), GCS_OK);
	gcs_client_close(c);
}

ZoomTest(who_leaves_leaves_no_zoom)
{
	struct gcs_client *watch = join();
	for (unsigned round = 1; round <= 30; round++) {
		struct gcs_client *c = join();
		uint32_t space = zoom(c);
		kit_until(knows(watch, space));
		gcs_client_close(c);
		kit_until(atomic_load(&asked.unzooms) == round);
		kit_until(!knows(watch, space));
	}
	struct gcs_model *m = gcs_client_model(watch);
	cr_assert_eq(m->space_count, map + 2, "one id served them all");
	gcs_model_unref(m);
	gcs_client_close(watch);
}

ZoomTest(answered_too_late)
{
	struct gcs_client *c = join();
	atomic_store(&asked.later, true);
	(void)ask(c, map, LOW, LOW + 1);
	kit_until(atomic_load(&asked.zooms) == 1);
	gcs_client_close(c);
	kit_until(target_stats(&target).clients == 0);
	cr_assert_not(make(atomic_load(&asked.ticket)), "nobody waits for it");
	cr_assert_not(gcs_server_zoomed(target.server, 0, map));
	cr_assert_not(gcs_server_zoomed(target.server, UINT64_MAX, map));
	cr_assert_eq(atomic_load(&asked.unzooms), 0);
}

ZoomTest(each_client_has_some_and_all_together)
{
	struct gcs_client *c[5];
	enum gcs_status status;
	for (unsigned i = 0; i < 5; i++) {
		c[i] = join();
		for (unsigned k = 0; i < 4 && k < GCS_MAX_ZOOMS_EACH; k++)
			(void)zoom(c[i]);
		answered(c[i], ask(c[i], map, LOW, LOW + 1), &status);
		cr_assert_eq(status, GCS_LIMIT);
	}
	gcs_client_close(c[2]);
	kit_until(atomic_load(&asked.unzooms) == GCS_MAX_ZOOMS_EACH);
	(void)zoom(c[4]);
	for (unsigned i = 0; i < 5; i++)
		if (i != 2)
			gcs_client_close(c[i]);
	kit_until(atomic_load(&asked.unzooms) == GCS_MAX_ZOOMS + 1);
}

/* A server of before zooms, and one whose target has none. */
Test(client_zoom, a_target_without_zooms, .init = setup_without, .fini = teardown, .timeout = 60)
{
	struct gcs_client *c = join();
	enum gcs_status status;
	cr_assert_eq(answered(c, ask(c, map, LOW, LOW + 1), &status), GCS_NONE);
	cr_assert_eq(status, GCS_UNSUPPORTED);
	cr_assert_eq(unzoom(c, map), GCS_UNSUPPORTED);
	gcs_client_close(c);
	const struct gcs_server_options half = {.name = "half", .zoom = on_zoom};
	cr_assert_null(gcs_server_create(&half, &err));
	cr_assert_eq(err.status, GCS_ARGUMENT);
}

Test(client_zoom, answers_that_name_no_space)
{
	const uint8_t large[] = {0x80, 8}, cut[] = {0x80};
	struct gcs_answer a = {.status = GCS_OK, .bytes = large, .length = 2};
	cr_assert_eq(gcs_answer_space(&a), GCS_NONE, "1024 is no space");
	a.bytes = cut;
	a.length = 1;
	cr_assert_eq(gcs_answer_space(&a), GCS_NONE);
	a.length = 0;
	cr_assert_eq(gcs_answer_space(&a), GCS_NONE);
	a.bytes = large + 1;
	a.length = 1;
	cr_assert_eq(gcs_answer_space(&a), 8);
	a.status = GCS_LIMIT;
	cr_assert_eq(gcs_answer_space(&a), GCS_NONE);
}
