/* What the page does not show, and why. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report_page.h"

enum { MOST_DAMAGE = 20 };

static void put(struct text *t, const char *what, const char *why)
{
	text_raw(t, "<li>");
	text_xml(t, what);
	if (why[0] != '\0') {
		text_raw(t, ": ");
		text_xml(t, why);
	}
	text_raw(t, "</li>\n");
}

static bool put_events(struct report *r)
{
	const struct gcs_stats *s = r->stats;
	char words[400];
	bool any = false;
	if (r->options->first != 0 || r->options->last < r->info.events - 1) {
		snprintf(words, sizeof words,
		    "Only events %" PRIu64 " to %" PRIu64 " of %" PRIu64
		    " are shown, as was asked for",
		    r->options->first,
		    r->options->last < r->info.events ? r->options->last : r->info.events - 1,
		    r->info.events);
		put(r->text, words, "");
		any = true;
	}
	if (s->missed != 0) {
		snprintf(words, sizeof words,
		    "%" PRIu64
		    " events did not reach the recorder, which was slower than they came",
		    s->missed);
		put(r->text, words, "");
		any = true;
	}
	for (uint32_t i = 0; i < s->event_count; i++)
		if (s->events[i].unseen != 0) {
			snprintf(words, sizeof words, "%" PRIu64 " times %.200s",
			    s->events[i].unseen, s->events[i].name);
			put(r->text, words,
			    "they happened but were not recorded: filtered, missed or damaged");
			any = true;
		}
	if (s->restarts != 0) {
		snprintf(words, sizeof words,
		    "The server began anew %" PRIu64 " times; nothing is computed across that",
		    s->restarts);
		put(r->text, words, "");
		any = true;
	}
	return any;
}

static bool put_file(struct report *r)
{
	struct gcs_trace_damage d;
	char words[200];
	bool any = false;
	if (!r->info.complete) {
		put(r->text, "The file has no end",
		    "its writer was killed, or is still at work; what it had written is shown");
		any = true;
	}
	if (r->unreadable != 0) {
		snprintf(words, sizeof words, "%" PRIu64 " events cannot be read", r->unreadable);
		put(r->text, words, "the file is damaged");
		any = true;
	}
	for (uint32_t i = 0; i < MOST_DAMAGE && gcs_trace_get_damage(r->trace, i, &d); i++) {
		snprintf(words, sizeof words, "Damage at byte %" PRIu64 ", %" PRIu64 " bytes",
		    d.offset, d.bytes);
		put(r->text, words, d.words);
		any = true;
	}
	return any;
}

static bool put_reason(struct report *r, const char *what, const char *why)
{
	if (why[0] != '\0')
		put(r->text, what, why);
	return why[0] != '\0';
}

static bool put_figures(struct report *r)
{
	const struct gcs_stats *s = r->stats;
	bool any = put_reason(r, "Pauses", s->no_pauses.text);
	any = put_reason(r, "Heap after collections", s->heap_after.why.text) || any;
	any = put_reason(r, "Allocation rate", s->allocation.why.text) || any;
	any = put_reason(r, "Promotion", s->promotion.why.text) || any;
	any = put_reason(r, "TLAB waste", s->tlabs.why.text) || any;
	any = put_reason(r, "Fragmentation", s->fragmentation.why.text) || any;
	any = put_reason(r, "Live objects by call site", s->no_live.text) || any;
	any = put_reason(r, "Allocation by call site", s->no_allocated.text) || any;
	return put_reason(r, "Growth by call site", s->no_growth.text) || any;
}

void report_missing(struct report *r)
{
	const struct gcs_stats *s = r->stats;
	text_raw(r->text, "<section id=\"missing\"><h2>What is missing</h2>\n<ul>\n");
	bool any = put_events(r);
	any = put_file(r) || any;
	/* What the server itself could not tell. */
	for (uint32_t i = 0; i < s->info_count; i++)
		if (strncmp(s->info[i].key, "Not available", 13) == 0) {
			put(r->text, s->info[i].key, s->info[i].value);
			any = true;
		}
	any = put_figures(r) || any;
	if (!any)
		put(r->text, "Nothing that we know of", "");
	text_raw(r->text, "</ul></section>\n");
}
