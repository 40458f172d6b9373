/* Which events of a trace: by number, from 1, by time since its beginning, by date. */

#include "stats_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/format.h>

#include "progress.h"

enum { NS_PER_SECOND = 1000000000 };

/* Days since 1970 of a date of the Gregorian calendar, in years that begin in March. */
static int64_t days(int year, int month, int day)
{
	const int64_t y = month <= 2 ? year - 1 : year;
	const int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
	return y * 365 + y / 4 - y / 100 + y / 400 + of_year - 719468;
}

static bool parse_date(const char *text, int64_t *wall_ns)
{
	int year, month, day, hour, minute, end = 0;
	double second;
	if (strlen(text) > 32 || sscanf(text, "%4d-%2d-%2dT%2d:%2d:%lfZ%n", &year, &month, &day,
				     &hour, &minute, &second, &end) != 6)
		return false;
	if (end == 0 || text[end] != '\0' || year < 1970 || year > 2200 || month < 1 ||
	    month > 12 || day < 1 || day > 31 || hour < 0 || hour > 23 || minute < 0 ||
	    minute > 59 || !(second >= 0 && second < 61))
		return false;
	const int64_t minutes = (days(year, month, day) * 24 + hour) * 60 + minute;
	*wall_ns = minutes * 60 * NS_PER_SECOND + (int64_t)(second * NS_PER_SECOND);
	return true;
}

/* "90s", "1.5h" in ns. */
static bool parse_time(const char *text, uint64_t *ns)
{
	const size_t length = strlen(text);
	if (length < 2 || length > 16 || strspn(text, "0123456789.") != length - 1)
		return false;
	char *end;
	const double count = strtod(text, &end);
	const double unit = *end == 's' ? 1 : *end == 'm' ? 60 : *end == 'h' ? 3600 : 0;
	if (end != text + length - 1 || unit == 0 || count * unit > 1e9)
		return false;
	*ns = (uint64_t)(count * unit * NS_PER_SECOND + 0.5);
	return true;
}

/* The server's clock at a date; 0 before its beginning. */
static uint64_t clock_at(struct gcs_trace *trace, int64_t wall_ns)
{
	const uint64_t place = gcs_trace_readable(trace, 0, 1);
	struct gcs_snapshot *s = place == UINT64_MAX ? NULL : gcs_trace_moment(trace, place, NULL);
	if (s == NULL)
		return 0;
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	/* Clocks that no server has would overflow. */
	const bool sane = o->wall_ns >= 0 && o->time_ns < (uint64_t)1 << 62;
	const int64_t off = sane ? wall_ns - o->wall_ns : 0;
	const int64_t time = sane && off < (int64_t)1 << 61 ? (int64_t)o->time_ns + off : -1;
	gcs_snapshot_unref(s);
	return time < 0 ? 0 : (uint64_t)time;
}

int stats_place(struct gcs_trace *trace, const char *option, const char *text, uint64_t *place)
{
	struct gcs_trace_info info;
	uint64_t time;
	int64_t wall_ns;
	gcs_trace_get_info(trace, &info);
	if (gcs_parse_number(text, place)) {
		if (*place - 1 < info.events) {
			--*place;
			return CLI_DONE;
		}
		return cli_usage("--%s \"%s\": the trace has events 1 to %llu", option, text,
		    (unsigned long long)info.events);
	}
	if (parse_time(text, &time))
		time += info.first_time_ns;
	else if (parse_date(text, &wall_ns))
		time = clock_at(trace, wall_ns);
	else
		return cli_usage(
		    "--%s \"%s\": expected an event's number, a time such as 90s, 5m or "
		    "1h, or a date such as 2026-05-04T13:02:11Z",
		    option, text);
	if (strcmp(option, "from") != 0)
		*place = gcs_trace_find(trace, time);
	else
		*place = time <= info.first_time_ns ? 0 : gcs_trace_find(trace, time - 1) + 1;
	return CLI_DONE;
}

int stats_range(
    const struct cli_arguments *a, struct gcs_trace *trace, uint64_t *first, uint64_t *last)
{
	struct gcs_trace_info info;
	gcs_trace_get_info(trace, &info);
	*first = 0;
	*last = info.events == 0 ? 0 : info.events - 1;
	int code = a->from == NULL ? CLI_DONE : stats_place(trace, "from", a->from, first);
	if (code == CLI_DONE && a->to != NULL)
		code = stats_place(trace, "to", a->to, last);
	if (code == CLI_DONE && (*first > *last || *first >= info.events))
		return cli_usage("no event from \"%s\" to \"%s\"; the trace has %llu",
		    a->from == NULL ? "1" : a->from, a->to == NULL ? "the end" : a->to,
		    (unsigned long long)info.events);
	return code;
}

struct gcs_stats *stats_load(const struct cli_arguments *a, const char *path, int *code)
{
	struct gcs_error err;
	struct gcs_stats *stats = NULL;
	uint64_t first, last;
	char what[200];
	snprintf(what, sizeof what, "reading %.180s", path);
	progress_begin(what);
	struct gcs_trace *trace = gcs_trace_open(path, &err);
	if (trace == NULL) {
		progress_end();
		*code = cli_fail("%s", err.text);
		return NULL;
	}
	*code = stats_range(a, trace, &first, &last);
	if (*code == CLI_DONE) {
		stats = gcs_stats_of_trace(trace, first, last, a->libraries, &err);
		if (stats == NULL)
			*code = cli_fail("%s: %s", path, err.text);
	}
	gcs_trace_close(trace);
	progress_end();
	return stats;
}
