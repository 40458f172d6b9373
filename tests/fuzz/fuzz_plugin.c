/* Answers of plugins: what decodes must be sound and code to the same bytes' meaning. The first byte
 * chooses the kind. */
#include "fuzz.h"

#include <string.h>

#include <gcspy/plugin.h>

static void check_table(const struct gcs_table *t)
{
	fuzz_expect(t->column_count >= 1 && t->column_count <= GCS_MAX_COLUMNS);
	for (uint32_t i = 0; i < t->column_count; i++)
		fuzz_expect(strlen(t->columns[i].name) <= GCS_MAX_NAME);
	for (uint32_t row = 0; t->depths != NULL && row < t->row_count; row++)
		fuzz_expect(t->depths[row] <= (row == 0 ? 0 : t->depths[row - 1] + 1));
	for (size_t i = 0; i < (size_t)t->row_count * t->column_count; i++)
		fuzz_expect(strlen(t->cells[i].text) <= GCS_MAX_TEXT);
}

static void same_table(const struct gcs_table *a, const struct gcs_table *b)
{
	fuzz_expect(strcmp(a->title, b->title) == 0 && a->column_count == b->column_count &&
		    a->row_count == b->row_count && (a->depths == NULL) == (b->depths == NULL));
	for (uint32_t i = 0; i < a->column_count; i++)
		fuzz_expect(strcmp(a->columns[i].name, b->columns[i].name) == 0 &&
			    a->columns[i].kind == b->columns[i].kind &&
			    a->columns[i].format == b->columns[i].format);
	for (uint32_t i = 0; a->depths != NULL && i < a->row_count; i++)
		fuzz_expect(a->depths[i] == b->depths[i]);
	for (size_t i = 0; i < (size_t)a->row_count * a->column_count; i++)
		fuzz_expect(strcmp(a->cells[i].text, b->cells[i].text) == 0 &&
			    a->cells[i].number == b->cells[i].number &&
			    a->cells[i].absent == b->cells[i].absent);
}

static void table(const uint8_t *data, size_t size)
{
	struct gcs_error err = {.text = ""};
	void *bytes;
	size_t length;
	struct gcs_table *t = gcs_table_decode(data, size, &err);
	if (t == NULL) {
		fuzz_expect(err.status == GCS_MALFORMED || err.status == GCS_NOMEM);
		return;
	}
	check_table(t);
	const enum gcs_status status = gcs_table_encode(t, &bytes, &length, &err);
	fuzz_expect(status == GCS_OK || status == GCS_NOMEM);
	if (status == GCS_OK) {
		struct gcs_table *same = gcs_table_decode(bytes, length, &err);
		fuzz_expect(same != NULL || err.status == GCS_NOMEM);
		if (same != NULL)
			same_table(t, same);
		gcs_plugin_free(same);
		gcs_plugin_free(bytes);
	}
	gcs_plugin_free(t);
}

static void memory(const uint8_t *data, size_t size)
{
	struct gcs_error err = {.text = ""};
	void *bytes;
	size_t length;
	struct gcs_memory *m = gcs_memory_decode(data, size, &err);
	if (m == NULL) {
		fuzz_expect(err.status == GCS_MALFORMED || err.status == GCS_NOMEM);
		return;
	}
	for (uint32_t i = 0; i < m->mark_count; i++) {
		const struct gcs_mark *k = &m->marks[i];
		fuzz_expect(k->length >= 1 && k->start <= m->length &&
			    k->length <= m->length - k->start &&
			    (i == 0 || m->marks[i - 1].start <= k->start));
		fuzz_expect(strlen(k->text) <= GCS_MAX_TEXT);
	}
	const enum gcs_status status = gcs_memory_encode(m, &bytes, &length, &err);
	fuzz_expect(status == GCS_OK || status == GCS_NOMEM);
	if (status == GCS_OK) {
		struct gcs_memory *same = gcs_memory_decode(bytes, length, &err);
		fuzz_expect(same != NULL || err.status == GCS_NOMEM);
		fuzz_expect(
		    same == NULL ||
		    (same->address == m->address && same->length == m->length &&
			same->mark_count == m->mark_count && strcmp(same->title, m->title) == 0 &&
			(m->length == 0 || memcmp(same->bytes, m->bytes, m->length) == 0)));
		for (uint32_t i = 0; same != NULL && i < m->mark_count; i++)
			fuzz_expect(m->marks[i].start == same->marks[i].start &&
				    m->marks[i].length == same->marks[i].length &&
				    strcmp(m->marks[i].text, same->marks[i].text) == 0);
		gcs_plugin_free(same);
		gcs_plugin_free(bytes);
	}
	gcs_plugin_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	fuzz_begin();
	(data[0] % 2 == 0 ? table : memory)(data + 1, size - 1);
	fuzz_end();
	return 0;
}
