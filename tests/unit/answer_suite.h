/* What suites of a client's questions check of each answer. */
#ifndef GCSPY_TESTS_ANSWER_SUITE_H
#define GCSPY_TESTS_ANSWER_SUITE_H

#include <criterion/criterion.h>

#include <string.h>

#include <gcspy/client.h>

/* The answer comes, and is this one. */
static inline void expect(struct gcs_client *c, uint32_t id, enum gcs_status status,
    const char *message, const char *body)
{
	struct gcs_answer *a = gcs_client_answer(c, id, 10000);
	cr_assert_not_null(a);
	cr_assert(a->id == id && a->status == status, "%s", gcs_status_name(a->status));
	cr_assert_str_eq(a->message, message);
	cr_assert(a->length == strlen(body) && (a->length == 0 || a->bytes != NULL));
	cr_assert(a->length == 0 || memcmp(a->bytes, body, a->length) == 0);
	gcs_answer_free(a);
	cr_assert_null(gcs_client_answer(c, id, 10000), "it is taken once, without waiting");
}

#endif
