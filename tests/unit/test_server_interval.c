/*
 * A client at a pace of intervals (F12): the program gathers what is due for it, and nothing else; and
 * it still has the present state when the program has no further event.
 */
#include <criterion/criterion.h>

#include "target_suite.h"

#define IntervalTest(name)                                                                         \
	Test(server_interval, name, .init = setup, .fini = teardown, .timeout = 60)

enum { HOUR_MS = 3600000 };

/* Answers come in order: with this one, what was sent before has been obeyed. */
static void obeyed(struct gcs_client *c)
{
	uint32_t id;
	cr_assert_eq(gcs_client_query(c, "obeyed", 0, NULL, &id), GCS_OK);
	gcs_answer_free(gcs_client_answer(c, id, 10000));
}

static struct gcs_client *join_at(uint32_t interval_ms)
{
	struct gcs_client *c = join(&plain);
	cr_assert_eq(gcs_client_set_pace(c, GCS_PACE_INTERVAL, interval_ms), GCS_OK);
	obeyed(c);
	return c;
}

static uint64_t next_count(struct gcs_client *c)
{
	struct gcs_snapshot *s = gcs_client_next(c, 10000);
	cr_assert_not_null(s);
	const uint64_t count = gcs_snapshot_counter(s, KIT_TICK);
	gcs_snapshot_unref(s);
	return count;
}

IntervalTest(what_is_not_due_is_counted_but_not_gathered)
{
	struct gcs_client *c = join_at(HOUR_MS);
	cr_expect_eq(target_event(&target, KIT_TICK, 0), 1);
	cr_expect_eq(next_count(c), 1);
	for (int i = 0; i < 20; i++)
		cr_expect_eq(target_event(&target, KIT_TICK, 0), 0);
	cr_expect_eq(target_event(&target, KIT_FULL, 0), 0, "the interval is that of all events");
	cr_expect_eq(target_stats(&target).published, 1);
	cr_assert_eq(gcs_client_set_pace(c, GCS_PACE_EVENTS, 0), GCS_OK);
	obeyed(c);
	cr_expect_eq(atomic_load(&target.looks), 2, "at the start, and for what was withheld");
	cr_expect_eq(target_event(&target, KIT_TICK, 0), 1);
	cr_expect_eq(next_count(c), 22);
	gcs_client_close(c);
}

IntervalTest(others_get_each_event)
{
	struct gcs_client *each = join(&plain);
	struct gcs_client *c = join_at(HOUR_MS);
	cr_expect_eq(target_event(&target, KIT_TICK, 0), 3);
	for (uint64_t i = 2; i < 10; i++)
		cr_expect_eq(target_event(&target, KIT_TICK, 0), 1);
	for (uint64_t i = 1; i < 10; i++)
		cr_expect_eq(next_count(each), i);
	gcs_client_close(c);
	kit_until(target_stats(&target).clients == 1);
	struct gcs_client *later = join(&plain);
	cr_expect_eq(target_event(&target, KIT_TICK, 0), 3, "the slot has no pace any more");
	gcs_client_close(later);
	gcs_client_close(each);
}

/* F9, F10: a hold is at an event that the client gets, and so is what its filter asks for. */
IntervalTest(holds_and_filters_are_not_thinned)
{
	struct gcs_client *c = join_at(HOUR_MS);
	cr_expect(wants(KIT_TICK, 1));
	cr_expect(wants(KIT_TICK, 0));
	cr_assert_eq(gcs_client_pause(c), GCS_OK);
	kit_until(gcs_client_run_state(c, NULL, NULL) == GCS_PAUSING);
	cr_expect(wants(KIT_TICK, 1));
	cr_expect(wants(KIT_TICK, 1));
	cr_assert_eq(gcs_client_resume(c, false), GCS_OK);
	kit_until(gcs_client_run_state(c, NULL, NULL) == GCS_RUNNING);
	cr_expect(wants(KIT_TICK, 0));
	cr_assert_eq(gcs_client_set_filter(c, KIT_TICK,
			 &(struct gcs_filter){.enabled = true, .pause = true, .period = 1}),
	    GCS_OK);
	obeyed(c);
	cr_expect(wants(KIT_TICK, 1));
	cr_expect(wants(KIT_FULL, 0));
	gcs_client_close(c);
}

/* The last event of a burst is one that the client does not get. */
IntervalTest(the_present_state_follows_what_was_withheld)
{
	struct gcs_client *c = join_at(20);
	cr_assert_eq(target_event(&target, KIT_TICK, 0), 1);
	kit_sleep_ms(100);
	cr_expect_eq(atomic_load(&target.looks), 1, "nothing was withheld: only at the start");
	while (target_event(&target, KIT_TICK, 0) != 0)
		continue;
	kit_until(atomic_load(&target.looks) == 2);
	kit_sleep_ms(100);
	cr_expect_eq(atomic_load(&target.looks), 2, "once");
	gcs_client_close(c);
}
