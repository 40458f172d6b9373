/* Questions and settings between clients and a server over sockets (S6). */
#include <criterion/criterion.h>

#include <pthread.h>

#include "now.h"
#include "query_suite.h"

#define QuestionTest(name) Test(client_query, name, .init = setup, .fini = teardown, .timeout = 60)

QuestionTest(answered_at_once)
{
	const struct gcs_info kind = {.key = "kind", .value = "live"};
	struct gcs_client *c = join();
	uint32_t id;
	cr_assert_eq(gcs_client_query(c, "echo", 1, &kind, &id), GCS_OK);
	expect(c, id, GCS_OK, "here you are", "echo 1 live");
	expect(c, query(c, "echo"), GCS_OK, "here you are", "echo 0 ");
	gcs_client_close(c);
	gcs_answer_free(NULL);
}

/* S1: a setting is answered like a question. */
QuestionTest(settings_are_answered)
{
	struct gcs_client *c = join();
	uint32_t id;
	cr_assert_eq(gcs_client_set(c, "interval", "64k", &id), GCS_OK);
	expect(c, id, GCS_OK, "interval=64k", "");
	cr_assert_eq(gcs_client_set(c, "interval", "bad", &id), GCS_OK);
	expect(c, id, GCS_ARGUMENT, "interval=bad", "");
	cr_assert(atomic_load(&asked.settings) == 2 && atomic_load(&asked.questions) == 0);
	gcs_client_close(c);
}

static void *answer_later(void *context)
{
	(void)context;
	kit_sleep_ms(20);
	for (unsigned i = 3; i-- > 0;) {
		char body[16];
		snprintf(body, sizeof body, "%u", i);
		answer(atomic_load(&asked.tickets[i]), GCS_STATE, "", body);
	}
	return NULL;
}

QuestionTest(answered_later_by_another_thread_in_any_order)
{
	struct gcs_client *c = join();
	uint32_t ids[3];
	pthread_t thread;
	for (unsigned i = 0; i < 3; i++)
		ids[i] = query(c, "later");
	kit_until(atomic_load(&asked.questions) == 3);
	cr_assert_null(gcs_client_answer(c, ids[0], 0), "there is none yet");
	cr_assert_eq(pthread_create(&thread, NULL, answer_later, NULL), 0);
	expect(c, ids[0], GCS_STATE, "", "0");
	expect(c, ids[1], GCS_STATE, "", "1");
	expect(c, ids[2], GCS_STATE, "", "2");
	pthread_join(thread, NULL);
	gcs_client_close(c);
}

QuestionTest(answered_once)
{
	struct gcs_client *c = join();
	uint32_t id = query(c, "later");
	kit_until(atomic_load(&asked.questions) == 1);
	for (unsigned i = 0; i < 3; i++)
		answer(atomic_load(&asked.tickets[0]), GCS_OK, i == 0 ? "first" : "again", "x");
	answer(0, GCS_OK, "no ticket", "x");
	answer(UINT64_MAX, GCS_OK, "nobody's ticket", "x");
	expect(c, id, GCS_OK, "first", "x");
	expect(c, query(c, "echo"), GCS_OK, "here you are", "echo 0 ");
	gcs_client_close(c);
}

QuestionTest(long_words_are_cut)
{
	static char words[2 * GCS_MAX_TEXT];
	memset(words, 'w', sizeof words - 1);
	struct gcs_client *c = join();
	uint32_t id = query(c, "later");
	kit_until(atomic_load(&asked.questions) == 1);
	answer(atomic_load(&asked.tickets[0]), GCS_LIMIT, words, "");
	expect(c, id, GCS_LIMIT, words + sizeof words - 1 - GCS_MAX_TEXT, "");
	id = query(c, "later");
	kit_until(atomic_load(&asked.questions) == 2);
	gcs_server_answer(target.server, atomic_load(&asked.tickets[1]), GCS_OK, "", long_answer,
	    (size_t)GCS_MAX_ANSWER + 1); /* never read: it is too long */
	expect(c, id, GCS_LIMIT, "", "");
	gcs_client_close(c);
}

/* What is never answered costs a place, and nothing else; neither end waits for it. */
QuestionTest(eight_may_wait_and_the_ninth_is_refused)
{
	struct gcs_client *c = join();
	uint32_t ids[GCS_MAX_QUERIES], id = 4711;
	for (unsigned i = 0; i < GCS_MAX_QUERIES; i++)
		ids[i] = query(c, "later");
	cr_assert_eq(gcs_client_query(c, "echo", 0, NULL, &id), GCS_LIMIT);
	cr_assert_eq(gcs_client_set(c, "interval", "1", &id), GCS_LIMIT);
	cr_assert_eq(id, 4711);
	kit_until(atomic_load(&asked.questions) == GCS_MAX_QUERIES);
	cr_assert_null(gcs_client_answer(c, ids[0], 20));
	answer(atomic_load(&asked.tickets[3]), GCS_OK, "", "third");
	expect(c, ids[3], GCS_OK, "", "third");
	expect(c, query(c, "echo"), GCS_OK, "here you are", "echo 0 ");
	gcs_client_close(c);
	kit_until(target_stats(&target).clients == 0);
	answer(atomic_load(&asked.tickets[0]), GCS_OK, "", "the client has left");
}

/* The answer to one that has left goes to nobody, though another has its place. */
QuestionTest(answers_find_only_who_asked)
{
	struct gcs_client *c = join();
	(void)query(c, "later");
	kit_until(atomic_load(&asked.questions) == 1);
	gcs_client_close(c);
	kit_until(target_stats(&target).clients == 0);
	c = join();
	uint32_t id = query(c, "later");
	kit_until(atomic_load(&asked.questions) == 2);
	answer(atomic_load(&asked.tickets[0]), GCS_OK, "", "for the other");
	cr_assert_null(gcs_client_answer(c, id, 20));
	answer(atomic_load(&asked.tickets[1]), GCS_OK, "", "for this one");
	expect(c, id, GCS_OK, "", "for this one");
	gcs_client_close(c);
}

/* Who does not take answers loses the oldest; the last eight are always there. */
QuestionTest(answers_that_nobody_takes_are_dropped)
{
	enum { ASKED = 5 * GCS_MAX_QUERIES };
	struct gcs_client *c = join();
	uint32_t ids[ASKED];
	for (unsigned i = 0; i < ASKED; i++) /* not while eight wait */
		kit_until(gcs_client_query(c, "echo", 0, NULL, &ids[i]) == GCS_OK);
	cr_assert_null(gcs_client_answer(c, ids[0], 10000), "dropped: no waiting for it");
	for (unsigned i = ASKED - GCS_MAX_QUERIES; i < ASKED; i++)
		expect(c, ids[i], GCS_OK, "here you are", "echo 0 ");
	cr_assert_null(gcs_client_answer(c, 0, 10000));
	gcs_client_close(c);
}

QuestionTest(bad_questions_are_refused_here)
{
	static char text[GCS_MAX_TEXT + 2];
	memset(text, 't', sizeof text - 1);
	const char *name = text + sizeof text - 1 - GCS_MAX_NAME;
	struct gcs_info p[GCS_MAX_PARAMETERS + 1];
	for (unsigned i = 0; i <= GCS_MAX_PARAMETERS; i++)
		p[i] = (struct gcs_info){.key = "k", .value = "v"};
	struct gcs_client *c = join();
	uint32_t id;
	cr_assert_eq(gcs_client_query(c, "", 0, NULL, &id), GCS_ARGUMENT);
	cr_assert_eq(gcs_client_query(c, name - 1, 0, NULL, &id), GCS_ARGUMENT);
	cr_assert_eq(gcs_client_query(c, "t", GCS_MAX_PARAMETERS + 1, p, &id), GCS_ARGUMENT);
	p[1].key = "";
	cr_assert_eq(gcs_client_query(c, "t", 2, p, &id), GCS_ARGUMENT);
	p[1] = (struct gcs_info){.key = "k", .value = text};
	cr_assert_eq(gcs_client_query(c, "t", 2, p, &id), GCS_ARGUMENT);
	for (unsigned i = 0; i <= GCS_MAX_PARAMETERS; i++)
		p[i] = (struct gcs_info){.key = "k", .value = text + 1};
	cr_assert_eq(gcs_client_query(c, "t", GCS_MAX_PARAMETERS, p, &id), GCS_ARGUMENT,
	    "more than one message to a server may have");
	cr_assert_eq(gcs_client_set(c, "", "v", &id), GCS_ARGUMENT);
	cr_assert_eq(gcs_client_set(c, name - 1, "v", &id), GCS_ARGUMENT);
	cr_assert_eq(gcs_client_set(c, "k", text, &id), GCS_ARGUMENT);
	cr_assert_eq(gcs_client_query(c, name, 15, p, &id), GCS_OK);
	kit_until(atomic_load(&asked.questions) == 1);
	cr_assert_eq(gcs_client_state(c), GCS_CLIENT_LIVE);
	gcs_client_close(c);
}

/* A long answer in full, while events go on at 100 a second and none is missing. */
QuestionTest(a_long_answer_among_snapshots)
{
	enum { SNAPSHOTS = 60 };
	struct gcs_client *c = join();
	kit_until(gcs_server_wants(target.server, KIT_TICK));
	uint32_t id = query(c, "later");
	kit_until(atomic_load(&asked.questions) == 1);
	for (unsigned i = 0; i < SNAPSHOTS; i++) {
		if (i == 10)
			gcs_server_answer(target.server, atomic_load(&asked.tickets[0]), GCS_OK, "",
			    long_answer, LONG);
		cr_assert_eq(target_event(&target, KIT_TICK, 0), 1);
		struct gcs_snapshot *s = gcs_client_next(c, 10000);
		cr_assert_not_null(s);
		cr_assert_eq(gcs_snapshot_counter(s, KIT_TICK), i + 1);
		cr_assert_eq(gcs_snapshot_occurrence(s)->missed, 0);
		gcs_snapshot_unref(s);
		kit_sleep_ms(10);
	}
	cr_assert_eq(target_stats(&target).thinned, 0);
	struct gcs_answer *a = gcs_client_answer(c, id, 10000);
	cr_assert_not_null(a);
	cr_assert(a->status == GCS_OK && a->length == LONG);
	cr_assert_arr_eq(a->bytes, long_answer, LONG);
	gcs_answer_free(a);
	gcs_client_close(c);
}

static void *stop_soon(void *context)
{
	kit_sleep_ms(30);
	gcs_server_stop(context);
	return NULL;
}

/* Who waits for an answer learns at once that the server has gone. */
QuestionTest(a_lost_connection_answers_closed)
{
	struct gcs_client *c = join();
	pthread_t thread;
	uint32_t first = query(c, "later"), second = query(c, "later"), id;
	kit_until(atomic_load(&asked.questions) == 2);
	cr_assert_eq(pthread_create(&thread, NULL, stop_soon, target.server), 0);
	uint64_t from = now_ns();
	expect(c, first, GCS_CLOSED, "", "");
	cr_assert_lt(now_ns() - from, UINT64_C(5000000000));
	expect(c, second, GCS_CLOSED, "", "");
	cr_assert_eq(gcs_client_query(c, "echo", 0, NULL, &id), GCS_STATE);
	cr_assert_eq(gcs_client_set(c, "k", "v", &id), GCS_STATE);
	pthread_join(thread, NULL);
	answer(atomic_load(&asked.tickets[0]), GCS_OK, "", "the server has stopped");
	gcs_client_close(c);
}

/* What was answered before the end still arrives. */
QuestionTest(a_server_that_ends_still_sends_its_answers)
{
	struct gcs_client *c = join();
	uint32_t id = query(c, "later");
	kit_until(atomic_load(&asked.questions) == 1);
	answer(atomic_load(&asked.tickets[0]), GCS_OK, "", "farewell");
	gcs_server_stop(target.server);
	kit_until(gcs_client_state(c) == GCS_CLIENT_LOST);
	expect(c, id, GCS_OK, "", "farewell");
	gcs_client_close(c);
}

Test(client_query, a_server_without_callbacks_supports_nothing, .init = setup_without,
    .fini = teardown, .timeout = 60)
{
	struct gcs_client *c = join();
	uint32_t ids[GCS_MAX_QUERIES];
	for (unsigned i = 0; i < GCS_MAX_QUERIES; i++)
		if (i % 2 == 0)
			ids[i] = query(c, "sites");
		else
			cr_assert_eq(gcs_client_set(c, "interval", "0", &ids[i]), GCS_OK);
	for (unsigned i = 0; i < GCS_MAX_QUERIES; i++)
		expect(c, ids[i], GCS_UNSUPPORTED, "this server answers no queries", "");
	gcs_client_close(c);
}
