/* The longest pauses, each with what came before it. */

#include "stats_internal.h"

#include <math.h>
#include <string.h>

static double number_or_nan(const struct stats_view *v, uint32_t attribute)
{
	double value;
	return stats_number(v, attribute, &value) ? value : NAN;
}

void stats_longest_add(struct stats_longest *l, const struct stats_pauses *pauses,
    const struct stats_step *step, const struct stats_view *v)
{
	double ns;
	if (!stats_number(v, v->event->pause, &ns) || ns < 0 || pauses->count == 0)
		return;
	const struct stats_pause *last = &pauses->items[pauses->count - 1];
	uint32_t at = l->count;
	while (at != 0 && l->items[at - 1].ns < last->ns)
		at--;
	if (at == GCS_STATS_LONGEST)
		return;
	l->count += l->count < GCS_STATS_LONGEST;
	memmove(&l->items[at + 1], &l->items[at], (l->count - at - 1) * sizeof l->items[0]);
	l->items[at] = (struct gcs_stats_pause){
	    .kind = pauses->kinds.items[last->kind].name,
	    .cause = pauses->causes.items[last->cause].name,
	    .ns = last->ns,
	    .place = v->when.place,
	    .wall_ns = gcs_snapshot_occurrence(v->snapshot)->wall_ns,
	    .before = number_or_nan(v, v->event->before),
	    .after = number_or_nan(v, v->event->after),
	    .allocated = step->allocated,
	    .seconds = step->seconds,
	    .promoted = v->kind_class == STATS_YOUNG ? step->promoted : NAN,
	};
}

void stats_longest_give(
    const struct stats_longest *l, const struct stats_heap *heap, struct gcs_stats *result)
{
	memcpy(result->longest, l->items, sizeof l->items);
	result->longest_count = l->count;
	for (uint32_t i = 0; heap->concurrent[0] != '\0' && i < l->count; i++)
		result->longest[i].allocated = result->longest[i].promoted = NAN;
}
