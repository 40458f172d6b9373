/* What writes traces for others (F23, E2): every failure of memory and of the sink, on random
 * descriptions and states; tests/cli reads what they write with readers of their own. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "kit.h"
#include "kit_trace.h"
#include "made_profiles.h"
#include "report.h"
#include "trace_export.h"

enum { SUMMARY, STREAM, EVENTS, REPORT, KINDS, RECORDED = 60, PROFILE_EVERY = 7 };

static struct kit_trace recorded;
static struct gcs_trace *trace;
static struct gcs_error err;

static void setup(void)
{
	uint64_t seed = 20261121;
	kit_count_memory(0);
	kit_trace_record(&recorded, RECORDED, PROFILE_EVERY, &seed);
	trace = gcs_trace_open(recorded.path, &err);
	cr_assert_not_null(trace, "%s", err.text);
}

static void teardown(void)
{
	gcs_trace_close(trace);
	kit_trace_fini(&recorded);
	cr_assert_eq(kit_live_blocks(), 0, "no live blocks");
}

#define TraceExportTest(name) Test(trace_export, name, .init = setup, .fini = teardown)

static enum gcs_status write_kind(unsigned kind, struct kept *kept)
{
	struct gcs_sink sink = profiles_sink(kept);
	struct gcs_trace_range range = {.first = 0, .last = UINT64_MAX};
	const struct gcs_report_options options = {.name = "x", .last = UINT64_MAX};
	uint64_t unreadable;
	switch (kind) {
	case SUMMARY:
		return gcs_trace_export_summary(trace, &range, &sink, &err);
	case STREAM:
		return gcs_trace_export_stream(trace, kit_spaces[KIT_HEAP].name,
		    kit_spaces[KIT_HEAP].streams[KIT_USED].name, &range, &sink, &err);
	case EVENTS:
		return gcs_trace_export_events(trace, &range, &sink, &err);
	default:
		return gcs_report_write(trace, &options, &sink, &unreadable, &err);
	}
}

TraceExportTest(everything_is_written)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct kept kept = {.room = SIZE_MAX};
		cr_assert_eq(write_kind(kind, &kept), GCS_OK, "%u: %s", kind, err.text);
		cr_assert_gt(kept.length, 1000u);
		profiles_forget(&kept);
	}
}

TraceExportTest(a_sink_that_refuses_is_an_error)
{
	for (unsigned kind = 0; kind < KINDS; kind++)
		for (size_t room = 0; room < 40000; room += 17001) {
			struct kept kept = {.room = room};
			enum gcs_status status = write_kind(kind, &kept);
			cr_assert(status == GCS_IO || (status == GCS_OK && kept.length <= room),
			    "%u with room for %zu", kind, room);
			profiles_forget(&kept);
		}
}

TraceExportTest(each_failure_of_memory_is_an_error_and_leaves_nothing)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		bool failed = true;
		/* Early ones each, later ones some. */
		for (size_t allowed = 0; failed; allowed += 1 + allowed / 40) {
			struct kept kept = {.room = SIZE_MAX};
			gcs_trace_close(trace);
			trace = gcs_trace_open(recorded.path, &err);
			size_t before = kit_live_blocks();
			kit_fail_after(allowed);
			enum gcs_status status = write_kind(kind, &kept);
			failed = kit_has_failed();
			kit_fail_after(SIZE_MAX);
			/* A profile or state that is not available is left out, with a message. */
			cr_assert(status == GCS_NOMEM || status == GCS_OK, "%u, %zu: %s", kind,
			    allowed, gcs_status_name(status));
			cr_assert(failed || status == GCS_OK, "%s", err.text);
			gcs_trace_close(trace);
			trace = NULL;
			cr_assert_leq(kit_live_blocks(), before, "%u, %zu", kind, allowed);
			profiles_forget(&kept);
		}
	}
}

TraceExportTest(a_range_is_counted)
{
	struct kept kept = {.room = SIZE_MAX};
	struct gcs_sink sink = profiles_sink(&kept);
	struct gcs_trace_range range = {.first = 10, .last = 19};
	cr_assert_eq(gcs_trace_export_summary(trace, &range, &sink, &err), GCS_OK);
	cr_assert_eq(range.written, 10u);
	cr_assert_eq(range.unreadable, 0u);
	unsigned lines = 0;
	for (size_t i = 0; i < kept.length; i++)
		lines += kept.bytes[i] == '\n';
	cr_assert_eq(lines, 11u);
	profiles_forget(&kept);
}

TraceExportTest(what_is_not_there_is_refused)
{
	struct kept kept = {.room = SIZE_MAX};
	struct gcs_sink sink = profiles_sink(&kept);
	struct gcs_trace_range range = {.first = 0, .last = UINT64_MAX};
	cr_assert_eq(
	    gcs_trace_export_stream(trace, "no", "such", &range, &sink, &err), GCS_ARGUMENT);
	cr_assert_not_null(strstr(err.text, "\"such\""));
	const struct gcs_report_options beyond = {.first = RECORDED, .last = UINT64_MAX};
	cr_assert_eq(gcs_report_write(trace, &beyond, &sink, NULL, NULL), GCS_ARGUMENT);
	cr_assert_eq(kept.length, 0u);
}
