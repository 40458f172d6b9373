#include "memory_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <gcspy/format.h>
#include <gcspy/plugin.h>

#include "process_memory.h"

enum { KIND, COLUMNS = SMAPS_FIGURE_COUNT + 1, ROWS = MEMORY_KIND_COUNT + 1 };

struct row {
	const char *name;
	const uint64_t *figures;
};

static int by_resident(const void *a, const void *b)
{
	const uint64_t x = ((const struct row *)a)->figures[SMAPS_RESIDENT];
	const uint64_t y = ((const struct row *)b)->figures[SMAPS_RESIDENT];
	return x != y ? (x < y ? 1 : -1) : 0;
}

static enum gcs_status encode(
    const struct process_memory *memory, void **bytes, size_t *length, struct gcs_error *err)
{
	static const struct gcs_column columns[COLUMNS] = {
	    [KIND] = {"Memory", GCS_COLUMN_TEXT, GCS_DECIMAL},
	    [1 + SMAPS_RESIDENT] = {"Resident", GCS_COLUMN_NUMBER, GCS_BYTES},
	    [1 + SMAPS_PROPORTIONAL] = {"Proportional", GCS_COLUMN_NUMBER, GCS_BYTES},
	    [1 + SMAPS_DIRTY] = {"Private dirty", GCS_COLUMN_NUMBER, GCS_BYTES},
	    [1 + SMAPS_SWAPPED] = {"Swapped", GCS_COLUMN_NUMBER, GCS_BYTES},
	    [1 + SMAPS_RESERVED] = {"Reserved", GCS_COLUMN_NUMBER, GCS_BYTES},
	};
	const memory_figures *figures = process_memory_figures(memory);
	struct gcs_cell cells[ROWS][COLUMNS] = {{{0}}};
	struct row rows[ROWS];
	memory_figures total = {0};
	char title[160], resident[40];
	rows[0] = (struct row){"Process", total};
	for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++) {
		rows[kind + 1] =
		    (struct row){memory_kind_name((enum memory_kind)kind), figures[kind]};
		for (int i = 0; i < SMAPS_FIGURE_COUNT; i++)
			total[i] += figures[kind][i];
	}
	qsort(rows, ROWS, sizeof rows[0], by_resident);
	for (int r = 0; r < ROWS; r++) {
		cells[r][KIND].text = rows[r].name;
		for (int i = 0; i < SMAPS_FIGURE_COUNT; i++)
			cells[r][1 + i].number = (int64_t)rows[r].figures[i];
	}
	gcs_format_number(resident, sizeof resident, (int64_t)total[SMAPS_RESIDENT], GCS_BYTES);
	snprintf(title, sizeof title, "Process %ld: %s resident, %u mappings", (long)getpid(),
	    resident, process_memory_mappings(memory));
	return gcs_table_encode(&(struct gcs_table){.title = title,
				    .column_count = COLUMNS,
				    .columns = columns,
				    .row_count = ROWS,
				    .cells = &cells[0][0]},
	    bytes, length, err);
}

enum gcs_status memory_answer(const struct vm *vm, struct threads *threads, void **bytes,
    size_t *length, struct gcs_error *err)
{
	struct process_memory *memory = process_memory_create(vm, threads);
	enum gcs_status status;
	if (memory == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for a list of mappings");
	if (process_memory_read(memory))
		status = encode(memory, bytes, length, err);
	else
		status = gcs_fail(err, GCS_STATE, "/proc/self/smaps cannot be read");
	process_memory_destroy(memory);
	return status;
}
