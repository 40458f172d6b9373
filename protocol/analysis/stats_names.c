/* Finds the names that have a meaning (docs/stats.md). */

#include <stdio.h>
#include <string.h>

#include "stats_internal.h"

static uint32_t attribute(
    const struct gcs_event *event, const char *name, enum gcs_attribute_kind not )
{
	for (uint32_t i = 0; i < event->attribute_count; i++)
		if (event->attributes[i].kind != not &&strcmp(event->attributes[i].name, name) == 0)
			return i;
	return GCS_NONE;
}

static uint32_t number(const struct gcs_event *event, const char *name, enum gcs_format format)
{
	const uint32_t i = attribute(event, name, GCS_ATTRIBUTE_TEXT);
	if (i == GCS_NONE || event->attributes[i].kind != GCS_ATTRIBUTE_NUMBER ||
	    event->attributes[i].format != format)
		return GCS_NONE;
	return i;
}

static void find_event(struct stats_event_names *names, const struct gcs_event *event)
{
	names->pause = number(event, "Pause", GCS_NANOSECONDS);
	names->kind = attribute(event, "Kind", GCS_ATTRIBUTE_NUMBER);
	names->cause = attribute(event, "Cause", GCS_ATTRIBUTE_NUMBER);
	names->before = number(event, "Used before", GCS_BYTES);
	names->after = number(event, "Used after", GCS_BYTES);
	names->used = number(event, "Used", GCS_BYTES);
	names->committed = number(event, "Committed", GCS_BYTES);
}

/* The updates of sample-driven mode, which tell how often other events occur. */
static void find_updates(struct stats_names *names, const struct gcs_model *model)
{
	char name[GCS_MAX_NAME + 1];
	const uint32_t update = gcs_model_find_event(model, "Update");
	for (uint32_t i = 0; update != GCS_NONE && i < model->event_count; i++) {
		snprintf(name, sizeof name, "%.200s per second", model->events[i].name);
		names->events[i].counted =
		    number(&model->events[update], name, GCS_DECIMAL) != GCS_NONE;
		names->events[update].update |= names->events[i].counted;
	}
}

static uint32_t bytes_stream(const struct gcs_space *space, const char *name)
{
	const uint32_t id = gcs_space_find_stream(space, name);
	if (id == GCS_NONE || space->streams[id].role != GCS_ROLE_DATA ||
	    space->streams[id].format != GCS_BYTES)
		return GCS_NONE;
	return id;
}

static bool has_total(const struct gcs_space *space, uint32_t stream)
{
	const enum gcs_summary_kind kind = space->streams[stream].summary;
	return kind == GCS_SUMMARY_TOTAL || kind == GCS_SUMMARY_SHARE;
}

static void find_old(
    struct stats_names *names, const struct gcs_model *model, uint32_t id, uint32_t used)
{
	const struct gcs_space *space = &model->spaces[id];
	const uint32_t type = gcs_space_find_stream(space, "Type");
	if (space->group < model->group_count && has_total(space, used) &&
	    strcmp(model->groups[space->group].name, "Old generation") == 0) {
		names->old_space = id;
		names->old_used = used;
	}
	if (type == GCS_NONE || space->streams[type].presentation != GCS_ENUM)
		return;
	for (uint32_t i = 0; i < space->streams[type].enum_count; i++)
		if (strcmp(space->streams[type].enum_names[i], "Old") == 0) {
			names->old_space = id;
			names->old_used = used;
			names->old_type = type;
			names->old_value = space->streams[type].min + i;
		}
}

static void find_tlabs(struct stats_names *names, const struct gcs_space *space, uint32_t id)
{
	names->tlabs = id;
	names->tlab_used = bytes_stream(space, "Used");
	names->tlab_size = bytes_stream(space, "Size");
	names->tlab_waste = bytes_stream(space, "Refill waste");
	if (names->tlab_waste != GCS_NONE && !has_total(space, names->tlab_waste))
		names->tlab_waste = GCS_NONE;
}

static void find_space(struct stats_names *names, const struct gcs_model *model, uint32_t id)
{
	const struct gcs_space *space = &model->spaces[id];
	const uint32_t used = bytes_stream(space, "Used");
	if (strcmp(space->name, "TLABs") == 0)
		find_tlabs(names, space, id);
	if (space->kind != GCS_SPACE_ADDRESSES || used == GCS_NONE)
		return;
	if (names->old_space == GCS_NONE)
		find_old(names, model, id, used);
	if (space->main && names->main == GCS_NONE) {
		names->main = id;
		names->main_used = used;
		names->main_live = bytes_stream(space, "Live");
		if (names->main_live != GCS_NONE && !has_total(space, names->main_live))
			names->main_live = GCS_NONE;
	}
}

void stats_names_find(struct stats_names *names, const struct gcs_model *model)
{
	memset(names, 0xff, sizeof *names); /* GCS_NONE everywhere */
	names->event_count = model->event_count;
	for (uint32_t i = 0; i < model->event_count; i++) {
		find_event(&names->events[i], &model->events[i]);
		names->events[i].counted = names->events[i].update = false;
	}
	find_updates(names, model);
	for (uint32_t i = 0; i < model->space_count; i++)
		if (!model->spaces[i].gone)
			find_space(names, model, i);
}

bool stats_number(const struct stats_view *view, uint32_t attribute, double *value)
{
	int64_t found;
	if (attribute == GCS_NONE || !gcs_snapshot_number(view->snapshot, attribute, &found))
		return false;
	*value = (double)found;
	return true;
}

const char *stats_words(
    const struct gcs_model *model, const struct gcs_snapshot *snapshot, uint32_t attribute)
{
	const uint32_t event = gcs_snapshot_occurrence(snapshot)->event;
	int64_t value;
	if (attribute == GCS_NONE || event >= model->event_count)
		return NULL;
	const struct gcs_attribute *a = &model->events[event].attributes[attribute];
	if (a->kind == GCS_ATTRIBUTE_TEXT)
		return gcs_snapshot_text(snapshot, attribute);
	if (!gcs_snapshot_number(snapshot, attribute, &value) || value < 0 ||
	    value >= (int64_t)a->enum_count)
		return NULL;
	return a->enum_names[value];
}

bool stats_is_c_heap(const struct gcs_model *model)
{
	return gcs_model_find_event(model, "malloc") != GCS_NONE &&
	       gcs_model_find_event(model, "free") != GCS_NONE;
}

enum stats_kind_class stats_classify(const char *kind)
{
	static const struct {
		const char *name;
		enum stats_kind_class is;
	} kinds[] = {
	    {"Young", STATS_YOUNG},
	    {"Mixed", STATS_COLLECTION},
	    {"Full", STATS_COLLECTION},
	    {"Degenerated", STATS_COLLECTION},
	    {"Degenerated or full", STATS_COLLECTION},
	    {"Remark", STATS_OTHER},
	    {"Cleanup", STATS_OTHER},
	    {"Pause", STATS_UNKNOWN},
	};
	if (kind == NULL)
		return STATS_UNKNOWN;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(kind, kinds[i].name) == 0)
			return kinds[i].is;
	return STATS_CONCURRENT;
}
