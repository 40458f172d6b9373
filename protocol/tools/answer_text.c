#include "answer_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "show.h"

/* Columns of text in a table, but for its last one. */
enum { WIDEST = 60, INDENT = 2, BYTES_PER_ROW = 16 };

const char *answer_kind_name(enum gcs_plugin_kind kind)
{
	static const char *const names[GCS_PLUGIN_KIND_COUNT] = {
	    [GCS_PLUGIN_TEXT] = "text",
	    [GCS_PLUGIN_TABLE] = "table",
	    [GCS_PLUGIN_BYTES] = "bytes",
	};
	return names[kind];
}

const char *answer_parameter_kind_name(enum gcs_parameter_kind kind)
{
	static const char *const names[GCS_PARAMETER_KIND_COUNT] = {
	    [GCS_PARAMETER_NUMBER] = "number",
	    [GCS_PARAMETER_TEXT] = "text",
	    [GCS_PARAMETER_ENUM] = "enum",
	    [GCS_PARAMETER_SPACE] = "space",
	    [GCS_PARAMETER_TILE] = "tile",
	    [GCS_PARAMETER_ADDRESS] = "address",
	    [GCS_PARAMETER_LENGTH] = "length",
	};
	return names[kind];
}

/* Calls `line` for each line of a body of text, as a terminated text. False without memory. */
static bool each_line(
    const char *bytes, size_t length, void (*line)(void *context, const char *text), void *context)
{
	while (length != 0) {
		const char *end = memchr(bytes, '\n', length);
		const size_t n = end == NULL ? length : (size_t)(end - bytes);
		char *text = gcs_alloc(n + 1);
		if (text == NULL)
			return false;
		memcpy(text, bytes, n);
		text[n] = '\0';
		line(context, text);
		gcs_free(text);
		bytes += n + (end != NULL);
		length -= n + (end != NULL);
	}
	return true;
}

static void write_line(void *context, const char *text)
{
	out_text(context, text, SIZE_MAX);
	out_raw(context, "\n");
}

static void json_text_line(void *context, const char *text)
{
	json_text(context, NULL, text);
}

/* A cell's text, perhaps in `buffer`. */
static const char *cell_text(
    char *buffer, size_t size, const struct gcs_column *column, const struct gcs_cell *cell)
{
	if (column->kind == GCS_COLUMN_TEXT)
		return cell->text;
	return cell->absent ? "-" : gcs_format_number(buffer, size, cell->number, column->format);
}

static size_t indent_of(const struct gcs_table *t, uint32_t row, uint32_t column)
{
	return t->depths == NULL || column != 0 ? 0 : (size_t)INDENT * t->depths[row];
}

static size_t width_of(const struct gcs_table *t, uint32_t column)
{
	char buffer[64];
	size_t width = out_columns(t->columns[column].name);
	for (uint32_t row = 0; row < t->row_count; row++) {
		const size_t columns =
		    indent_of(t, row, column) +
		    out_columns(cell_text(buffer, sizeof buffer, &t->columns[column],
			&t->cells[(size_t)row * t->column_count + column]));
		width = columns > width ? columns : width;
	}
	return width > WIDEST ? WIDEST : width;
}

static void write_cell(struct out *out, const struct gcs_table *t, uint32_t column, size_t width,
    size_t indent, const char *text)
{
	const bool last = column + 1 == t->column_count;
	const bool number = t->columns[column].kind == GCS_COLUMN_NUMBER;
	if (column != 0)
		out_spaces(out, 2);
	indent = indent > WIDEST / 2 && !last ? WIDEST / 2 : indent;
	out_spaces(out, indent);
	if (number) {
		const size_t columns = out_columns(text);
		out_spaces(out, indent + columns < width ? width - indent - columns : 0);
		out_text(out, text, SIZE_MAX);
	} else if (last) {
		out_text(out, text, SIZE_MAX);
	} else {
		out_padded(out, text, width - indent);
	}
}

static void write_table(struct out *out, const struct gcs_table *t)
{
	size_t widths[GCS_MAX_COLUMNS];
	char buffer[64];
	if (t->title[0] != '\0')
		write_line(out, t->title);
	for (uint32_t i = 0; i < t->column_count; i++)
		widths[i] = width_of(t, i);
	for (uint32_t i = 0; i < t->column_count; i++)
		write_cell(out, t, i, widths[i], 0, t->columns[i].name);
	out_raw(out, "\n");
	const struct gcs_cell *cell = t->cells;
	for (uint32_t row = 0; row < t->row_count; row++) {
		for (uint32_t i = 0; i < t->column_count; i++, cell++)
			write_cell(out, t, i, widths[i], indent_of(t, row, i),
			    cell_text(buffer, sizeof buffer, &t->columns[i], cell));
		out_raw(out, "\n");
	}
}

static void write_row(struct out *out, const struct gcs_memory *m, size_t at)
{
	const unsigned char *bytes = m->bytes;
	const size_t left = m->length - at;
	const size_t count = left < BYTES_PER_ROW ? left : BYTES_PER_ROW;
	out_format(out, "%016" PRIx64 " ", m->address + at);
	for (size_t i = 0; i < BYTES_PER_ROW; i++) {
		out_raw(out, i % 8 == 0 ? " " : "");
		if (i < count)
			out_format(out, "%02x ", bytes[at + i]);
		else
			out_raw(out, "   ");
	}
	out_raw(out, " ");
	for (size_t i = 0; i < count; i++)
		out_format(
		    out, "%c", bytes[at + i] < 128 && isprint(bytes[at + i]) ? bytes[at + i] : '.');
	out_raw(out, "\n");
}

static void write_memory(struct out *out, const struct gcs_memory *m)
{
	uint32_t mark = 0;
	if (m->title[0] != '\0')
		write_line(out, m->title);
	for (size_t at = 0; at < m->length; at += BYTES_PER_ROW) {
		for (; mark < m->mark_count && m->marks[mark].start < at + BYTES_PER_ROW; mark++) {
			out_format(out, "-- %" PRIx64 ", %" PRIu64 " bytes: ",
			    m->address + m->marks[mark].start, m->marks[mark].length);
			write_line(out, m->marks[mark].text);
		}
		write_row(out, m, at);
	}
}

static bool no_memory(struct gcs_error *err)
{
	gcs_fail(err, GCS_NOMEM, "no memory for the answer");
	return false;
}

bool answer_write_text(struct out *out, enum gcs_plugin_kind kind, const void *bytes, size_t length,
    struct gcs_error *err)
{
	if (kind == GCS_PLUGIN_TEXT)
		return each_line(bytes, length, write_line, out) || no_memory(err);
	if (kind == GCS_PLUGIN_TABLE) {
		struct gcs_table *table = gcs_table_decode(bytes, length, err);
		if (table != NULL)
			write_table(out, table);
		gcs_plugin_free(table);
		return table != NULL;
	}
	struct gcs_memory *memory = gcs_memory_decode(bytes, length, err);
	if (memory != NULL)
		write_memory(out, memory);
	gcs_plugin_free(memory);
	return memory != NULL;
}

static void json_table(struct json *json, const struct gcs_table *t)
{
	const struct gcs_cell *cell = t->cells;
	json_text(json, "title", t->title);
	json_array(json, "columns");
	for (uint32_t i = 0; i < t->column_count; i++) {
		json_object(json, NULL);
		json_text(json, "name", t->columns[i].name);
		json_text(json, "kind", t->columns[i].kind == GCS_COLUMN_TEXT ? "text" : "number");
		json_text(json, "number_format", show_format_name(t->columns[i].format));
		json_end(json);
	}
	json_end(json);
	json_array(json, "rows");
	for (uint32_t row = 0; row < t->row_count; row++) {
		json_object(json, NULL);
		if (t->depths != NULL)
			json_unsigned(json, "depth", t->depths[row]);
		json_array(json, "cells");
		for (uint32_t i = 0; i < t->column_count; i++, cell++)
			if (t->columns[i].kind == GCS_COLUMN_TEXT)
				json_text(json, NULL, cell->text);
			else if (cell->absent)
				json_null(json, NULL);
			else
				json_integer(json, NULL, cell->number);
		json_end(json);
		json_end(json);
	}
	json_end(json);
}

static void json_memory(struct json *json, const struct gcs_memory *m)
{
	const unsigned char *bytes = m->bytes;
	char address[24];
	snprintf(address, sizeof address, "0x%" PRIx64, m->address);
	json_text(json, "title", m->title);
	json_text(json, "address", address);
	json_unsigned(json, "length", m->length);
	json_array(json, "bytes");
	for (size_t at = 0; at < m->length; at += BYTES_PER_ROW) {
		char row[2 * BYTES_PER_ROW + 1];
		for (size_t i = 0; i < BYTES_PER_ROW && at + i < m->length; i++)
			snprintf(row + 2 * i, 3, "%02x", bytes[at + i]);
		json_text(json, NULL, row);
	}
	json_end(json);
	json_array(json, "marks");
	for (uint32_t i = 0; i < m->mark_count; i++) {
		json_object(json, NULL);
		json_unsigned(json, "start", m->marks[i].start);
		json_unsigned(json, "length", m->marks[i].length);
		json_text(json, "text", m->marks[i].text);
		json_end(json);
	}
	json_end(json);
}

bool answer_write_json(struct json *json, enum gcs_plugin_kind kind, const void *bytes,
    size_t length, struct gcs_error *err)
{
	bool ok = true;
	json_text(json, "kind", answer_kind_name(kind));
	if (kind == GCS_PLUGIN_TEXT) {
		json_array(json, "lines");
		ok = each_line(bytes, length, json_text_line, json) || no_memory(err);
		json_end(json);
	} else if (kind == GCS_PLUGIN_TABLE) {
		struct gcs_table *table = gcs_table_decode(bytes, length, err);
		ok = table != NULL;
		if (ok)
			json_table(json, table);
		gcs_plugin_free(table);
	} else {
		struct gcs_memory *memory = gcs_memory_decode(bytes, length, err);
		ok = memory != NULL;
		if (ok)
			json_memory(json, memory);
		gcs_plugin_free(memory);
	}
	return ok;
}
