/* The messages that describe a server: WELCOME to SPACE. */

#include "codec.h"

static void *table(struct rd *r, struct arena *a, uint32_t count, size_t size)
{
	/* Each element takes at least one byte, so a short message cannot require a large table. */
	if (count > rd_left(r))
		rd_fail(r, GCS_TRUNCATED);
	if (r->status != GCS_OK)
		return NULL;
	void *memory = arena_alloc(a, count == 0 ? 1 : count, size);
	if (memory == NULL)
		rd_fail(r, GCS_NOMEM);
	return memory;
}

/* A record is preceded by its length, so that unknown fields at its end are skipped. */
static size_t record_begin(struct wr *w)
{
	wr_u32(w, 0);
	return w->length;
}

static void record_end(struct wr *w, size_t at)
{
	if (w->status == GCS_OK)
		wr_put_u32(w, at - 4, (uint32_t)(w->length - at));
}

static struct rd record(struct rd *r)
{
	uint32_t length = rd_u32(r);
	const uint8_t *bytes = rd_bytes(r, length);
	struct rd inner = rd_over(bytes, bytes == NULL ? 0 : length);
	inner.status = r->status;
	return inner;
}

/* A failure inside a record fails the outer reader. */
static bool record_done(struct rd *r, const struct rd *inner)
{
	if (inner->status != GCS_OK)
		rd_fail(r, inner->status);
	return r->status == GCS_OK;
}

static void put_id(struct wr *w, uint32_t id)
{
	wr_varint(w, id == GCS_NONE ? 0 : (uint64_t)id + 1);
}

static uint32_t get_id(struct rd *r, uint32_t max)
{
	uint32_t id = rd_count(r, max);
	return id == 0 ? GCS_NONE : id - 1;
}

static void put_enum_names(struct wr *w, uint32_t count, const char *const *names)
{
	wr_varint(w, count);
	for (uint32_t i = 0; i < count; i++)
		wr_text(w, names[i]);
}

static const char *const *list_names(struct rd *r, struct arena *a, uint32_t most, uint32_t *count)
{
	*count = rd_count(r, most);
	const char **names = table(r, a, *count, sizeof *names);
	for (uint32_t i = 0; r->status == GCS_OK && i < *count; i++)
		names[i] = arena_read_text(a, r, GCS_MAX_NAME);
	return names;
}

static const char *const *get_enum_names(struct rd *r, struct arena *a, uint32_t *count)
{
	return list_names(r, a, GCS_MAX_ENUM, count);
}

void put_welcome(struct wr *w, const struct welcome *welcome)
{
	size_t at = frame_begin(w, GCS_WIRE_WELCOME);
	wr_text(w, welcome->name);
	wr_varint(w, welcome->keep_alive_ms);
	frame_end(w, at, NULL);
}

bool get_welcome(struct rd *r, struct arena *a, struct welcome *welcome)
{
	welcome->name = arena_read_text(a, r, GCS_MAX_NAME);
	welcome->keep_alive_ms = rd_count(r, CODEC_MAX_INTERVAL_MS);
	return r->status == GCS_OK;
}

void put_bye(struct wr *w, enum bye_reason reason, const char *message)
{
	size_t at = frame_begin(w, GCS_WIRE_BYE);
	wr_u8(w, (uint8_t)reason);
	wr_text(w, message);
	frame_end(w, at, NULL);
}

bool get_bye(struct rd *r, struct arena *a, enum bye_reason *reason, const char **message)
{
	uint8_t number = rd_u8(r);
	*reason = number < BYE_REASON_COUNT ? (enum bye_reason)number : BYE_ENDED;
	*message = arena_read_text(a, r, GCS_MAX_TEXT);
	return r->status == GCS_OK;
}

void put_info(struct wr *w, const struct gcs_model *model, struct deflater *d)
{
	size_t at = frame_begin(w, GCS_WIRE_INFO);
	wr_varint(w, model->info_count);
	for (uint32_t i = 0; i < model->info_count; i++) {
		wr_text(w, model->info[i].key);
		wr_text(w, model->info[i].value);
	}
	frame_end(w, at, d);
}

bool get_info(struct rd *r, struct arena *a, uint32_t *count, struct gcs_info **info)
{
	*count = rd_count(r, GCS_MAX_INFO);
	*info = table(r, a, *count, sizeof **info);
	for (uint32_t i = 0; r->status == GCS_OK && i < *count; i++) {
		(*info)[i].key = arena_read_text(a, r, GCS_MAX_NAME);
		(*info)[i].value = arena_read_text(a, r, GCS_MAX_TEXT);
	}
	return r->status == GCS_OK;
}

static void put_parameters(struct wr *w, const struct gcs_attribute *attribute)
{
	if (attribute->parameter_count == 0 && !attribute->on_demand)
		return;
	wr_u8(w, attribute->on_demand ? 1 : 0);
	put_enum_names(w, attribute->parameter_count, attribute->parameter_names);
}

static void get_parameters(struct rd *r, struct arena *a, struct gcs_attribute *attribute)
{
	attribute->on_demand = (rd_u8(r) & 1) != 0;
	attribute->parameter_names =
	    list_names(r, a, GCS_MAX_ATTRIBUTE_PARAMETERS, &attribute->parameter_count);
}

void put_events(struct wr *w, const struct gcs_model *model, struct deflater *d)
{
	size_t at = frame_begin(w, GCS_WIRE_EVENTS);
	wr_varint(w, model->event_count);
	for (uint32_t i = 0; i < model->event_count; i++) {
		const struct gcs_event *e = &model->events[i];
		size_t event = record_begin(w);
		wr_text(w, e->name);
		wr_text(w, e->description);
		wr_u32(w, e->colour);
		wr_varint(w, e->attribute_count);
		for (uint32_t k = 0; k < e->attribute_count; k++) {
			const struct gcs_attribute *attribute = &e->attributes[k];
			size_t begin = record_begin(w);
			wr_text(w, attribute->name);
			wr_u8(w, (uint8_t)attribute->kind);
			wr_u8(w, (uint8_t)attribute->format);
			put_enum_names(w, attribute->enum_count, attribute->enum_names);
			put_parameters(w, attribute);
			record_end(w, begin);
		}
		record_end(w, event);
	}
	frame_end(w, at, d);
}

static void get_attribute(struct rd *r, struct arena *a, struct gcs_attribute *attribute)
{
	struct rd in = record(r);
	attribute->name = arena_read_text(a, &in, GCS_MAX_NAME);
	attribute->kind = (enum gcs_attribute_kind)rd_enum(&in, GCS_ATTRIBUTE_KIND_COUNT);
	attribute->format = (enum gcs_format)rd_enum(&in, GCS_FORMAT_COUNT);
	attribute->enum_names = get_enum_names(&in, a, &attribute->enum_count);
	if (rd_left(&in) != 0)
		get_parameters(&in, a, attribute);
	record_done(r, &in);
}

bool get_events(struct rd *r, struct arena *a, uint32_t *count, struct gcs_event **events)
{
	*count = rd_count(r, GCS_MAX_EVENTS);
	*events = table(r, a, *count, sizeof **events);
	for (uint32_t i = 0; r->status == GCS_OK && i < *count; i++) {
		struct gcs_event *e = &(*events)[i];
		struct rd in = record(r);
		e->name = arena_read_text(a, &in, GCS_MAX_NAME);
		e->description = arena_read_text(a, &in, GCS_MAX_TEXT);
		e->colour = rd_u32(&in);
		e->attribute_count = rd_count(&in, GCS_MAX_ATTRIBUTES);
		struct gcs_attribute *attributes =
		    table(&in, a, e->attribute_count, sizeof *attributes);
		for (uint32_t k = 0; in.status == GCS_OK && k < e->attribute_count; k++)
			get_attribute(&in, a, &attributes[k]);
		e->attributes = attributes;
		record_done(r, &in);
	}
	return r->status == GCS_OK;
}

void put_groups(struct wr *w, const struct gcs_model *model, struct deflater *d)
{
	size_t at = frame_begin(w, GCS_WIRE_GROUPS);
	wr_varint(w, model->group_count);
	for (uint32_t i = 0; i < model->group_count; i++) {
		size_t group = record_begin(w);
		wr_text(w, model->groups[i].name);
		put_id(w, model->groups[i].parent);
		record_end(w, group);
	}
	frame_end(w, at, d);
}

bool get_groups(struct rd *r, struct arena *a, uint32_t *count, struct gcs_group **groups)
{
	*count = rd_count(r, GCS_MAX_GROUPS);
	*groups = table(r, a, *count, sizeof **groups);
	for (uint32_t i = 0; r->status == GCS_OK && i < *count; i++) {
		struct rd in = record(r);
		(*groups)[i].name = arena_read_text(a, &in, GCS_MAX_NAME);
		(*groups)[i].parent = get_id(&in, i);
		record_done(r, &in);
	}
	return r->status == GCS_OK;
}

static void put_stream_description(struct wr *w, const struct gcs_stream *t)
{
	size_t at = record_begin(w);
	wr_text(w, t->name);
	wr_text(w, t->description);
	wr_text(w, t->prefix);
	wr_text(w, t->suffix);
	wr_u8(w, (uint8_t)t->role);
	wr_u8(w, (uint8_t)t->type);
	wr_u8(w, (uint8_t)t->presentation);
	wr_u8(w, (uint8_t)t->maximum);
	wr_u8(w, (uint8_t)t->paint);
	wr_u8(w, (uint8_t)t->format);
	wr_u8(w, (uint8_t)t->summary);
	wr_zigzag(w, t->min);
	wr_zigzag(w, t->max);
	wr_zigzag(w, t->zero);
	wr_zigzag(w, t->initial);
	put_id(w, t->max_stream);
	wr_u32(w, t->colour);
	put_enum_names(w, t->enum_count, t->enum_names);
	if (t->error_stream != 0)
		wr_varint(w, t->error_stream);
	record_end(w, at);
}

static void get_stream_description(struct rd *r, struct arena *a, struct gcs_stream *t)
{
	struct rd in = record(r);
	t->name = arena_read_text(a, &in, GCS_MAX_NAME);
	t->description = arena_read_text(a, &in, GCS_MAX_TEXT);
	t->prefix = arena_read_text(a, &in, GCS_MAX_NAME);
	t->suffix = arena_read_text(a, &in, GCS_MAX_NAME);
	t->role = (enum gcs_role)rd_enum(&in, GCS_ROLE_COUNT);
	t->type = (enum gcs_type)rd_enum(&in, GCS_TYPE_COUNT);
	t->presentation = (enum gcs_presentation)rd_enum(&in, GCS_PRESENTATION_COUNT);
	t->maximum = (enum gcs_maximum)rd_enum(&in, GCS_MAXIMUM_COUNT);
	t->paint = (enum gcs_paint)rd_enum(&in, GCS_PAINT_COUNT);
	t->format = (enum gcs_format)rd_enum(&in, GCS_FORMAT_COUNT);
	t->summary = (enum gcs_summary_kind)rd_enum(&in, GCS_SUMMARY_KIND_COUNT);
	t->min = rd_zigzag(&in);
	t->max = rd_zigzag(&in);
	t->zero = rd_zigzag(&in);
	t->initial = rd_zigzag(&in);
	t->max_stream = get_id(&in, GCS_MAX_STREAMS);
	t->colour = rd_u32(&in);
	t->enum_names = get_enum_names(&in, a, &t->enum_count);
	t->error_stream = rd_left(&in) == 0 ? 0 : rd_count(&in, GCS_MAX_STREAMS);
	record_done(r, &in);
}

void put_space(struct wr *w, uint32_t id, const struct gcs_space *p, struct deflater *d)
{
	size_t at = frame_begin(w, GCS_WIRE_SPACE);
	wr_varint(w, id);
	wr_text(w, p->name);
	wr_text(w, p->description);
	wr_text(w, p->tile_title);
	wr_text(w, p->block_info);
	wr_text(w, p->unused_text);
	put_id(w, p->group);
	wr_u8(w, (uint8_t)p->kind);
	wr_u8(w, p->main ? 1 : 0);
	wr_varint(w, p->columns);
	wr_varint(w, p->block_bytes);
	wr_varint(w, p->default_stream);
	wr_varint(w, p->stream_count);
	for (uint32_t i = 0; i < p->stream_count; i++)
		put_stream_description(w, &p->streams[i]);
	frame_end(w, at, d);
}

bool get_space(struct rd *r, struct arena *a, uint32_t *id, struct gcs_space *p)
{
	*p = (struct gcs_space){0};
	*id = rd_count(r, GCS_MAX_SPACES - 1);
	p->name = arena_read_text(a, r, GCS_MAX_NAME);
	p->description = arena_read_text(a, r, GCS_MAX_TEXT);
	p->tile_title = arena_read_text(a, r, GCS_MAX_NAME);
	p->block_info = arena_read_text(a, r, GCS_MAX_TEXT);
	p->unused_text = arena_read_text(a, r, GCS_MAX_NAME);
	p->group = get_id(r, GCS_MAX_GROUPS);
	p->kind = (enum gcs_space_kind)rd_enum(r, GCS_SPACE_KIND_COUNT);
	p->main = (rd_u8(r) & 1) != 0;
	p->columns = rd_count(r, GCS_MAX_TILES);
	p->block_bytes = rd_varint(r);
	p->default_stream = rd_count(r, GCS_MAX_STREAMS);
	p->stream_count = rd_count(r, GCS_MAX_STREAMS);
	struct gcs_stream *streams = table(r, a, p->stream_count, sizeof *streams);
	for (uint32_t i = 0; r->status == GCS_OK && i < p->stream_count; i++)
		get_stream_description(r, a, &streams[i]);
	p->streams = streams;
	return r->status == GCS_OK;
}

static void put_parameter(struct wr *w, const struct gcs_parameter *p)
{
	size_t at = record_begin(w);
	wr_text(w, p->name);
	wr_text(w, p->description);
	wr_u8(w, (uint8_t)p->kind);
	wr_u8(w, p->initial != NULL ? 1 : 0);
	wr_text(w, p->initial);
	put_enum_names(w, p->enum_count, p->enum_names);
	record_end(w, at);
}

void put_plugins(struct wr *w, const struct gcs_model *model, struct deflater *d)
{
	size_t at = frame_begin(w, GCS_WIRE_PLUGINS);
	wr_varint(w, model->plugin_count);
	for (uint32_t i = 0; i < model->plugin_count; i++) {
		const struct gcs_plugin *p = &model->plugins[i];
		size_t plugin = record_begin(w);
		wr_text(w, p->name);
		wr_text(w, p->title);
		wr_text(w, p->description);
		wr_u8(w, (uint8_t)p->kind);
		wr_varint(w, p->parameter_count);
		for (uint32_t k = 0; k < p->parameter_count; k++)
			put_parameter(w, &p->parameters[k]);
		record_end(w, plugin);
	}
	frame_end(w, at, d);
}

static void get_parameter(struct rd *r, struct arena *a, struct gcs_parameter *p)
{
	struct rd in = record(r);
	p->name = arena_read_text(a, &in, GCS_MAX_NAME);
	p->description = arena_read_text(a, &in, GCS_MAX_TEXT);
	p->kind = (enum gcs_parameter_kind)rd_enum(&in, GCS_PARAMETER_KIND_COUNT);
	const bool optional = rd_u8(&in) != 0;
	p->initial = arena_read_text(a, &in, GCS_MAX_TEXT);
	if (!optional)
		p->initial = NULL;
	p->enum_names = get_enum_names(&in, a, &p->enum_count);
	record_done(r, &in);
}

bool get_plugins(struct rd *r, struct arena *a, uint32_t *count, struct gcs_plugin **plugins)
{
	*count = rd_count(r, GCS_MAX_PLUGINS);
	*plugins = table(r, a, *count, sizeof **plugins);
	for (uint32_t i = 0; r->status == GCS_OK && i < *count; i++) {
		struct gcs_plugin *p = &(*plugins)[i];
		struct rd in = record(r);
		p->name = arena_read_text(a, &in, GCS_MAX_NAME);
		p->title = arena_read_text(a, &in, GCS_MAX_NAME);
		p->description = arena_read_text(a, &in, GCS_MAX_TEXT);
		p->kind = (enum gcs_plugin_kind)rd_enum(&in, GCS_PLUGIN_KIND_COUNT);
		p->parameter_count = rd_count(&in, GCS_MAX_PARAMETERS);
		struct gcs_parameter *parameters =
		    table(&in, a, p->parameter_count, sizeof *parameters);
		for (uint32_t k = 0; in.status == GCS_OK && k < p->parameter_count; k++)
			get_parameter(&in, a, &parameters[k]);
		p->parameters = parameters;
		record_done(r, &in);
	}
	return r->status == GCS_OK;
}

void put_empty(struct wr *w, enum gcs_wire_kind kind)
{
	frame_end(w, frame_begin(w, kind), NULL);
}

void put_number(struct wr *w, enum gcs_wire_kind kind, uint64_t number)
{
	size_t at = frame_begin(w, kind);
	wr_varint(w, number);
	frame_end(w, at, NULL);
}

void put_notice(struct wr *w, const char *message)
{
	size_t at = frame_begin(w, GCS_WIRE_NOTICE);
	wr_text(w, message);
	frame_end(w, at, NULL);
}

bool get_notice(struct rd *r, struct arena *a, const char **message)
{
	*message = arena_read_text(a, r, GCS_MAX_TEXT);
	return r->status == GCS_OK;
}

void put_hello(struct wr *w, const struct hello *hello)
{
	size_t at = frame_begin(w, GCS_WIRE_HELLO);
	wr_varint(w, hello->flags);
	wr_text(w, hello->name);
	wr_text(w, hello->token);
	frame_end(w, at, NULL);
}

bool get_hello(struct rd *r, struct arena *a, struct hello *hello)
{
	hello->flags = rd_count(r, UINT32_MAX);
	hello->name = arena_read_text(a, r, GCS_MAX_NAME);
	hello->token = arena_read_text(a, r, CODEC_MAX_TOKEN);
	return r->status == GCS_OK;
}
