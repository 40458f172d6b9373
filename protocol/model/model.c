#include "model_internal.h"

#include <string.h>

#include <gcspy/memory.h>

#include "model_build.h"
#include "model_check.h"
#include "reserved.h"

static atomic_uint_least64_t next_edition = 1;

uint64_t model_new_edition(void)
{
	return atomic_fetch_add(&next_edition, 1);
}

void model_show_arrays(struct model *m)
{
	m->view.info = m->info.items;
	m->view.events = m->events.items;
	m->view.groups = m->groups.items;
	m->view.spaces = m->spaces.items;
	m->view.plugins = m->plugins.items;
}

struct gcs_model *gcs_model_create(const char *server_name)
{
	struct model *m = gcs_zalloc(sizeof *m);
	if (m == NULL)
		return NULL;
	atomic_init(&m->references, 1);
	m->view.server_name = m->server_name = gcs_strdup(server_name == NULL ? "" : server_name);
	m->serial = m->info_edition = m->plugins_edition = model_new_edition();
	if (m->server_name == NULL) {
		gcs_model_unref(&m->view);
		return NULL;
	}
	return &m->view;
}

struct gcs_model *gcs_model_ref(struct gcs_model *model)
{
	if (model != NULL)
		atomic_fetch_add(&impl(model)->references, 1);
	return model;
}

void gcs_model_unref(struct gcs_model *model)
{
	if (model == NULL || atomic_fetch_sub(&impl(model)->references, 1) != 1)
		return;
	struct model *m = impl(model);
	model_list_clear(&m->info, model->info_count);
	model_list_clear(&m->events, model->event_count);
	model_list_clear(&m->groups, model->group_count);
	model_list_clear(&m->spaces, model->space_count);
	model_list_clear(&m->plugins, model->plugin_count);
	gcs_free(m->editions);
	gcs_free(m->server_name);
	gcs_free(m);
}

uint64_t model_edition(const struct gcs_model *model, uint32_t space)
{
	return space < model->space_count ? impl_const(model)->editions[space] : 0;
}

uint64_t model_serial(const struct gcs_model *model)
{
	return impl_const(model)->serial;
}

uint64_t model_info_edition(const struct gcs_model *model)
{
	return impl_const(model)->info_edition;
}

/* Copies into a part. Each returns false without memory. */

static bool copy_event(struct model_part *p, struct gcs_event *to, const struct gcs_event *from)
{
	*to = *from;
	struct gcs_attribute *attributes =
	    arena_alloc(&p->arena, from->attribute_count + 1, sizeof *attributes);
	to->name = model_keep(p, from->name);
	to->description = model_keep(p, from->description);
	to->attributes = attributes;
	bool ok = attributes != NULL && to->name != NULL && to->description != NULL;
	for (uint32_t i = 0; ok && i < from->attribute_count; i++) {
		attributes[i] = from->attributes[i];
		if (attributes[i].kind != GCS_ATTRIBUTE_ENUM)
			attributes[i].enum_count = 0;
		attributes[i].name = model_keep(p, from->attributes[i].name);
		attributes[i].enum_names =
		    model_keep_names(p, attributes[i].enum_count, from->attributes[i].enum_names);
		attributes[i].parameter_names = model_keep_names(
		    p, attributes[i].parameter_count, from->attributes[i].parameter_names);
		ok = attributes[i].name != NULL && attributes[i].enum_names != NULL &&
		     attributes[i].parameter_names != NULL;
	}
	return ok;
}

static bool copy_stream(struct model_part *p, struct gcs_stream *to, const struct gcs_stream *from)
{
	*to = *from;
	if (from->presentation != GCS_ENUM)
		to->enum_count = 0;
	if (from->maximum != GCS_MAX_OF_STREAM)
		to->max_stream = GCS_NONE;
	to->name = model_keep(p, from->name);
	to->description = model_keep(p, from->description);
	to->prefix = model_keep(p, from->prefix);
	to->suffix = model_keep(p, from->suffix);
	to->enum_names = model_keep_names(p, to->enum_count, from->enum_names);
	return to->name != NULL && to->description != NULL && to->prefix != NULL &&
	       to->suffix != NULL && to->enum_names != NULL;
}

static bool copy_space(struct model_part *p, struct gcs_space *to, const struct gcs_space *from)
{
	*to = *from;
	to->gone = false;
	struct gcs_stream *streams = arena_alloc(&p->arena, from->stream_count, sizeof *streams);
	to->streams = streams;
	to->name = model_keep(p, from->name);
	to->description = model_keep(p, from->description);
	to->tile_title = model_keep(p, from->tile_title);
	to->block_info = model_keep(p, from->block_info);
	to->unused_text = model_keep(p, from->unused_text);
	bool ok = streams != NULL && to->name != NULL && to->description != NULL &&
		  to->tile_title != NULL && to->block_info != NULL && to->unused_text != NULL;
	for (uint32_t i = 0; ok && i < from->stream_count; i++)
		ok = copy_stream(p, &streams[i], &from->streams[i]);
	return ok;
}

enum gcs_status model_no_memory(const char *what, struct gcs_error *err)
{
	return gcs_fail(err, GCS_NOMEM, "no memory for the %s's description", what);
}

enum gcs_status gcs_model_add_event(
    struct gcs_model *model, const struct gcs_event *event, uint32_t *id, struct gcs_error *err)
{
	struct model *m = impl(model);
	enum gcs_status s = model_check_event(event, err);
	if (s != GCS_OK)
		return s;
	if (model->event_count >= GCS_MAX_EVENTS)
		return gcs_fail(err, GCS_LIMIT,
		    "event \"%s\": the model has %u events, the maximum", event->name,
		    GCS_MAX_EVENTS);
	struct gcs_event copy;
	struct model_part *part = model_part_create();
	const bool ok = part != NULL && copy_event(part, &copy, event);
	if (!model_add(m, &m->events, &model->event_count, sizeof copy, ok ? &copy : NULL, part))
		return model_no_memory("event", err);
	if (id != NULL)
		*id = model->event_count - 1;
	return GCS_OK;
}

enum gcs_status gcs_model_add_group(
    struct gcs_model *model, const struct gcs_group *group, uint32_t *id, struct gcs_error *err)
{
	struct model *m = impl(model);
	if (GIVEN("a group", group, err) != GCS_OK)
		return GCS_ARGUMENT;
	enum gcs_status s = model_check_text("name", "a group", group->name, 1, GCS_MAX_NAME, err);
	if (s == GCS_OK)
		s = RESERVED_CHECK(group->name, group, err);
	if (s != GCS_OK)
		return s;
	if (group->parent != GCS_NONE && group->parent >= model->group_count)
		return gcs_fail(
		    err, GCS_ARGUMENT, "group \"%s\" has an unknown parent", group->name);
	if (model->group_count >= GCS_MAX_GROUPS)
		return gcs_fail(err, GCS_LIMIT,
		    "group \"%s\": the model has %u groups, the maximum", group->name,
		    GCS_MAX_GROUPS);
	struct gcs_group copy = {.parent = group->parent};
	struct model_part *part = model_part_create();
	const bool ok = part != NULL && (copy.name = model_keep(part, group->name)) != NULL;
	if (!model_add(m, &m->groups, &model->group_count, sizeof copy, ok ? &copy : NULL, part))
		return model_no_memory("group", err);
	if (id != NULL)
		*id = model->group_count - 1;
	return GCS_OK;
}

enum gcs_status gcs_model_add_space(
    struct gcs_model *model, const struct gcs_space *space, uint32_t *id, struct gcs_error *err)
{
	struct model *m = impl(model);
	enum gcs_status s = model_check_space(model, space, err);
	if (s != GCS_OK)
		return s;
	if (model->space_count >= GCS_MAX_SPACES)
		return gcs_fail(err, GCS_LIMIT,
		    "space \"%s\": the model has %u spaces, the maximum", space->name,
		    GCS_MAX_SPACES);
	struct gcs_space copy;
	struct model_part *part = model_part_create();
	const bool ok =
	    part != NULL &&
	    model_grow((void **)&m->editions, model->space_count, sizeof *m->editions) &&
	    copy_space(part, &copy, space);
	if (!model_add(m, &m->spaces, &model->space_count, sizeof copy, ok ? &copy : NULL, part))
		return model_no_memory("space", err);
	m->editions[model->space_count - 1] = model_new_edition();
	if (id != NULL)
		*id = model->space_count - 1;
	return GCS_OK;
}

enum gcs_status gcs_model_set_space(
    struct gcs_model *model, uint32_t id, const struct gcs_space *space, struct gcs_error *err)
{
	struct model *m = impl(model);
	if (id >= model->space_count)
		return gcs_fail(
		    err, GCS_ARGUMENT, "cannot describe space %u: it does not exist", id);
	enum gcs_status s = model_check_space(model, space, err);
	if (s != GCS_OK)
		return s;
	struct gcs_space copy;
	struct model_part *part = model_part_create();
	if (part == NULL || !copy_space(part, &copy, space)) {
		model_part_unref(part);
		return model_no_memory("space", err);
	}
	model_list_set(&m->spaces, id, sizeof copy, &copy, part);
	m->editions[id] = model_new_edition();
	return GCS_OK;
}

enum gcs_status gcs_model_remove_space(struct gcs_model *model, uint32_t id, struct gcs_error *err)
{
	struct model *m = impl(model);
	struct gcs_space *spaces = m->spaces.items;
	if (id >= model->space_count || spaces[id].gone)
		return gcs_fail(
		    err, GCS_ARGUMENT, "cannot withdraw space %u: it does not exist", id);
	spaces[id].gone = true;
	m->editions[id] = model_new_edition();
	return GCS_OK;
}

static bool copy_info(struct model_part *p, struct gcs_info *to, const struct gcs_info *from)
{
	*to =
	    (struct gcs_info){.key = model_keep(p, from->key), .value = model_keep(p, from->value)};
	return to->key != NULL && to->value != NULL;
}

static enum gcs_status add_info(struct model *m, const struct gcs_info *info, struct gcs_error *err)
{
	if (m->view.info_count >= GCS_MAX_INFO)
		return gcs_fail(err, GCS_LIMIT,
		    "general information \"%s\": the model has %u lines, the maximum", info->key,
		    GCS_MAX_INFO);
	struct gcs_info copy;
	struct model_part *part = model_part_create();
	const bool ok = part != NULL && copy_info(part, &copy, info);
	if (!model_add(m, &m->info, &m->view.info_count, sizeof copy, ok ? &copy : NULL, part))
		return model_no_memory("line of general information", err);
	return GCS_OK;
}

enum gcs_status gcs_model_set_info(
    struct gcs_model *model, const char *key, const char *value, struct gcs_error *err)
{
	struct model *m = impl(model);
	enum gcs_status s = model_check_info(key, value, err);
	if (s != GCS_OK)
		return s;
	m->info_edition = model_new_edition();
	uint32_t i = 0;
	while (i < model->info_count && strcmp(model->info[i].key, key) != 0)
		i++;
	const struct gcs_info line = {.key = key, .value = value};
	const bool removes = value == NULL || value[0] == '\0';
	if (i == model->info_count)
		return removes ? GCS_OK : add_info(m, &line, err);
	if (removes) {
		model_list_remove(&m->info, i, &model->info_count, sizeof line);
		return GCS_OK;
	}
	struct gcs_info copy;
	struct model_part *part = model_part_create();
	if (part == NULL || !copy_info(part, &copy, &line)) {
		model_part_unref(part);
		return model_no_memory("line of general information", err);
	}
	model_list_set(&m->info, i, sizeof copy, &copy, part);
	return GCS_OK;
}

enum gcs_status model_replace_info(
    struct gcs_model *model, uint32_t count, const struct gcs_info *info, struct gcs_error *err)
{
	struct model *m = impl(model);
	enum gcs_status s = GCS_OK;
	model_list_clear(&m->info, model->info_count);
	model->info_count = 0;
	m->info_edition = model_new_edition();
	model_show_arrays(m);
	for (uint32_t i = 0; s == GCS_OK && i < count; i++) {
		s = model_check_info(info[i].key, info[i].value, err);
		if (s == GCS_OK)
			s = add_info(m, &info[i], err);
	}
	return s;
}

enum gcs_status model_set_server_name(
    struct gcs_model *model, const char *name, struct gcs_error *err)
{
	enum gcs_status status = model_check_text("name", "the server", name, 1, GCS_MAX_NAME, err);
	if (status != GCS_OK)
		return status;
	struct model *m = impl(model);
	char *copy = gcs_strdup(name);
	if (copy == NULL)
		return model_no_memory("server", err);
	gcs_free(m->server_name);
	model->server_name = m->server_name = copy;
	return GCS_OK;
}

struct gcs_model *gcs_model_copy(const struct gcs_model *from)
{
	const struct model *f = impl_const(from);
	struct gcs_model *to = gcs_model_create(from->server_name);
	if (to == NULL)
		return NULL;
	struct model *m = impl(to);
	m->editions = gcs_alloc(model_room(from->space_count) * sizeof *m->editions);
	if (m->editions == NULL ||
	    !model_list_share(
		&m->info, &f->info, &to->info_count, from->info_count, sizeof *to->info) ||
	    !model_list_share(
		&m->events, &f->events, &to->event_count, from->event_count, sizeof *to->events) ||
	    !model_list_share(
		&m->groups, &f->groups, &to->group_count, from->group_count, sizeof *to->groups) ||
	    !model_list_share(
		&m->spaces, &f->spaces, &to->space_count, from->space_count, sizeof *to->spaces) ||
	    !model_list_share(&m->plugins, &f->plugins, &to->plugin_count, from->plugin_count,
		sizeof *to->plugins)) {
		gcs_model_unref(to);
		return NULL;
	}
	if (from->space_count != 0)
		memcpy(m->editions, f->editions, from->space_count * sizeof *m->editions);
	m->info_edition = f->info_edition;
	m->plugins_edition = f->plugins_edition;
	model_show_arrays(m);
	return to;
}

void model_set_edition(struct gcs_model *model, uint32_t space, uint64_t edition)
{
	if (space < model->space_count)
		impl(model)->editions[space] = edition;
}

void model_set_info_edition(struct gcs_model *model, uint64_t edition)
{
	impl(model)->info_edition = edition;
}

bool model_in_group(const struct gcs_model *model, uint32_t space, uint32_t group)
{
	uint32_t at = space < model->space_count ? model->spaces[space].group : GCS_NONE;
	while (at != GCS_NONE && at != group)
		at = model->groups[at].parent;
	return at != GCS_NONE && at == group;
}

uint32_t gcs_space_role(const struct gcs_space *space, enum gcs_role role)
{
	for (uint32_t i = 0; i < space->stream_count; i++)
		if (space->streams[i].role == role)
			return i;
	return GCS_NONE;
}

uint32_t gcs_model_find_event(const struct gcs_model *model, const char *name)
{
	for (uint32_t i = 0; i < model->event_count; i++)
		if (strcmp(model->events[i].name, name) == 0)
			return i;
	return GCS_NONE;
}

uint32_t gcs_model_find_space(const struct gcs_model *model, const char *name)
{
	for (uint32_t i = 0; i < model->space_count; i++)
		if (!model->spaces[i].gone && strcmp(model->spaces[i].name, name) == 0)
			return i;
	return GCS_NONE;
}

uint32_t gcs_space_find_stream(const struct gcs_space *space, const char *name)
{
	for (uint32_t i = 0; i < space->stream_count; i++)
		if (strcmp(space->streams[i].name, name) == 0)
			return i;
	return GCS_NONE;
}
