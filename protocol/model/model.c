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

/* Texts: NULL counts as "". */
static size_t length_of(const char *text)
{
	return text == NULL ? 0 : strlen(text);
}

const char *model_keep(struct model *m, const char *text)
{
	return arena_text(&m->arena, text == NULL ? "" : text, length_of(text));
}

bool model_grow(void **array, uint32_t count, size_t size)
{
	if ((count & (count - 1)) != 0) /* capacities are powers of two */
		return true;
	void *bigger = gcs_realloc(*array, (count == 0 ? 1 : 2 * (size_t)count) * size);
	if (bigger == NULL)
		return false;
	*array = bigger;
	return true;
}

void model_show_arrays(struct model *m)
{
	m->view.info = m->info;
	m->view.events = m->events;
	m->view.groups = m->groups;
	m->view.spaces = m->spaces;
	m->view.plugins = m->plugins;
}

struct gcs_model *gcs_model_create(const char *server_name)
{
	struct model *m = gcs_zalloc(sizeof *m);
	if (m == NULL)
		return NULL;
	atomic_init(&m->references, 1);
	m->view.server_name = model_keep(m, server_name);
	m->serial = m->info_edition = m->plugins_edition = model_new_edition();
	if (m->view.server_name == NULL) {
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
	arena_fini(&m->arena);
	gcs_free(m->editions);
	gcs_free(m->info);
	gcs_free(m->events);
	gcs_free(m->groups);
	gcs_free(m->spaces);
	gcs_free(m->plugins);
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

/* Copies into the arena. Each returns false without memory. */

const char *const *model_keep_names(struct model *m, uint32_t count, const char *const *names)
{
	const char **copy = arena_alloc(&m->arena, count == 0 ? 1 : count, sizeof *copy);
	for (uint32_t i = 0; copy != NULL && i < count; i++)
		if ((copy[i] = model_keep(m, names[i])) == NULL)
			return NULL;
	return copy;
}

static bool copy_event(struct model *m, struct gcs_event *to, const struct gcs_event *from)
{
	*to = *from;
	struct gcs_attribute *attributes =
	    arena_alloc(&m->arena, from->attribute_count + 1, sizeof *attributes);
	to->name = model_keep(m, from->name);
	to->description = model_keep(m, from->description);
	to->attributes = attributes;
	bool ok = attributes != NULL && to->name != NULL && to->description != NULL;
	for (uint32_t i = 0; ok && i < from->attribute_count; i++) {
		attributes[i] = from->attributes[i];
		if (attributes[i].kind != GCS_ATTRIBUTE_ENUM)
			attributes[i].enum_count = 0;
		attributes[i].name = model_keep(m, from->attributes[i].name);
		attributes[i].enum_names =
		    model_keep_names(m, attributes[i].enum_count, from->attributes[i].enum_names);
		attributes[i].parameter_names = model_keep_names(
		    m, attributes[i].parameter_count, from->attributes[i].parameter_names);
		ok = attributes[i].name != NULL && attributes[i].enum_names != NULL &&
		     attributes[i].parameter_names != NULL;
	}
	return ok;
}

static bool copy_stream(struct model *m, struct gcs_stream *to, const struct gcs_stream *from)
{
	*to = *from;
	if (from->presentation != GCS_ENUM)
		to->enum_count = 0;
	if (from->maximum != GCS_MAX_OF_STREAM)
		to->max_stream = GCS_NONE;
	to->name = model_keep(m, from->name);
	to->description = model_keep(m, from->description);
	to->prefix = model_keep(m, from->prefix);
	to->suffix = model_keep(m, from->suffix);
	to->enum_names = model_keep_names(m, to->enum_count, from->enum_names);
	return to->name != NULL && to->description != NULL && to->prefix != NULL &&
	       to->suffix != NULL && to->enum_names != NULL;
}

static bool copy_space(struct model *m, struct gcs_space *to, const struct gcs_space *from)
{
	*to = *from;
	to->gone = false;
	struct gcs_stream *streams = arena_alloc(&m->arena, from->stream_count, sizeof *streams);
	to->streams = streams;
	to->name = model_keep(m, from->name);
	to->description = model_keep(m, from->description);
	to->tile_title = model_keep(m, from->tile_title);
	to->block_info = model_keep(m, from->block_info);
	to->unused_text = model_keep(m, from->unused_text);
	bool ok = streams != NULL && to->name != NULL && to->description != NULL &&
		  to->tile_title != NULL && to->block_info != NULL && to->unused_text != NULL;
	for (uint32_t i = 0; ok && i < from->stream_count; i++)
		ok = copy_stream(m, &streams[i], &from->streams[i]);
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
	if (!model_grow((void **)&m->events, model->event_count, sizeof *m->events) ||
	    !copy_event(m, &m->events[model->event_count], event))
		return model_show_arrays(m), model_no_memory("event", err);
	if (id != NULL)
		*id = model->event_count;
	model->event_count++;
	model_show_arrays(m);
	return GCS_OK;
}

enum gcs_status gcs_model_add_group(
    struct gcs_model *model, const struct gcs_group *group, uint32_t *id, struct gcs_error *err)
{
	struct model *m = impl(model);
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
	if (!model_grow((void **)&m->groups, model->group_count, sizeof *m->groups))
		return model_no_memory("group", err);
	struct gcs_group *to = &m->groups[model->group_count];
	*to = (struct gcs_group){.name = model_keep(m, group->name), .parent = group->parent};
	model_show_arrays(m);
	if (to->name == NULL)
		return model_no_memory("group", err);
	if (id != NULL)
		*id = model->group_count;
	model->group_count++;
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
	bool ok = model_grow((void **)&m->spaces, model->space_count, sizeof *m->spaces) &&
		  model_grow((void **)&m->editions, model->space_count, sizeof *m->editions) &&
		  copy_space(m, &m->spaces[model->space_count], space);
	model_show_arrays(m);
	if (!ok)
		return model_no_memory("space", err);
	m->editions[model->space_count] = model_new_edition();
	if (id != NULL)
		*id = model->space_count;
	model->space_count++;
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
	if (!copy_space(m, &copy, space))
		return model_no_memory("space", err);
	m->spaces[id] = copy;
	m->editions[id] = model_new_edition();
	return GCS_OK;
}

enum gcs_status gcs_model_remove_space(struct gcs_model *model, uint32_t id, struct gcs_error *err)
{
	struct model *m = impl(model);
	if (id >= model->space_count || m->spaces[id].gone)
		return gcs_fail(
		    err, GCS_ARGUMENT, "cannot withdraw space %u: it does not exist", id);
	m->spaces[id].gone = true;
	m->editions[id] = model_new_edition();
	return GCS_OK;
}

static enum gcs_status add_info(struct model *m, const struct gcs_info *info, struct gcs_error *err)
{
	if (m->view.info_count >= GCS_MAX_INFO)
		return gcs_fail(err, GCS_LIMIT,
		    "general information \"%s\": the model has %u lines, the maximum", info->key,
		    GCS_MAX_INFO);
	bool ok = model_grow((void **)&m->info, m->view.info_count, sizeof *m->info);
	model_show_arrays(m);
	struct gcs_info copy = {
	    .key = model_keep(m, info->key), .value = model_keep(m, info->value)};
	if (!ok || copy.key == NULL || copy.value == NULL)
		return model_no_memory("line of general information", err);
	m->info[m->view.info_count++] = copy;
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
	while (i < model->info_count && strcmp(m->info[i].key, key) != 0)
		i++;
	if (i == model->info_count) {
		struct gcs_info line = {.key = key, .value = value};
		return length_of(value) == 0 ? GCS_OK : add_info(m, &line, err);
	}
	if (length_of(value) == 0) {
		memmove(
		    &m->info[i], &m->info[i + 1], (model->info_count - i - 1) * sizeof *m->info);
		model->info_count--;
		return GCS_OK;
	}
	const char *copy = model_keep(m, value);
	if (copy == NULL)
		return model_no_memory("line of general information", err);
	m->info[i].value = copy;
	return GCS_OK;
}

enum gcs_status model_replace_info(
    struct gcs_model *model, uint32_t count, const struct gcs_info *info, struct gcs_error *err)
{
	struct model *m = impl(model);
	enum gcs_status s = GCS_OK;
	model->info_count = 0;
	m->info_edition = model_new_edition();
	gcs_free(m->info);
	m->info = NULL;
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
	const char *copy = model_keep(impl(model), name);
	if (copy == NULL)
		return model_no_memory("server", err);
	model->server_name = copy;
	return GCS_OK;
}

struct gcs_model *gcs_model_copy(const struct gcs_model *from)
{
	struct gcs_model *to = gcs_model_create(from->server_name);
	if (to == NULL)
		return NULL;
	struct model *m = impl(to);
	enum gcs_status s = GCS_OK;
	for (uint32_t i = 0; s == GCS_OK && i < from->event_count; i++)
		s = gcs_model_add_event(to, &from->events[i], NULL, NULL);
	for (uint32_t i = 0; s == GCS_OK && i < from->group_count; i++)
		s = gcs_model_add_group(to, &from->groups[i], NULL, NULL);
	for (uint32_t i = 0; s == GCS_OK && i < from->space_count; i++) {
		s = gcs_model_add_space(to, &from->spaces[i], NULL, NULL);
		if (s != GCS_OK)
			break;
		m->editions[i] = impl_const(from)->editions[i];
		m->spaces[i].gone = from->spaces[i].gone;
	}
	for (uint32_t i = 0; s == GCS_OK && i < from->info_count; i++)
		s = add_info(m, &from->info[i], NULL);
	m->info_edition = impl_const(from)->info_edition;
	for (uint32_t i = 0; s == GCS_OK && i < from->plugin_count; i++)
		s = gcs_model_add_plugin(to, &from->plugins[i], NULL, NULL);
	m->plugins_edition = impl_const(from)->plugins_edition;
	if (s != GCS_OK) {
		gcs_model_unref(to);
		return NULL;
	}
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
