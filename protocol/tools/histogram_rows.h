/* A class histogram of a server, summed up by name. */
#ifndef GCSPY_TOOLS_HISTOGRAM_ROWS_H
#define GCSPY_TOOLS_HISTOGRAM_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include <gcspy/plugin.h>

struct histogram_row {
	const char *name;       /* of the table */
	int64_t objects, bytes; /* or their changes */
};

struct histogram {
	struct histogram_row *rows; /* those with most bytes first */
	uint32_t count;
};

/* "with garbage", or "without garbage" where the collector's walk finds none:
 * the title says so (agent/paths/class_histogram.c). */
const char *histogram_garbage(const struct gcs_table *table);

/* Whether the table has the columns of a histogram. */
bool histogram_is(const struct gcs_table *table);

/* Classes of one name, from several loaders, are one row; less those of `base`, or NULL. The tables stay
 * as long as the rows. False without memory. */
bool histogram_sum(
    struct histogram *histogram, const struct gcs_table *now, const struct gcs_table *base);

void histogram_fini(struct histogram *histogram);

#endif
