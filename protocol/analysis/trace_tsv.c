#include "trace_tsv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void tsv_text(struct text *t, const char *foreign)
{
	if (foreign[0] != '\0' && strchr("=+-@", foreign[0]) != NULL)
		text_raw(t, "'");
	text_line(t, foreign);
}

void tsv_number(struct text *t, int64_t value, enum gcs_format format)
{
	char digits[32];
	snprintf(digits, sizeof digits, format == GCS_HEX ? "0x%" PRIx64 : "%" PRId64, value);
	text_raw(t, digits);
}

void tsv_moment_names(struct text *t)
{
	text_raw(t, "place\tseconds\ttime\tevent");
}

/* RFC 3339 with nanoseconds, UTC; nothing for a time that no calendar has. */
static void put_time(struct text *t, int64_t wall_ns)
{
	int64_t rest = wall_ns % 1000000000;
	time_t seconds = (time_t)(wall_ns / 1000000000 - (rest < 0));
	struct tm utc;
	char words[40];
	if (gmtime_r(&seconds, &utc) == NULL)
		return;
	strftime(words, sizeof words, "%Y-%m-%dT%H:%M:%S", &utc);
	text_format(t, "%s.%09dZ", words, (int)(rest < 0 ? rest + 1000000000 : rest));
}

void tsv_moment(
    struct text *t, uint64_t place, const struct gcs_snapshot *s, uint64_t first_time_ns)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	uint64_t ns = o->time_ns > first_time_ns ? o->time_ns - first_time_ns : 0;
	text_format(t, "%" PRIu64 "\t%" PRIu64 ".%09" PRIu64 "\t", place + 1, ns / 1000000000,
	    ns % 1000000000);
	put_time(t, o->wall_ns);
	text_raw(t, "\t");
	tsv_text(t, trace_walk_event(s));
}
