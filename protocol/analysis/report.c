/* The page: its head and its parts in their order. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "page.h"
#include "report_page.h"

char *report_moment(char *buffer, size_t size, const struct report *r, uint64_t time_ns)
{
	uint64_t first = r->series.first_ns;
	return report_duration(buffer, size, time_ns > first ? (double)(time_ns - first) / 1e9 : 0);
}

static void put_fact(struct text *t, const char *key, const char *value)
{
	text_raw(t, "<dt>");
	text_xml(t, key);
	text_raw(t, "</dt><dd>");
	text_xml(t, value);
	text_raw(t, "</dd>\n");
}

static void put_facts(struct report *r)
{
	const struct gcs_stats *s = r->stats;
	char from[40], to[40], words[160], length[32], count[32];
	text_time(from, sizeof from, s->first_wall_ns);
	text_time(to, sizeof to, s->last_wall_ns);
	text_raw(r->text, "<dl class=\"facts\">\n");
	snprintf(words, sizeof words, "%s%s%s", from[0] == '\0' ? "time of day not known" : from,
	    from[0] == '\0' ? "" : " to ", to);
	put_fact(r->text, "Recorded", words);
	report_moment(length, sizeof length, r, r->series.last_ns);
	snprintf(words, sizeof words, "%s, %s event%s", length,
	    text_count(count, sizeof count, (double)s->snapshots), s->snapshots == 1 ? "" : "s");
	put_fact(r->text, "Length", words);
	/* What is not there is said where it is missed. */
	for (uint32_t i = 0; i < s->info_count; i++)
		if (strncmp(s->info[i].key, "Not available", 13) != 0)
			put_fact(r->text, s->info[i].key, s->info[i].value);
	text_raw(r->text, "</dl>\n");
}

void report_head(struct report *r)
{
	struct text *t = r->text;
	text_raw(t, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
		    "<head><meta charset=\"utf-8\"/>\n"
		    "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>GCspy: ");
	text_xml(t, r->stats->server);
	text_raw(t, "</title>\n");
	page_style(t, page_flame_css);
	page_style(t, page_report_css);
	page_style(t, page_table_css);
	text_raw(t, "</head>\n<body>\n<header><h1>");
	text_xml(t, r->stats->server);
	text_raw(t, "</h1>\n");
	put_facts(r);
	text_raw(t, "<nav><a href=\"#suspects\">Suspects</a> <a href=\"#figures\">Figures</a> "
		    "<a href=\"#charts\">Over time</a> <a href=\"#pictures\">Heap</a> "
		    "<a href=\"#history\">History</a> <a href=\"#sites\">Call sites</a> "
		    "<a href=\"#missing\">What is missing</a></nav>\n</header>\n");
}

void report_notes(struct report *r)
{
	struct text *t = r->text;
	text_raw(t, "<footer><p class=\"small\">Made by gcspy ");
	text_raw(t, gcs_version());
	if (r->options->name != NULL) {
		text_raw(t, " from ");
		text_xml(t, r->options->name);
	}
	text_raw(t, ". Times are seconds since the first event shown; bytes have binary units. "
		    "Pictures use the colours of the visualiser.</p></footer>\n");
}

static enum gcs_status write_page(struct report *r, struct gcs_error *err)
{
	report_head(r);
	report_suspects(r);
	report_figures(r);
	report_charts(r);
	enum gcs_status status = report_pictures(r, err);
	if (status == GCS_OK)
		status = report_history(r, err);
	if (status == GCS_OK)
		status = report_sites(r, err);
	report_missing(r);
	report_notes(r);
	page_script(r->text, page_flame_js);
	page_script(r->text, page_report_js);
	page_script(r->text, page_table_js);
	text_raw(r->text, "</body></html>\n");
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
