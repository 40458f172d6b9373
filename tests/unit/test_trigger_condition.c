/* The text of conditions, and what they mean at an event (F17). */
#include "server_internal.h"
#include "trigger_suite.h"

static struct gcs_server *server;
static struct gcs_error err;

/* The attribute Free runs, and how often it was computed. */
static int64_t runs, runs_parameters[2];
static unsigned computed;

static bool compute(void *context, const struct gcs_ticket *ticket, uint32_t event,
    uint32_t attribute, const int64_t *parameters, int64_t *value)
{
	(void)context;
	cr_assert_eq(ticket->event, event);
	cr_assert_eq(attribute, FREE_RUNS);
	memcpy(runs_parameters, parameters, sizeof runs_parameters);
	*value = runs;
	computed++;
	return runs >= 0;
}

static void setup(void)
{
	kit_count_memory(0);
	server = gcs_server_create(
	    &(struct gcs_server_options){.name = "t", .attribute = compute}, &err);
	for (uint32_t i = 0; i < EVENTS; i++)
		cr_assert_eq(gcs_server_add_event(server, &gc_events[i], NULL, &err), GCS_OK);
	runs = -1;
	computed = 0;
}

static void teardown(void)
{
	gcs_server_destroy(server);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define ConditionTest(name) Test(condition, name, .init = setup, .fini = teardown)

static enum gcs_status set_trigger(const char *condition)
{
	return gcs_server_set_trigger(
	    server, &(struct gcs_trigger){.name = "t", .condition = condition}, &err);
}

static uint64_t fires(void)
{
	for (uint32_t i = 0; i < GCS_MAX_TRIGGERS; i++) {
		const struct trigger *t = server->triggers.slots[i];
		if (t != NULL && !atomic_load(&t->removed))
			return atomic_load(&t->times);
	}
	return 0;
}

/* One event of the target; whether the trigger has fired. */
static bool fired_at(uint32_t event, const struct gcs_values *values)
{
	struct gcs_ticket t;
	const uint64_t before = fires();
	gcs_server_enter(server, event, &t);
	if (gcs_server_triggered(server, event))
		gcs_server_check(server, &t, values);
	gcs_server_leave(server, &t);
	return fires() != before;
}

/* The usual occurrence: Full, 250 ms, 100 MiB before and 40 MiB after, "System.gc()". */
static int64_t numbers[ATTRIBUTES];
static const char *texts[ATTRIBUTES];
static struct gcs_values finish;

static void usual(void)
{
	numbers[KIND] = 2;
	numbers[PAUSE] = 250000000;
	numbers[USED_BEFORE] = 100 << 20;
	numbers[USED] = 40 << 20;
	texts[CAUSE] = "System.gc()";
	texts[NOTE] = "called and waited for";
	finish =
	    (struct gcs_values){.known = (1 << FREE_RUNS) - 1, .numbers = numbers, .texts = texts};
}

static bool holds(const char *condition)
{
	usual();
	cr_assert_eq(set_trigger(condition), GCS_OK, "%s: %s", condition, err.text);
	return fired_at(FINISH, &finish);
}

ConditionTest(every_comparison_of_numbers)
{
	cr_assert(holds("Pause > 249ms"));
	cr_assert_not(holds("Pause > 250ms"));
	cr_assert(holds("Pause >= 250ms"));
	cr_assert_not(holds("Pause >= 250000001"));
	cr_assert(holds("Pause < 251ms"));
	cr_assert_not(holds("Pause < 250ms"));
	cr_assert(holds("Pause <= 250ms"));
	cr_assert_not(holds("Pause <= 249ms"));
	cr_assert(holds("Pause = 250ms"));
	cr_assert_not(holds("Pause = 251ms"));
	cr_assert(holds("Pause != 251ms"));
	cr_assert_not(holds("Pause != 250ms"));
}

ConditionTest(units_decimal_points_and_signs)
{
	cr_assert(holds("Pause = 0.25s"));
	cr_assert(holds("Pause = 250000us"));
	cr_assert(holds("Pause = 250000000 ns"));
	cr_assert(holds("Used = 40m and \"Used before\" = 102400k"));
	cr_assert(holds("Used > 0.039g and Used < 0.04 g"));
	cr_assert(holds("Used = 0x2800000"));
	cr_assert(holds("Pause > -1.5"));
	/* A value between two numbers is neither. */
	numbers[PAUSE] = 2;
	cr_assert_eq(
	    set_trigger("event = GC finish and Pause > 1.5 and Pause >= 1.5 and Pause < 2.5 and "
			"Pause <= 2.5 and Pause != 2.5"),
	    GCS_OK);
	cr_assert(fired_at(FINISH, &finish));
	cr_assert_eq(
	    set_trigger("Pause > 2.5 or Pause >= 2.5 or Pause < 1.5 or Pause <= 1.5"), GCS_OK);
	cr_assert_not(fired_at(FINISH, &finish));
	numbers[PAUSE] = -2;
	cr_assert_eq(set_trigger("Pause < -1.5 and Pause > -2.5"), GCS_OK);
	cr_assert(fired_at(FINISH, &finish));
}

ConditionTest(names_of_several_words_need_no_quotes)
{
	cr_assert(holds("event=GC finish and pause>200ms"));
	cr_assert(holds("EVENT = gc   FINISH and used before > 50m and used < 50m"));
	cr_assert(holds("event = \"GC finish\" and \"used before\" > 50m"));
	cr_assert_not(holds("event = GC start or Used before < 50m"));
	/* A known name may have the words of the language in it. */
	numbers[KIND] = 3;
	cr_assert_eq(
	    set_trigger("Kind = concurrent start and mark and Pause > 1"), GCS_OK, "%s", err.text);
	cr_assert(fired_at(FINISH, &finish));
	cr_assert_eq(set_trigger("event=GC finish and event!=malloc"), GCS_OK);
	cr_assert(fired_at(FINISH, &finish));
}

ConditionTest(enumerations_and_texts)
{
	cr_assert(holds("Kind = full"));
	cr_assert_not(holds("Kind != Full"));
	cr_assert(holds("Kind != Mixed and Kind != \"Young\""));
	cr_assert(holds("Cause = \"System.gc()\""));
	cr_assert_not(holds("Cause = \"system.gc()\""));
	cr_assert(holds("Cause ~ tem.gc and Cause != System"));
	cr_assert_not(holds("Cause ~ Metadata"));
	cr_assert(holds("(Note = called and Pause > 1) or (Note ~ \"called and\")"));
	texts[CAUSE] = NULL;
	cr_assert_eq(set_trigger("Cause != x"), GCS_OK);
	cr_assert_not(fired_at(FINISH, &finish), "it is not known");
}

ConditionTest(and_binds_stronger_than_or)
{
	cr_assert(holds("Pause > 1s and Used > 1g or Kind = Full"));
	cr_assert_not(holds("Pause > 1s and (Used > 1g or Kind = Full)"));
	cr_assert(holds("Pause > 1s or Kind = Full and Used > 1m"));
	cr_assert(holds("((Pause > 1s) or ((Kind = Full))) and Used > 1m"));
	cr_assert_not(holds("Kind = Full and Used > 1m and Pause > 1s"));
	cr_assert(holds("Pause > 2s or Pause > 1s or Pause > 1ms"));
}

ConditionTest(each_and_has_the_events_that_have_its_attributes)
{
	const int64_t size[] = {4096, 7};
	const struct gcs_values values = {.known = 3, .numbers = size};
	usual();
	cr_assert_eq(set_trigger("Pause > 1s or Size = 4k"), GCS_OK);
	cr_assert(gcs_server_triggered(server, FINISH) && gcs_server_triggered(server, MALLOC));
	cr_assert_not(gcs_server_triggered(server, START));
	cr_assert_not(
	    gcs_server_triggered(server, EVENTS) || gcs_server_triggered(server, GCS_MAX_EVENTS));
	cr_assert(fired_at(MALLOC, &values));
	cr_assert_not(fired_at(FINISH, &finish));
	/* Kind is a number of one event and an enumeration of two others. */
	cr_assert_eq(set_trigger("Kind = 7"), GCS_OK);
	cr_assert(fired_at(MALLOC, &values));
	cr_assert_not(gcs_server_triggered(server, FINISH));
	cr_assert_eq(set_trigger("Kind = Full"), GCS_OK);
	cr_assert(gcs_server_triggered(server, START) && !gcs_server_triggered(server, MALLOC));
	cr_assert_eq(set_trigger("event = malloc or event = GC start"), GCS_OK);
	cr_assert(fired_at(START, &(struct gcs_values){0}), "nothing of it need be known");
}

ConditionTest(an_attribute_that_is_not_known_compares_as_false)
{
	usual();
	cr_assert_eq(set_trigger("Pause > 1 or Pause <= 1"), GCS_OK);
	finish.known &= ~((uint64_t)1 << PAUSE);
	cr_assert_not(fired_at(FINISH, &finish));
	cr_assert_eq(set_trigger("Cause != x"), GCS_OK);
	finish.texts = NULL;
	cr_assert_not(fired_at(FINISH, &finish));
}

ConditionTest(count_is_the_number_of_the_event)
{
	usual();
	cr_assert_eq(set_trigger("event = GC finish and count = 3"), GCS_OK);
	cr_assert_not(fired_at(FINISH, &finish));
	cr_assert_not(fired_at(FINISH, &finish));
	cr_assert(fired_at(FINISH, &finish));
	cr_assert_not(fired_at(FINISH, &finish));
}

ConditionTest(changes_over_events)
{
	static const int used[] = {10, 20, 5, 30, 8};
	static const bool fires_at[] = {false, false, false, true, false};
	usual();
	cr_assert_eq(set_trigger("change(used, 2 events) >= 10"), GCS_OK, "%s", err.text);
	for (int i = 0; i < 5; i++) {
		numbers[USED] = used[i];
		cr_assert_eq(fired_at(FINISH, &finish), fires_at[i], "%d", i);
	}
	finish.known &= ~((uint64_t)1 << USED);
	cr_assert_not(fired_at(FINISH, &finish), "not known");
	finish.known |= (uint64_t)1 << USED;
	numbers[USED] = 40;
	cr_assert(fired_at(FINISH, &finish), "10 more than two known ones before");
	/* The longest ring goes round. */
	cr_assert_eq(set_trigger("change(Used, 64 events) = 64"), GCS_OK);
	for (int i = 0; i < 200; i++) {
		numbers[USED] = i;
		cr_assert_eq(fired_at(FINISH, &finish), i >= 64, "%d", i);
	}
}

/* Other triggers that are set and removed do not make a trigger forget. */
ConditionTest(changes_outlive_other_triggers)
{
	const struct gcs_trigger other = {.name = "other", .condition = "Used > 1"};
	usual();
	cr_assert_eq(set_trigger("change(Used, 1 event) > 5"), GCS_OK);
	fired_at(FINISH, &finish);
	cr_assert_eq(gcs_server_set_trigger(server, &other, &err), GCS_OK);
	numbers[USED] += 6;
	cr_assert(fired_at(FINISH, &finish));
	cr_assert_eq(gcs_server_remove_trigger(server, "other", &err), GCS_OK);
	numbers[USED] += 6;
	cr_assert(fired_at(FINISH, &finish));
	cr_assert_not(fired_at(FINISH, &finish));
}

static bool fired_at_time(uint64_t time_ns, int64_t used)
{
	struct gcs_ticket t = {.event = FINISH, .count = 1, .time_ns = time_ns};
	const uint64_t before = fires();
	numbers[USED] = used;
	gcs_server_check(server, &t, &finish);
	return fires() != before;
}

ConditionTest(changes_over_time)
{
	usual();
	cr_assert_eq(set_trigger("change(Used, 100 ms) > 50"), GCS_OK, "%s", err.text);
	cr_assert_not(fired_at_time(1000000000, 0), "there is none before");
	cr_assert_not(fired_at_time(1050000000, 50));
	cr_assert(fired_at_time(1100000000, 51), "51 more than the one of 100 ms before");
	cr_assert_not(fired_at_time(1100000001, 100), "that is more than 100 ms before now");
	cr_assert(fired_at_time(1120000000, 101), "51 more than that of 70 ms before");
	cr_assert_not(fired_at_time(2000000000, 1000), "there is none in the last 100 ms");
}

ConditionTest(what_must_be_computed_comes_last)
{
	usual();
	runs = 7;
	cr_assert_eq(set_trigger("Free runs(512, 64k) > 5 and Pause > 1s"), GCS_OK, "%s", err.text);
	cr_assert_not(fired_at(FINISH, &finish));
	cr_assert_eq(computed, 0);
	numbers[PAUSE] = 2000000000;
	cr_assert(fired_at(FINISH, &finish));
	cr_assert_eq(computed, 1);
	cr_assert(runs_parameters[0] == 512 && runs_parameters[1] == 65536);
	runs = 5;
	cr_assert_not(fired_at(FINISH, &finish));
	cr_assert_eq(set_trigger("(Free runs(1, 2) > 1 or Pause > 1s) or Kind = Young"), GCS_OK);
	computed = 0;
	cr_assert(fired_at(FINISH, &finish));
	cr_assert_eq(computed, 0, "Pause decides");
	runs = -1;
	numbers[PAUSE] = 0;
	cr_assert_not(fired_at(FINISH, &finish), "not known");
	cr_assert_eq(computed, 1);
	/* A change of it is computed at each occurrence. */
	cr_assert_eq(set_trigger("Pause > 1s and change(Free runs(1, 2), 1 event) > 0"), GCS_OK,
	    "%s", err.text);
	computed = 0;
	runs = 4;
	fired_at(FINISH, &finish);
	fired_at(FINISH, &finish);
	cr_assert_eq(computed, 2);
}

ConditionTest(interest_is_in_what_conditions_compare)
{
	cr_assert_not(gcs_server_interested(server, FINISH, PAUSE));
	cr_assert_eq(
	    set_trigger(
		"event = GC finish and Pause > 1 and change(Used, 1 event) > 0 and Cause ~ x "
		"and Free runs(1, 2) > 3"),
	    GCS_OK);
	for (uint32_t i = 0; i < ATTRIBUTES; i++)
		cr_assert_eq(gcs_server_interested(server, FINISH, i),
		    i == PAUSE || i == USED || i == CAUSE || i == FREE_RUNS, "%u", i);
	cr_assert_not(gcs_server_interested(server, START, KIND));
	cr_assert_not(gcs_server_interested(server, GCS_MAX_EVENTS, 0));
	cr_assert_not(gcs_server_interested(server, 0, GCS_MAX_ATTRIBUTES));
	cr_assert_eq(gcs_server_remove_trigger(server, "t", &err), GCS_OK);
	cr_assert_not(gcs_server_interested(server, FINISH, PAUSE));
}

/* What is wrong is named, with what is expected. */
static const struct {
	const char *condition, *message;
} wrong[] = {
    {" ", "expected an attribute (event, count, change, Kind, Pause, Used before, Used, Cause, "
	  "Note, Free "
	  "runs, Size) at the end"},
    {"Paus > 200ms",
	"expected an attribute (event, count, change, Kind, Pause, Used before, Used, Cause, "
	"Note, Free runs, Size), not \"Paus\""},
    {"Pause 200ms", "expected <, <=, =, !=, >=, > or ~, not \"200ms\""},
    {"Pause > long", "expected a number, not \"long\""},
    {"Pause > 200m", "expected no size in bytes, not \"200m\""},
    {"Used > 1s", "expected no time, not \"1s\""},
    {"Pause > 200xs",
	"expected a number below 2^63, perhaps with k, m, g, ns, us, ms or s, not \"200xs\""},
    {"Pause > 9223372036854775808", "expected a number below 2^63, perhaps with k, m, g, ns, us, "
				    "ms or s, not \"9223372036854775808\""},
    {"Pause > 9223372037s",
	"expected a number below 2^63, perhaps with k, m, g, ns, us, ms or s, not \"9223372037s\""},
    {"Pause = 1.5", "expected a whole number, which values are, not \"1.5\""},
    {"Pause ~ 5", "expected a number and one of <, <=, =, !=, >=, >, not \"5\""},
    {"event = GC end", "expected one of GC start, GC finish, malloc, not \"GC end\""},
    {"event > malloc", "expected GC start, GC finish, malloc and one of = and !=, not \"malloc\""},
    {"event=GC start and Kind = Fulll", "expected one of Young, Mixed, Full, Concurrent start and "
					"mark, Young, Mixed, Full, Concurrent start "
					"and mark, not \"Fulll\""},
    {"Cause > x", "expected a text and one of =, != or ~, not \"x\""},
    {"Cause =", "expected a text at the end"},
    {"Cause = \"x", "expected a closing quote, not \"\"\""},
    {"\"Paus\" > 1",
	"expected an attribute (event, count, change, Kind, Pause, Used before, Used, Cause, "
	"Note, Free runs, Size), not \"Paus\""},
    {"Pause > 1 Used > 1", "expected \"and\", \"or\" or the end, not \"Used\""},
    {"Pause > 1 and",
	"expected an attribute (event, count, change, Kind, Pause, Used before, Used, Cause, "
	"Note, Free runs, Size) at the end"},
    {"(Pause > 1", "expected ) at the end"},
    {"Pause > 1)", "expected \"and\", \"or\" or the end, not \")\""},
    {"Free runs > 1", "\"Free runs\" takes 2 parameters: least, most"},
    {"Pause(1) > 1", "\"Pause\" takes 0 parameters"},
    {"Free runs(1, 2, 3, 4, 5) > 1", "expected 1 to 4 numbers as parameters, not \"5\""},
    {"Free runs(x) > 1", "expected 1 to 4 numbers as parameters, not \"x\""},
    {"change(Used) > 1", "expected ,, not \")\""},
    {"change(Used, 65 events) > 1", "expected 1 to 64 events, not \"65 events\""},
    {"change(Used, 0 events) > 1", "expected a number of events or ms, not \"0 events\""},
    {"change(Used, 5) > 1", "expected events, ms or s, not \")\""},
    {"change(Cause, 5 events) = x", "expected a number, not \"x\""},
    {"change(Cause, 5 events) = 1", "expected a number and one of <, <=, =, !=, >=, >, not \"1\""},
    {"count > 5ms", "expected no time, not \"5ms\""},
    {"event = GC start and Pause > 1",
	"the condition never holds: no event has all of these attributes"},
};

ConditionTest(mistakes_are_named)
{
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		err.text[0] = '\0';
		cr_assert_eq(
		    set_trigger(wrong[i].condition), GCS_ARGUMENT, "%s", wrong[i].condition);
		cr_assert_str_eq(
		    err.text, wrong[i].message, "%s: %s", wrong[i].condition, err.text);
	}
	cr_assert_eq(fires(), 0);
}

static char many[4200];

static const char *chain(const char *part, const char *joint, unsigned count)
{
	many[0] = '\0';
	for (unsigned i = 0; i < count; i++) {
		strcat(many, i == 0 ? "" : joint);
		strcat(many, part);
	}
	return many;
}

ConditionTest(limits_of_a_condition)
{
	cr_assert(holds(chain("Pause > 1", " and ", GCS_MAX_TRIGGER_TERMS)));
	cr_assert_eq(set_trigger(chain("Pause > 1", " or ", GCS_MAX_TRIGGER_TERMS + 1)), GCS_LIMIT);
	cr_assert_str_eq(err.text, "a condition has at most 32 comparisons");
	cr_assert_eq(set_trigger(chain("(", "", 34)), GCS_ARGUMENT);
	cr_assert_str_eq(err.text, "expected fewer parentheses, not \"(\"");
	cr_assert_eq(set_trigger(chain("x", "", GCS_MAX_TEXT + 1)), GCS_ARGUMENT);
	cr_assert_eq(set_trigger(""), GCS_ARGUMENT);
	cr_assert_str_eq(err.text, "trigger \"t\" needs a condition of 1 to 4095 bytes");
	memset(many, '(', 32);
	strcpy(many + 32, "Pause > 1");
	memset(many + 41, ')', 32);
	many[73] = '\0';
	cr_assert(holds(many), "32 pairs of parentheses");
	cr_assert(holds("change(Used, 1 event) > -1 or Pause > 1"));
	cr_assert_eq(
	    set_trigger(chain("change(Kind, 1 event) > 1", " or ", 32)), GCS_OK, "only malloc's");
}
