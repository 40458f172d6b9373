#include "chains_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

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

const char *chains_option_words(const char *words, char *text, size_t size)
{
	static const char parameter[] = " max-pause=";
	size_t used = 0;
	text[0] = '\0';
	for (const char *at; (at = strstr(words, parameter)) != NULL && used < size;) {
		used += (size_t)snprintf(
		    text + used, size - used, "%.*s --max-pause ", (int)(at - words), words);
		words = at + sizeof parameter - 1;
	}
	if (used < size)
		snprintf(text + used, size - used, "%s", words);
	return text;
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

static const char *text_of(const struct gcs_table *t, uint32_t row)
{
	return cell(t, row, CHAIN_COLUMN_HOLDER)->text;
}

/* The row of most bytes of that depth, up to the end of what is above it; UINT32_MAX: none. Of roots, one that
 * was found, or one that was not. */
static uint32_t heaviest(const struct gcs_table *t, uint32_t from, uint32_t depth, bool remarks)
{
	uint32_t row = UINT32_MAX;
	for (uint32_t i = from; i < t->row_count && t->depths[i] >= depth; i++)
		if (t->depths[i] == depth && (depth != 0 || (text_of(t, i)[0] == '(') == remarks) &&
		    (row == UINT32_MAX || bytes_of(t, i) > bytes_of(t, row)))
			row = i;
	return row;
}

static const char arrow[] = " \xe2\x86\x92 ", ellipsis[] = "\xe2\x80\xa6";

struct chains_heaviest chains_heaviest(const struct gcs_table *t)
{
	struct chains_heaviest h = {.chain = NULL};
	const char *steps[CHAIN_TREE_DEPTH + 1];
	uint32_t count = 0;
	size_t length = 1;
	uint32_t row = heaviest(t, 0, 0, false);
	const uint32_t remark = heaviest(t, 0, 0, true);
	if (remark != UINT32_MAX) {
		h.remark = text_of(t, remark);
		h.remark_share = bytes_of(t, remark) / all_bytes(t);
	}
	row = row == UINT32_MAX ? remark : row;
	while (row != UINT32_MAX && count < CHAIN_TREE_DEPTH) {
		h.share = bytes_of(t, row) / all_bytes(t);
		steps[count++] = text_of(t, row);
		const uint32_t below = heaviest(t, row + 1, count, false);
		const bool branches =
		    below != UINT32_MAX && bytes_of(t, below) < bytes_of(t, row) / 2;
		if (branches)
			steps[count++] = ellipsis;
		row = branches ? UINT32_MAX : below;
	}
	for (uint32_t i = 0; i < count; i++)
		length += strlen(steps[i]) + strlen(arrow);
	h.chain = count == 0 ? NULL : gcs_alloc(length);
	size_t used = 0;
	for (uint32_t i = 0; h.chain != NULL && i < count; i++)
		used += (size_t)snprintf(
		    h.chain + used, length - used, "%s%s", i == 0 ? "" : arrow, steps[i]);
	return h;
}

/* The next step of a chain, or its end; the step before `at`, which is not the first one. */
static const char *step_after(const char *at)
{
	const char *next = strstr(at, arrow);
	return next == NULL ? at + strlen(at) : next + strlen(arrow);
}

static const char *step_before(const char *chain, const char *at)
{
	const char *before = chain;
	for (const char *next; (next = step_after(before)) != at;)
		before = next;
	return before;
}

void chains_elide(struct out *out, const char *chain, size_t columns)
{
	const char *const end = chain + strlen(chain);
	const char *head = step_after(chain), *tail = end;
	const size_t whole = out_columns(chain), joint = out_columns(arrow);
	if (whole <= columns || head == end) {
		out_text(out, chain, columns);
		return;
	}
	/* Where it branches, the last step is "…". */
	do
		tail = step_before(chain, tail);
	while (tail > head && strncmp(tail, ellipsis, strlen(ellipsis)) == 0);
	/* What is left out is from `head` to `tail`; steps are taken back on both sides while they fit. */
	size_t shown =
	    whole - out_columns(head) + out_columns(tail) + out_columns(ellipsis) + joint;
	for (bool grows = tail > head; grows;) {
		grows = false;
		const char *before = step_before(chain, tail);
		const size_t last = out_columns(before) - out_columns(tail);
		if (before > head && shown + last <= columns) {
			tail = before;
			shown += last;
			grows = true;
		}
		const char *after = step_after(head);
		const size_t first = out_columns(head) - out_columns(after);
		if (after < tail && shown + first <= columns) {
			head = after;
			shown += first;
			grows = true;
		}
	}
	char *begin = gcs_strdup(chain);
	if (begin != NULL) {
		const size_t rest =
		    out_columns(tail) + joint + (tail > head ? out_columns(ellipsis) + joint : 0);
		begin[(size_t)(head - chain) - strlen(arrow)] = '\0';
		out_text(out, begin, columns > rest ? columns - rest : 1);
		out_raw(out, arrow);
		out_raw(out, tail > head ? ellipsis : "");
		out_raw(out, tail > head ? arrow : "");
	}
	gcs_free(begin);
	out_text(out, tail, columns);
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
