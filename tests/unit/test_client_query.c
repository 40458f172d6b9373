/* Questions and settings between clients and a server over sockets (S6), also with clients that
 * break the rules (Q2, Q3). */
#include <criterion/criterion.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "answer_suite.h"
#include "decoder.h"
#include "kit_server.h"
#include "net.h"
#include "now.h"

static struct target target;
static struct gcs_error err;

/* What the target has been asked; it answers at once only what has the topic "echo" or "long". */
static struct {
	atomic_uint questions, settings;
	_Atomic uint64_t tickets[4 * GCS_MAX_QUERIES];
	char text[64]; /* of the last one; the I/O thread's */
} asked;

enum { LONG = 5 * 1000 * 1000, LONG_PARTS = LONG / CODEC_ANSWER_PER_FRAME + 1, EVENTS = 15 };

static uint8_t long_answer[LONG];

static void answer(uint64_t ticket, enum gcs_status status, const char *words, const char *body)
{
	gcs_server_answer(target.server, ticket, status, words, body, strlen(body));
}

static void on_query(void *context, const struct gcs_query *q)
{
	unsigned number = atomic_load(&asked.questions);
	cr_assert_eq(context, &target);
	snprintf(asked.text, sizeof asked.text, "%s %u %s", q->topic, q->count,
	    q->count == 0 ? "" : q->parameters[0].value);
	atomic_store(&asked.tickets[number % (4 * GCS_MAX_QUERIES)], q->ticket);
	if (strcmp(q->topic, "echo") == 0) {
		answer(q->ticket, GCS_OK, "here you are", asked.text);
	} else if (strcmp(q->topic, "long") == 0) {
		/* Together with what waits for the client in its queue. */
		for (unsigned i = 0; i < EVENTS; i++)
			(void)target_event(&target, KIT_TICK, 0);
		gcs_server_answer(target.server, q->ticket, GCS_OK, "", long_answer, LONG);
	}
	atomic_fetch_add(&asked.questions, 1);
}

static void on_set(void *context, const struct gcs_setting *s)
{
	(void)context;
	snprintf(asked.text, sizeof asked.text, "%s=%s", s->key, s->value);
	atomic_fetch_add(&asked.settings, 1);
	answer(s->ticket, strcmp(s->value, "bad") == 0 ? GCS_ARGUMENT : GCS_OK, asked.text, "");
}

static void begin(const struct gcs_server_options *options)
{
	kit_count_memory(0);
	for (size_t i = 0; i < LONG; i++)
		long_answer[i] = (uint8_t)(i * 31 >> 5);
	cr_assert(target_init(&target, options), "%s", target.err.text);
}

static void setup(void)
{
	begin(&(struct gcs_server_options){.query = on_query, .set = on_set});
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

#define QuestionTest(name) Test(client_query, name, .init = setup, .fini = teardown, .timeout = 60)

static struct gcs_client *join(void)
{
	struct gcs_client *c =
	    target_client(&target, &(const struct gcs_client_options){.name = "asks"});
	cr_assert_not_null(c, "%s", target.err.text);
	return c;
}

static uint32_t query(struct gcs_client *c, const char *topic)
{
	uint32_t id = 0;
	enum gcs_status status = gcs_client_query(c, topic, 0, NULL, &id);
	cr_assert_eq(status, GCS_OK, "%s", gcs_status_name(status));
	cr_assert_neq(id, 0);
	return id;
}

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

/* A long answer in full, while events go on at 100 a second and none comes late. */
QuestionTest(a_long_answer_among_snapshots)
{
	enum { SNAPSHOTS = 60 };
	struct gcs_client *c = join();
	kit_until(gcs_server_wants(target.server, KIT_TICK));
	uint32_t id = query(c, "later");
	kit_until(atomic_load(&asked.questions) == 1);
	uint64_t longest = 0;
	for (unsigned i = 0; i < SNAPSHOTS; i++) {
		if (i == 10)
			gcs_server_answer(target.server, atomic_load(&asked.tickets[0]), GCS_OK, "",
			    long_answer, LONG);
		uint64_t from = now_ns();
		cr_assert_eq(target_event(&target, KIT_TICK, 0), 1);
		struct gcs_snapshot *s = gcs_client_next(c, 10000);
		cr_assert_not_null(s);
		uint64_t took = now_ns() - from;
		longest = took > longest ? took : longest;
		cr_assert_eq(gcs_snapshot_counter(s, KIT_TICK), i + 1);
		cr_assert_eq(gcs_snapshot_occurrence(s)->missed, 0);
		gcs_snapshot_unref(s);
		kit_sleep_ms(10);
	}
	cr_assert_lt(longest, UINT64_C(2000000000), "it takes about 1 ms; a busy machine more");
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

/* A client made by hand: its socket, and a decoder that writes down what comes. */
struct raw {
	int fd;
	struct decoder decoder;
	unsigned snapshots, parts, limits, lasts;
	size_t bytes;
	unsigned snapshots_before_last; /* how many had come when an answer was complete */
	bool wrong;
};

static void raw_model(void *context, struct gcs_model *model)
{
	(void)context;
	(void)model;
}

static void raw_snapshot(void *context, struct gcs_snapshot *snapshot)
{
	(void)snapshot;
	((struct raw *)context)->snapshots++;
}

static void raw_state(void *context, const struct state_message *state)
{
	(void)context;
	(void)state;
}

static void raw_notice(void *context, const char *words)
{
	(void)context;
	(void)words;
}

static void raw_answer(void *context, const struct answer_message *a)
{
	struct raw *raw = context;
	raw->limits += a->status == GCS_LIMIT;
	raw->lasts += a->last;
	raw->parts++;
	raw->wrong = raw->wrong || (a->status == GCS_OK && a->length != 0 &&
				       memcmp(a->bytes, long_answer + raw->bytes, a->length) != 0);
	raw->bytes += a->length;
	if (a->last)
		raw->snapshots_before_last = raw->snapshots;
}

static const struct decoder_events raw_events = {.ready = raw_model,
    .model = raw_model,
    .snapshot = raw_snapshot,
    .state = raw_state,
    .notice = raw_notice,
    .answer = raw_answer};

static void raw_send(struct raw *raw, const struct wr *w)
{
	cr_assert_eq(w->status, GCS_OK);
	cr_assert_eq(net_write(raw->fd, w->data, w->length), (long)w->length);
}

/* Reads what is there; true if the connection still stands. */
static bool raw_read(struct raw *raw)
{
	uint8_t bytes[65536];
	long n = net_read(raw->fd, bytes, sizeof bytes);
	if (n > 0)
		decoder_input(&raw->decoder, bytes, (size_t)n);
	return n >= 0 && raw->decoder.phase != DECODER_ENDED;
}

static void raw_open(struct raw *raw)
{
	struct net_address address;
	struct wr w;
	*raw = (struct raw){.fd = -1};
	cr_assert(net_parse(target.address, &address, &err));
	raw->fd = net_connect(&address, 5000, -1, &err);
	cr_assert_neq(raw->fd, -1, "%s", err.text);
	decoder_init(&raw->decoder, &raw_events, raw);
	wr_init(&w, 1000);
	frame_preamble(&w);
	put_hello(&w, &(struct hello){.name = "raw", .token = ""});
	raw_send(raw, &w);
	wr_fini(&w);
	kit_until(raw_read(raw) && raw->decoder.phase == DECODER_LIVE);
}

static void raw_close(struct raw *raw)
{
	net_close(raw->fd);
	decoder_fini(&raw->decoder);
}

static void raw_ask(struct raw *raw, const char *topic, unsigned times)
{
	struct wr w;
	wr_init(&w, 1 << 20);
	for (unsigned i = 0; i < times; i++)
		put_query(&w, &(struct query_message){.id = 7, .topic = topic});
	raw_send(raw, &w);
	wr_fini(&w);
}

/* A client with too many queries gets an error, and may query again when it has answers. */
QuestionTest(the_server_counts_too)
{
	struct raw raw;
	raw_open(&raw);
	raw_ask(&raw, "later", 3 * GCS_MAX_QUERIES);
	kit_until(raw_read(&raw) && raw.limits == 2 * GCS_MAX_QUERIES);
	cr_assert_eq(atomic_load(&asked.questions), GCS_MAX_QUERIES);
	cr_assert_eq(raw.parts, raw.limits);
	for (unsigned i = 0; i < GCS_MAX_QUERIES; i++)
		answer(atomic_load(&asked.tickets[i]), GCS_STATE, "", "");
	kit_until(raw_read(&raw) && raw.lasts == 3 * GCS_MAX_QUERIES);
	raw_ask(&raw, "later", 1);
	kit_until(atomic_load(&asked.questions) == GCS_MAX_QUERIES + 1);
	raw_close(&raw);
}

/* Parts and snapshots take turns, so that the snapshots are there long before the whole answer. */
QuestionTest(snapshots_go_between_the_parts)
{
	struct raw raw;
	raw_open(&raw);
	kit_until(gcs_server_wants(target.server, KIT_TICK));
	raw_ask(&raw, "long", 1);
	kit_until(raw_read(&raw) && raw.lasts == 1);
	cr_assert(raw.bytes == LONG && raw.parts == LONG_PARTS && !raw.wrong);
	cr_assert_eq(raw.snapshots_before_last, EVENTS);
	cr_assert_eq(target_stats(&target).thinned, 0);
	raw_close(&raw);
}

/* Q3: a client that queries and never reads blocks only its own answers; they end with it. */
QuestionTest(who_never_reads_is_alone_with_it)
{
	struct raw raw;
	raw_open(&raw);
	struct gcs_client *c = join();
	size_t before = kit_live_bytes();
	raw_ask(&raw, "later", GCS_MAX_QUERIES);
	kit_until(atomic_load(&asked.questions) == GCS_MAX_QUERIES);
	for (unsigned i = 0; i < GCS_MAX_QUERIES; i++)
		gcs_server_answer(
		    target.server, atomic_load(&asked.tickets[i]), GCS_OK, "", long_answer, LONG);
	raw_ask(&raw, "later", 2000);
	for (unsigned i = 0; i < 20; i++)
		expect(c, query(c, "echo"), GCS_OK, "here you are", "echo 0 ");
	cr_assert_lt(kit_live_bytes() - before, (size_t)(GCS_MAX_QUERIES + 1) * LONG);
	raw_close(&raw);
	kit_until(target_stats(&target).clients == 1);
	kit_until(kit_live_bytes() < before + 1000000);
	gcs_client_close(c);
}

/* Also behind a long output: the refusal waits for its turn and is not left out. */
Test(client_query, a_refusal_is_never_lost, .init = setup_without, .fini = teardown, .timeout = 60)
{
	enum { TILES = 20000 }; /* 160 KB of random values to an event */
	struct raw raw;
	raw_open(&raw);
	kit_until(gcs_server_wants(target.server, KIT_TICK));
	uint64_t sent = 0;
	for (unsigned still = 0; still < 5; still++) { /* until nothing more goes out */
		(void)target_event(&target, KIT_TICK, TILES);
		kit_sleep_ms(5);
		struct gcs_server_stats stats = target_stats(&target);
		if (stats.sent_bytes != sent || stats.thinned == 0)
			still = 0;
		sent = stats.sent_bytes;
	}
	raw_ask(&raw, "sites", GCS_MAX_QUERIES);
	kit_sleep_ms(20);
	kit_until(raw_read(&raw) && raw.lasts == GCS_MAX_QUERIES);
	raw_close(&raw);
}
