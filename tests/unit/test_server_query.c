/* A server and clients that break the rules of questions (Q2, Q3). */
#include <criterion/criterion.h>

#include "decoder.h"
#include "net.h"
#include "query_suite.h"

static struct gcs_error err;

#define QuestionTest(name) Test(server_query, name, .init = setup, .fini = teardown, .timeout = 60)

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

Test(server_query, a_parameter_by_its_key)
{
	const struct gcs_info parameters[] = {
	    {"kind", "live"}, {"where", "all"}, {"kind", "dead"}, {"empty", ""}};
	const struct gcs_query query = {.topic = "sites", .count = 4, .parameters = parameters};
	const struct gcs_query bare = {.topic = "sites"};
	cr_assert_str_eq(gcs_query_value(&query, "kind"), "dead", "of several the last");
	cr_assert_str_eq(gcs_query_value(&query, "where"), "all");
	cr_assert_str_eq(gcs_query_value(&query, "empty"), "");
	cr_assert_null(gcs_query_value(&query, "kin"));
	cr_assert_null(gcs_query_value(&bare, "kind"));
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

/* Also after a long output: the refusal waits for its turn and is not left out. */
Test(server_query, a_refusal_is_never_lost, .init = setup_without, .fini = teardown, .timeout = 60)
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
