/* TRIGGER, INTEREST, FIRE_TRIGGER, and attributes on demand, as bytes and back (F17). */
#include <criterion/criterion.h>
#include <string.h>

#include "kit.h"
#include "pair_suite.h"

#define TriggerTest(name) Test(codec_trigger, name, .init = setup, .fini = teardown)

static char answer[GCS_MAX_FIRED_ANSWER];

static const struct gcs_fired full = {.trigger = "slow",
    .condition = "count > 1",
    .times = 1234567890123,
    .plugin = "stack",
    .status = GCS_STATE,
    .message = "not now",
    .length = sizeof answer,
    .answer = answer,
    .actions = UINT32_MAX};

static const struct gcs_fired least = {.trigger = "t", .condition = "", .times = 1};

static void expect_fired(const struct gcs_fired *f, const struct gcs_fired *expected)
{
	cr_assert_str_eq(f->trigger, expected->trigger);
	cr_assert_str_eq(f->condition, expected->condition);
	cr_assert_eq(f->times, expected->times);
	cr_assert_str_eq(f->plugin, expected->plugin == NULL ? "" : expected->plugin);
	cr_assert_eq(f->status, expected->status);
	cr_assert_str_eq(f->message, expected->message == NULL ? "" : expected->message);
	cr_assert_eq(f->actions, expected->actions);
	cr_assert_eq(f->length, expected->length);
	cr_assert_eq(f->answer == NULL, expected->answer == NULL);
	if (f->answer != NULL)
		cr_assert_eq(memcmp(f->answer, expected->answer, f->length), 0);
}

TriggerTest(what_has_fired_arrives_with_its_snapshot)
{
	memset(answer, 'a', sizeof answer);
	answer[7] = '\0';
	pair_greet(&pair, 0);
	struct gcs_snapshot *s = gcs_snapshot_begin(pair.model, NULL);
	cr_assert(gcs_snapshot_add_fired(s, &full));
	cr_assert(gcs_snapshot_add_fired(s, &least));
	session_snapshot(&pair.session, s, 0);
	pair_flow(&pair);
	cr_assert_eq(gcs_snapshot_fired_count(pair.received), 2);
	expect_fired(gcs_snapshot_fired(pair.received, 0), &full);
	expect_fired(gcs_snapshot_fired(pair.received, 1), &least);
	/* The next one has none. */
	struct gcs_snapshot *next = gcs_snapshot_begin(pair.model, s);
	cr_assert_eq(gcs_snapshot_fired_count(next), 0);
	session_snapshot(&pair.session, next, 0);
	pair_flow(&pair);
	cr_assert_eq(gcs_snapshot_fired_count(pair.received), 0);
	gcs_snapshot_unref(s);
	gcs_snapshot_unref(next);
}

TriggerTest(limits_of_what_has_fired)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(pair.model, NULL);
	struct gcs_fired f = full;
	f.length = sizeof answer + 1;
	cr_assert_not(gcs_snapshot_add_fired(s, &f));
	f = full;
	f.trigger = "";
	cr_assert_not(gcs_snapshot_add_fired(s, &f));
	char name[GCS_MAX_NAME + 2];
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	f.trigger = name;
	cr_assert_not(gcs_snapshot_add_fired(s, &f));
	f.trigger = name + 1;
	for (uint32_t i = 0; i < GCS_MAX_TRIGGERS; i++)
		cr_assert(gcs_snapshot_add_fired(s, &f));
	cr_assert_not(gcs_snapshot_add_fired(s, &f));
	cr_assert_eq(gcs_snapshot_fired_count(s), GCS_MAX_TRIGGERS);
	gcs_snapshot_unref(s);
}

/* It counts as memory that a queue retains, and other models share it. */
TriggerTest(what_has_fired_has_a_cost)
{
	struct gcs_snapshot *plain = gcs_snapshot_begin(pair.model, NULL);
	struct gcs_snapshot *s = gcs_snapshot_begin(pair.model, NULL);
	gcs_snapshot_add_fired(s, &full);
	snapshot_settle(plain, NULL);
	snapshot_settle(s, NULL);
	cr_assert_geq(snapshot_queue_cost(s, 0), snapshot_queue_cost(plain, 0) + sizeof answer);
	struct gcs_snapshot *other = snapshot_rehouse(s, pair.model);
	gcs_snapshot_unref(s);
	expect_fired(gcs_snapshot_fired(other, 0), &full);
	gcs_snapshot_unref(other);
	gcs_snapshot_unref(plain);
}

static struct rd payload(const struct wr *from)
{
	struct frame frame;
	cr_assert_eq(
	    frame_next(from->data, from->length, GCS_WIRE_MAX_TO_CLIENT, NULL, &frame), GCS_OK);
	return frame.payload;
}

TriggerTest(a_trigger_there_and_back)
{
	const struct trigger_message m = {.id = 7,
	    .remove = true,
	    .trigger = {.name = "n",
		.condition = "c",
		.actions = 6,
		.nth = UINT64_MAX,
		.most = 5,
		.plugin = "p"}};
	struct trigger_message back;
	struct arena arena = {0};
	put_trigger(&w, &m);
	struct rd whole = payload(&w);
	for (size_t i = 0; i < rd_left(&whole); i++) {
		struct rd part = rd_over(whole.at, i);
		cr_assert_not(get_trigger(&part, &arena, &back), "%zu", i);
	}
	cr_assert(get_trigger(&whole, &arena, &back));
	cr_assert(back.id == 7 && back.remove && back.trigger.actions == 6);
	cr_assert(back.trigger.nth == UINT64_MAX && back.trigger.most == 5);
	cr_assert_str_eq(back.trigger.name, "n");
	cr_assert_str_eq(back.trigger.condition, "c");
	cr_assert_str_eq(back.trigger.plugin, "p");
	arena_fini(&arena);
}

TriggerTest(an_answer_over_the_limit_is_malformed)
{
	struct gcs_fired f = full;
	static char longer[GCS_MAX_FIRED_ANSWER + 1];
	f.answer = longer;
	f.length = sizeof longer;
	put_fired(&w, &f, NULL);
	struct rd r = payload(&w);
	struct arena arena = {0};
	struct gcs_snapshot *s = gcs_snapshot_begin(pair.model, NULL);
	cr_assert_not(get_fired(&r, &arena, s));
	cr_assert_eq(r.status, GCS_LIMIT);
	gcs_snapshot_unref(s);
	arena_fini(&arena);
}

TriggerTest(interest_there_and_back)
{
	struct interest_message back;
	put_interest(&w, &(struct interest_message){.event = 63, .attribute = 31, .on = true});
	struct rd r = payload(&w);
	cr_assert(get_interest(&r, &back));
	cr_assert(back.event == 63 && back.attribute == 31 && back.on);
}

TriggerTest(interest_in_what_is_not_there_is_malformed)
{
	pair_greet(&pair, 0);
	put_interest(&w, &(struct interest_message){.event = KIT_TICK, .attribute = 2, .on = true});
	pair_command(&pair, &w);
	cr_assert_eq(pair.session.phase, SESSION_READY);
	w.length = 0;
	put_interest(&w, &(struct interest_message){.event = KIT_TICK, .attribute = 3, .on = true});
	pair_command(&pair, &w);
	cr_assert_eq(pair.session.phase, SESSION_CLOSING);
}

/* Attributes on demand and with parameters; a receiver that does not know the fields ends before. */
TriggerTest(attributes_on_demand_there_and_back)
{
	static const char *const names[] = {"from", "to"};
	const struct gcs_attribute attributes[] = {{.name = "plain"},
	    {.name = "costly", .on_demand = true},
	    {.name = "runs", .parameter_count = 2, .parameter_names = names}};
	const struct gcs_event event = {
	    .name = "e", .attribute_count = 3, .attributes = attributes};
	struct gcs_model *m = gcs_model_create("m");
	cr_assert_eq(gcs_model_add_event(m, &event, NULL, NULL), GCS_OK);
	put_events(&w, m, NULL);
	struct rd r = payload(&w);
	struct arena arena = {0};
	uint32_t count;
	struct gcs_event *back;
	cr_assert(get_events(&r, &arena, &count, &back));
	const struct gcs_attribute *a = back[0].attributes;
	cr_assert_not(a[0].on_demand);
	cr_assert_eq(a[0].parameter_count, 0);
	cr_assert(a[1].on_demand && a[1].parameter_count == 0);
	cr_assert(!a[2].on_demand && a[2].parameter_count == 2);
	cr_assert_str_eq(a[2].parameter_names[1], "to");
	arena_fini(&arena);
	gcs_model_unref(m);
}

TriggerTest(attributes_on_demand_are_checked)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", ""};
	struct gcs_attribute a = {.name = "x", .parameter_count = 5, .parameter_names = names};
	const struct gcs_event event = {.name = "e", .attribute_count = 1, .attributes = &a};
	struct gcs_model *m = gcs_model_create("m");
	struct gcs_error err;
	cr_assert_eq(gcs_model_add_event(m, &event, NULL, &err), GCS_LIMIT);
	cr_assert_str_eq(err.text, "attribute \"x\" has 5 parameters, the limit is 4");
	a.parameter_count = 1;
	a.parameter_names = names + 5;
	cr_assert_eq(gcs_model_add_event(m, &event, NULL, &err), GCS_ARGUMENT);
	a = (struct gcs_attribute){.name = "x", .kind = GCS_ATTRIBUTE_TEXT, .on_demand = true};
	cr_assert_eq(gcs_model_add_event(m, &event, NULL, &err), GCS_ARGUMENT);
	cr_assert_str_eq(err.text, "attribute \"x\": a text cannot be computed on demand");
	gcs_model_unref(m);
}
