#include "snapshot_internal.h"

#include <string.h>

#include <gcspy/memory.h>

#include "model_internal.h"

static atomic_uint_least64_t next_serial = 1;

/* The state of one space. */

static void state_fini(struct space_state *s)
{
	for (uint32_t i = 0; i < s->stream_count; i++) {
		column_unref(s->columns[i]);
		column_unref(s->summaries[i]);
	}
	names_unref(s->names);
	text_unref(s->info);
}

static void state_share(struct space_state *to, const struct space_state *from)
{
	for (uint32_t i = 0; i < to->stream_count; i++) {
		column_unref(to->columns[i]);
		column_unref(to->summaries[i]);
		to->columns[i] = column_ref(from->columns[i]);
		to->summaries[i] = column_ref(from->summaries[i]);
	}
	names_unref(to->names);
	text_unref(to->info);
	to->names = names_ref(from->names);
	to->info = text_ref(from->info);
	to->tiles = from->tiles;
	to->gathered = from->gathered;
}

/* Snapshots. */

/* One block of memory, because a snapshot is made for each event: itself, its spaces, their columns. */
static struct gcs_snapshot *allocate(const struct gcs_model *model)
{
	size_t columns = 0;
	for (uint32_t i = 0; i < model->space_count; i++)
		columns += 2 * (size_t)model->spaces[i].stream_count;
	const size_t spaces = model->space_count * sizeof(struct space_state);
	struct gcs_snapshot *s = gcs_zalloc(sizeof *s + spaces + columns * sizeof(struct column *));
	if (s == NULL)
		return NULL;
	s->spaces = (struct space_state *)(void *)(s + 1);
	s->space_count = model->space_count;
	struct column **next = (struct column **)(void *)(s->spaces + s->space_count);
	for (uint32_t i = 0; i < s->space_count; i++) {
		const uint32_t streams = model->spaces[i].stream_count;
		s->spaces[i] = (struct space_state){.edition = model_edition(model, i),
		    .stream_count = streams,
		    .columns = next,
		    .summaries = next + streams};
		next += 2 * (size_t)streams;
	}
	return s;
}

struct gcs_snapshot *gcs_snapshot_begin(
    struct gcs_model *model, const struct gcs_snapshot *previous)
{
	struct gcs_snapshot *s = allocate(model);
	if (s == NULL)
		return NULL;
	atomic_init(&s->references, 1);
	s->model = gcs_model_ref(model);
	s->occurrence.event = GCS_NONE;
	s->serial = atomic_fetch_add(&next_serial, 1);
	s->built_on = previous == NULL ? 0 : previous->serial;
	for (uint32_t i = 0; i < s->space_count; i++)
		if (previous != NULL && i < previous->space_count &&
		    previous->spaces[i].edition == s->spaces[i].edition) {
			state_share(&s->spaces[i], &previous->spaces[i]);
			s->spaces[i].gathered = false;
		}
	if (previous != NULL)
		memcpy(s->counters, previous->counters, sizeof s->counters);
	return s;
}

struct gcs_snapshot *gcs_snapshot_ref(const struct gcs_snapshot *snapshot)
{
	/* References are counted in an otherwise immutable object, hence the cast. */
	struct gcs_snapshot *s = (struct gcs_snapshot *)(uintptr_t)snapshot;
	if (s != NULL)
		atomic_fetch_add(&s->references, 1);
	return s;
}

void gcs_snapshot_unref(const struct gcs_snapshot *snapshot)
{
	struct gcs_snapshot *s = (struct gcs_snapshot *)(uintptr_t)snapshot;
	if (s == NULL || atomic_fetch_sub(&s->references, 1) != 1)
		return;
	for (uint32_t i = 0; i < s->space_count; i++)
		state_fini(&s->spaces[i]);
	for (uint32_t i = 0; i < GCS_MAX_ATTRIBUTES; i++)
		text_unref(s->texts[i]);
	fired_unref(s->fired);
	gcs_free(s->resizes);
	gcs_model_unref(s->model);
	gcs_free(s);
}

static void forget_attributes(struct gcs_snapshot *s)
{
	s->numbers_set = 0;
	fired_unref(s->fired);
	s->fired = NULL;
	for (uint32_t i = 0; i < GCS_MAX_ATTRIBUTES; i++) {
		text_unref(s->texts[i]);
		s->texts[i] = NULL;
	}
}

bool snapshot_reopen(struct gcs_snapshot *s, const struct gcs_model *model)
{
	if (s == NULL || s->model != model || atomic_load(&s->references) != 1)
		return false;
	s->serial = atomic_fetch_add(&next_serial, 1);
	s->built_on = 0; /* the state that its resizes refer to is gone */
	s->resize_count = 0;
	s->resize_lost = false;
	s->occurrence = (struct gcs_occurrence){.event = GCS_NONE};
	forget_attributes(s);
	for (uint32_t i = 0; i < s->space_count; i++)
		s->spaces[i].gathered = false;
	return true;
}

bool gcs_snapshot_set_occurrence(struct gcs_snapshot *s, const struct gcs_occurrence *occurrence)
{
	if (occurrence->event != GCS_NONE && occurrence->event >= s->model->event_count)
		return false;
	if (occurrence->event != s->occurrence.event) /* attributes of another event */
		forget_attributes(s);
	s->occurrence = *occurrence;
	return true;
}

/* The description of the event's attribute, or NULL. */
static const struct gcs_attribute *attribute_of(const struct gcs_snapshot *s, uint32_t attribute)
{
	uint32_t event = s->occurrence.event;
	if (event >= s->model->event_count || attribute >= s->model->events[event].attribute_count)
		return NULL;
	return &s->model->events[event].attributes[attribute];
}

bool gcs_snapshot_set_number(struct gcs_snapshot *s, uint32_t attribute, int64_t value)
{
	const struct gcs_attribute *a = attribute_of(s, attribute);
	if (a == NULL || a->kind == GCS_ATTRIBUTE_TEXT)
		return false;
	s->numbers[attribute] = value;
	s->numbers_set |= (uint32_t)1 << attribute;
	return true;
}

bool gcs_snapshot_set_text(struct gcs_snapshot *s, uint32_t attribute, const char *text)
{
	const struct gcs_attribute *a = attribute_of(s, attribute);
	if (a == NULL || a->kind != GCS_ATTRIBUTE_TEXT)
		return false;
	return text_set(&s->texts[attribute], text);
}

bool gcs_snapshot_set_counter(struct gcs_snapshot *s, uint32_t event, uint64_t count)
{
	if (event >= s->model->event_count)
		return false;
	s->counters[event] = count;
	return true;
}

/* A private column for writing, with a map if the writer keeps one. */
static struct column *writable_column(
    struct gcs_snapshot *s, uint32_t space, uint32_t stream, bool with_map)
{
	struct space_state *state = snapshot_own_state(s, space);
	if (state == NULL || stream >= state->stream_count || state->tiles == 0)
		return NULL;
	struct column *c = state->columns[stream];
	if (atomic_load(&c->references) == 1) {
		column_renew(c); /* maps that refer to the old values are void */
		if (!with_map)
			c->base = 0;
		return c;
	}
	struct column *copy = column_new(c->count, with_map ? column_map_words(c->count) : 0);
	if (copy == NULL)
		return NULL;
	memcpy(copy->values, c->values, c->count * sizeof c->values[0]);
	copy->base = with_map ? c->id : 0;
	column_unref(c);
	state->columns[stream] = copy;
	return copy;
}

int64_t *gcs_snapshot_write(struct gcs_snapshot *s, uint32_t space, uint32_t stream)
{
	struct column *c = writable_column(s, space, stream, false);
	return c == NULL ? NULL : c->values;
}

int64_t *snapshot_amend(struct gcs_snapshot *s, uint32_t space, uint32_t stream, uint64_t **changed)
{
	struct column *c = writable_column(s, space, stream, true);
	*changed = c == NULL || c->base == 0 ? NULL : column_map(c);
	return c == NULL ? NULL : c->values;
}

bool gcs_snapshot_set_summary(
    struct gcs_snapshot *s, uint32_t space, uint32_t stream, uint32_t count, const int64_t *values)
{
	struct space_state *state = snapshot_own_state(s, space);
	if (state == NULL || stream >= state->stream_count || (count != 0 && values == NULL))
		return false;
	if (count != 0 && count != gcs_summary_length(&s->model->spaces[space].streams[stream]))
		return false;
	struct column *c = NULL;
	if (count != 0) {
		c = column_new(count, 0);
		if (c == NULL)
			return false;
		memcpy(c->values, values, count * sizeof c->values[0]);
	}
	column_unref(state->summaries[stream]);
	state->summaries[stream] = c;
	return true;
}

/* A private array of names for writing. */
static struct names *own_names(struct space_state *state)
{
	struct names *old = state->names;
	if (old != NULL && atomic_load(&old->references) == 1)
		return old;
	struct names *copy = old == NULL ? names_new(state->tiles) : names_copy(old);
	if (copy != NULL) {
		names_unref(old);
		state->names = copy;
	}
	return copy;
}

bool gcs_snapshot_set_name(struct gcs_snapshot *s, uint32_t space, uint32_t tile, const char *name)
{
	struct space_state *state = snapshot_own_state(s, space);
	if (state == NULL || tile >= state->tiles)
		return false;
	const char *old = state->names == NULL ? "" : text_chars(state->names->texts[tile]);
	if (strcmp(old, name == NULL ? "" : name) == 0)
		return true;
	struct names *names = own_names(state);
	if (names == NULL)
		return false;
	return text_set(&names->texts[tile], name);
}

bool gcs_snapshot_set_space_info(struct gcs_snapshot *s, uint32_t space, const char *text)
{
	struct space_state *state = snapshot_own_state(s, space);
	if (state == NULL)
		return false;
	if (strcmp(text_chars(state->info), text == NULL ? "" : text) == 0)
		return true;
	return text_set(&state->info, text);
}

bool gcs_snapshot_set_gathered(struct gcs_snapshot *s, uint32_t space, bool gathered)
{
	struct space_state *state = snapshot_own_state(s, space);
	if (state == NULL)
		return false;
	state->gathered = gathered;
	return true;
}

void snapshot_adopt_space(struct gcs_snapshot *to, const struct gcs_snapshot *from, uint32_t space)
{
	if (space < to->space_count && space < from->space_count &&
	    to->spaces[space].edition == from->spaces[space].edition)
		state_share(&to->spaces[space], &from->spaces[space]);
}

struct gcs_snapshot *snapshot_rehouse(const struct gcs_snapshot *from, struct gcs_model *model)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	if (s == NULL)
		return NULL;
	s->occurrence = from->occurrence;
	s->numbers_set = from->numbers_set;
	memcpy(s->numbers, from->numbers, sizeof s->numbers);
	memcpy(s->counters, from->counters, sizeof s->counters);
	for (uint32_t i = 0; i < GCS_MAX_ATTRIBUTES; i++)
		s->texts[i] = text_ref(from->texts[i]);
	s->fired = fired_ref(from->fired);
	for (uint32_t i = 0; i < from->space_count && i < s->space_count; i++)
		state_share(&s->spaces[i], &from->spaces[i]);
	s->own_bytes = from->own_bytes;
	s->full_bytes = from->full_bytes;
	return s;
}
