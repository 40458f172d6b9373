/* The order of sites, which the entries that count in them learn. */
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "sites_internal.h"

/* The largest first; deterministic. */
static int compare_sites(const void *left, const void *right)
{
	const struct gcs_site *a = *(const struct gcs_site *const *)left;
	const struct gcs_site *b = *(const struct gcs_site *const *)right;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->new_bytes != b->new_bytes)
		return a->new_bytes > b->new_bytes ? -1 : 1;
	int order = strcmp(a->class_name, b->class_name);
	if (order == 0)
		order = strcmp(a->thread, b->thread);
	return order != 0 ? order : (a->stack > b->stack) - (a->stack < b->stack);
}

/* Moves each item to where `order` has it, which is changed. */
static void permute(struct gcs_site *items, const struct gcs_site **order, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_site first = items[i];
		uint32_t to = i;
		while (order[to] != &items[i]) {
			const uint32_t from = (uint32_t)(order[to] - items);
			items[to] = items[from];
			order[to] = &items[to];
			to = from;
		}
		items[to] = first;
		order[to] = &items[to];
	}
}

bool sites_sort(struct gcs_sites *s)
{
	const uint32_t entries = s->of_entry == NULL ? 0 : gcs_profile_entry_count(s->profile);
	const size_t room = (size_t)s->count + 1;
	const struct gcs_site **order = gcs_zalloc(room * sizeof(struct gcs_site *));
	uint32_t *rank = gcs_zalloc(room * sizeof *rank); /* plus 1, by number plus 1 */
	const bool good = order != NULL && rank != NULL;
	for (uint32_t i = 0; good && i < s->count; i++)
		order[i] = &s->items[i];
	if (good && s->count != 0)
		qsort(order, s->count, sizeof(struct gcs_site *), compare_sites);
	for (uint32_t i = 0; good && i < s->count; i++)
		rank[order[i] - s->items + 1] = i + 1;
	for (uint32_t i = 0; good && i < entries; i++)
		s->of_entry[i] = rank[s->of_entry[i]];
	if (good)
		permute(s->items, order, s->count);
	gcs_free(order);
	gcs_free(rank);
	/* What has grown by doubling is cut. */
	struct gcs_site *fitting =
	    good && s->count != 0 ? gcs_realloc(s->items, s->count * sizeof *fitting) : NULL;
	s->items = fitting != NULL ? fitting : s->items;
	return good;
}
