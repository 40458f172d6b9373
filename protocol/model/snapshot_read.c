/* The readers of a snapshot, and its invariants. */

#include "snapshot_internal.h"

const struct space_state *snapshot_state(const struct gcs_snapshot *s, uint32_t space)
{
	return space < s->space_count && !s->model->spaces[space].gone ? &s->spaces[space] : NULL;
}

size_t snapshot_queue_cost(const struct gcs_snapshot *s, uint64_t last)
{
	const bool follows = last == 0 || last == s->built_on;
	return follows ? s->own_bytes : s->full_bytes;
}

const struct gcs_model *gcs_snapshot_model(const struct gcs_snapshot *s)
{
	return s->model;
}

const struct gcs_occurrence *gcs_snapshot_occurrence(const struct gcs_snapshot *s)
{
	return &s->occurrence;
}

bool gcs_snapshot_number(const struct gcs_snapshot *s, uint32_t attribute, int64_t *value)
{
	if (attribute >= GCS_MAX_ATTRIBUTES || (s->numbers_set >> attribute & 1) == 0)
		return false;
	*value = s->numbers[attribute];
	return true;
}

const char *gcs_snapshot_text(const struct gcs_snapshot *s, uint32_t attribute)
{
	if (attribute >= GCS_MAX_ATTRIBUTES || s->texts[attribute] == NULL)
		return NULL;
	return s->texts[attribute]->chars;
}

uint64_t gcs_snapshot_counter(const struct gcs_snapshot *s, uint32_t event)
{
	return event < GCS_MAX_EVENTS ? s->counters[event] : 0;
}

uint32_t gcs_snapshot_tiles(const struct gcs_snapshot *s, uint32_t space)
{
	const struct space_state *state = snapshot_state(s, space);
	return state == NULL ? 0 : state->tiles;
}

const int64_t *gcs_snapshot_values(const struct gcs_snapshot *s, uint32_t space, uint32_t stream)
{
	const struct space_state *state = snapshot_state(s, space);
	if (state == NULL || stream >= state->stream_count || state->columns[stream] == NULL)
		return NULL;
	return state->columns[stream]->values;
}

const uint64_t *gcs_snapshot_changed(const struct gcs_snapshot *now,
    const struct gcs_snapshot *before, uint32_t space, uint32_t stream)
{
	const struct space_state *new = snapshot_state(now, space);
	const struct space_state *old = snapshot_state(before, space);
	if (new == NULL || old == NULL || stream >= new->stream_count ||
	    stream >= old->stream_count)
		return NULL;
	return column_changes(new->columns[stream], old->columns[stream]);
}

const int64_t *gcs_snapshot_errors(const struct gcs_snapshot *s, uint32_t space, uint32_t stream)
{
	const struct space_state *state = snapshot_state(s, space);
	if (state == NULL || stream >= state->stream_count)
		return NULL;
	const uint32_t error = s->model->spaces[space].streams[stream].error_stream;
	return error == 0 ? NULL : gcs_snapshot_values(s, space, error);
}

const int64_t *gcs_snapshot_summary(
    const struct gcs_snapshot *s, uint32_t space, uint32_t stream, uint32_t *count)
{
	const struct space_state *state = snapshot_state(s, space);
	*count = 0;
	if (state == NULL || stream >= state->stream_count || state->summaries[stream] == NULL)
		return NULL;
	*count = state->summaries[stream]->count;
	return state->summaries[stream]->values;
}

const char *gcs_snapshot_name(const struct gcs_snapshot *s, uint32_t space, uint32_t tile)
{
	const struct space_state *state = snapshot_state(s, space);
	if (state == NULL || tile >= state->tiles || state->names == NULL)
		return "";
	return text_chars(state->names->texts[tile]);
}

const char *gcs_snapshot_space_info(const struct gcs_snapshot *s, uint32_t space)
{
	const struct space_state *state = snapshot_state(s, space);
	return state == NULL ? "" : text_chars(state->info);
}

bool gcs_snapshot_gathered(const struct gcs_snapshot *s, uint32_t space)
{
	const struct space_state *state = snapshot_state(s, space);
	return state != NULL && state->gathered;
}

uint32_t gcs_summary_length(const struct gcs_stream *stream)
{
	switch (stream->summary) {
	case GCS_SUMMARY_TOTAL:
		return 1;
	case GCS_SUMMARY_SHARE:
		return 2;
	case GCS_SUMMARY_COUNTS:
		return stream->enum_count;
	default:
		return 0;
	}
}

/* The largest value of a used tile. */
static int64_t largest(const struct gcs_snapshot *s, uint32_t space, uint32_t stream, int64_t floor)
{
	const int64_t *values = gcs_snapshot_values(s, space, stream);
	uint32_t control = gcs_space_role(&s->model->spaces[space], GCS_ROLE_CONTROL);
	const int64_t *bits = control == GCS_NONE ? NULL : gcs_snapshot_values(s, space, control);
	int64_t max = floor;
	for (uint32_t i = 0; values != NULL && i < s->spaces[space].tiles; i++)
		if (values[i] > max && (bits == NULL || (bits[i] & GCS_TILE_USED) != 0))
			max = values[i];
	return max;
}

int64_t gcs_snapshot_maximum(
    const struct gcs_snapshot *s, uint32_t space, uint32_t stream, uint32_t tile)
{
	const struct space_state *state = snapshot_state(s, space);
	if (state == NULL || stream >= state->stream_count)
		return 1;
	const struct gcs_stream *t = &s->model->spaces[space].streams[stream];
	int64_t max = t->max;
	if (t->maximum == GCS_MAX_OF_EVENT) {
		max = largest(s, space, stream, t->min);
	} else if (t->maximum == GCS_MAX_OF_STREAM) {
		const int64_t *values = gcs_snapshot_values(s, space, t->max_stream);
		max = values != NULL && tile < state->tiles ? values[tile] : t->min;
	}
	return max > t->min || t->min == INT64_MAX ? max : t->min + 1;
}

enum gcs_status gcs_snapshot_check(const struct gcs_snapshot *s, struct gcs_error *err)
{
	enum gcs_status status = gcs_model_check(s->model, err);
	if (status != GCS_OK)
		return status;
	if (s->space_count != s->model->space_count)
		return gcs_fail(err, GCS_MALFORMED, "the snapshot has %u spaces, its model %u",
		    s->space_count, s->model->space_count);
	for (uint32_t i = 0; i < s->space_count; i++) {
		const struct space_state *state = &s->spaces[i];
		const char *name = s->model->spaces[i].name;
		if (state->stream_count != s->model->spaces[i].stream_count ||
		    state->tiles > GCS_MAX_TILES)
			return gcs_fail(
			    err, GCS_MALFORMED, "space \"%s\" does not match its model", name);
		if (state->names != NULL && state->names->count != state->tiles)
			return gcs_fail(
			    err, GCS_MALFORMED, "space \"%s\" has a wrong number of names", name);
		for (uint32_t k = 0; k < state->stream_count; k++) {
			const struct column *c = state->columns[k];
			const struct column *sum = state->summaries[k];
			if ((c == NULL) != (state->tiles == 0) ||
			    (c != NULL && c->count != state->tiles))
				return gcs_fail(err, GCS_MALFORMED,
				    "stream %u of \"%s\" has a wrong number of values", k, name);
			if (sum != NULL &&
			    sum->count != gcs_summary_length(&s->model->spaces[i].streams[k]))
				return gcs_fail(err, GCS_MALFORMED,
				    "stream %u of \"%s\" has a summary of the wrong length", k,
				    name);
		}
	}
	return GCS_OK;
}
