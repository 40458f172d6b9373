#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/format.h>

#include "contact.h"
#include "json.h"
#include "operand.h"
#include "text.h"
#include "tiles_trace.h"

/* Grows when a key changes its meaning. */
enum { DOCUMENT = 1 };

static int most_first(const void *left, const void *right)
{
	const struct gcs_site_tile *a = left, *b = right;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->low < b->low ? -1 : a->low > b->low;
}

static const char *size_of(char *buffer, size_t size, double bytes)
{
	gcs_format_number(buffer, size, (int64_t)bytes, GCS_BYTES);
	return buffer;
}

/* The standard error for a column of ten characters; "–" if not known. */
static const char *error_of(
    char *buffer, size_t size, const struct gcs_site_tiles *t, double variance)
{
	if (t->errors_known)
		return size_of(buffer, size, sqrt(variance));
	return "         \xe2\x80\x93";
}

/* "30 MiB", or "30 MiB ± 5 MiB". */
static const char *estimate_of(
    char *buffer, size_t size, const struct gcs_site_tiles *t, double bytes, double variance)
{
	char error[40];
	size_of(buffer, size, bytes);
	if (t->errors_known) {
		const size_t used = strlen(buffer);
		snprintf(buffer + used, size - used, " \xc2\xb1 %s",
		    size_of(error, sizeof error, sqrt(variance)));
	}
	return buffer;
}

static void write_text(struct gcs_site_tiles *t, struct out *out)
{
	char bytes[100], placed[100], error[40];
	bool larger = false;
	out_format(out, "Call site %012" PRIx64 "\n", t->site);
	out_wrapped(out, 0, 0, t->as_of);
	out_format(out,
	    "%s in %u sample%s, of which %s in %u have a position in %u tile%s; %u of them "
	    "approximate\n",
	    estimate_of(bytes, sizeof bytes, t, t->bytes, t->variance), (unsigned)t->samples,
	    t->samples == 1 ? "" : "s",
	    estimate_of(placed, sizeof placed, t, t->placed_bytes, t->placed_variance),
	    (unsigned)t->placed, (unsigned)t->count, t->count == 1 ? "" : "s",
	    (unsigned)t->approximate);
	if (t->count == 0)
		return;
	qsort(t->tiles, t->count, sizeof t->tiles[0], most_first);
	/* "±" has two bytes. */
	out_format(out, "\n%12s %11s %7s %8s %7s  %-37s  %s\n", "Bytes", "\xc2\xb1", "Share",
	    "Samples", "Approx.", "Addresses", "Type");
	for (uint32_t i = 0; i < t->count; i++) {
		const struct gcs_site_tile *tile = &t->tiles[i];
		const double share = t->bytes > 0 ? 100 * tile->bytes / t->bytes : 0;
		larger = larger || tile->bytes > (double)(tile->high - tile->low);
		out_format(out, "%12s %10s %5.1f %% %8u %7u  0x%016" PRIx64 "-0x%016" PRIx64 "  ",
		    size_of(bytes, sizeof bytes, tile->bytes),
		    error_of(error, sizeof error, t, tile->variance), share,
		    (unsigned)tile->samples, (unsigned)tile->approximate, tile->low, tile->high);
		out_text(out, tile->type, SIZE_MAX);
		out_raw(out, "\n");
	}
	if (larger)
		out_raw(out, "\nAn object that is larger than its tile counts where it begins.\n");
}

static void json_address(struct json *json, const char *key, uint64_t address)
{
	char text[24];
	snprintf(text, sizeof text, "0x%" PRIx64, address);
	json_text(json, key, text);
}

static void json_error(
    struct json *json, const char *key, const struct gcs_site_tiles *t, double variance)
{
	if (t->errors_known)
		json_unsigned(json, key, text_rounded(sqrt(variance)));
	else
		json_null(json, key);
}

static void write_json(const struct gcs_site_tiles *t, struct out *out)
{
	struct json json = {.text = &out->text};
	char number[16];
	snprintf(number, sizeof number, "%012" PRIx64, t->site);
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	json_text(&json, "site", number);
	json_text(&json, "as_of", t->as_of);
	json_unsigned(&json, "bytes", (uint64_t)t->bytes);
	json_error(&json, "bytes_error", t, t->variance);
	json_unsigned(&json, "samples", t->samples);
	json_unsigned(&json, "placed_bytes", (uint64_t)t->placed_bytes);
	json_error(&json, "placed_bytes_error", t, t->placed_variance);
	json_unsigned(&json, "placed", t->placed);
	json_unsigned(&json, "approximate", t->approximate);
	json_array(&json, "tiles");
	for (uint32_t i = 0; i < t->count; i++) {
		const struct gcs_site_tile *tile = &t->tiles[i];
		json_object(&json, NULL);
		json_address(&json, "start", tile->low);
		json_address(&json, "end", tile->high);
		json_text(&json, "type", tile->type);
		json_unsigned(&json, "bytes", (uint64_t)tile->bytes);
		json_error(&json, "bytes_error", t, tile->variance);
		json_unsigned(&json, "samples", tile->samples);
		json_unsigned(&json, "approximate", tile->approximate);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
	out_raw(out, "\n");
}

static void write_tiles(struct gcs_site_tiles *t, const struct cli_arguments *a, struct out *out)
{
	if (a->json)
		write_json(t, out);
	else
		write_text(t, out);
}

static int show(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	const struct gcs_info site = {.key = "site", .value = a->site};
	struct gcs_error err;
	int code = CLI_DONE;
	struct gcs_answer *answer = contact_query(contact, "tiles", 1, &site, &code);
	if (answer == NULL)
		return code;
	struct gcs_site_tiles *tiles = gcs_site_tiles_decode(answer->bytes, answer->length, &err);
	if (tiles == NULL)
		code = cli_fail("%s: %s", a->address, err.text);
	else
		write_tiles(tiles, a, out);
	gcs_site_tiles_free(tiles);
	gcs_answer_free(answer);
	return code;
}

static int miss_site(const struct cli_arguments *a)
{
	return cli_usage("tiles: --site NUMBER is missing; `gcspy sites %s` shows the "
			 "numbers of call sites",
	    a->address);
}

/* A server that has no tiles says so before a number is asked for. */
static int show_missing(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	struct gcs_error err = {.status = GCS_OK};
	struct gcs_answer *answer = contact_ask(contact, "tiles", 0, NULL, &err);
	(void)out;
	gcs_answer_free(answer);
	if (answer == NULL && err.status == GCS_UNSUPPORTED)
		return cli_fail("%s: %s", a->address, err.text);
	return miss_site(a);
}

int cmd_tiles(const struct cli_arguments *a, struct out *out)
{
	uint64_t number = 0;
	if (a->site == NULL)
		return source_is_file(a->address)
			   ? miss_site(a)
			   : contact_run(a, CONTACT_LATEST, show_missing, out);
	(void)gcs_site_number_parse(a->site, &number);
	if (source_is_file(a->address))
		return tiles_trace_show(a, number, write_tiles, out);
	if (a->at != NULL)
		return cli_usage("--at: %s is not a trace", a->address);
	return contact_run(a, CONTACT_LATEST, show, out);
}
