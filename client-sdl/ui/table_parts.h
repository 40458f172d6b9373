/* Shared by table.c, which places rows and takes input, and table_paint.c. */
#ifndef GCSPY_CLIENT_TABLE_PARTS_H
#define GCSPY_CLIENT_TABLE_PARTS_H

#include "table.h"

struct cv_rect table_row_rect(
    const struct ui *ui, struct cv_rect body, const struct table *table, uint32_t row);

/* Cuts the indent and the mark of a tree's row off its cell; returns the place of the mark. */
struct cv_rect table_cut_branch(const struct ui *ui, const struct table *table,
    const struct table_rows *rows, uint32_t row, struct cv_rect *cell, struct table_branch *branch);

void table_paint_title(struct ui *ui, uint32_t id, struct cv_rect cell, const struct table *table,
    const struct table_column *column, bool sorted);

/* Paints the rows in sight; with `all` not only those that look different from the last time. */
void table_paint_body(struct ui *ui, uint32_t id, struct cv_rect body, struct table *table,
    const struct table_rows *rows, bool all);

#endif
