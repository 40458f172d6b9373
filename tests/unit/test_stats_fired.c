/* Figures of recordings: triggers that fired, and events that are counted between updates (F12, F17). */
#include <stdio.h>

#include "kit_stats.h"

#define FiredTest(name) Test(stats_fired, name, .init = setup, .fini = teardown)

static void fire(uint64_t time_ms, const char *name, const char *plugin, uint32_t actions)
{
	struct gcs_snapshot *s = kit_gc_event(&gc, KIT_GC_START, time_ms);
	if (name != NULL)
		cr_assert(gcs_snapshot_add_fired(s, &(struct gcs_fired){.trigger = name,
							.condition = "Pause > 1ms",
							.plugin = plugin,
							.actions = actions}));
	kit_gc_give(&gc, s);
}

static void did(const struct gcs_stats_trigger *t, const char *words)
{
	char text[200];
	cr_assert_str_eq(gcs_trigger_did_text(text, sizeof text, t), words);
}

FiredTest(when_which_and_what_it_did)
{
	fire(1000, NULL, NULL, 0);
	fire(2000, "long", NULL, GCS_TRIGGER_PAUSE | GCS_TRIGGER_RECORD);
	fire(3000, "stack", "backtrace", GCS_TRIGGER_KEEP);
	fire(4000, "long", NULL, GCS_TRIGGER_PAUSE | GCS_TRIGGER_RECORD);
	fire(5000, "long", NULL, 0); /* set again, with no action */
	finish();
	cr_assert_eq(stats->trigger_count, 3);
	const struct gcs_stats_trigger *t = stats->triggers;
	cr_assert_str_eq(t[0].name, "long");
	cr_assert_str_eq(t[0].condition, "Pause > 1ms");
	cr_assert_eq(t[0].fires, 2);
	cr_assert(t[0].first_place == 1 && t[0].last_place == 3);
	cr_assert_eq(t[0].last_wall_ns - t[0].first_wall_ns, 2000000000);
	did(&t[0], "paused the program, saved the flight ring");
	did(&t[1], "asked backtrace");
	did(&t[2], "marked the event");
	cr_assert(t[2].fires == 1 && t[2].first_place == 4);
	cr_assert_eq(stats->fires_left_out, 0);
}

FiredTest(triggers_over_the_limit_are_counted)
{
	char name[16];
	for (int i = 0; i < 70; i++) {
		snprintf(name, sizeof name, "t%d", i % 66);
		fire(1000 + (uint64_t)i, name, NULL, 0);
	}
	finish();
	cr_assert_eq(stats->trigger_count, 64);
	cr_assert_eq(stats->fires_left_out, 2);
	cr_assert_eq(stats->triggers[3].fires, 2);
}

enum { ALLOCATE, OTHER, UPDATE };

static uint64_t cost_ms; /* so far */

/* A snapshot of a program in sample-driven mode. */
static void update(
    struct gcs_model *m, uint64_t sequence, uint64_t time_ms, uint32_t event, uint64_t allocations)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(m, NULL);
	cr_assert_not_null(s);
	gcs_snapshot_set_occurrence(s, &(struct gcs_occurrence){.sequence = sequence,
					   .event = event,
					   .time_ns = time_ms * 1000000,
					   .cost_ns = cost_ms * 1000000});
	gcs_snapshot_set_counter(s, ALLOCATE, allocations);
	gcs_snapshot_set_counter(s, OTHER, sequence);
	gcs_snapshot_set_counter(s, UPDATE, sequence);
	cr_assert_eq(gcs_stats_add(builder, s, sequence), GCS_OK);
	gcs_snapshot_unref(s);
}

static struct gcs_model *updates_model(void)
{
	static const struct gcs_attribute rate = {.name = "Allocate per second"};
	const struct gcs_event events[] = {
	    {.name = "Allocate"},
	    {.name = "Other"},
	    {.name = "Update", .attribute_count = 1, .attributes = &rate},
	};
	struct gcs_model *m = gcs_model_create("updates");
	for (size_t i = 0; i < 3; i++)
		cr_assert_eq(gcs_model_add_event(m, &events[i], NULL, NULL), GCS_OK);
	return m;
}

/* GCspy's thread makes updates beside the program, which loses no time; at other events it does. */
FiredTest(updates_take_no_time_of_the_program)
{
	struct gcs_model *m = updates_model();
	update(m, 1, 1000, UPDATE, 500);
	cost_ms = 900;
	update(m, 2, 2000, UPDATE, 2500);
	cost_ms = 1800;
	update(m, 3, 3000, OTHER, 4500);
	cost_ms = 2300;
	update(m, 4, 4000, UPDATE, 5500);
	finish();
	gcs_model_unref(m);
	cr_assert_eq(stats->wall_ns, 3000000000u);
	cr_assert_eq(stats->run_ns, 2500000000u);
	cr_assert_eq(stats->cost_ns, 500000000u);
	cr_assert_eq(stats->updates_ns, 1800000000u);
	near(stats->events[ALLOCATE].counted_per_second, 2000);
}

FiredTest(what_is_counted_between_updates_is_no_gap)
{
	struct gcs_model *m = updates_model();
	update(m, 1, 1000, UPDATE, 500);
	update(m, 2, 2000, UPDATE, 2500);
	update(m, 3, 2500, ALLOCATE, 3000); /* a trigger fired at it */
	update(m, 4, 3000, ALLOCATE, 4500);
	finish();
	gcs_model_unref(m);
	const struct gcs_stats_event *e = stats->events;
	cr_assert_eq(e[ALLOCATE].counted, 4000);
	near(e[ALLOCATE].counted_per_second, 2000);
	cr_assert_eq(e[ALLOCATE].recorded, 2);
	cr_assert_eq(e[ALLOCATE].unseen, 0);
	cr_assert_eq(stats->gaps, 0);
	cr_assert_eq(e[OTHER].counted, GCS_NO_PLACE);
	cr_assert_eq(e[UPDATE].counted, GCS_NO_PLACE);
	cr_assert_eq(e[UPDATE].recorded, 2);
}

/* Two collections a fraction of a millisecond apart, as a flight ring may have them, are no rate. */
FiredTest(a_moment_has_no_rate)
{
	struct gcs_snapshot *s;
	for (int i = 0; i < 2; i++) {
		s = kit_gc_finish(&gc, &(struct kit_gc_pause){.finish_ms = 1000 + 9u * (unsigned)i,
					   .kind = "Young",
					   .cause = "",
					   .before = 2 * MIB,
					   .after = MIB});
		kit_gc_give(&gc, s);
	}
	finish();
	absent(&stats->allocation.why, "9 ms only, too short for a rate");
}
