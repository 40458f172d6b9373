#include "tracked_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "own_jvm.h"

enum { TEXT = 65536, WAIT_MS = 3000, COLUMNS = 6 };

bool tracked_memory_on(const struct vm *vm)
{
	return vm_flag_is(vm, "NativeMemoryTracking", "summary") ||
	       vm_flag_is(vm, "NativeMemoryTracking", "detail");
}

/* The number after the word, within the line; false without. */
static bool number_behind(const char *line, const char *end, const char *word, uint64_t *number)
{
	const char *at = strstr(line, word);
	char *behind;
	if (at == NULL || at >= end)
		return false;
	at += strlen(word);
	*number = strtoull(at, &behind, 10);
	return behind != at;
}

static bool read_head(const char *line, const char *end, struct tracked_category *c)
{
	const char *name = line + 1 + strspn(line + 1, " ");
	const char *behind = strstr(name, " (reserved=");
	*c = (struct tracked_category){.reserved = 0};
	if (strncmp(line, "Total:", 6) == 0)
		snprintf(c->name, sizeof c->name, "Total");
	else if (line[0] == '-' && behind != NULL && behind < end)
		snprintf(c->name, sizeof c->name, "%.*s", (int)(behind - name), name);
	else
		return false;
	return number_behind(line, end, "reserved=", &c->reserved) &&
	       number_behind(line, end, "committed=", &c->committed);
}

/* "(malloc=74303 #545) (at peak)", "(malloc=58830 tag=Class #571)", "(mmap: reserved=1, committed=2)"; of the
 * total "malloc: 6528374 #3784", "mmap: reserved=…". Arenas are made of blocks, which the total has with them. */
static void read_detail(const char *line, const char *end, struct tracked_category *c)
{
	line += strspn(line, " ");
	line += *line == '(';
	const bool maps = strncmp(line, "mmap:", 5) == 0 || strncmp(line, "stack:", 6) == 0;
	uint64_t mapped = 0, arenas = 0;
	if (strncmp(line, "malloc", 6) == 0) {
		if (!number_behind(line, end, "malloc=", &c->allocated))
			(void)number_behind(line, end, "malloc: ", &c->allocated);
		(void)number_behind(line, end, "#", &c->blocks);
	} else if (strncmp(line, "arena=", 6) == 0) {
		(void)number_behind(line, end, "arena=", &arenas);
		c->allocated += arenas;
	} else if (maps && number_behind(line, end, "committed=", &mapped)) {
		c->mapped += mapped;
	}
}

size_t tracked_memory_parse(const char *text, struct tracked_category categories[TRACKED_MOST])
{
	struct tracked_category next;
	size_t count = 0;
	for (const char *line = text, *end; *line != '\0'; line = *end == '\0' ? end : end + 1) {
		end = line + strcspn(line, "\n");
		if (read_head(line, end, &next) && count < TRACKED_MOST)
			categories[count++] = next;
		else if (count != 0)
			read_detail(line, end, &categories[count - 1]);
	}
	return count != 0 && strcmp(categories[0].name, "Total") == 0 ? count : 0;
}

static int by_committed(const void *a, const void *b)
{
	const uint64_t x = ((const struct tracked_category *)a)->committed;
	const uint64_t y = ((const struct tracked_category *)b)->committed;
	return x != y ? (x < y ? 1 : -1) : 0;
}

static enum gcs_status encode(struct tracked_category *categories, size_t count, void **bytes,
    size_t *length, struct gcs_error *err)
{
	static const struct gcs_column columns[COLUMNS] = {
	    {"Category", GCS_COLUMN_TEXT, GCS_DECIMAL},
	    {"Committed", GCS_COLUMN_NUMBER, GCS_BYTES},
	    {"Reserved", GCS_COLUMN_NUMBER, GCS_BYTES},
	    {"Mapped", GCS_COLUMN_NUMBER, GCS_BYTES},
	    {"malloc", GCS_COLUMN_NUMBER, GCS_BYTES},
	    {"Blocks", GCS_COLUMN_NUMBER, GCS_DECIMAL},
	};
	struct gcs_cell cells[TRACKED_MOST][COLUMNS] = {{{0}}};
	qsort(categories + 1, count - 1, sizeof *categories, by_committed);
	for (size_t i = 0; i < count; i++) {
		const struct tracked_category *c = &categories[i];
		const uint64_t numbers[COLUMNS] = {
		    0, c->committed, c->reserved, c->mapped, c->allocated, c->blocks};
		cells[i][0].text = c->name;
		for (int column = 1; column < COLUMNS; column++)
			cells[i][column].number = (int64_t)numbers[column];
	}
	return gcs_table_encode(&(struct gcs_table){.title = "Native memory tracking: what the JVM "
							     "asked for, which is not what is "
							     "resident",
				    .column_count = COLUMNS,
				    .columns = columns,
				    .row_count = (uint32_t)count,
				    .cells = &cells[0][0]},
	    bytes, length, err);
}

enum gcs_status tracked_memory_read(const struct vm *vm,
    struct tracked_category categories[TRACKED_MOST], size_t *count, struct gcs_error *err)
{
	char *text = gcs_alloc(TEXT);
	*count = 0;
	if (text == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the JVM's account");
	enum gcs_status status =
	    own_jvm_command(vm, "VM.native_memory summary scale=b", WAIT_MS, text, TEXT, err);
	if (status == GCS_OK && (*count = tracked_memory_parse(text, categories)) == 0)
		status = gcs_fail(err, GCS_STATE, "the JVM's account cannot be read: %.100s", text);
	gcs_free(text);
	return status;
}

enum gcs_status tracked_memory_answer(
    const struct vm *vm, void **bytes, size_t *length, struct gcs_error *err)
{
	struct tracked_category categories[TRACKED_MOST];
	size_t count;
	const enum gcs_status status = tracked_memory_read(vm, categories, &count, err);
	return status != GCS_OK ? status : encode(categories, count, bytes, length, err);
}
