/* What a client says to servers of 2002, and what it believes of them (E2, F10). */
#include <criterion/criterion.h>

#include "client_dialect.h"
#include "kit.h"

static struct wr w;

static void setup(void)
{
	kit_count_memory(0);
	wr_init(&w, 1000);
}

static void teardown(void)
{
	wr_fini(&w);
	cr_assert_eq(kit_live_blocks(), 0);
}

static void expect_words(const void *bytes, size_t length)
{
	cr_assert_eq(w.length, length);
	cr_assert_arr_eq(w.data, bytes, length);
	w.length = 0;
}

#define FRAME_OF(command) "\0\0\0\x0a\0\x0a\x2c\x2a" command "\0\xff\xff\xfd\x66"

Test(client_dialect, a_client_speaks_as_that_of_2002, .init = setup, .fini = teardown)
{
	const struct client_dialect *s = &client_dialect_2002;
	struct gcs_filter filters[2] = {
	    {.enabled = true, .period = 1000}, {.delay_ms = 258, .pause = true, .period = 1}};
	s->hello(&w, &(struct hello){.name = "ignored", .token = ""});
	expect_words("\0\0\0\x0eGCspy666\0\0\0\0\1\0", 18);
	s->hello(&w, &(struct hello){.flags = GCS_HELLO_PAUSE, .name = "", .token = ""});
	expect_words("\0\0\0\x0eGCspy666\0\0\0\0\1\1", 18);
	s->pause(&w);
	expect_words(FRAME_OF("\1"), 14);
	s->resume(&w, true);
	expect_words(FRAME_OF("\3"), 14);
	s->step(&w);
	expect_words(FRAME_OF("\4"), 14);
	s->leave(&w);
	expect_words(FRAME_OF("\5"), 14);
	s->filter(&w, 1, 2, filters);
	expect_words("\0\0\0\x20\0\x0a\x2c\x2a\x0a\0\2"
		     "\1\0\0\0\0\0\0\0\3\xe8"
		     "\0\0\0\1\2\1\0\0\0\1"
		     "\0\xff\xff\xfd\x66",
	    36);
}

Test(client_dialect, what_a_server_does_is_believed_from_what_is_seen)
{
	struct inferred_state b = {0};
	bool play;
	cr_assert_eq(inferred_state_event(&b, GCS_RUNNING), GCS_RUNNING);
	cr_assert_eq(inferred_state_pause(&b), GCS_PAUSING);
	cr_assert_eq(inferred_state_event(&b, GCS_PAUSING), GCS_PAUSING);
	cr_assert_eq(inferred_state_paused(&b), GCS_PAUSED);
	cr_assert_eq(inferred_state_step(&b, &play), GCS_PAUSING);
	cr_assert(play);
	cr_assert_eq(inferred_state_step(&b, &play), GCS_PAUSING);
	cr_assert_eq(inferred_state_event(&b, GCS_PAUSING), GCS_PAUSING);
	cr_assert_eq(inferred_state_event(&b, GCS_PAUSING), GCS_PAUSED);
	cr_assert_eq(inferred_state_pause(&b), GCS_PAUSED, "it stands already");
	cr_assert_eq(inferred_state_event(&b, GCS_PAUSED), GCS_RUNNING, "it went on by itself");
	cr_assert_eq(inferred_state_step(&b, &play), GCS_PAUSING);
	cr_assert_not(play, "a step of a running program is a pause");
	cr_assert_eq(inferred_state_paused(&b), GCS_PAUSED);
	cr_assert_eq(inferred_state_resume(&b), GCS_RUNNING);
	cr_assert_eq(inferred_state_event(&b, GCS_RUNNING), GCS_RUNNING);
}
