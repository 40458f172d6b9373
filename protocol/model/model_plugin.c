/* The plugins of a model; declared in <gcspy/model.h>, model_internal.h and model_check.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "model_build.h"
#include "model_check.h"
#include "model_internal.h"
#include "reserved.h"

static size_t bytes_of(const char *text)
{
	return text == NULL ? 0 : strlen(text);
}

/* Also the name of a topic on a command line. */
static bool is_topic(const char *name)
{
	for (; *name != '\0'; name++)
		if (!(*name >= 'a' && *name <= 'z') && !(*name >= 'A' && *name <= 'Z') &&
		    !(*name >= '0' && *name <= '9') && *name != '-')
			return false;
	return true;
}

static enum gcs_status check_parameter(const struct gcs_plugin *plugin,
    const struct gcs_parameter *p, size_t *bytes, struct gcs_error *err)
{
	enum gcs_status s =
	    model_check_text("a parameter's name", plugin->name, p->name, 1, GCS_MAX_NAME, err);
	if (s == GCS_OK)
		s = model_check_text("description", p->name, p->description, 0, GCS_MAX_TEXT, err);
	if (s == GCS_OK)
		s = model_check_text("initial value", p->name, p->initial, 0, GCS_MAX_TEXT, err);
	if (s == GCS_OK)
		s = RESERVED_CHECK(p->name, p, err);
	if (s == GCS_OK && (unsigned)p->kind >= GCS_PARAMETER_KIND_COUNT)
		s = gcs_fail(err, GCS_ARGUMENT, "parameter \"%s\" has an unknown kind", p->name);
	if (s == GCS_OK && p->kind == GCS_PARAMETER_ENUM)
		s = model_check_names(p->name, p->enum_count, p->enum_names, err);
	if (s != GCS_OK)
		return s;
	for (const struct gcs_parameter *q = plugin->parameters; q < p; q++)
		if (strcmp(q->name, p->name) == 0)
			return gcs_fail(err, GCS_ARGUMENT,
			    "plugin \"%s\" has two parameters \"%s\"", plugin->name, p->name);
	*bytes += bytes_of(p->name) + bytes_of(p->description) + bytes_of(p->initial);
	for (uint32_t i = 0; p->kind == GCS_PARAMETER_ENUM && i < p->enum_count; i++)
		*bytes += strlen(p->enum_names[i]);
	return GCS_OK;
}

enum gcs_status model_check_plugin(const struct gcs_plugin *p, struct gcs_error *err)
{
	if (GIVEN("a plugin", p, err) != GCS_OK)
		return GCS_ARGUMENT;
	size_t bytes = bytes_of(p->title) + bytes_of(p->description);
	enum gcs_status s = model_check_text("name", "a plugin", p->name, 1, GCS_MAX_NAME, err);
	if (s == GCS_OK)
		s = model_check_text("title", p->name, p->title, 1, GCS_MAX_NAME, err);
	if (s == GCS_OK)
		s = model_check_text("description", p->name, p->description, 0, GCS_MAX_TEXT, err);
	if (s == GCS_OK)
		s = RESERVED_CHECK(p->name, p, err);
	if (s != GCS_OK)
		return s;
	if (!is_topic(p->name))
		return gcs_fail(err, GCS_ARGUMENT,
		    "plugin \"%s\": a name has only letters, digits and hyphens", p->name);
	if ((unsigned)p->kind >= GCS_PLUGIN_KIND_COUNT)
		return gcs_fail(err, GCS_ARGUMENT, "plugin \"%s\" has an unknown kind", p->name);
	if (p->parameter_count > GCS_MAX_PARAMETERS)
		return gcs_fail(err, GCS_LIMIT, "plugin \"%s\" has %u parameters, the limit is %u",
		    p->name, p->parameter_count, GCS_MAX_PARAMETERS);
	s = GIVEN_ARRAY("the parameters of a plugin", p->parameters, p->parameter_count, err);
	for (uint32_t i = 0; s == GCS_OK && i < p->parameter_count; i++)
		s = check_parameter(p, &p->parameters[i], &bytes, err);
	if (s == GCS_OK && bytes > GCS_MAX_PLUGIN_TEXT)
		s = gcs_fail(err, GCS_LIMIT,
		    "the texts of plugin \"%s\" have %zu bytes, the limit is %u", p->name, bytes,
		    GCS_MAX_PLUGIN_TEXT);
	return s;
}

static bool copy_parameter(
    struct model_part *p, struct gcs_parameter *to, const struct gcs_parameter *from)
{
	*to = *from;
	if (from->kind != GCS_PARAMETER_ENUM)
		to->enum_count = 0;
	to->name = model_keep(p, from->name);
	to->description = model_keep(p, from->description);
	to->initial = from->initial == NULL ? NULL : model_keep(p, from->initial);
	to->enum_names = model_keep_names(p, to->enum_count, from->enum_names);
	return to->name != NULL && to->description != NULL && to->enum_names != NULL &&
	       (from->initial == NULL || to->initial != NULL);
}

static bool copy_plugin(struct model_part *p, struct gcs_plugin *to, const struct gcs_plugin *from)
{
	*to = *from;
	struct gcs_parameter *parameters =
	    arena_alloc(&p->arena, from->parameter_count + 1, sizeof *parameters);
	to->name = model_keep(p, from->name);
	to->title = model_keep(p, from->title);
	to->description = model_keep(p, from->description);
	to->parameters = parameters;
	bool ok =
	    parameters != NULL && to->name != NULL && to->title != NULL && to->description != NULL;
	for (uint32_t i = 0; ok && i < from->parameter_count; i++)
		ok = copy_parameter(p, &parameters[i], &from->parameters[i]);
	return ok;
}

enum gcs_status gcs_model_add_plugin(
    struct gcs_model *model, const struct gcs_plugin *plugin, uint32_t *id, struct gcs_error *err)
{
	struct model *m = impl(model);
	enum gcs_status s = model_check_plugin(plugin, err);
	if (s != GCS_OK)
		return s;
	if (gcs_model_find_plugin(model, plugin->name) != GCS_NONE)
		return gcs_fail(
		    err, GCS_ARGUMENT, "the model has a plugin \"%s\" already", plugin->name);
	if (model->plugin_count >= GCS_MAX_PLUGINS)
		return gcs_fail(err, GCS_LIMIT,
		    "plugin \"%s\": the model has %u plugins, the maximum", plugin->name,
		    GCS_MAX_PLUGINS);
	struct gcs_plugin copy;
	struct model_part *part = model_part_create();
	const bool ok = part != NULL && copy_plugin(part, &copy, plugin);
	if (!model_add(m, &m->plugins, &model->plugin_count, sizeof copy, ok ? &copy : NULL, part))
		return model_no_memory("plugin", err);
	if (id != NULL)
		*id = model->plugin_count - 1;
	m->plugins_edition = model_new_edition();
	return GCS_OK;
}

enum gcs_status model_replace_plugins(struct gcs_model *model, uint32_t count,
    const struct gcs_plugin *plugins, struct gcs_error *err)
{
	struct model *m = impl(model);
	enum gcs_status s = GCS_OK;
	model_list_clear(&m->plugins, model->plugin_count);
	model->plugin_count = 0;
	m->plugins_edition = model_new_edition();
	model_show_arrays(m);
	for (uint32_t i = 0; s == GCS_OK && i < count; i++)
		s = gcs_model_add_plugin(model, &plugins[i], NULL, err);
	return s;
}

uint32_t gcs_model_find_plugin(const struct gcs_model *model, const char *name)
{
	for (uint32_t i = 0; i < model->plugin_count; i++)
		if (strcmp(model->plugins[i].name, name) == 0)
			return i;
	return GCS_NONE;
}

uint64_t model_plugins_edition(const struct gcs_model *model)
{
	return impl_const(model)->plugins_edition;
}

void model_set_plugins_edition(struct gcs_model *model, uint64_t edition)
{
	impl(model)->plugins_edition = edition;
}

/* "0x" and 1 to 16 hexadecimal digits. */
static bool is_address(const char *value)
{
	const size_t digits = strlen(value) < 2 ? 0 : strspn(value + 2, "0123456789abcdefABCDEF");
	return value[0] == '0' && (value[1] == 'x' || value[1] == 'X') && digits >= 1 &&
	       digits <= 16 && value[2 + digits] == '\0';
}

static bool is_name_of(const struct gcs_parameter *p, const char *value)
{
	for (uint32_t i = 0; i < p->enum_count; i++)
		if (strcmp(p->enum_names[i], value) == 0)
			return true;
	return false;
}

static enum gcs_status not_a_name(
    const struct gcs_parameter *p, const char *value, struct gcs_error *err)
{
	char names[200] = "";
	size_t length = 0;
	for (uint32_t i = 0; i < p->enum_count && length < sizeof names; i++)
		length += (size_t)snprintf(names + length, sizeof names - length, "%s%.60s",
		    i == 0 ? "" : ", ", p->enum_names[i]);
	return gcs_fail(err, GCS_ARGUMENT, "%.40s: unknown value \"%.40s\"; must be one of %s",
	    p->name, value, names);
}

enum gcs_status model_check_value(
    const struct gcs_parameter *p, const char *value, char *plain, struct gcs_error *err)
{
	uint64_t number = 0;
	if (plain != NULL)
		plain[0] = '\0';
	switch (p->kind) {
	case GCS_PARAMETER_TEXT:
		return model_check_text("the value", p->name, value, 0, GCS_MAX_TEXT, err);
	case GCS_PARAMETER_ENUM:
		return is_name_of(p, value) ? GCS_OK : not_a_name(p, value, err);
	case GCS_PARAMETER_ADDRESS:
		if (is_address(value))
			return GCS_OK;
		return gcs_fail(err, GCS_ARGUMENT,
		    "%.60s: \"%.60s\" is not an address; must be hexadecimal, as in 0x7f00",
		    p->name, value);
	case GCS_PARAMETER_SPACE:
	case GCS_PARAMETER_TILE:
		if (!gcs_parse_number(value, &number))
			return gcs_fail(err, GCS_ARGUMENT,
			    "%.60s: \"%.60s\" is not the number of a %s", p->name, value,
			    p->kind == GCS_PARAMETER_SPACE ? "space" : "tile");
		break;
	default:
		if (!gcs_parse_size(value, &number))
			return gcs_fail(err, GCS_ARGUMENT,
			    "%.60s: \"%.60s\" is not a number; must be decimal, k, m or g may "
			    "follow",
			    p->name, value);
		break;
	}
	if (plain != NULL)
		snprintf(plain, 24, "%" PRIu64, number);
	return GCS_OK;
}
