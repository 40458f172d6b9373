/* What figures do not tell: sampling, classes, reference chains. A running program is asked for them; a
 * recording may have answers. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "chain_tree.h"
#include "chains_write.h"
#include "histogram_rows.h"
#include "progress.h"
#include "signals.h"
#include "why.h"

/* Longest wait for a search that lets the program run between its pauses, and the longest pause to
 * begin where --max-pause does not say. */
enum { SEARCH_MS = 3600000, PAUSE_MS = 500 };

#define INTERVAL "524288"

/* Small objects, and what a visit of one takes (docs/command-line.md). */
#define BYTES_PER_OBJECT 32.0
#define NS_PER_OBJECT    40.0

/* Whether the setting `interval` has this value. */
static bool has_interval(struct contact *contact, const char *value)
{
	struct gcs_error err;
	char line[40];
	snprintf(line, sizeof line, "interval=%s\n", value);
	struct gcs_answer *answer = contact_ask(contact, "settings", 0, NULL, &err);
	const size_t length = strlen(line);
	bool found = false;
	for (size_t at = 0; answer != NULL && at + length <= answer->length; at++)
		found = found || memcmp((const char *)answer->bytes + at, line, length) == 0;
	gcs_answer_free(answer);
	return found;
}

static bool set_interval(struct contact *contact, const char *value)
{
	uint32_t id;
	if (gcs_client_set(contact->client, "interval", value, &id) != GCS_OK)
		return false;
	struct gcs_answer *answer = contact_complete_answer(contact, id);
	const bool ok = answer != NULL && answer->status == GCS_OK;
	gcs_answer_free(answer);
	return ok;
}

bool why_start_sampling(struct contact *contact)
{
	if (!has_interval(contact, "0") || !set_interval(contact, INTERVAL))
		return false;
	cli_warn("sampling was off: it is on until the end, one sample every 512 KiB");
	return true;
}

void why_stop_sampling(struct contact *contact)
{
	/* One that has ended the command does not end the wait for these answers. */
	signals_forget();
	if (!contact_is_lost(contact) && has_interval(contact, INTERVAL))
		(void)set_interval(contact, "0");
}

/* An answer of a plugin, as a table; NULL with the reason. */
static struct gcs_table *ask(struct contact *contact, const char *topic, uint32_t count,
    const struct gcs_info *parameters, struct chains_measured *measured, struct gcs_error *err)
{
	struct gcs_answer *answer = contact_ask(contact, topic, count, parameters, err);
	if (answer == NULL)
		return NULL;
	*measured = chains_read_words(answer->message);
	struct gcs_table *table = gcs_table_decode(answer->bytes, answer->length, err);
	gcs_answer_free(answer);
	return table;
}

/* The last answer of the topic in the part of the recording that the figures are of. Of chains, those
 * of one call site. */
static struct gcs_table *recorded(const struct why *w, const char *topic, const uint64_t *site,
    struct chains_measured *measured, struct gcs_error *err)
{
	struct gcs_trace_answer *answer = NULL;
	struct gcs_table *table = NULL;
	uint64_t place = 0;
	struct gcs_trace *trace = w->of_file ? gcs_trace_open(w->arguments->address, err) : NULL;
	const uint64_t number = trace == NULL
				    ? UINT64_MAX
				    : gcs_trace_answer_before(trace, topic, w->stats->last_place);
	if (number != UINT64_MAX)
		answer = gcs_trace_get_answer(trace, number, &place, err);
	if (answer != NULL && place >= w->stats->first_place) {
		*measured = chains_read_words(answer->message);
		table = site != NULL ? chains_recorded(answer, site, err)
				     : gcs_table_decode(answer->bytes, answer->length, err);
	} else if (!w->of_file) {
		gcs_fail(err, GCS_CLOSED, "the program has ended");
	} else if (trace != NULL && (number == UINT64_MAX || answer != NULL)) {
		gcs_fail(
		    err, GCS_STATE, "not recorded; the agent's option record-%s does it", topic);
	}
	gcs_plugin_free(answer);
	gcs_trace_close(trace);
	return table;
}

static uint32_t limit_of(const struct why *w)
{
	return w->arguments->max_pause_ms != 0 ? w->arguments->max_pause_ms : PAUSE_MS;
}

/* Whether all objects can be counted in a pause within the limit. What an estimate for chains says of
 * objects is what is live; a histogram visits garbage too: twice as much is likely. */
static bool may_count(struct why *w, char *why, size_t size)
{
	const struct gcs_info estimate = {.key = "do", .value = "estimate"};
	struct chains_measured m = {.longest_us = 0};
	struct gcs_error err;
	char pause[40];
	struct gcs_table *table = ask(w->contact, "paths", 1, &estimate, &m, &err);
	/* The agent expects nothing of a search where nothing sampled is alive. */
	double objects = (double)m.objects;
	if (objects < 1 && w->stats->heap_used.why.text[0] == '\0')
		objects = w->stats->heap_used.series.last / BYTES_PER_OBJECT + 1;
	gcs_plugin_free(table);
	const double ns = 2 * objects * NS_PER_OBJECT;
	if (objects < 1)
		snprintf(why, size, "how long the pause would be is not known");
	else if (ns > limit_of(w) * 1e6)
		snprintf(why, size, "a pause of about %s, --max-pause allows it",
		    gcs_format_number(pause, sizeof pause, (int64_t)ns, GCS_NANOSECONDS));
	else
		return true;
	return false;
}

/* Of a running program: counted within the limit of a pause. */
static struct gcs_table *count_classes(struct why *w, struct gcs_error *err)
{
	struct chains_measured m;
	char reason[300];
	struct gcs_table *table = NULL;
	progress_begin("counting objects by class");
	if (may_count(w, reason, sizeof reason))
		table = ask(w->contact, "histogram", 0, NULL, &m, err);
	else
		gcs_fail(err, GCS_LIMIT, "%s", reason);
	progress_end();
	return table;
}

void why_classes(struct why *w)
{
	enum { SHOWN = 4 };
	struct chains_measured m;
	struct gcs_error err;
	char text[WHY_TEXT] = "";
	if (signals_seen())
		return;
	if (w->replays) {
		why_not_seen(w, "all objects by class, what holds them (a replay knows call sites "
				"only; gcspy why-big on its file may tell)");
		return;
	}
	struct gcs_table *table =
	    w->contact != NULL ? count_classes(w, &err) : recorded(w, "histogram", NULL, &m, &err);
	struct histogram h = {.rows = NULL};
	if (table == NULL)
		why_not_seen(w, "all objects by class (%.250s)", err.text);
	else if (histogram_is(table) && histogram_sum(&h, table, NULL)) {
		double all = 0;
		for (uint32_t i = 0; i < h.count; i++)
			all += (double)h.rows[i].bytes;
		for (uint32_t i = 0; i < h.count && i < SHOWN && all > 0; i++) {
			const size_t used = strlen(text);
			snprintf(text + used, sizeof text - used, "%s%.60s %s", i == 0 ? "" : ", ",
			    h.rows[i].name,
			    why_figure((double)h.rows[i].bytes / all, GCS_UNIT_SHARE).text);
		}
		why_line(w, "Classes", "of %s %s: %s", why_figure(all, GCS_UNIT_BYTES).text,
		    histogram_garbage(table), text);
	}
	histogram_fini(&h);
	gcs_plugin_free(table);
}

/* Of a running program. */
static struct gcs_table *search_chains(
    struct why *w, uint64_t site, struct chains_measured *m, struct gcs_error *err)
{
	char number[24], limit[16];
	snprintf(number, sizeof number, "%012" PRIx64, site);
	snprintf(limit, sizeof limit, "%" PRIu32, w->arguments->max_pause_ms);
	const struct gcs_info parameters[] = {
	    {.key = "site", .value = number}, {.key = "max-pause", .value = limit}};
	const uint32_t usual = w->contact->timeout_ms;
	progress_begin("searching for what holds it");
	w->contact->timeout_ms = w->arguments->timeout_given ? usual : SEARCH_MS;
	struct gcs_table *table =
	    ask(w->contact, "paths", w->arguments->max_pause_ms == 0 ? 1 : 2, parameters, m, err);
	w->contact->timeout_ms = usual;
	progress_end();
	static char words[GCS_MAX_TEXT];
	if (table != NULL)
		table->title = chains_option_words(table->title, words, sizeof words);
	else
		snprintf(err->text, sizeof err->text, "%s",
		    chains_option_words(err->text, words, sizeof words));
	return table;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Why most of it has no root; false if the chain says so, which then is of use. */
static bool tell_remark(struct why *w, const struct gcs_table *table,
    const struct chains_measured *m, const struct chains_heaviest *h, bool held)
{
	char what[60] = "what holds it";
	static const char takes[] = "what holds a class loader takes ";
	const char *ended, *loader;
	if (held)
		snprintf(what, sizeof what, "what holds %.0f %% of it", 100 * h->remark_share);
	ended = strstr(table->title, "ended early: ");
	loader = strstr(table->title, takes);
	if (m->ended != 0 || begins(h->remark, "(the search ended"))
		why_not_seen(w, "%s (the search %.250s)", what,
		    ended == NULL ? "did not come to its end" : ended);
	else if (begins(h->remark, "(what holds the class loader") && loader != NULL)
		why_not_seen(w, "%s, a class loader (%.300s)", what, loader + strlen(takes));
	else if (begins(h->remark, "(nothing found") || begins(h->remark, "(died"))
		why_not_seen(w,
		    "%s (it died, or the references to it changed during the search, as in a "
		    "CopyOnWriteArrayList: a quieter moment helps%s)",
		    what,
		    w->of_file || w->arguments->gc
			? ""
			: ", or --gc, as its collections free what is dead");
	else
		return held;
	return true;
}

void why_held(struct why *w, const struct gcs_sites *sites, const struct gcs_site *site)
{
	struct chains_measured m = {.ended = 0};
	struct gcs_error err;
	const uint64_t number = gcs_site_number(sites, site);
	if (signals_seen() || w->replays)
		return;
	struct gcs_table *table = w->contact != NULL ? search_chains(w, number, &m, &err)
						     : recorded(w, "paths", &number, &m, &err);
	struct chains_heaviest h = {.chain = NULL};
	if (table != NULL && chain_tree_is(table))
		h = chains_heaviest(table);
	const bool held = h.chain != NULL && h.chain[0] != '(';
	if (table == NULL) {
		why_not_seen(w, "what holds it (%.300s)", err.text);
	} else if (h.chain == NULL) {
		why_not_seen(w, "what holds it (no chain was found; it may be garbage)");
	} else {
		const bool told = h.remark != NULL && (!held || h.remark_share >= 0.5) &&
				  tell_remark(w, table, &m, &h, held);
		if (held || !told)
			why_chain(w, "Held by", h.chain, h.share);
	}
	gcs_free(h.chain);
	gcs_plugin_free(table);
}
