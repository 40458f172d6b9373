/* What the page does not show, and why. */
#include <inttypes.h>
#include <string.h>

#include "report_page.h"

enum { MOST_DAMAGE = 20 };

/* An item of the list. */
static void put(struct report *r, const char *what, const char *why)
{
	FILL(r, "<li>{}{}{}</li>\n", what, why[0] == '\0' ? "" : ": ", why);
	r->missing = true;
}

static void put_events(struct report *r)
{
	const struct gcs_stats *s = r->stats;
	uint64_t end = r->info.events - 1, last = r->options->last;
	if (r->options->first != 0 || last < end)
		put(r,
		    say(r,
			"Only events %" PRIu64 " to %" PRIu64 " of %" PRIu64
			" are shown, as requested",
			r->options->first, last < end ? last : end, r->info.events),
		    "");
	if (s->missed != 0)
		put(r, say(r, "%" PRIu64 " events did not reach the recorder", s->missed),
		    "it was slower than they came");
	for (uint32_t i = 0; i < s->event_count; i++)
		if (s->events[i].unseen != 0)
			put(r,
			    say(r, "%" PRIu64 " events \"%.120s\"", s->events[i].unseen,
				s->events[i].name),
			    "they happened but were not recorded: filtered, missed or damaged");
	if (s->restarts != 0)
		put(r,
		    say(r,
			"The server restarted %" PRIu64
			" times; no figure is computed across a restart",
			s->restarts),
		    "");
}

static void put_file(struct report *r)
{
	struct gcs_trace_damage d;
	if (!r->info.complete)
		put(r, "The file has no end",
		    "its writer was stopped, or still writes; what was written is shown");
	if (r->unreadable != 0)
		put(r, say(r, "%" PRIu64 " events cannot be read", r->unreadable),
		    "the file is damaged");
	for (uint32_t i = 0; i < MOST_DAMAGE && gcs_trace_get_damage(r->trace, i, &d); i++)
		put(r, say(r, "Damage at byte %" PRIu64 ", %" PRIu64 " bytes", d.offset, d.bytes),
		    d.message);
}

static void put_figures(struct report *r)
{
	const struct gcs_stats *s = r->stats;
	const struct {
		const char *what, *why;
	} figures[] = {{"Pauses", s->no_pauses.text},
	    {"Heap after collections", s->heap_after.why.text},
	    {"Allocation rate", s->allocation.why.text}, {"Promotion", s->promotion.why.text},
	    {"TLAB waste", s->tlabs.why.text}, {"Fragmentation", s->fragmentation.why.text},
	    {"Live objects by call site", s->no_live.text},
	    {"Allocation by call site", s->no_allocated.text},
	    {"Growth by call site", s->no_growth.text}};
	/* The last three need no collections. */
	for (size_t i = s->collects ? 0 : sizeof figures / sizeof *figures - 3;
	     i < sizeof figures / sizeof *figures; i++)
		if (figures[i].why[0] != '\0')
			put(r, figures[i].what, figures[i].why);
}

void report_missing(struct report *r)
{
	const struct gcs_stats *s = r->stats;
	PUT(r, "<section id=\"missing\"><h2>What is missing</h2>\n<ul>\n");
	put_events(r);
	put_file(r);
	/* What the server itself could not provide. */
	for (uint32_t i = 0; i < s->info_count; i++)
		if (strncmp(s->info[i].key, "Not available", 13) == 0)
			put(r, s->info[i].key, s->info[i].value);
	put_figures(r);
	if (!r->missing)
		put(r, "Nothing known", "");
	PUT(r, "</ul></section>\n");
}
