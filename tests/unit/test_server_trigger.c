/* Triggers of a server with clients (F17). */
#include "server_trigger_suite.h"

TriggerTest(what_fires_is_sent_to_all_whatever_their_filters)
{
	struct gcs_client *a = join(), *b = join();
	cr_assert_not(gcs_server_triggered(server, FINISH));
	set_trigger(a, &slow);
	cr_assert(gcs_server_triggered(server, FINISH));
	filter_out(a);
	filter_out(b);
	cr_assert_eq(collection(5).audience, 0);
	struct gcs_ticket t = collection(11);
	cr_assert_eq(t.audience, 3);
	cr_assert_neq(t.sequence, 0);
	cr_assert_neq(t.time_ns, 0);
	cr_assert_eq(collection(7).audience, 0);
	collection(12);
	struct gcs_client *const clients[] = {a, b};
	for (int i = 0; i < 2; i++) {
		struct gcs_snapshot *s = next(clients[i], 11);
		cr_assert_eq(gcs_snapshot_fired_count(s), 1);
		const struct gcs_fired *f = gcs_snapshot_fired(s, 0);
		cr_assert_str_eq(f->trigger, "slow");
		cr_assert_str_eq(f->condition, "Pause > 10");
		cr_assert_eq(f->times, 1);
		cr_assert_str_eq(f->plugin, "");
		cr_assert_str_eq(f->message, "");
		cr_assert_null(f->answer);
		cr_assert_null(gcs_snapshot_fired(s, 1));
		cr_assert_eq(gcs_snapshot_counter(s, FINISH), 2);
		gcs_snapshot_unref(s);
		s = next(clients[i], 12);
		cr_assert_eq(gcs_snapshot_fired(s, 0)->times, 2);
		gcs_snapshot_unref(s);
	}
	gcs_client_close(a);
	gcs_client_close(b);
}

TriggerTest(a_snapshot_does_not_inherit_what_has_fired)
{
	struct gcs_client *c = join();
	set_trigger(c, &slow);
	collection(11);
	collection(1);
	struct gcs_snapshot *s = next(c, 11);
	cr_assert_eq(gcs_snapshot_fired_count(s), 1);
	gcs_snapshot_unref(s);
	s = next(c, 1);
	cr_assert_eq(gcs_snapshot_fired_count(s), 0);
	gcs_snapshot_unref(s);
	gcs_client_close(c);
}

TriggerTest(the_nth_time_and_at_most)
{
	struct gcs_client *c = join();
	const struct gcs_trigger third = {
	    .name = "third", .condition = "Pause > 10", .nth = 3, .most = 2};
	set_trigger(c, &third);
	filter_out(c);
	unsigned fired = 0;
	for (int i = 1; i <= 12; i++) {
		fired += collection(11).fired != 0;
		collection(1);
		cr_assert_eq(fired, i < 3 ? 0 : i < 6 ? 1 : 2, "%d", i);
	}
	gcs_client_close(c);
}

static void *resume_when_paused(void *context)
{
	struct gcs_client *c = context;
	bool own;
	kit_until(gcs_client_run_state(c, &own, NULL) == GCS_PAUSED && own);
	gcs_client_resume(c, false);
	return NULL;
}

TriggerTest(a_program_pauses_where_it_fires)
{
	struct gcs_client *c = join();
	const struct gcs_trigger t = {
	    .name = "stop", .condition = "Pause > 10", .actions = GCS_TRIGGER_PAUSE, .most = 1};
	set_trigger(c, &t);
	filter_out(c);
	struct gcs_ticket ticket;
	const int64_t numbers[ATTRIBUTES] = {[PAUSE] = 11};
	gcs_server_enter(server, FINISH, &ticket);
	gcs_server_check(
	    server, &ticket, &(struct gcs_values){.known = 1 << PAUSE, .numbers = numbers});
	cr_assert_eq(ticket.pausing, 1);
	gcs_server_publish(server, &ticket, gcs_server_begin(server, &ticket));
	/* The wait itself is that of a filter's pause; here it is ended by a resume that comes once the
	 * client knows that the program waits. */
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, resume_when_paused, c), 0);
	gcs_server_leave(server, &ticket);
	pthread_join(thread, NULL);
	cr_assert_eq(collection(11).pausing, 0, "at most once");
	gcs_client_close(c);
}

TriggerTest(a_client_takes_its_triggers_along_but_those_to_keep)
{
	struct gcs_client *a = join(), *b = join();
	const struct gcs_trigger kept = {
	    .name = "kept", .condition = "Pause > 20", .actions = GCS_TRIGGER_KEEP};
	set_trigger(a, &slow);
	set_trigger(a, &kept);
	uint32_t id;
	gcs_client_remove_trigger(b, "slow", &id);
	expect_answer(b, id, GCS_STATE, "trigger \"slow\" belongs to another client");
	gcs_client_set_trigger(b, &slow, &id);
	expect_answer(b, id, GCS_STATE, "trigger \"slow\" belongs to another client");
	filter_out(b);
	gcs_client_close(a);
	kit_until(collection(11).fired == 0);
	cr_assert_neq(collection(21).fired, 0);
	gcs_client_remove_trigger(b, "kept", &id);
	expect_answer(b, id, GCS_OK, "trigger \"kept\" is removed");
	cr_assert_eq(collection(21).fired, 0);
	cr_assert_not(gcs_server_triggered(server, FINISH));
	gcs_client_remove_trigger(b, "kept", &id);
	expect_answer(b, id, GCS_ARGUMENT, "there is no trigger \"kept\"");
	gcs_client_close(b);
}

TriggerTest(a_trigger_of_the_same_name_is_replaced)
{
	struct gcs_client *c = join();
	set_trigger(c, &slow);
	collection(11);
	set_trigger(c, &(struct gcs_trigger){.name = "slow", .condition = "Pause > 30"});
	cr_assert_eq(collection(11).fired, 0);
	cr_assert_neq(collection(31).fired, 0);
	struct gcs_snapshot *s = next(c, 11);
	cr_assert_str_eq(gcs_snapshot_fired(s, 0)->condition, "Pause > 10");
	gcs_snapshot_unref(s);
	gcs_snapshot_unref(next(c, 11));
	s = next(c, 31);
	cr_assert_str_eq(gcs_snapshot_fired(s, 0)->condition, "Pause > 30");
	cr_assert_eq(gcs_snapshot_fired(s, 0)->times, 1, "a new trigger");
	gcs_snapshot_unref(s);
	gcs_client_close(c);
}

/* A place is not used again while a fire of its trigger waits to be published. */
TriggerTest(what_has_fired_is_kept_until_it_is_published)
{
	struct gcs_client *c = join();
	set_trigger(c, &slow);
	struct gcs_ticket ticket;
	const int64_t numbers[ATTRIBUTES] = {[PAUSE] = 11};
	gcs_server_enter(server, FINISH, &ticket);
	gcs_server_check(
	    server, &ticket, &(struct gcs_values){.known = 1 << PAUSE, .numbers = numbers});
	cr_assert_eq(ticket.fired, 1);
	gcs_server_leave(server, &ticket);
	uint32_t id;
	gcs_client_remove_trigger(c, "slow", &id);
	expect_answer(c, id, GCS_OK, "trigger \"slow\" is removed");
	set_trigger(c, &(struct gcs_trigger){.name = "next", .condition = "Pause > 5"});
	cr_assert_eq(collection(6).fired, 2, "the second place");
	char name[20];
	cr_assert_not(triggers_record(server, &ticket, name, sizeof name));
	gcs_server_publish(server, &ticket, gcs_server_begin(server, &ticket));
	set_trigger(c, &(struct gcs_trigger){.name = "third", .condition = "Pause > 6"});
	cr_assert_eq(collection(7).fired, 3, "the first place is free");
	struct gcs_snapshot *s = next(c, 6);
	cr_assert_str_eq(gcs_snapshot_fired(s, 0)->trigger, "next");
	gcs_snapshot_unref(s);
	s = gcs_client_next(c, 10000);
	cr_assert_str_eq(gcs_snapshot_fired(s, 0)->trigger, "slow");
	gcs_snapshot_unref(s);
	s = next(c, 7);
	cr_assert_eq(gcs_snapshot_fired_count(s), 2);
	gcs_snapshot_unref(s);
	gcs_client_close(c);
}

TriggerTest(a_fire_without_room_is_counted)
{
	struct gcs_client *c = join();
	struct gcs_ticket tickets[TRIGGER_FIRES + 2];
	const int64_t numbers[ATTRIBUTES] = {[PAUSE] = 11};
	const struct gcs_values values = {.known = 1 << PAUSE, .numbers = numbers};
	set_trigger(c, &slow);
	for (uint32_t i = 0; i < TRIGGER_FIRES + 2; i++) {
		gcs_server_enter(server, FINISH, &tickets[i]);
		gcs_server_check(server, &tickets[i], &values);
		cr_assert_eq(tickets[i].fired, i < TRIGGER_FIRES, "%u", i);
	}
	for (uint32_t i = 0; i < TRIGGER_FIRES + 2; i++)
		gcs_server_miss(server, &tickets[i]);
	collection(11);
	struct gcs_snapshot *s = next(c, 11);
	cr_assert_eq(gcs_snapshot_fired(s, 0)->times, TRIGGER_FIRES + 3);
	gcs_snapshot_unref(s);
	gcs_client_close(c);
}

TriggerTest(the_list_of_triggers)
{
	struct gcs_client *a = join(), *b = join();
	const struct gcs_trigger mine = {.name = "mine",
	    .condition = "Used > 1m",
	    .actions = GCS_TRIGGER_KEEP,
	    .nth = 2,
	    .most = 3,
	    .plugin = "stack"};
	set_trigger(a, &slow);
	set_trigger(b, &mine);
	collection(11);
	uint32_t id, count;
	cr_assert_eq(gcs_client_query(b, "triggers", 0, NULL, &id), GCS_OK);
	struct gcs_answer *answer = gcs_client_answer(b, id, 10000);
	cr_assert_eq(answer->status, GCS_OK);
	struct gcs_trigger_state *list =
	    gcs_triggers_decode(answer->bytes, answer->length, &count, &err);
	cr_assert_eq(count, 2);
	cr_assert_str_eq(list[0].trigger.name, "slow");
	cr_assert_eq(list[0].times, 1);
	cr_assert_not(list[0].own);
	cr_assert_str_eq(list[1].trigger.name, "mine");
	cr_assert_str_eq(list[1].trigger.condition, "Used > 1m");
	cr_assert_str_eq(list[1].trigger.plugin, "stack");
	cr_assert_eq(list[1].trigger.actions, mine.actions);
	cr_assert(list[1].trigger.nth == 2 && list[1].trigger.most == 3);
	cr_assert(list[1].own && list[1].times == 0);
	gcs_triggers_free(list);
	for (size_t i = 0; i < answer->length; i++)
		cr_assert_null(gcs_triggers_decode(answer->bytes, i, &count, &err));
	gcs_answer_free(answer);
	gcs_client_close(a);
	gcs_client_close(b);
}

TriggerTest(what_is_rejected_and_why)
{
	struct gcs_client *c = join();
	static const struct {
		struct gcs_trigger trigger;
		enum gcs_status status;
		const char *message;
	} bad[] = {
	    {{.name = "n", .condition = "Paus > 1"}, GCS_ARGUMENT,
		"expected an attribute (event, count, change, Kind, Pause, Used before, Used, "
		"Cause, "
		"Note, Free runs, Size), not \"Paus\""},
	    {{.name = "n", .condition = "Pause > 1", .actions = 8}, GCS_ARGUMENT,
		"trigger \"n\" has an unknown action"},
	    {{.name = "n", .condition = "Pause > 1", .plugin = "heap"}, GCS_ARGUMENT,
		"unknown plugin \"heap\""},
	    {{.name = "n", .condition = "Pause > 1", .actions = GCS_TRIGGER_RECORD}, GCS_STATE,
		"this program keeps no ring of its last seconds"},
	    {{.name = "n",
		 .condition = "Pause > 1",
		 .actions = GCS_TRIGGER_KEEP | GCS_TRIGGER_PAUSE},
		GCS_ARGUMENT,
		"trigger \"n\": one that pauses the program cannot outlive its client"},
	};
	uint32_t id;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		cr_assert_eq(gcs_client_set_trigger(c, &bad[i].trigger, &id), GCS_OK);
		expect_answer(c, id, bad[i].status, bad[i].message);
	}
	const struct gcs_trigger nameless = {.condition = "Pause > 1"};
	cr_assert_eq(gcs_client_set_trigger(c, &nameless, &id), GCS_ARGUMENT);
	cr_assert_eq(gcs_server_set_trigger(server, &nameless, &err), GCS_ARGUMENT);
	cr_assert_str_eq(err.text, "a trigger needs a name of 1 to 255 bytes");
	struct gcs_trigger own = slow;
	own.actions = GCS_TRIGGER_PAUSE;
	cr_assert_eq(gcs_server_set_trigger(server, &own, &err), GCS_ARGUMENT);
	cr_assert_str_eq(
	    err.text, "trigger \"slow\": only a client's trigger can pause the program");
	own = slow;
	own.reserved[1] = 1;
	cr_assert_eq(gcs_server_set_trigger(server, &own, &err), GCS_ARGUMENT);
	char name[20];
	own = slow;
	own.name = name;
	for (unsigned i = 0; i <= GCS_MAX_TRIGGERS; i++) {
		snprintf(name, sizeof name, "t%u", i);
		cr_assert_eq(gcs_server_set_trigger(server, &own, &err),
		    i < GCS_MAX_TRIGGERS ? GCS_OK : GCS_LIMIT);
	}
	cr_assert_str_eq(err.text, "trigger \"t32\": this server has 32 triggers, the maximum");
	gcs_client_close(c);
}

TriggerTest(a_plugin_answers_at_the_event)
{
	struct gcs_client *c = join();
	set_trigger(
	    c, &(struct gcs_trigger){.name = "p", .condition = "Pause > 10", .plugin = "stack"});
	collection(11);
	cr_assert_str_eq(asked, "stack 1 16384 1");
	struct gcs_snapshot *s = next(c, 11);
	const struct gcs_fired *f = gcs_snapshot_fired(s, 0);
	cr_assert_str_eq(f->plugin, "stack");
	cr_assert_eq(f->status, GCS_OK);
	cr_assert_eq(f->length, 100);
	cr_assert_eq(memchr(f->answer, 'y', 100), NULL);
	cr_assert_eq(((const char *)f->answer)[99], 'x');
	gcs_snapshot_unref(s);
	plugin_status = GCS_STATE;
	collection(12);
	s = next(c, 12);
	f = gcs_snapshot_fired(s, 0);
	cr_assert_eq(f->status, GCS_STATE);
	cr_assert_str_eq(f->message, gcs_status_text(GCS_STATE));
	cr_assert_eq(f->length, 0);
	gcs_snapshot_unref(s);
	plugin_status = GCS_OK;
	plugin_length = GCS_MAX_FIRED_ANSWER + 1;
	collection(13);
	s = next(c, 13);
	cr_assert_eq(gcs_snapshot_fired(s, 0)->length, 0, "an answer without room");
	gcs_snapshot_unref(s);
	gcs_client_close(c);
}

TriggerTest(clients_say_what_they_are_interested_in)
{
	struct gcs_client *c = join();
	cr_assert_not(gcs_server_interested(server, FINISH, FREE_RUNS));
	cr_assert_eq(gcs_client_interest(c, FINISH, FREE_RUNS, true), GCS_OK);
	cr_assert_eq(gcs_client_interest(c, FINISH, ATTRIBUTES, true), GCS_ARGUMENT);
	cr_assert_eq(gcs_client_interest(c, EVENTS, 0, true), GCS_ARGUMENT);
	kit_until(gcs_server_interested(server, FINISH, FREE_RUNS));
	gcs_client_interest(c, FINISH, USED, true);
	gcs_client_interest(c, FINISH, FREE_RUNS, false);
	kit_until(!gcs_server_interested(server, FINISH, FREE_RUNS));
	cr_assert(gcs_server_interested(server, FINISH, USED));
	gcs_client_close(c);
	kit_until(!gcs_server_interested(server, FINISH, USED));
}
