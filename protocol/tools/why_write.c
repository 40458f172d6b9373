#include "why.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "chains_write.h"
#include "stats_page.h"

enum { DOCUMENT = 1, LABEL = 12, NOT_SEEN_LINES = 3 };

static void print(char text[WHY_TEXT], const char *format, va_list list)
{
	vsnprintf(text, WHY_TEXT, format, list);
}

void why_conclude(struct why *w, const char *code, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	print(w->verdict, format, list);
	va_end(list);
	w->code = code;
}

void why_line(struct why *w, const char *label, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	if (w->line_count < WHY_LINES) {
		w->lines[w->line_count].label = label;
		print(w->lines[w->line_count++].text, format, list);
	}
	va_end(list);
}

void why_chain(struct why *w, const char *label, const char *chain, double share)
{
	const size_t size = strlen(chain) + sizeof " (100 %)";
	char *text = gcs_alloc(size);
	const uint32_t line = w->line_count;
	if (text != NULL)
		snprintf(text, size, "%s (%.0f %%)", chain, 100 * share);
	why_line(w, label, "%s", text == NULL ? chain : text);
	if (w->line_count > line)
		w->lines[line].chain = text;
	else
		gcs_free(text);
}

void why_not_seen(struct why *w, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	if (w->not_seen_count < WHY_NOT_SEEN)
		print(w->not_seen[w->not_seen_count++], format, list);
	va_end(list);
}

void why_next(struct why *w, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	print(w->next, format, list);
	va_end(list);
}

/* Rows that text takes, broken between words; the last one of at most `most` is cut. */
static uint32_t rows(struct out *out, const char *text, size_t indent, uint32_t most, bool write)
{
	const size_t wide = out_width(out) - indent;
	uint32_t count = 0;
	for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
		char row[WHY_TEXT * WHY_NOT_SEEN];
		size_t length = 0, columns = 0;
		const bool last = count + 1 == most;
		for (size_t end = 0; text[end] != '\0' && columns <= wide;) {
			end += strspn(text + end, " ");
			end += strcspn(text + end, " ");
			snprintf(row, sizeof row, "%.*s", (int)end, text);
			columns = out_columns(row);
			if (columns <= wide || length == 0)
				length = end;
		}
		if (last)
			length = strlen(text);
		snprintf(row, sizeof row, "%.*s", (int)length, text);
		text += length;
		if (write && count != 0)
			out_spaces(out, indent);
		if (write) {
			out_text(out, row, wide);
			out_raw(out, "\n");
		}
		count++;
	}
	return count;
}

static void put_line(struct out *out, const char *text, const char *chain)
{
	const size_t wide = out_width(out) - LABEL - 2;
	if (chain != NULL)
		chains_elide(out, chain, wide < WHY_TEXT ? wide : WHY_TEXT);
	else
		out_text(out, text, wide);
	out_raw(out, "\n");
}

static void put_label(struct out *out, const char *label)
{
	out_raw(out, "  ");
	out_padded(out, label, LABEL);
}

void why_write_text(struct out *out, const struct why *w)
{
	char blind[WHY_TEXT * WHY_NOT_SEEN] = "";
	for (uint32_t i = 0; i < w->not_seen_count; i++) {
		const size_t used = strlen(blind);
		snprintf(
		    blind + used, sizeof blind - used, "%s%s", i == 0 ? "" : "; ", w->not_seen[i]);
	}
	/* The last two lines have their place; the evidence takes what is left. */
	const uint32_t verdict = rows(out, w->verdict, 0, 2, false);
	const uint32_t next = rows(out, w->next, LABEL + 2, 2, false);
	const uint32_t least = verdict + (blind[0] != '\0') + next;
	uint32_t lines = w->line_count;
	lines = lines + least > WHY_LINES ? WHY_LINES - least : lines;
	out_style(out, OUT_BOLD);
	rows(out, w->verdict, 0, 2, true);
	out_style(out, OUT_PLAIN);
	for (uint32_t i = 0; i < lines; i++) {
		put_label(out, w->lines[i].label);
		put_line(out, w->lines[i].text, w->lines[i].chain);
	}
	const uint32_t left = WHY_LINES - least - lines + 1;
	if (blind[0] != '\0') {
		put_label(out, "Not seen");
		rows(out, blind, LABEL + 2, left < NOT_SEEN_LINES ? left : NOT_SEEN_LINES, true);
	}
	if (w->next[0] != '\0') {
		put_label(out, "Next");
		rows(out, w->next, LABEL + 2, 2, true);
	}
}

void why_write_json(struct out *out, const struct why *w)
{
	struct json json = {.text = &out->text};
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	json_text(&json, "conclusion", w->code);
	json_text(&json, "text", w->verdict);
	json_array(&json, "evidence");
	for (uint32_t i = 0; i < w->line_count; i++) {
		json_object(&json, NULL);
		json_text(&json, "label", w->lines[i].label);
		json_text(&json, "text",
		    w->lines[i].chain != NULL ? w->lines[i].chain : w->lines[i].text);
		json_end(&json);
	}
	json_end(&json);
	json_array(&json, "not_seen");
	for (uint32_t i = 0; i < w->not_seen_count; i++)
		json_text(&json, NULL, w->not_seen[i]);
	json_end(&json);
	json_text(&json, "next", w->next);
	stats_put_json(&json, "figures", w->stats, w->arguments->address);
	json_end(&json);
	out_raw(out, "\n");
}
