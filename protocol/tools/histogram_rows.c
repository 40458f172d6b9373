#include "histogram_rows.h"

#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "hash.h"

/* The columns of the answer. */
enum { CLASS, OBJECTS, BYTES, COLUMNS };

bool histogram_is(const struct gcs_table *t)
{
	return t->column_count == COLUMNS && t->columns[CLASS].kind == GCS_COLUMN_TEXT &&
	       t->columns[OBJECTS].kind == GCS_COLUMN_NUMBER &&
	       t->columns[BYTES].kind == GCS_COLUMN_NUMBER;
}

const char *histogram_garbage(const struct gcs_table *t)
{
	if (strstr(t->title, "without garbage but that of samples") != NULL)
		return "without garbage but that of samples";
	return strstr(t->title, "without garbage") != NULL ? "without garbage" : "with garbage";
}

static int by_bytes(const void *left, const void *right)
{
	const struct histogram_row *a = left, *b = right;
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
			h->rows[at] = (struct histogram_row){.name = cells[CLASS].text};
			(void)hash_put(names, hash_text(HASH_BEGIN, cells[CLASS].text), at);
		}
		add_to(&h->rows[at].objects, sign, cells[OBJECTS].number);
		add_to(&h->rows[at].bytes, sign, cells[BYTES].number);
	}
}

bool histogram_sum(struct histogram *h, const struct gcs_table *now, const struct gcs_table *base)
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

void histogram_fini(struct histogram *h)
{
	gcs_free(h->rows);
}
