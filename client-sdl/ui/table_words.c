#include "table_words.h"

#include <string.h>

static const char *const orders[] = {"rising", "falling"};

void table_words(
    const struct table *table, const struct table_column *column, int columns, struct textbuf *out)
{
	bool sorted = table->sort >= 0 && table->sort < columns;
	words_put(out, "sort", sorted ? column[table->sort].name : "none");
	words_put(out, "order", orders[table->falling]);
}

bool table_take_word(struct table *table, const struct table_column *column, int columns,
    const char *key, const char *value)
{
	int order;
	if (strcmp(key, "order") == 0 && words_choice(value, orders, 2, &order)) {
		table->falling = order == 1;
		return true;
	}
	if (strcmp(key, "sort") != 0)
		return false;
	if (strcmp(value, "none") == 0)
		return table->sort < 0;
	for (int i = 0; i < columns; i++) {
		if (strcmp(column[i].name, value) == 0) {
			table->sort = i;
			return true;
		}
	}
	return false;
}
