/* Completing a snapshot: sharing equal columns with the previous one, and memory accounting. */
#include <string.h>

#include "snapshot_internal.h"

static void settle_column(struct column **own, struct column *previous, size_t *bytes)
{
	if (*own == previous || *own == NULL)
		return;
	if (column_equal(*own, previous)) {
		column_unref(*own);
		*own = column_ref(previous);
		return;
	}
	*bytes += column_bytes((*own)->count, (*own)->map_words);
}

/* Memory of the names that are not shared. */
static size_t own_names_bytes(const struct names *n)
{
	size_t bytes = sizeof *n + n->count * sizeof(struct text *);
	for (uint32_t i = 0; i < n->count; i++)
		if (n->texts[i] != NULL && atomic_load(&n->texts[i]->references) == 1)
			bytes += sizeof(struct text) + strlen(n->texts[i]->chars) + 1;
	return bytes;
}

/* Memory of the values shared with `previous`. */
static size_t shared_bytes(const struct gcs_snapshot *s, const struct gcs_snapshot *previous)
{
	size_t values = 0;
	for (uint32_t i = 0; previous != NULL && i < s->space_count && i < previous->space_count;
	     i++)
		for (uint32_t k = 0; k < s->spaces[i].stream_count; k++)
			if (previous->spaces[i].edition == s->spaces[i].edition &&
			    s->spaces[i].columns[k] == previous->spaces[i].columns[k])
				values += s->spaces[i].tiles;
	return values * sizeof(int64_t);
}

void snapshot_settle(struct gcs_snapshot *s, const struct gcs_snapshot *previous)
{
	size_t bytes = sizeof *s + fired_bytes(s->fired);
	for (uint32_t i = 0; i < s->space_count; i++) {
		struct space_state *own = &s->spaces[i];
		bool same = previous != NULL && i < previous->space_count &&
			    previous->spaces[i].edition == own->edition;
		bytes += sizeof *own + 2 * own->stream_count * sizeof(struct column *);
		for (uint32_t k = 0; k < own->stream_count; k++) {
			settle_column(
			    &own->columns[k], same ? previous->spaces[i].columns[k] : NULL, &bytes);
			settle_column(&own->summaries[k],
			    same ? previous->spaces[i].summaries[k] : NULL, &bytes);
		}
		if (own->names != NULL && (!same || own->names != previous->spaces[i].names))
			bytes += own_names_bytes(own->names);
	}
	s->own_bytes = bytes;
	s->full_bytes = bytes + shared_bytes(s, previous);
}
