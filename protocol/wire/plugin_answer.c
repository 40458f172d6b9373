/*
 * The bodies of plugins' answers as bytes; docs/protocol.md, section 12. Declared in
 * <gcspy/plugin.h>.
 *
 * A body begins with its counts, so that one block of memory takes all that is decoded. Texts fit in
 * as many bytes as the body has: each has at least one more there, its length, for the terminating NUL.
 */
#include <stdalign.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "bytes.h"
#include "reserved.h"

enum { VERSION = 1 };

static enum gcs_status bad(struct gcs_error *err, const char *what)
{
	return gcs_fail(err, GCS_ARGUMENT, "an answer with %s cannot be sent", what);
}

static bool fits(const char *text, size_t most)
{
	return text == NULL || strlen(text) <= most;
}

static enum gcs_status encoded(struct wr *w, void **bytes, size_t *length, struct gcs_error *err)
{
	const enum gcs_status status = w->status;
	if (status != GCS_OK) {
		wr_fini(w);
		return gcs_fail(
		    err, status, "a plugin's answer cannot be sent: %s", gcs_status_text(status));
	}
	*bytes = w->data;
	*length = w->length;
	return GCS_OK;
}

static enum gcs_status check_table(const struct gcs_table *t, struct gcs_error *err)
{
	if (GIVEN("a table", t, err) != GCS_OK ||
	    GIVEN_ARRAY("the columns of a table", t->columns, t->column_count, err) != GCS_OK ||
	    GIVEN_ARRAY("the cells of a table", t->cells, t->row_count, err) != GCS_OK)
		return GCS_ARGUMENT;
	if (t->column_count == 0 || t->column_count > GCS_MAX_COLUMNS)
		return bad(err, "no columns, or more than 32");
	if (t->row_count > GCS_MAX_ROWS)
		return bad(err, "more than 1,048,576 rows");
	if (!fits(t->title, GCS_MAX_TEXT))
		return bad(err, "a title of more than 4,095 bytes");
	for (uint32_t i = 0; i < t->column_count; i++)
		if (!fits(t->columns[i].name, GCS_MAX_NAME) ||
		    (unsigned)t->columns[i].kind >= GCS_COLUMN_KIND_COUNT ||
		    (unsigned)t->columns[i].format >= GCS_FORMAT_COUNT)
			return bad(err, "a bad column");
	for (uint32_t i = 0; t->depths != NULL && i < t->row_count; i++)
		if (t->depths[i] > (i == 0 ? 0 : t->depths[i - 1] + 1))
			return bad(err, "a row that has no parent");
	return GCS_OK;
}

static bool put_cell(struct wr *w, const struct gcs_column *column, const struct gcs_cell *cell)
{
	if (column->kind == GCS_COLUMN_TEXT) {
		wr_text(w, cell->text);
		return fits(cell->text, GCS_MAX_TEXT);
	}
	wr_u8(w, cell->absent ? 0 : 1);
	if (!cell->absent)
		wr_zigzag(w, cell->number);
	return true;
}

enum gcs_status gcs_table_encode(
    const struct gcs_table *t, void **bytes, size_t *length, struct gcs_error *err)
{
	struct wr w;
	if (check_table(t, err) != GCS_OK)
		return GCS_ARGUMENT;
	wr_init(&w, GCS_MAX_ANSWER);
	wr_u8(&w, VERSION);
	wr_u8(&w, GCS_PLUGIN_TABLE);
	wr_u8(&w, t->depths != NULL ? 1 : 0);
	wr_varint(&w, t->column_count);
	wr_varint(&w, t->row_count);
	wr_text(&w, t->title);
	for (uint32_t i = 0; i < t->column_count; i++) {
		wr_text(&w, t->columns[i].name);
		wr_u8(&w, (uint8_t)t->columns[i].kind);
		wr_u8(&w, (uint8_t)t->columns[i].format);
	}
	bool ok = true;
	const struct gcs_cell *cell = t->cells;
	for (uint32_t row = 0; ok && row < t->row_count; row++) {
		if (t->depths != NULL)
			wr_varint(&w, t->depths[row]);
		for (uint32_t i = 0; ok && i < t->column_count; i++)
			ok = put_cell(&w, &t->columns[i], cell++);
	}
	if (!ok) {
		wr_fini(&w);
		return bad(err, "a text of more than 4,095 bytes");
	}
	return encoded(&w, bytes, length, err);
}

/* What is decoded: one block, cut from the front. */
struct block {
	unsigned char *at;
	char *texts; /* at the end */
};

static size_t rounded(size_t bytes)
{
	return (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

static void *cut(struct block *b, size_t bytes)
{
	void *part = b->at;
	b->at += rounded(bytes);
	return part;
}

static const char *cut_text(struct block *b, struct rd *r, size_t most)
{
	size_t length;
	const char *from = rd_text(r, most, &length);
	char *text = b->texts;
	if (length != 0)
		memcpy(text, from, length);
	text[length] = '\0';
	b->texts += r->status == GCS_OK ? length + 1 : 0;
	return text;
}

/* Memory for structs of `bytes` in all, and for the texts of a body of `length` bytes. */
static void *block_begin(struct block *b, struct rd *r, size_t bytes, size_t length)
{
	void *memory = r->status == GCS_OK ? gcs_zalloc(bytes + length + 1) : NULL;
	if (r->status == GCS_OK && memory == NULL)
		rd_fail(r, GCS_NOMEM);
	*b = (struct block){.at = memory, .texts = memory == NULL ? NULL : (char *)memory + bytes};
	return memory;
}

static void *decoded(const struct rd *r, void *memory, struct gcs_error *err)
{
	if (r->status == GCS_OK)
		return memory;
	gcs_free(memory);
	gcs_fail(err, r->status == GCS_NOMEM ? GCS_NOMEM : GCS_MALFORMED,
	    "a plugin's answer cannot be read: %s", gcs_status_text(r->status));
	return NULL;
}

static void get_kind(struct rd *r, enum gcs_plugin_kind kind)
{
	if (rd_u8(r) != VERSION)
		rd_fail(r, GCS_VERSION);
	if (rd_u8(r) != (uint8_t)kind)
		rd_fail(r, GCS_MALFORMED);
}

static void get_cell(
    struct rd *r, struct block *b, const struct gcs_column *column, struct gcs_cell *cell)
{
	cell->text = "";
	if (column->kind == GCS_COLUMN_TEXT) {
		cell->text = cut_text(b, r, GCS_MAX_TEXT);
		return;
	}
	cell->absent = rd_enum(r, 2) == 0;
	if (!cell->absent)
		cell->number = rd_zigzag(r);
}

struct gcs_table *gcs_table_decode(const void *bytes, size_t length, struct gcs_error *err)
{
	struct rd r = rd_over(bytes, length);
	struct block b;
	get_kind(&r, GCS_PLUGIN_TABLE);
	const bool tree = (rd_u8(&r) & 1) != 0;
	const uint32_t columns = rd_count(&r, GCS_MAX_COLUMNS);
	const uint32_t rows = rd_count(&r, GCS_MAX_ROWS);
	const size_t cells = (size_t)columns * rows;
	if (columns == 0)
		rd_fail(&r, GCS_MALFORMED);
	if (cells > rd_left(&r)) /* each takes at least a byte */
		rd_fail(&r, GCS_TRUNCATED);
	struct gcs_table *t = block_begin(&b, &r,
	    rounded(sizeof *t) + rounded(columns * sizeof *t->columns) +
		rounded(cells * sizeof *t->cells) + rounded(tree ? rows * sizeof *t->depths : 0),
	    length);
	if (t == NULL)
		return decoded(&r, NULL, err);
	(void)cut(&b, sizeof *t);
	struct gcs_column *column = cut(&b, columns * sizeof *column);
	struct gcs_cell *cell = cut(&b, cells * sizeof *cell);
	uint32_t *depths = tree ? cut(&b, rows * sizeof *depths) : NULL;
	*t = (struct gcs_table){.title = cut_text(&b, &r, GCS_MAX_TEXT),
	    .column_count = columns,
	    .columns = column,
	    .row_count = rows,
	    .cells = cell,
	    .depths = depths};
	for (uint32_t i = 0; i < columns; i++) {
		column[i].name = cut_text(&b, &r, GCS_MAX_NAME);
		column[i].kind = (enum gcs_column_kind)rd_enum(&r, GCS_COLUMN_KIND_COUNT);
		column[i].format = (enum gcs_format)rd_enum(&r, GCS_FORMAT_COUNT);
	}
	for (uint32_t row = 0; r.status == GCS_OK && row < rows; row++) {
		if (tree)
			depths[row] = rd_count(&r, row == 0 ? 0 : depths[row - 1] + 1);
		for (uint32_t i = 0; i < columns; i++)
			get_cell(&r, &b, &column[i], cell++);
	}
	return decoded(&r, t, err);
}

static enum gcs_status check_memory(const struct gcs_memory *m, struct gcs_error *err)
{
	uint64_t before = 0;
	if (GIVEN("the memory", m, err) != GCS_OK ||
	    GIVEN_ARRAY("the bytes of the memory", m->bytes, m->length, err) != GCS_OK ||
	    GIVEN_ARRAY("the marks of the memory", m->marks, m->mark_count, err) != GCS_OK)
		return GCS_ARGUMENT;
	if (m->length > GCS_MAX_MEMORY)
		return bad(err, "more than 16 MiB of memory");
	if (m->mark_count > GCS_MAX_MARKS)
		return bad(err, "more than 65,536 marks");
	if (!fits(m->title, GCS_MAX_TEXT))
		return bad(err, "a title of more than 4,095 bytes");
	for (uint32_t i = 0; i < m->mark_count; i++) {
		const struct gcs_mark *k = &m->marks[i];
		if (k->start < before || k->length == 0 || k->start > m->length ||
		    k->length > m->length - k->start)
			return bad(err, "a mark out of order or outside the memory");
		if (!fits(k->text, GCS_MAX_TEXT))
			return bad(err, "a text of more than 4,095 bytes");
		before = k->start;
	}
	return GCS_OK;
}

enum gcs_status gcs_memory_encode(
    const struct gcs_memory *m, void **bytes, size_t *length, struct gcs_error *err)
{
	struct wr w;
	uint64_t before = 0;
	if (check_memory(m, err) != GCS_OK)
		return GCS_ARGUMENT;
	wr_init(&w, GCS_MAX_ANSWER);
	wr_u8(&w, VERSION);
	wr_u8(&w, GCS_PLUGIN_BYTES);
	wr_varint(&w, m->mark_count);
	wr_varint(&w, m->length);
	wr_varint(&w, m->address);
	wr_text(&w, m->title);
	wr_bytes(&w, m->bytes, m->length);
	for (uint32_t i = 0; i < m->mark_count; i++) {
		wr_varint(&w, m->marks[i].start - before);
		wr_varint(&w, m->marks[i].length);
		wr_text(&w, m->marks[i].text);
		before = m->marks[i].start;
	}
	return encoded(&w, bytes, length, err);
}

/* Least size of a mark, to check the count before memory is allocated. */
enum { LEAST_MARK = 3 };

struct gcs_memory *gcs_memory_decode(const void *bytes, size_t length, struct gcs_error *err)
{
	struct rd r = rd_over(bytes, length);
	struct block b;
	uint64_t before = 0;
	get_kind(&r, GCS_PLUGIN_BYTES);
	const uint32_t marks = rd_count(&r, GCS_MAX_MARKS);
	const uint32_t size = rd_count(&r, GCS_MAX_MEMORY);
	const uint64_t address = rd_varint(&r);
	if ((size_t)marks * LEAST_MARK + size > rd_left(&r))
		rd_fail(&r, GCS_TRUNCATED);
	struct gcs_memory *m = block_begin(
	    &b, &r, rounded(sizeof *m) + rounded(marks * sizeof *m->marks) + rounded(size), length);
	if (m == NULL)
		return decoded(&r, NULL, err);
	(void)cut(&b, sizeof *m);
	struct gcs_mark *mark = cut(&b, marks * sizeof *mark);
	unsigned char *copy = cut(&b, size);
	*m = (struct gcs_memory){.title = cut_text(&b, &r, GCS_MAX_TEXT),
	    .address = address,
	    .length = size,
	    .bytes = copy,
	    .mark_count = marks,
	    .marks = mark};
	const uint8_t *from = rd_bytes(&r, size);
	if (from != NULL && size != 0)
		memcpy(copy, from, size);
	for (uint32_t i = 0; r.status == GCS_OK && i < marks; i++) {
		mark[i].start = before + rd_count(&r, size - (uint32_t)before);
		mark[i].length = rd_count(&r, size - (uint32_t)mark[i].start);
		mark[i].text = cut_text(&b, &r, GCS_MAX_TEXT);
		if (mark[i].length == 0)
			rd_fail(&r, GCS_MALFORMED);
		before = mark[i].start;
	}
	return decoded(&r, m, err);
}

void gcs_plugin_free(void *block)
{
	gcs_free(block);
}
