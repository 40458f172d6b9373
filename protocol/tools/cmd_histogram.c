#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "contact.h"
#include "hash.h"
#include "json.h"
#include "output_file.h"

/* The document grows when a key changes its meaning; rows of text unless --top is given; bytes of a
 * file for --base. */
enum { DOCUMENT = 1, TOP_OF_TEXT = 20, MOST_OF_FILE = 1 << 26 };

enum histogram_format { TEXT, JSON, GCSPY };

/* The columns of the answer. */
enum { CLASS, OBJECTS, BYTES, COLUMNS };

struct row {
	const char *name;
	int64_t objects, bytes; /* or their changes */
};

struct histogram {
	struct row *rows;
	uint32_t count;
};

static bool is_histogram(const struct gcs_table *t)
{
	return t->column_count == COLUMNS && t->columns[CLASS].kind == GCS_COLUMN_TEXT &&
	       t->columns[OBJECTS].kind == GCS_COLUMN_NUMBER &&
	       t->columns[BYTES].kind == GCS_COLUMN_NUMBER;
}

/* NULL after a message. */
static struct gcs_table *decode(const void *bytes, size_t length, const char *source, int *code)
{
	struct gcs_error err;
	struct gcs_table *table = gcs_table_decode(bytes, length, &err);
	if (table != NULL && is_histogram(table))
		return table;
	*code = cli_fail("%s: %s", source, table == NULL ? err.text : "not a class histogram");
	gcs_plugin_free(table);
	return NULL;
}

static struct gcs_table *load(const char *path, int *code)
{
	FILE *file = fopen(path, "rb");
	char *bytes = file == NULL ? NULL : gcs_alloc(MOST_OF_FILE);
	const size_t length = bytes == NULL ? 0 : fread(bytes, 1, MOST_OF_FILE, file);
	struct gcs_table *table = NULL;
	if (file == NULL)
		*code = cli_fail("%s: cannot be read", path);
	else if (length == 0 || length == MOST_OF_FILE)
		*code = cli_fail("%s: not a class histogram", path);
	else
		table = decode(bytes, length, path, code);
	if (file != NULL)
		(void)fclose(file);
	gcs_free(bytes);
	return table;
}

static int by_bytes(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	const int64_t x = llabs(a->bytes), y = llabs(b->bytes);
	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Without overflow: a peer may send any number. */
static void add_to(int64_t *sum, int sign, int64_t number)
{
	const int64_t most = (int64_t)1 << 60;
	number = number > most ? most : number < 0 ? 0 : number;
	if (*sum<most && * sum> - most)
		*sum += sign * number;
}

static void add_rows(
    struct histogram *h, struct hash_table *names, const struct gcs_table *t, int sign)
{
	for (uint32_t i = 0; i < t->row_count; i++) {
		const struct gcs_cell *cells = &t->cells[(size_t)i * COLUMNS];
		struct hash_search s = hash_search(names, hash_text(HASH_BEGIN, cells[CLASS].text));
		uint64_t at;
		bool known = false;
		while (!known && hash_next(&s, &at))
			known = strcmp(h->rows[at].name, cells[CLASS].text) == 0;
		if (!known) {
			at = h->count++;
			h->rows[at] = (struct row){.name = cells[CLASS].text};
			(void)hash_put(names, hash_text(HASH_BEGIN, cells[CLASS].text), at);
		}
		add_to(&h->rows[at].objects, sign, cells[OBJECTS].number);
		add_to(&h->rows[at].bytes, sign, cells[BYTES].number);
	}
}

/* Classes of one name, from several loaders, are one row. False without memory. */
static bool sum_up(struct histogram *h, const struct gcs_table *now, const struct gcs_table *base)
{
	struct hash_table names = {.slots = NULL};
	const size_t most = (size_t)now->row_count + (base == NULL ? 0 : base->row_count);
	h->rows = gcs_zalloc((most + 1) * sizeof *h->rows);
	const bool ok = h->rows != NULL && hash_reserve(&names, most + 1);
	if (ok) {
		add_rows(h, &names, now, 1);
		if (base != NULL)
			add_rows(h, &names, base, -1);
		qsort(h->rows, h->count, sizeof *h->rows, by_bytes);
	}
	hash_fini(&names);
	return ok;
}

static bool is_shown(const struct row *row, bool changes)
{
	return !changes || row->objects != 0 || row->bytes != 0;
}

static void write_text(
    struct out *out, const struct histogram *h, const char *title, bool changes, uint32_t top)
{
	char objects[40], bytes[40];
	const char *sign = changes ? "+" : "";
	out_text(out, title, SIZE_MAX);
	out_format(out, "\n%14s %12s  %s\n", "Objects", "Bytes", "Class");
	for (uint32_t i = 0; i < h->count && i < top; i++) {
		const struct row *row = &h->rows[i];
		if (!is_shown(row, changes))
			continue;
		gcs_format_number(objects, sizeof objects, row->objects, GCS_DECIMAL);
		gcs_format_number(bytes, sizeof bytes, row->bytes, GCS_BYTES);
		char signed_objects[48], signed_bytes[48];
		snprintf(signed_objects, sizeof signed_objects, "%s%s",
		    row->objects > 0 ? sign : "", objects);
		snprintf(
		    signed_bytes, sizeof signed_bytes, "%s%s", row->bytes > 0 ? sign : "", bytes);
		out_format(out, "%14s %12s  ", signed_objects, signed_bytes);
		out_text(out, row->name, SIZE_MAX);
		out_raw(out, "\n");
	}
}

static void write_json(
    struct out *out, const struct histogram *h, const char *title, bool changes, uint32_t top)
{
	struct json json = {.text = &out->text};
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	json_text(&json, "title", title);
	json_bool(&json, "changes", changes);
	json_array(&json, "classes");
	for (uint32_t i = 0; i < h->count && i < top; i++) {
		if (!is_shown(&h->rows[i], changes))
			continue;
		json_object(&json, NULL);
		json_text(&json, "class", h->rows[i].name);
		json_integer(&json, "objects", h->rows[i].objects);
		json_integer(&json, "bytes", h->rows[i].bytes);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
	out_raw(out, "\n");
}

static int write_tables(const struct cli_arguments *a, const struct gcs_table *now,
    const struct gcs_table *base, struct out *out)
{
	struct histogram h = {.rows = NULL};
	const uint32_t top = a->filter.top != 0 ? a->filter.top
			     : a->json == JSON  ? UINT32_MAX
						: TOP_OF_TEXT;
	if (!sum_up(&h, now, base)) {
		gcs_free(h.rows);
		return cli_fail("%s", gcs_status_text(GCS_NOMEM));
	}
	(a->json == JSON ? write_json : write_text)(out, &h, now->title, base != NULL, top);
	gcs_free(h.rows);
	return CLI_DONE;
}

static int write_answer(
    const struct cli_arguments *a, const struct gcs_answer *answer, struct out *out)
{
	int code = CLI_DONE;
	struct gcs_table *now = decode(answer->bytes, answer->length, a->address, &code);
	struct gcs_table *base = now == NULL || a->base == NULL ? NULL : load(a->base, &code);
	if (code == CLI_DONE && a->json == GCSPY)
		out_bytes(out, answer->bytes, answer->length);
	else if (code == CLI_DONE)
		code = write_tables(a, now, base, out);
	gcs_plugin_free(base);
	gcs_plugin_free(now);
	return code;
}

static int count(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	struct target target;
	int code = CLI_DONE;
	if (a->live)
		gcs_answer_free(contact_query(contact, "gc", 0, NULL, &code));
	struct gcs_answer *answer =
	    code == CLI_DONE ? contact_query(contact, "histogram", 0, NULL, &code) : NULL;
	if (answer != NULL)
		code = target_open(&target, a->output, out);
	if (answer != NULL && code == CLI_DONE) {
		code = write_answer(a, answer, target.out);
		code = target_close(&target, code == CLI_DONE, code);
	}
	gcs_answer_free(answer);
	return code;
}

int cmd_histogram(const struct cli_arguments *a, struct out *out)
{
	if (a->json == GCSPY && a->base != NULL)
		return cli_usage("--base with --format gcspy: expected text or json");
	if (a->json == GCSPY && a->output == NULL && isatty(STDOUT_FILENO) == 1)
		return cli_usage("--format gcspy is not for a terminal; -o FILE writes to a file");
	return contact_run(a, CONTACT_LATEST, count, out);
}
