#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/plugin.h>

#include "chain_tree.h"
#include "chains_write.h"
#include "contact.h"
#include "operand.h"
#include "output_file.h"
#include "profile_source.h"
#include "sites.h"

/* Wait for a search that lets the program run between its pauses. */
enum { SEARCH_MS = 3600000 };

enum {
	CHAINS_FORMATS = 1 << GCS_EXPORT_TEXT | 1 << GCS_EXPORT_JSON | 1 << GCS_EXPORT_COLLAPSED |
			 1 << GCS_EXPORT_SVG | 1 << GCS_EXPORT_HTML
};

/* The parameters of the question. */
struct asked {
	struct gcs_info parameters[8];
	uint32_t count;
	char age[24], limit[24];
};

static void add(struct asked *q, const char *key, const char *value)
{
	if (value != NULL)
		q->parameters[q->count++] = (struct gcs_info){.key = key, .value = value};
}

static void take(struct asked *q, const struct cli_arguments *a)
{
	*q = (struct asked){.count = 0};
	add(q, "site", a->site);
	add(q, "class", a->filter.class_pattern);
	add(q, "tile", a->tile);
	add(q, "where", a->where);
	snprintf(q->age, sizeof q->age, "%" PRIu32, a->filter.min_age);
	add(q, "min-age", a->filter.min_age == 0 ? NULL : q->age);
	snprintf(q->limit, sizeof q->limit, "%" PRIu32, a->max_pause_ms);
	add(q, "max-pause", a->max_pause_ms == 0 ? NULL : q->limit);
	add(q, "form", a->raw ? "raw" : NULL);
}

/* The answer; NULL after a message. */
static struct gcs_answer *ask_for_chains(struct contact *contact, const struct asked *q, int *code)
{
	uint32_t id = 0;
	contact->asks_samples = true;
	const enum gcs_status status =
	    gcs_client_query(contact->client, "paths", q->count, q->parameters, &id);
	struct gcs_answer *answer = status == GCS_OK ? contact_wait_answer(contact, id) : NULL;
	static char words[GCS_MAX_TEXT];
	if (answer != NULL && answer->status != GCS_OK)
		answer->message = chains_option_words(answer->message, words, sizeof words);
	return contact_judge(contact, status, answer, code);
}

/* The table of an answer; NULL after a message. */
static struct gcs_table *query(
    struct contact *contact, const struct asked *q, struct chains_measured *measured, int *code)
{
	struct gcs_error err;
	struct gcs_table *table = NULL;
	struct gcs_answer *answer = ask_for_chains(contact, q, code);
	if (answer == NULL)
		return NULL;
	*measured = chains_read_words(answer->message);
	table = gcs_table_decode(answer->bytes, answer->length, &err);
	if (table == NULL)
		*code = cli_fail("%s: %s", contact->address, err.text);
	else if (!chain_tree_is(table))
		*code = cli_fail("%s: the answer has no reference chains", contact->address);
	gcs_answer_free(answer);
	if (*code == CLI_DONE) {
		static char title[GCS_MAX_TEXT];
		table->title = chains_option_words(table->title, title, sizeof title);
		return table;
	}
	gcs_plugin_free(table);
	return NULL;
}

/* Says what the search will cost, then has it done. */
static struct gcs_table *search(struct contact *contact, const struct cli_arguments *a,
    struct chains_measured *measured, int *code)
{
	char title[600];
	struct asked q;
	take(&q, a);
	struct asked estimate = q;
	add(&estimate, "do", "estimate");
	struct gcs_table *expected = query(contact, &estimate, measured, code);
	if (expected == NULL || a->estimate)
		return expected;
	snprintf(title, sizeof title, "%s", expected->title);
	cli_warn("expected: %s", text_clean(title));
	gcs_plugin_free(expected);
	if (!a->timeout_given)
		contact->timeout_ms = SEARCH_MS;
	return query(contact, &q, measured, code);
}

static enum chains_format chains_format(uint32_t format)
{
	return format == GCS_EXPORT_JSON        ? CHAINS_JSON
	       : format == GCS_EXPORT_COLLAPSED ? CHAINS_COLLAPSED
	       : format == GCS_EXPORT_SVG       ? CHAINS_SVG
	       : format == GCS_EXPORT_HTML      ? CHAINS_HTML
						: CHAINS_TEXT;
}

static int write_table(const struct cli_arguments *a, const struct gcs_table *table,
    const struct chains_measured *measured, struct out *out)
{
	struct target target;
	int code = target_open(&target, a->output, out);
	if (code != CLI_DONE)
		return code;
	const bool ok = chains_write(target.out, table, measured, chains_format(a->format));
	if (!ok)
		code = cli_fail("%s", gcs_status_text(GCS_NOMEM));
	return target_close(&target, ok, code);
}

static int find(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	struct chains_measured measured;
	int code = CLI_DONE;
	struct gcs_table *table = search(contact, a, &measured, &code);
	if (table != NULL)
		code = write_table(a, table, &measured, out);
	gcs_plugin_free(table);
	return code;
}

/* The chains of all call sites, or of one, without their numbers; NULL after a message. */
static struct gcs_table *select_sites(
    const struct cli_arguments *a, const struct gcs_trace_answer *answer, int *code)
{
	struct gcs_error err;
	uint64_t number = 0;
	if (a->site != NULL)
		(void)gcs_site_number_parse(a->site, &number);
	struct gcs_table *selected =
	    chains_recorded(answer, a->site == NULL ? NULL : &number, &err);
	if (selected == NULL) {
		*code = cli_fail("%s: %s", a->address, err.text);
	} else if (a->site != NULL && selected->row_count == 0) {
		*code = cli_fail("%s: the search has no chain of site %s", a->address, a->site);
		gcs_plugin_free(selected);
		selected = NULL;
	}
	return selected;
}

/* What a recording has. */
static int show_recorded(const struct cli_arguments *a, struct out *out)
{
	int code = CLI_DONE;
	if (a->filter.class_pattern != NULL || a->tile != NULL || a->where != NULL ||
	    a->filter.min_age != 0 || a->max_pause_ms != 0 || a->raw || a->estimate)
		return cli_usage(
		    "%s is a recording: only --site chooses in what was searched for", a->address);
	struct gcs_trace_answer *answer = answer_of_trace(a->address, "paths", a->at, false, &code);
	struct gcs_table *table = answer == NULL ? NULL : select_sites(a, answer, &code);
	if (table != NULL) {
		const struct chains_measured measured = chains_read_words(answer->message);
		code = write_table(a, table, &measured, out);
	}
	gcs_plugin_free(table);
	gcs_plugin_free(answer);
	return code;
}

int cmd_paths(const struct cli_arguments *arguments, struct out *out)
{
	struct cli_arguments copy = *arguments;
	const struct cli_arguments *a = &copy;
	const int code = output_settle(&copy, CHAINS_FORMATS);
	if (code != CLI_DONE)
		return code;
	if (a->tile != NULL && a->where != NULL)
		return cli_usage("--tile and --where exclude each other");
	if (source_is_file(a->address))
		return show_recorded(a, out);
	if (a->at != NULL)
		return cli_usage("--at: %s is not a recording", a->address);
	return contact_run(a, CONTACT_LATEST, find, out);
}
