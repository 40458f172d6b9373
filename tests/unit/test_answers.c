/* The questions of one client and the parts of their answers. */
#include <criterion/criterion.h>

#include <string.h>

#include <gcspy/memory.h>

#include "answers.h"
#include "kit.h"

static struct answers answers;

static void setup(void)
{
	kit_count_memory(0);
}

static void teardown(void)
{
	answers_fini(&answers);
	cr_assert_eq(kit_live_blocks(), 0);
	answers_fini(&answers); /* fine when it holds nothing */
}

#define AnswersTest(name) Test(answers, name, .init = setup, .fini = teardown)

/* As gcs_server_answer does it: `length` bytes that count up. */
static void answer(uint64_t ticket, size_t length, const char *words)
{
	struct answer_slot *slot = answers_find(&answers, ticket);
	cr_assert_not_null(slot);
	slot->answered = true;
	slot->status = GCS_OK;
	slot->message = words[0] == '\0' ? NULL : gcs_strdup(words);
	slot->bytes = length == 0 ? NULL : gcs_alloc(length);
	slot->length = length;
	for (size_t i = 0; i < length; i++)
		slot->bytes[i] = (uint8_t)(i % 251);
}

AnswersTest(eight_questions_and_no_more)
{
	for (uint64_t i = 1; i <= GCS_MAX_QUERIES; i++)
		cr_assert(answers_ask(&answers, i, 100));
	cr_assert_not(answers_ask(&answers, GCS_MAX_QUERIES + 1, 100));
	for (uint64_t i = 1; i <= GCS_MAX_QUERIES; i++)
		cr_assert_eq(answers_find(&answers, i)->ticket, i, "though all have one id");
	cr_assert_null(answers_find(&answers, GCS_MAX_QUERIES + 1));
	/* A question counts until the last part of its answer is on its way. */
	struct answer_slot *slot;
	struct answer_message part;
	answer(3, 10, "");
	cr_assert_not(answers_ask(&answers, 9, 100));
	cr_assert(answers_next(&answers, &slot, &part));
	cr_assert_not(answers_ask(&answers, 9, 100));
	answers_sent(slot, &part);
	cr_assert(answers_ask(&answers, 9, 100));
}

AnswersTest(nothing_to_send_before_an_answer)
{
	struct answer_slot *slot;
	struct answer_message part;
	cr_assert_not(answers_next(&answers, &slot, &part));
	cr_assert_null(answers_find(&answers, 0), "a free place is no question");
	cr_assert(answers_ask(&answers, 1, 7));
	cr_assert_not(answers_next(&answers, &slot, &part));
	answer(1, 0, "");
	cr_assert_null(answers_find(&answers, 1), "it is answered once");
	cr_assert(answers_next(&answers, &slot, &part));
	cr_assert(part.last && part.total == 0 && part.length == 0 && part.id == 7);
	cr_assert_str_eq(part.message, "");
	answers_sent(slot, &part);
	cr_assert_not(answers_next(&answers, &slot, &part));
	cr_assert_eq(kit_live_blocks(), 0);
}

/* Lengths around those of one part: the parts make the whole, and only the first has the words. */
AnswersTest(a_long_answer_comes_in_parts)
{
	const size_t most = CODEC_ANSWER_PER_FRAME;
	const size_t lengths[] = {1, most - 1, most, most + 1, 3 * most, 3 * most + 17};
	for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
		struct answer_slot *slot;
		struct answer_message part = {.last = false};
		size_t sent = 0;
		cr_assert(answers_ask(&answers, k + 1, 5));
		answer(k + 1, lengths[k], "words");
		while (!part.last) {
			cr_assert(answers_next(&answers, &slot, &part));
			cr_assert(part.id == 5 && part.total == lengths[k] && part.length <= most);
			cr_assert_str_eq(part.message, sent == 0 ? "words" : "");
			for (size_t i = 0; i < part.length; i++)
				cr_assert_eq(part.bytes[i], (sent + i) % 251);
			sent += part.length;
			cr_assert_eq(part.last, sent == lengths[k]);
			answers_sent(slot, &part);
		}
		cr_assert_eq(kit_live_blocks(), 0, "the memory goes with the last part");
	}
}

AnswersTest(the_question_asked_first_goes_first)
{
	struct answer_slot *slot;
	struct answer_message part;
	for (uint64_t i = 1; i <= 3; i++)
		cr_assert(answers_ask(&answers, i, (uint32_t)(10 * i)));
	answer(3, 2 * CODEC_ANSWER_PER_FRAME, "");
	cr_assert(answers_next(&answers, &slot, &part));
	cr_assert_eq(part.id, 30);
	answers_sent(slot, &part);
	answer(2, 1, "");
	const uint32_t order[] = {20, 30};
	for (size_t i = 0; i < 2; i++) {
		cr_assert(answers_next(&answers, &slot, &part));
		cr_assert(part.id == order[i] && part.last);
		answers_sent(slot, &part);
	}
	cr_assert_not(answers_next(&answers, &slot, &part), "the first has no answer");
}
