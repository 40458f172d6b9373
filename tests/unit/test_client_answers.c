/* The client's side of answers, against servers made by hand: older ones, and ones that break the
 * rules (Q2). */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <gcspy/client.h>

#include "answer_suite.h"
#include "kit.h"
#include "net.h"
#include "pair.h"

static struct gcs_error err;

/* A server made by hand. It says `frames` after its bootstrap once it has been asked, with `minor`
 * in its preamble, and closes if it is to. */
static struct gcs_client *join(
    int *fd, unsigned minor, struct wr *frames, uint32_t *id, enum gcs_status expected)
{
	int port = 0, listener = net_listen_tcp("127.0.0.1", 0, &port, &err);
	char address[32];
	struct gcs_model *model = kit_model();
	struct pair pair;
	struct wr w;
	snprintf(address, sizeof address, "%d", port);
	struct gcs_client *c =
	    gcs_client_open(&(struct gcs_client_options){.address = address}, &err);
	cr_assert_not_null(c, "%s", err.text);
	kit_until((*fd = net_accept(listener)) >= 0);
	net_close(listener);
	pair_init(&pair, model);
	wr_init(&w, 1000);
	frame_preamble(&w);
	put_hello(&w, &(struct hello){.name = "raw", .token = ""});
	pair_command(&pair, &w);
	pair.session.out.data[6] = (uint8_t)minor;
	cr_assert_eq(net_write(*fd, pair.session.out.data, pair.session.out.length),
	    (long)pair.session.out.length);
	wr_fini(&w);
	pair_fini(&pair);
	gcs_model_unref(model);
	cr_assert_eq(gcs_client_wait(c, 10000), GCS_CLIENT_LIVE);
	cr_assert_eq(gcs_client_query(c, "sites", 0, NULL, id), expected);
	if (frames != NULL)
		cr_assert_eq(net_write(*fd, frames->data, frames->length), (long)frames->length);
	return c;
}

#define AnswerTest(name) Test(client_answers, name, .init = setup, .fini = teardown)

static struct wr frames;

static void setup(void)
{
	kit_count_memory(0);
	wr_init(&frames, 1 << 20);
}

static void teardown(void)
{
	wr_fini(&frames);
	cr_assert_eq(kit_live_blocks(), 0);
}

AnswerTest(a_server_older_than_questions_is_not_asked)
{
	uint32_t id;
	int fd;
	struct gcs_client *c = join(&fd, 0, NULL, &id, GCS_UNSUPPORTED);
	cr_assert_eq(gcs_client_set(c, "interval", "0", &id), GCS_UNSUPPORTED);
	gcs_client_close(c);
	uint8_t heard[1000];
	long length = 0, n;
	while ((n = net_read(fd, heard + length, sizeof heard - (size_t)length)) > 0)
		length += n;
	struct frame f;
	size_t at = GCS_WIRE_PREAMBLE;
	while (at < (size_t)length) {
		cr_assert_eq(
		    frame_next(heard + at, (size_t)length - at, GCS_WIRE_MAX_TO_SERVER, NULL, &f),
		    GCS_OK);
		cr_assert(f.kind != GCS_WIRE_QUERY && f.kind != GCS_WIRE_SET);
		at += f.bytes;
	}
	net_close(fd);
}

static void part(uint32_t id, bool last, uint32_t total, const char *body)
{
	struct answer_message a = {.id = id, .last = last, .total = total, .message = "w"};
	a.bytes = (const uint8_t *)body;
	a.length = strlen(body);
	put_answer(&frames, &a, NULL);
}

/* What the client makes of these parts of the answer to its first question, which has the number
 * 1. */
static void expect_of_parts(enum gcs_status status, const char *words, const char *body)
{
	uint32_t id;
	int fd;
	struct gcs_client *c = join(&fd, 1, &frames, &id, GCS_OK);
	cr_assert_eq(id, 1);
	expect(c, id, status, words, body);
	cr_assert_eq(gcs_client_state(c), GCS_CLIENT_LIVE);
	gcs_client_close(c);
	net_close(fd);
	frames.length = 0;
}

AnswerTest(parts_make_the_whole)
{
	part(1, false, 6, "ab");
	part(1, false, 6, "");
	part(1, false, 6, "cdef");
	part(1, true, 6, "");
	expect_of_parts(GCS_OK, "w", "abcdef");
}

/* Q2: parts that do not make the whole that they promised are no answer; nothing else is harmed. */
AnswerTest(parts_that_do_not_fit_are_no_answer)
{
	part(1, false, 6, "ab");
	part(1, true, 6, "cde");
	expect_of_parts(GCS_MALFORMED, "", "");
	part(1, false, 6, "abcd");
	part(1, true, 6, "efg");
	expect_of_parts(GCS_MALFORMED, "", "");
	part(1, false, 6, "abcd");
	part(1, true, 4, "");
	expect_of_parts(GCS_MALFORMED, "", "");
	part(1, true, GCS_MAX_ANSWER, "a");
	expect_of_parts(GCS_MALFORMED, "", "");
}

AnswerTest(answers_to_nothing_are_ignored)
{
	part(0, true, 1, "x");
	part(2, true, 1, "x");
	part(UINT32_MAX, false, 1, "x");
	part(1, true, 3, "yes");
	part(1, true, 4, "late");
	part(1, false, 3, "no");
	expect_of_parts(GCS_OK, "w", "yes");
}

/* What had come of an answer when the connection broke is not given out as one. */
AnswerTest(a_half_answer_is_none)
{
	uint32_t id;
	int fd;
	char words[8];
	part(1, false, 6, "abc");
	put_notice(&frames, "behind");
	struct gcs_client *c = join(&fd, 1, &frames, &id, GCS_OK);
	kit_until(gcs_client_notice(c, words, sizeof words) == 1);
	cr_assert_null(gcs_client_answer(c, id, 0));
	net_close(fd);
	expect(c, id, GCS_CLOSED, "", "");
	gcs_client_close(c);
}

/* A promise of much reserves nothing. */
AnswerTest(a_promise_takes_no_memory)
{
	uint32_t id;
	int fd;
	char words[8];
	part(1, false, GCS_MAX_ANSWER, "abc");
	put_notice(&frames, "behind");
	size_t before = kit_peak_bytes();
	struct gcs_client *c = join(&fd, 1, &frames, &id, GCS_OK);
	kit_until(gcs_client_notice(c, words, sizeof words) == 1);
	cr_assert_lt(kit_peak_bytes() - before, 2000000);
	gcs_client_close(c);
	net_close(fd);
}
