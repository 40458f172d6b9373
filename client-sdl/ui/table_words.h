/* How a table is sorted, in words (words.h): "sort=COLUMN order=falling". */
#ifndef GCSPY_CLIENT_TABLE_WORDS_H
#define GCSPY_CLIENT_TABLE_WORDS_H

#include "table.h"
#include "words.h"

void table_words(
    const struct table *table, const struct table_column *column, int columns, struct textbuf *out);

/* One of these words taken back; false if it is none of them, or says what is not allowed. A table
 * that was in no order at first may be so again. The owner sorts. */
bool table_take_word(struct table *table, const struct table_column *column, int columns,
    const char *key, const char *value);

#endif
