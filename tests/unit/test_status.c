/* Statuses, errors, versions, and the allocator behind the library (F20). */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/status.h>
#include <gcspy/wire.h>

#include "frame.h"
#include "kit.h"

Test(status, each_has_its_name_and_sentence)
{
#define X(name, text)                                                                              \
	cr_assert_str_eq(gcs_status_name(GCS_##name), #name);                                      \
	cr_assert_str_eq(gcs_status_text(GCS_##name), text);
	GCS_STATUS_LIST(X)
#undef X
	cr_assert_str_eq(gcs_status_name((enum gcs_status)1000), "?");
	cr_assert_str_eq(gcs_status_text((enum gcs_status)1000), "?");
	cr_assert_eq(GCS_OK, 0);
}

Test(status, fail_fills_and_cuts)
{
	struct gcs_error err;
	char longer[1000];
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	cr_assert_eq(gcs_fail(&err, GCS_LIMIT, "%s %d", "port", 7), GCS_LIMIT);
	cr_assert_eq(err.status, GCS_LIMIT);
	cr_assert_str_eq(err.text, "port 7");
	gcs_fail(&err, GCS_IO, "%s", longer);
	cr_assert_eq(strlen(err.text), sizeof err.text - 1);
	cr_assert_eq(gcs_fail(NULL, GCS_IO, "nobody listens"), GCS_IO);
}

Test(status, the_version_is_one)
{
	char text[40];
	snprintf(
	    text, sizeof text, "%d.%d.%d", GCS_VERSION_MAJOR, GCS_VERSION_MINOR, GCS_VERSION_PATCH);
	cr_assert_str_eq(GCS_VERSION_STRING, text);
	cr_assert_str_eq(gcs_version(), text);
}

Test(status, kinds_of_messages_are_distinct_and_named)
{
	unsigned seen[128] = {0};
#define X(name, number, sender)                                                                    \
	cr_assert_lt(number, 128);                                                                 \
	cr_assert_eq(seen[number]++, 0, "%s", #name);                                              \
	cr_assert_str_eq(frame_kind_name(number), #name);
	GCS_WIRE_KINDS(X)
	GCS_WIRE_RESERVED(X)
#undef X
	cr_assert_str_eq(frame_kind_name(0), "?");
	cr_assert_str_eq(frame_kind_name(65535), "?");
}

/* F20: the allocator is replaced as a whole, and cleared memory is cleared by the library. */
Test(memory, a_server_brings_its_own_allocator)
{
	kit_count_memory(1000);
	unsigned char *a = gcs_zalloc(100);
	for (size_t i = 0; i < 100; i++)
		cr_assert_eq(a[i], 0);
	cr_assert_eq(kit_live_blocks(), 1);
	cr_assert_eq(kit_live_bytes(), 100);
	a = gcs_realloc(a, 200);
	cr_assert_eq(kit_live_bytes(), 200);
	cr_assert_null(gcs_alloc(900), "the limit holds");
	cr_assert(kit_has_failed());
	char *copy = gcs_strdup("text");
	cr_assert_str_eq(copy, "text");
	gcs_free(copy);
	gcs_free(a);
	gcs_free(NULL);
	cr_assert_eq(kit_live_blocks(), 0);
	cr_assert_eq(kit_live_bytes(), 0);
	cr_assert_geq(kit_peak_bytes(), 200);
	kit_fail_after(0);
	cr_assert_null(gcs_zalloc(1));
	cr_assert_null(gcs_strdup("x"));
	cr_assert_null(gcs_realloc(NULL, 1));
}

Test(memory, the_c_library_serves_by_default)
{
	char *a = gcs_zalloc(16);
	cr_assert_eq(a[15], 0);
	a = gcs_realloc(a, 1 << 16);
	cr_assert_not_null(a);
	gcs_free(a);
	char *copy = gcs_strdup("");
	cr_assert_str_eq(copy, "");
	gcs_free(copy);
}
