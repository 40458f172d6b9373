/* What holds the objects of suspects, by the last search for reference chains. */
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "chain_tree.h"
#include "stats_internal.h"

void gcs_stats_add_paths(struct gcs_stats_builder *b, const void *bytes, size_t length)
{
	struct gcs_table *table = gcs_table_decode(bytes, length, NULL);
	if (table == NULL || !chain_tree_is(table)) {
		gcs_plugin_free(table);
		return;
	}
	gcs_plugin_free(b->profiles.paths);
	b->profiles.paths = table;
}

bool stats_held_by(const struct stats_profiles *p, const struct gcs_sites *by_site,
    stats_key *key_by, uint64_t key, char *text, size_t size)
{
	const uint32_t sites = gcs_sites_count(by_site);
	uint64_t *numbers = gcs_alloc((sites + (size_t)1) * sizeof *numbers);
	struct chain_tree *tree = chain_tree_create(false);
	uint32_t count = 0;
	bool ok = numbers != NULL && tree != NULL;
	for (uint32_t i = 0; ok && i < sites; i++) {
		const struct gcs_site *site = gcs_sites_at(by_site, i);
		if (key_by(by_site, site, p->by) == key)
			numbers[count++] = gcs_site_number(by_site, site);
	}
	ok = ok && chain_tree_merge_sites(tree, p->paths, numbers, count);
	if (ok && p->paths->row_count == 0)
		snprintf(text, size, "not known: %s", p->paths->title);
	else if (ok && !chain_tree_summary(tree, text, size))
		snprintf(text, size, "not known: the last search was for other call sites");
	else if (ok && strstr(text, " %: (the search ended") != NULL)
		snprintf(text, size, "not known: the last search ended early");
	chain_tree_destroy(tree);
	gcs_free(numbers);
	return ok;
}
