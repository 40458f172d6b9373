/* Comparisons of models and snapshots; declared in kit.h. */
#include "kit.h"

#include <string.h>

static const char *text_of(const char *text)
{
	return text == NULL ? "" : text;
}

static const char *space_difference(
    const struct gcs_snapshot *a, const struct gcs_snapshot *b, uint32_t space)
{
	const struct gcs_space *p = &gcs_snapshot_model(a)->spaces[space];
	uint32_t tiles = gcs_snapshot_tiles(a, space);
	if (tiles != gcs_snapshot_tiles(b, space))
		return "number of tiles";
	for (uint32_t i = 0; i < tiles; i++)
		if (strcmp(gcs_snapshot_name(a, space, i), gcs_snapshot_name(b, space, i)) != 0)
			return "a tile's name";
	if (strcmp(gcs_snapshot_space_info(a, space), gcs_snapshot_space_info(b, space)) != 0)
		return "a space's information";
	for (uint32_t k = 0; k < p->stream_count; k++) {
		const int64_t *x = gcs_snapshot_values(a, space, k);
		const int64_t *y = gcs_snapshot_values(b, space, k);
		if ((x == NULL) != (y == NULL) ||
		    (x != NULL && memcmp(x, y, tiles * sizeof *x) != 0))
			return "a stream's values";
		uint32_t have, other;
		x = gcs_snapshot_summary(a, space, k, &have);
		y = gcs_snapshot_summary(b, space, k, &other);
		if (have != other || (have != 0 && memcmp(x, y, have * sizeof *x) != 0))
			return "a summary";
	}
	return NULL;
}

static const char *event_difference(const struct gcs_snapshot *a, const struct gcs_snapshot *b)
{
	if (gcs_snapshot_occurrence(a)->event != gcs_snapshot_occurrence(b)->event)
		return "event";
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++)
		if (gcs_snapshot_counter(a, i) != gcs_snapshot_counter(b, i))
			return "a counter";
	for (uint32_t i = 0; i < GCS_MAX_ATTRIBUTES; i++) {
		int64_t x = 0, y = 0;
		if (gcs_snapshot_number(a, i, &x) != gcs_snapshot_number(b, i, &y) || x != y ||
		    strcmp(text_of(gcs_snapshot_text(a, i)), text_of(gcs_snapshot_text(b, i))) != 0)
			return "an attribute";
	}
	return NULL;
}

const char *kit_difference(
    const struct gcs_snapshot *a, const struct gcs_snapshot *b, uint64_t spaces)
{
	if (a == NULL || b == NULL)
		return a == b ? NULL : "existence";
	if (gcs_snapshot_model(a)->space_count != gcs_snapshot_model(b)->space_count)
		return "number of spaces";
	const char *what = event_difference(a, b);
	for (uint32_t i = 0; what == NULL && i < gcs_snapshot_model(a)->space_count; i++)
		if (i >= 64 || (spaces >> i & 1) != 0)
			what = space_difference(a, b, i);
	return what;
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(text_of(a), text_of(b)) == 0;
}

static bool same_names(uint32_t count, const char *const *a, uint32_t other, const char *const *b)
{
	bool same = count == other;
	for (uint32_t i = 0; same && i < count; i++)
		same = same_text(a[i], b[i]);
	return same;
}

static bool same_stream(const struct gcs_stream *a, const struct gcs_stream *b)
{
	return same_text(a->name, b->name) && same_text(a->description, b->description) &&
	       same_text(a->prefix, b->prefix) && same_text(a->suffix, b->suffix) &&
	       a->role == b->role && a->type == b->type && a->presentation == b->presentation &&
	       a->maximum == b->maximum && a->paint == b->paint && a->format == b->format &&
	       a->summary == b->summary && a->min == b->min && a->max == b->max &&
	       a->zero == b->zero && a->initial == b->initial && a->max_stream == b->max_stream &&
	       a->error_stream == b->error_stream && a->colour == b->colour &&
	       same_names(a->enum_count, a->enum_names, b->enum_count, b->enum_names);
}

static bool same_space(const struct gcs_space *a, const struct gcs_space *b)
{
	if (a->gone && b->gone)
		return true; /* how a withdrawn space was last described is not told */
	bool same = same_text(a->name, b->name) && same_text(a->description, b->description) &&
		    same_text(a->tile_title, b->tile_title) &&
		    same_text(a->block_info, b->block_info) &&
		    same_text(a->unused_text, b->unused_text) && a->group == b->group &&
		    a->kind == b->kind && a->main == b->main && a->gone == b->gone &&
		    a->columns == b->columns && a->block_bytes == b->block_bytes &&
		    a->default_stream == b->default_stream && a->stream_count == b->stream_count;
	for (uint32_t i = 0; same && i < a->stream_count; i++)
		same = same_stream(&a->streams[i], &b->streams[i]);
	return same;
}

static bool same_event(const struct gcs_event *a, const struct gcs_event *b)
{
	bool same = same_text(a->name, b->name) && same_text(a->description, b->description) &&
		    a->colour == b->colour && a->attribute_count == b->attribute_count;
	for (uint32_t i = 0; same && i < a->attribute_count; i++) {
		const struct gcs_attribute *x = &a->attributes[i], *y = &b->attributes[i];
		same = same_text(x->name, y->name) && x->kind == y->kind &&
		       x->format == y->format &&
		       same_names(x->enum_count, x->enum_names, y->enum_count, y->enum_names);
	}
	return same;
}

static bool same_plugin(const struct gcs_plugin *a, const struct gcs_plugin *b)
{
	bool same = same_text(a->name, b->name) && same_text(a->title, b->title) &&
		    same_text(a->description, b->description) && a->kind == b->kind &&
		    a->parameter_count == b->parameter_count;
	for (uint32_t i = 0; same && i < a->parameter_count; i++) {
		const struct gcs_parameter *x = &a->parameters[i], *y = &b->parameters[i];
		same = same_text(x->name, y->name) && same_text(x->description, y->description) &&
		       x->kind == y->kind && (x->initial == NULL) == (y->initial == NULL) &&
		       same_text(x->initial, y->initial) &&
		       same_names(x->enum_count, x->enum_names, y->enum_count, y->enum_names);
	}
	return same;
}

const char *kit_model_difference(const struct gcs_model *a, const struct gcs_model *b)
{
	if (!same_text(a->server_name, b->server_name))
		return "server's name";
	if (a->event_count != b->event_count || a->group_count != b->group_count ||
	    a->space_count != b->space_count || a->info_count != b->info_count ||
	    a->plugin_count != b->plugin_count)
		return "a count";
	for (uint32_t i = 0; i < a->plugin_count; i++)
		if (!same_plugin(&a->plugins[i], &b->plugins[i]))
			return "a plugin";
	for (uint32_t i = 0; i < a->event_count; i++)
		if (!same_event(&a->events[i], &b->events[i]))
			return "an event";
	for (uint32_t i = 0; i < a->group_count; i++)
		if (!same_text(a->groups[i].name, b->groups[i].name) ||
		    a->groups[i].parent != b->groups[i].parent)
			return "a group";
	for (uint32_t i = 0; i < a->space_count; i++)
		if (!same_space(&a->spaces[i], &b->spaces[i]))
			return "a space";
	for (uint32_t i = 0; i < a->info_count; i++)
		if (!same_text(a->info[i].key, b->info[i].key) ||
		    !same_text(a->info[i].value, b->info[i].value))
			return "a line of information";
	return NULL;
}
