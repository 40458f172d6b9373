/* Checks of descriptions; declared in model_check.h and <gcspy/model.h>. */
#include "model_check.h"

#include <string.h>

#include "model_internal.h"
#include "reserved.h"

static size_t length_of(const char *text)
{
	return text == NULL ? 0 : strlen(text);
}

enum gcs_status model_check_text(const char *what, const char *owner, const char *text, size_t min,
    size_t max, struct gcs_error *err)
{
	size_t length = length_of(text);
	if (length < min)
		return gcs_fail(err, GCS_ARGUMENT, "%s of \"%.60s\" is missing", what, owner);
	if (length > max)
		return gcs_fail(err, GCS_LIMIT, "%s of \"%.60s\" has %zu bytes, the limit is %zu",
		    what, owner, length, max);
	return GCS_OK;
}

enum gcs_status model_check_names(
    const char *owner, uint32_t count, const char *const *names, struct gcs_error *err)
{
	if (count == 0 || count > GCS_MAX_ENUM)
		return gcs_fail(err, GCS_LIMIT,
		    "enumeration \"%.60s\" has %u names, must have 1 to %u", owner, count,
		    GCS_MAX_ENUM);
	if (GIVEN_ARRAY(owner, names, count, err) != GCS_OK)
		return GCS_ARGUMENT;
	for (uint32_t i = 0; i < count; i++) {
		enum gcs_status s =
		    model_check_text("a value's name", owner, names[i], 1, GCS_MAX_NAME, err);
		if (s != GCS_OK)
			return s;
	}
	return GCS_OK;
}

/* The names of an event's enumerations: all events must fit in one message. */
static enum gcs_status check_event_size(const struct gcs_event *e, struct gcs_error *err)
{
	size_t bytes = 0;
	for (uint32_t i = 0; i < e->attribute_count; i++) {
		const struct gcs_attribute *a = &e->attributes[i];
		for (uint32_t k = 0; a->kind == GCS_ATTRIBUTE_ENUM && k < a->enum_count; k++)
			bytes += strlen(a->enum_names[k]);
	}
	if (bytes > GCS_MAX_EVENT_TEXT)
		return gcs_fail(err, GCS_LIMIT,
		    "the names of event \"%s\" have %zu bytes, the limit is %u", e->name, bytes,
		    GCS_MAX_EVENT_TEXT);
	return GCS_OK;
}

static enum gcs_status check_parameters(const struct gcs_attribute *a, struct gcs_error *err)
{
	enum gcs_status s = GCS_OK;
	if (a->parameter_count > GCS_MAX_ATTRIBUTE_PARAMETERS)
		return gcs_fail(err, GCS_LIMIT,
		    "attribute \"%.60s\" has %u parameters, the limit is %u", a->name,
		    a->parameter_count, GCS_MAX_ATTRIBUTE_PARAMETERS);
	if ((a->parameter_count != 0 || a->on_demand) && a->kind == GCS_ATTRIBUTE_TEXT)
		return gcs_fail(err, GCS_ARGUMENT,
		    "attribute \"%.60s\": a text cannot be computed on demand", a->name);
	s = GIVEN_ARRAY(a->name, a->parameter_names, a->parameter_count, err);
	for (uint32_t i = 0; s == GCS_OK && i < a->parameter_count; i++)
		s = model_check_text(
		    "a parameter's name", a->name, a->parameter_names[i], 1, GCS_MAX_NAME, err);
	return s;
}

enum gcs_status model_check_event(const struct gcs_event *e, struct gcs_error *err)
{
	if (GIVEN("an event", e, err) != GCS_OK)
		return GCS_ARGUMENT;
	enum gcs_status s = model_check_text("name", "an event", e->name, 1, GCS_MAX_NAME, err);
	if (s == GCS_OK)
		s = model_check_text("description", e->name, e->description, 0, GCS_MAX_TEXT, err);
	if (s == GCS_OK)
		s = RESERVED_CHECK(e->name, e, err);
	if (s == GCS_OK && e->attribute_count > GCS_MAX_ATTRIBUTES)
		s = gcs_fail(err, GCS_LIMIT, "event \"%s\" has %u attributes, the limit is %u",
		    e->name, e->attribute_count, GCS_MAX_ATTRIBUTES);
	if (s == GCS_OK)
		s = GIVEN_ARRAY(
		    "the attributes of an event", e->attributes, e->attribute_count, err);
	for (uint32_t i = 0; s == GCS_OK && i < e->attribute_count; i++) {
		const struct gcs_attribute *a = &e->attributes[i];
		s = model_check_text("an attribute's name", e->name, a->name, 1, GCS_MAX_NAME, err);
		if (s == GCS_OK && ((unsigned)a->kind >= GCS_ATTRIBUTE_KIND_COUNT ||
				       (unsigned)a->format >= GCS_FORMAT_COUNT))
			s = gcs_fail(err, GCS_ARGUMENT,
			    "attribute \"%s\" has an unknown kind or format", a->name);
		if (s == GCS_OK && a->kind == GCS_ATTRIBUTE_ENUM)
			s = model_check_names(a->name, a->enum_count, a->enum_names, err);
		if (s == GCS_OK)
			s = check_parameters(a, err);
	}
	return s != GCS_OK ? s : check_event_size(e, err);
}

static bool known_kinds(const struct gcs_stream *t)
{
	return (unsigned)t->role < GCS_ROLE_COUNT && (unsigned)t->type < GCS_TYPE_COUNT &&
	       (unsigned)t->presentation < GCS_PRESENTATION_COUNT &&
	       (unsigned)t->maximum < GCS_MAXIMUM_COUNT && (unsigned)t->paint < GCS_PAINT_COUNT &&
	       (unsigned)t->format < GCS_FORMAT_COUNT &&
	       (unsigned)t->summary < GCS_SUMMARY_KIND_COUNT;
}

/* An estimate's error comes after it, so that no stream is its own. */
static bool has_error_stream(const struct gcs_space *space, const struct gcs_stream *t)
{
	const uint32_t id = (uint32_t)(t - space->streams);
	return t->presentation != GCS_ENUM && t->error_stream > id &&
	       t->error_stream < space->stream_count &&
	       space->streams[t->error_stream].presentation != GCS_ENUM;
}

static enum gcs_status check_stream(
    const struct gcs_space *space, const struct gcs_stream *t, struct gcs_error *err)
{
	enum gcs_status s =
	    model_check_text("a stream's name", space->name, t->name, 1, GCS_MAX_NAME, err);
	if (s == GCS_OK)
		s = model_check_text("description", t->name, t->description, 0, GCS_MAX_TEXT, err);
	if (s == GCS_OK)
		s = model_check_text("prefix", t->name, t->prefix, 0, GCS_MAX_NAME, err);
	if (s == GCS_OK)
		s = model_check_text("suffix", t->name, t->suffix, 0, GCS_MAX_NAME, err);
	if (s == GCS_OK)
		s = RESERVED_CHECK(t->name, t, err);
	if (s != GCS_OK)
		return s;
	if (!known_kinds(t))
		return gcs_fail(err, GCS_ARGUMENT,
		    "stream \"%s\" has an unknown type, presentation or role", t->name);
	if (t->min > t->max)
		return gcs_fail(
		    err, GCS_ARGUMENT, "stream \"%s\" has a minimum above its maximum", t->name);
	if (t->maximum == GCS_MAX_OF_STREAM && t->max_stream >= space->stream_count)
		return gcs_fail(err, GCS_ARGUMENT,
		    "stream \"%s\" takes its maximum from an unknown stream", t->name);
	if (t->error_stream != 0 && !has_error_stream(space, t))
		return gcs_fail(err, GCS_ARGUMENT,
		    "stream \"%s\" takes its error from no later stream of numbers", t->name);
	if (t->presentation == GCS_ENUM) {
		s = model_check_names(t->name, t->enum_count, t->enum_names, err);
		if (s == GCS_OK && (uint64_t)t->max - (uint64_t)t->min != t->enum_count - 1)
			s = gcs_fail(err, GCS_ARGUMENT,
			    "stream \"%s\" has %u names for a different number of values", t->name,
			    t->enum_count);
	} else if (t->summary == GCS_SUMMARY_COUNTS) {
		s = gcs_fail(err, GCS_ARGUMENT,
		    "stream \"%s\" counts names but is not an enumeration", t->name);
	}
	return s;
}

enum gcs_status model_check_space(
    const struct gcs_model *model, const struct gcs_space *p, struct gcs_error *err)
{
	if (GIVEN("a space", p, err) != GCS_OK)
		return GCS_ARGUMENT;
	enum gcs_status s = model_check_text("name", "a space", p->name, 1, GCS_MAX_NAME, err);
	if (s == GCS_OK)
		s = model_check_text("description", p->name, p->description, 0, GCS_MAX_TEXT, err);
	if (s == GCS_OK)
		s = model_check_text("tile title", p->name, p->tile_title, 0, GCS_MAX_NAME, err);
	if (s == GCS_OK)
		s = model_check_text(
		    "block information", p->name, p->block_info, 0, GCS_MAX_TEXT, err);
	if (s == GCS_OK)
		s = model_check_text(
		    "text of unused tiles", p->name, p->unused_text, 0, GCS_MAX_NAME, err);
	if (s == GCS_OK)
		s = RESERVED_CHECK(p->name, p, err);
	if (s != GCS_OK)
		return s;
	if ((unsigned)p->kind >= GCS_SPACE_KIND_COUNT ||
	    (p->kind == GCS_SPACE_MATRIX) != (p->columns != 0) || p->columns > GCS_MAX_TILES)
		return gcs_fail(err, GCS_ARGUMENT,
		    "space \"%s\" has an unknown kind or a wrong number of columns", p->name);
	if (p->group != GCS_NONE && p->group >= model->group_count)
		return gcs_fail(err, GCS_ARGUMENT, "space \"%s\" is in an unknown group", p->name);
	if (p->stream_count == 0 || p->stream_count > GCS_MAX_STREAMS)
		return gcs_fail(err, GCS_LIMIT, "space \"%s\" has %u streams, must have 1 to %u",
		    p->name, p->stream_count, GCS_MAX_STREAMS);
	if (p->streams == NULL)
		return gcs_fail(err, GCS_ARGUMENT, "space \"%s\" has no streams", p->name);
	if (p->default_stream >= p->stream_count)
		return gcs_fail(
		    err, GCS_ARGUMENT, "space \"%s\" has an unknown default stream", p->name);
	for (uint32_t i = 0; s == GCS_OK && i < p->stream_count; i++)
		s = check_stream(p, &p->streams[i], err);
	return s;
}

enum gcs_status model_check_info(const char *key, const char *value, struct gcs_error *err)
{
	enum gcs_status s =
	    model_check_text("key", "general information", key, 1, GCS_MAX_NAME, err);
	return s != GCS_OK ? s : model_check_text("value", key, value, 0, GCS_MAX_TEXT, err);
}

enum gcs_status gcs_model_check(const struct gcs_model *model, struct gcs_error *err)
{
	enum gcs_status s =
	    model_check_text("name", "the server", model->server_name, 0, GCS_MAX_NAME, err);
	if (s == GCS_OK &&
	    (model->event_count > GCS_MAX_EVENTS || model->group_count > GCS_MAX_GROUPS ||
		model->space_count > GCS_MAX_SPACES || model->info_count > GCS_MAX_INFO ||
		model->plugin_count > GCS_MAX_PLUGINS))
		s = gcs_fail(err, GCS_LIMIT,
		    "the model has too many events, groups, spaces, lines of information or "
		    "plugins");
	for (uint32_t i = 0; s == GCS_OK && i < model->event_count; i++)
		s = model_check_event(&model->events[i], err);
	for (uint32_t i = 0; s == GCS_OK && i < model->group_count; i++)
		if (model->groups[i].parent != GCS_NONE && model->groups[i].parent >= i)
			s = gcs_fail(err, GCS_MALFORMED, "group \"%s\" comes before its parent",
			    model->groups[i].name);
	for (uint32_t i = 0; s == GCS_OK && i < model->space_count; i++)
		s = model_check_space(model, &model->spaces[i], err);
	for (uint32_t i = 0; s == GCS_OK && i < model->info_count; i++)
		s = model_check_info(model->info[i].key, model->info[i].value, err);
	for (uint32_t i = 0; s == GCS_OK && i < model->plugin_count; i++)
		s = model_check_plugin(&model->plugins[i], err);
	return s;
}

bool model_same_events(const struct gcs_model *a, const struct gcs_model *b)
{
	bool same = a->event_count == b->event_count;
	for (uint32_t i = 0; same && a != b && i < a->event_count; i++)
		same = strcmp(a->events[i].name, b->events[i].name) == 0 &&
		       a->events[i].attribute_count == b->events[i].attribute_count;
	return same;
}
