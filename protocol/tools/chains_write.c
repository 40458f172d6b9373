#include "chains_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/format.h>

#include "chain_tree.h"
#include "json.h"

/* Grows when a key changes its meaning. */
enum { DOCUMENT = 1 };

static const char *const keys[] = {"pauses=", "longest-us=", "total-us=", "tags=", "targets=",
    "found=", "ended=", "longest-cpu-us=", "total-cpu-us=", " objects="};

struct chains_measured chains_read_words(const char *words)
{
	uint64_t values[sizeof keys / sizeof keys[0]] = {0};
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		const char *at = strstr(words, keys[i]);
		if (at != NULL)
			values[i] = strtoull(at + strlen(keys[i]), NULL, 10);
	}
	return (struct chains_measured){values[0], values[1], values[2], values[3], values[4],
	    values[5], values[6], values[7], values[8], values[9]};
}

struct gcs_table *chains_recorded(
    const struct gcs_trace_answer *answer, const uint64_t *site, struct gcs_error *err)
{
	void *bytes = NULL;
	size_t length = 0;
	struct gcs_table *table = gcs_table_decode(answer->bytes, answer->length, err);
	struct gcs_table *selected = NULL;
	struct chain_tree *tree = table == NULL ? NULL : chain_tree_create(false);
	if (table != NULL && !chain_tree_is(table))
		gcs_fail(err, GCS_MALFORMED, "the answer has no reference chains");
	else if (table != NULL && (tree == NULL || !chain_tree_merge_sites(tree, table, site, 1)))
		gcs_fail(err, GCS_NOMEM, "%s", gcs_status_text(GCS_NOMEM));
	else if (table != NULL &&
		 chain_tree_encode(tree, table->title, &bytes, &length, err) == GCS_OK)
		selected = gcs_table_decode(bytes, length, err);
	chain_tree_destroy(tree);
	gcs_plugin_free(bytes);
	gcs_plugin_free(table);
	return selected;
}

static const struct gcs_cell *cell(const struct gcs_table *t, uint32_t row, uint32_t column)
{
	return &t->cells[(size_t)row * t->column_count + column];
}

static double bytes_of(const struct gcs_table *t, uint32_t row)
{
	return (double)cell(t, row, CHAIN_COLUMN_BYTES)->number;
}

/* Of all chains. */
static double all_bytes(const struct gcs_table *t)
{
	double sum = 0;
	for (uint32_t i = 0; i < t->row_count; i++)
		sum += t->depths[i] == 0 ? bytes_of(t, i) : 0;
	return sum > 0 ? sum : 1;
}

/* Whether the row's only child follows, with all that the row has. */
static bool goes_on(const struct gcs_table *t, uint32_t row)
{
	return row + 1 < t->row_count && t->depths[row + 1] > t->depths[row] &&
	       cell(t, row + 1, CHAIN_COLUMN_SAMPLES)->number ==
		   cell(t, row, CHAIN_COLUMN_SAMPLES)->number;
}

bool chains_heaviest(const struct gcs_table *t, char *text, size_t size, double *share)
{
	uint32_t row = UINT32_MAX, depth = 0;
	text[0] = '\0';
	/* Down from the root that holds most to the child that holds most. */
	for (uint32_t from = 0, end = t->row_count; from < end; depth++) {
		row = UINT32_MAX;
		for (uint32_t i = from; i < end && t->depths[i] >= depth; i++)
			if (t->depths[i] == depth &&
			    (row == UINT32_MAX || bytes_of(t, i) > bytes_of(t, row)))
				row = i;
		const size_t used = strlen(text);
		if (row == UINT32_MAX)
			break;
		if (from != 0 && bytes_of(t, row) < bytes_of(t, from - 1) / 2) {
			snprintf(text + used, size - used, " \xe2\x86\x92 \xe2\x80\xa6");
			break;
		}
		snprintf(text + used, size - used, "%s%s", used == 0 ? "" : " \xe2\x86\x92 ",
		    cell(t, row, CHAIN_COLUMN_HOLDER)->text);
		*share = bytes_of(t, row) / all_bytes(t);
		from = row + 1;
	}
	return text[0] != '\0';
}

/* A line for each branch: steps that do not branch follow each other. */
static void write_text(struct out *out, const struct gcs_table *t)
{
	const double all = all_bytes(t);
	char bytes[40], samples[40];
	out_text(out, t->title, SIZE_MAX);
	out_raw(out, "\n");
	if (t->row_count != 0)
		out_format(out, "%6s %10s %8s  %s\n", "Share", "Bytes", "Samples", "Held by");
	/* A line begins as far right as it has branches above it. */
	uint32_t branches[CHAIN_TREE_DEPTH + 1] = {0};
	for (uint32_t row = 0; row < t->row_count; row++) {
		const uint32_t depth =
		    t->depths[row] < CHAIN_TREE_DEPTH ? t->depths[row] : CHAIN_TREE_DEPTH - 1;
		const uint32_t indent = branches[depth];
		out_format(out, "%4.0f %% %10s %8s  ", 100 * bytes_of(t, row) / all,
		    gcs_format_number(
			bytes, sizeof bytes, cell(t, row, CHAIN_COLUMN_BYTES)->number, GCS_BYTES),
		    gcs_format_number(samples, sizeof samples,
			cell(t, row, CHAIN_COLUMN_SAMPLES)->number, GCS_DECIMAL));
		out_spaces(out, (size_t)indent * 2);
		out_text(out, cell(t, row, CHAIN_COLUMN_HOLDER)->text, SIZE_MAX);
		for (; goes_on(t, row); row++) {
			out_raw(out, " \xe2\x86\x92 ");
			out_text(out, cell(t, row + 1, CHAIN_COLUMN_HOLDER)->text, SIZE_MAX);
		}
		for (uint32_t i = t->depths[row] + 1; i <= CHAIN_TREE_DEPTH; i++)
			branches[i] = indent + 1;
		out_raw(out, "\n");
	}
}

static void write_json(struct out *out, const struct gcs_table *t, const struct chains_measured *m)
{
	struct json json = {.text = &out->text};
	const double all = all_bytes(t);
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	json_text(&json, "title", t->title);
	json_unsigned(&json, "pauses", m->pauses);
	json_number(&json, "longest_pause_ms", (double)m->longest_us / 1000);
	json_number(&json, "total_pause_ms", (double)m->total_us / 1000);
	json_number(&json, "longest_cpu_ms", (double)m->longest_cpu_us / 1000);
	json_number(&json, "total_cpu_ms", (double)m->total_cpu_us / 1000);
	json_unsigned(&json, "tagged_objects", m->tags);
	json_unsigned(&json, "sampled_objects", m->targets);
	json_unsigned(&json, "chains_found", m->found);
	json_bool(&json, "complete", m->ended == 0);
	json_array(&json, "rows");
	for (uint32_t row = 0; row < t->row_count; row++) {
		json_object(&json, NULL);
		json_unsigned(&json, "depth", t->depths[row]);
		json_text(&json, "held_by", cell(t, row, CHAIN_COLUMN_HOLDER)->text);
		json_integer(&json, "samples", cell(t, row, CHAIN_COLUMN_SAMPLES)->number);
		json_integer(&json, "objects", cell(t, row, CHAIN_COLUMN_OBJECTS)->number);
		json_integer(&json, "bytes", cell(t, row, CHAIN_COLUMN_BYTES)->number);
		json_number(&json, "share", bytes_of(t, row) / all);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
	out_raw(out, "\n");
}

/* A line for each chain, its root first. What a row has beyond its children ends there. */
static void write_collapsed(struct out *out, const struct gcs_table *t)
{
	uint32_t path[CHAIN_TREE_DEPTH];
	for (uint32_t row = 0; row < t->row_count; row++) {
		const uint32_t depth = t->depths[row];
		int64_t own = cell(t, row, CHAIN_COLUMN_BYTES)->number;
		if (depth >= CHAIN_TREE_DEPTH)
			continue;
		path[depth] = row;
		for (uint32_t i = row + 1; i < t->row_count && t->depths[i] > depth; i++)
			if (t->depths[i] == depth + 1)
				own -= cell(t, i, CHAIN_COLUMN_BYTES)->number;
		/* Sums are rounded on their own: a byte or two is nothing. */
		if (own <= 0 || (row + 1 < t->row_count && t->depths[row + 1] > depth &&
				    own < (int64_t)t->row_count))
			continue;
		for (uint32_t i = 0; i <= depth; i++) {
			out_raw(out, i == 0 ? "" : ";");
			text_folded(&out->text, cell(t, path[i], CHAIN_COLUMN_HOLDER)->text);
		}
		out_format(out, " %" PRId64 "\n", own);
	}
}

bool chains_write(struct out *out, const struct gcs_table *table,
    const struct chains_measured *measured, enum chains_format format)
{
	struct gcs_error err;
	if (format == CHAINS_SVG || format == CHAINS_HTML)
		return chain_graph(&out->text, table, format == CHAINS_HTML, &err) == GCS_OK;
	if (format == CHAINS_JSON)
		write_json(out, table, measured);
	else if (format == CHAINS_COLLAPSED)
		write_collapsed(out, table);
	else
		write_text(out, table);
	return true;
}
