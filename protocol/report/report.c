/* The page: its head, its parts in order, its foot. */
#include "report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "report_page.h"

static char *next_word(struct report *r)
{
	return r->words[r->next++ % WORDS];
}

const char *say(struct report *r, const char *format, ...)
{
	char *word = next_word(r);
	va_list list;
	va_start(list, format);
	vsnprintf(word, WORD, format, list);
	va_end(list);
	return word;
}

const char *say_figure(struct report *r, double value, enum gcs_unit unit)
{
	return gcs_format_figure(next_word(r), WORD, value, unit);
}

const char *say_count(struct report *r, double count)
{
	return text_count(next_word(r), WORD, count);
}

/* "350 ms", "12.5 s", "3 min 20 s", "5 h 12 min". */
const char *say_duration(struct report *r, double seconds)
{
	uint64_t whole = (uint64_t)(seconds + 0.5);
	if (seconds < 1)
		return say(r, "%.0f ms", seconds * 1000);
	if (seconds < 100)
		return say(r, seconds < 10 ? "%.2f s" : "%.1f s", seconds);
	if (whole < 7200)
		return say(r, "%" PRIu64 " min %" PRIu64 " s", whole / 60, whole % 60);
	if (whole < 172800)
		return say(r, "%" PRIu64 " h %" PRIu64 " min", whole / 3600, whole / 60 % 60);
	return say(r, "%" PRIu64 " d %" PRIu64 " h", whole / 86400, whole / 3600 % 24);
}

const char *say_moment(struct report *r, uint64_t time_ns)
{
	uint64_t first = r->series.first_ns;
	return say_duration(r, time_ns > first ? (double)(time_ns - first) / 1e9 : 0);
}

static void put_fact(struct report *r, const char *key, const char *value)
{
	FILL(r, "<dt>{}</dt><dd>{}</dd>\n", key, value);
}

static void put_head(struct report *r)
{
	const struct gcs_stats *s = r->stats;
	char from[40], to[40];
	FILL(r,
	    "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
	    "<head><meta charset=\"utf-8\"/>\n"
	    "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>GCspy: {}</title>\n",
	    s->server);
	page_style(r->text, page_flame_css);
	page_style(r->text, page_report_css);
	page_style(r->text, page_table_css);
	FILL(r, "</head>\n<body>\n<header><h1>{}</h1>\n<dl class=\"facts\">\n", s->server);
	text_time(from, sizeof from, s->first_wall_ns);
	text_time(to, sizeof to, s->last_wall_ns);
	put_fact(r, "Recorded",
	    from[0] == '\0' ? "time of day not known" : say(r, "%s to %s", from, to));
	put_fact(r, "Length",
	    say(r, "%s, %s event%s", say_moment(r, r->series.last_ns),
		say_count(r, (double)s->snapshots), s->snapshots == 1 ? "" : "s"));
	if (!r->info.complete)
		put_fact(r, "Unfinished",
		    "the file has no end, as its writer was stopped or still writes");
	/* The last section lists what is not available. */
	for (uint32_t i = 0; i < s->info_count; i++)
		if (strncmp(s->info[i].key, "Not available", 13) != 0)
			put_fact(r, s->info[i].key, s->info[i].value);
	PUT(r, "</dl>\n<nav><a href=\"#suspects\">Suspects</a> <a href=\"#figures\">Figures</a> "
	       "<a href=\"#charts\">Over time</a> <a href=\"#pictures\">Heap</a> "
	       "<a href=\"#history\">History</a> <a href=\"#sites\">Call sites</a> "
	       "<a href=\"#missing\">What is missing</a></nav>\n</header>\n");
}

static void put_foot(struct report *r)
{
	const char *name = r->options->name;
	FILL(r,
	    "<footer><p class=\"small\">Made by gcspy {}{}{}. Times are since the first event "
	    "shown; bytes have binary units. Pictures use the colours of the visualiser.</p>"
	    "</footer>\n",
	    gcs_version(), name != NULL ? " from " : "", name != NULL ? name : "");
	page_script(r->text, page_flame_js);
	page_script(r->text, page_report_js);
	page_script(r->text, page_table_js);
	PUT(r, "</body></html>\n");
}

static enum gcs_status write_page(struct report *r, struct gcs_error *err)
{
	put_head(r);
	report_suspects(r);
	report_figures(r);
	report_charts(r);
	enum gcs_status status = report_pictures(r, err);
	if (status == GCS_OK)
		status = report_history(r, err);
	if (status == GCS_OK)
		status = report_sites(r, err);
	report_missing(r);
	put_foot(r);
	return status;
}

enum gcs_status gcs_report_write(struct gcs_trace *trace, const struct gcs_report_options *options,
    const struct gcs_sink *sink, uint64_t *unreadable, struct gcs_error *err)
{
	struct gcs_error own;
	struct text text;
	struct report *r = gcs_zalloc(sizeof *r);
	err = err == NULL ? &own : err;
	if (r == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the report");
	r->trace = trace;
	r->options = options;
	r->text = &text;
	enum gcs_status status = report_gather(r, err);
	if (status == GCS_OK) {
		text_begin(&text, sink);
		status = write_page(r, err);
		status = status == GCS_OK ? text_end(&text, err) : status;
	}
	if (unreadable != NULL)
		*unreadable = r->unreadable;
	report_drop(r);
	gcs_free(r);
	return status;
}
