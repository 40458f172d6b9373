/* Chains of the objects of many call sites: the first row of each is its call site. Declared in
 * chain_tree.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "chain_tree.h"
#include "sites.h"

static const char site_prefix[] = "site ";

void chain_site_text(uint64_t number, char *text, size_t size)
{
	snprintf(text, size, "%s%012" PRIx64, site_prefix, number);
}

uint64_t chain_site_number(const char *text)
{
	uint64_t number = 0;
	if (strncmp(text, site_prefix, sizeof site_prefix - 1) != 0 ||
	    !gcs_site_number_parse(text + sizeof site_prefix - 1, &number))
		return 0;
	return number;
}

static bool is_wanted(uint64_t number, const uint64_t *numbers, uint32_t count)
{
	bool found = numbers == NULL;
	for (uint32_t i = 0; !found && i < count; i++)
		found = numbers[i] == number;
	return found;
}

bool chain_tree_merge_sites(
    struct chain_tree *tree, const struct gcs_table *table, const uint64_t *numbers, uint32_t count)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < table->row_count; i++) {
		const uint64_t number =
		    table->depths[i] != 0
			? 0
			: chain_site_number(
			      table->cells[(size_t)i * CHAIN_COLUMNS + CHAIN_COLUMN_HOLDER].text);
		if (number != 0 && is_wanted(number, numbers, count))
			ok = chain_tree_merge(tree, table, i);
	}
	return ok;
}
