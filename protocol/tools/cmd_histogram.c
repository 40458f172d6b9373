#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "contact.h"
#include "histogram_rows.h"
#include "json.h"
#include "operand.h"
#include "output_file.h"
#include "profile_source.h"

/* The document grows when a key changes its meaning; rows of text unless --top is given; bytes of a
 * file for --base. */
enum { DOCUMENT = 1, TOP_OF_TEXT = 20, MOST_OF_FILE = 1 << 26 };

enum { HISTOGRAM_FORMATS = 1 << GCS_EXPORT_TEXT | 1 << GCS_EXPORT_JSON | 1 << GCS_EXPORT_GCSPY };

/* NULL after a message. `file`: of any file, whose first bytes need be no version of anything. */
static struct gcs_table *decode(
    const void *bytes, size_t length, const char *source, bool file, int *code)
{
	struct gcs_error err;
	struct gcs_table *table = gcs_table_decode(bytes, length, &err);
	if (table != NULL && histogram_is(table))
		return table;
	const bool other = table != NULL || (file && err.status != GCS_NOMEM);
	*code = cli_fail("%s: %s", source, other ? "not a class histogram" : err.text);
	gcs_plugin_free(table);
	return NULL;
}

/* The last histogram of a recording; of the recording that is shown itself, the first one. */
static struct gcs_table *load_recorded(const char *path, const char *at, bool first, int *code)
{
	struct gcs_trace_answer *answer = answer_of_trace(path, "histogram", at, first, code);
	struct gcs_table *table =
	    answer == NULL ? NULL : decode(answer->bytes, answer->length, path, false, code);
	gcs_plugin_free(answer);
	return table;
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
		table = decode(bytes, length, path, true, code);
	if (file != NULL)
		(void)fclose(file);
	gcs_free(bytes);
	return table;
}

static bool is_shown(const struct histogram_row *row, bool changes)
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
		const struct histogram_row *row = &h->rows[i];
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

/* A number of the answer's words, 0 if they do not say it. */
static double number_of(const char *words, const char *key)
{
	const char *at = strstr(words, key);
	return at == NULL ? 0 : strtod(at + strlen(key), NULL);
}

/* What the answer says of itself: how long the pause was, and who counted. */
static void write_words(struct json *json, const char *words)
{
	if (strstr(words, "pause-us=") == NULL)
		return;
	json_number(json, "pause_ms", number_of(words, "pause-us=") / 1000);
	json_number(json, "cpu_ms", number_of(words, "cpu-us=") / 1000);
	json_text(json, "walked_by", strstr(words, "walk=agent") != NULL ? "agent" : "jvmti");
}

static void write_json(struct out *out, const struct histogram *h, const char *title,
    const char *words, bool changes, uint32_t top)
{
	struct json json = {.text = &out->text};
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	json_text(&json, "title", title);
	write_words(&json, words);
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
    const char *words, const struct gcs_table *base, struct out *out)
{
	struct histogram h = {.rows = NULL};
	char title[400];
	/* The program runs between the collection and the count. */
	snprintf(title, sizeof title, "%.200s%s", now->title,
	    a->live ? "; after a collection, and with what was allocated since" : "");
	const uint32_t top = a->filter.top != 0             ? a->filter.top
			     : a->format == GCS_EXPORT_JSON ? UINT32_MAX
							    : TOP_OF_TEXT;
	if (!histogram_sum(&h, now, base)) {
		histogram_fini(&h);
		return cli_fail("%s", gcs_status_text(GCS_NOMEM));
	}
	if (a->format == GCS_EXPORT_JSON)
		write_json(out, &h, title, words, base != NULL, top);
	else
		write_text(out, &h, title, base != NULL, top);
	histogram_fini(&h);
	return CLI_DONE;
}

/* The base of --base; NULL also without one. */
static struct gcs_table *load_base(const struct cli_arguments *a, int *code)
{
	if (a->base == NULL)
		return NULL;
	return gcs_trace_is(a->base)
		   ? load_recorded(a->base, NULL, strcmp(a->base, a->address) == 0, code)
		   : load(a->base, code);
}

/* Writes what a server or a recording has answered. */
static int write_answer(const struct cli_arguments *a, const char *words, const void *bytes,
    size_t length, struct out *out)
{
	struct target target;
	int code = CLI_DONE;
	struct gcs_table *now = decode(bytes, length, a->address, false, &code);
	struct gcs_table *base = now == NULL ? NULL : load_base(a, &code);
	if (code == CLI_DONE)
		code = target_open(&target, a->output, out);
	if (code == CLI_DONE) {
		if (a->format == GCS_EXPORT_GCSPY)
			out_bytes(target.out, bytes, length);
		else
			code = write_tables(a, now, words, base, target.out);
		code = target_close(&target, code == CLI_DONE, code);
	}
	gcs_plugin_free(base);
	gcs_plugin_free(now);
	return code;
}

static int count(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	int code = CLI_DONE;
	if (a->live)
		gcs_answer_free(contact_query(contact, "gc", 0, NULL, &code));
	struct gcs_answer *answer =
	    code == CLI_DONE ? contact_query(contact, "histogram", 0, NULL, &code) : NULL;
	if (answer != NULL)
		code = write_answer(a, answer->message, answer->bytes, answer->length, out);
	gcs_answer_free(answer);
	return code;
}

static int show_recorded(const struct cli_arguments *a, struct out *out)
{
	int code = CLI_DONE;
	struct gcs_trace_answer *answer =
	    answer_of_trace(a->address, "histogram", a->at, false, &code);
	if (answer != NULL)
		code = write_answer(a, answer->message, answer->bytes, answer->length, out);
	gcs_plugin_free(answer);
	return code;
}

int cmd_histogram(const struct cli_arguments *arguments, struct out *out)
{
	struct cli_arguments copy = *arguments;
	const struct cli_arguments *a = &copy;
	const int code = output_settle(&copy, HISTOGRAM_FORMATS);
	if (code != CLI_DONE)
		return code;
	const bool file = source_is_file(a->address);
	if (a->format == GCS_EXPORT_GCSPY && a->base != NULL)
		return cli_usage("--base with --format gcspy: expected text or json");
	if (a->format == GCS_EXPORT_GCSPY && a->output == NULL && isatty(STDOUT_FILENO) == 1)
		return cli_usage("--format gcspy is not for a terminal; -o FILE writes to a file");
	if (a->live && file)
		return cli_usage("--live: %s is a file", a->address);
	if (a->at != NULL && !file)
		return cli_usage("--at: %s is not a recording", a->address);
	return file ? show_recorded(a, out) : contact_run(a, CONTACT_LATEST, count, out);
}
