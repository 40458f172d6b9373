#include "export_otlp.h"

#include <gcspy/memory.h>

#include "protobuf.h"
#include "sites_internal.h"
#include "text.h"

/* Field numbers of profiles.proto. The entry 0 of each table of the dictionary is empty, so that the index 0
 * means none. */
enum {
	OTLP_DICTIONARY_MAPPING = 1,
	OTLP_DICTIONARY_LOCATION = 2,
	OTLP_DICTIONARY_FUNCTION = 3,
	OTLP_DICTIONARY_LINK = 4,
	OTLP_DICTIONARY_STRING = 5,
	OTLP_DICTIONARY_ATTRIBUTE = 6,
	OTLP_DICTIONARY_STACK = 7,
	OTLP_SCOPE_PROFILE = 2,
	OTLP_PROFILE_SAMPLE_TYPE = 1,
	OTLP_PROFILE_SAMPLE = 2,
	OTLP_PROFILE_TIME = 3,
	OTLP_PROFILE_DURATION = 4,
	OTLP_PROFILE_PERIOD_TYPE = 5,
	OTLP_PROFILE_PERIOD = 6,
	OTLP_SAMPLE_STACK = 1,
	OTLP_SAMPLE_ATTRIBUTES = 2,
	OTLP_SAMPLE_VALUES = 4,
	OTLP_STACK_LOCATIONS = 1,
	OTLP_LOCATION_LINE = 3,
	OTLP_LOCATION_ATTRIBUTES = 4,
	OTLP_LINE_FUNCTION = 1,
	OTLP_LINE_LINE = 2,
	OTLP_FUNCTION_NAME = 1,
	OTLP_FUNCTION_FILE = 3,
	OTLP_ATTRIBUTE_KEY = 1,
	OTLP_ATTRIBUTE_VALUE = 2,
	OTLP_ANY_STRING = 1
};

void otlp_profiles_init(struct otlp_profiles *o, size_t limit)
{
	*o = (struct otlp_profiles){0};
	wr_init(&o->profiles, limit);
	wr_init(&o->sample, limit);
	wr_init(&o->part, limit);
	wr_init(&o->inner, limit);
}

void otlp_profiles_fini(struct otlp_profiles *o)
{
	wr_fini(&o->profiles);
	wr_fini(&o->sample);
	wr_fini(&o->part);
	wr_fini(&o->inner);
	frame_tables_fini(&o->tables);
	intern_keys_fini(&o->attributes);
	intern_keys_fini(&o->nodes);
	intern_keys_fini(&o->stacks);
}

static uint32_t intern_pair(
    struct otlp_profiles *o, struct intern_keys *keys, uint32_t first, uint32_t second)
{
	const struct intern_key key = {{first, second}};
	const uint32_t number = intern_key(keys, &key);
	o->tables.failed = o->tables.failed || number == UINT32_MAX;
	return number;
}

static void add_attribute(struct otlp_profiles *o, const char *key, const char *value)
{
	if (value[0] == '\0')
		return;
	const uint32_t first = frame_tables_text(&o->tables, key);
	wr_varint(&o->inner,
	    1ull + intern_pair(o, &o->attributes, first, frame_tables_text(&o->tables, value)));
}

static void put_value_type(
    struct otlp_profiles *o, uint32_t field, const char *type, const char *unit)
{
	pb_varint(&o->inner, 1, frame_tables_text(&o->tables, type));
	pb_varint(&o->inner, 2, frame_tables_text(&o->tables, unit));
	pb_message(&o->part, field, &o->inner);
}

/* The stack of a site; `nodes` has the number of each of the profile's. */
static uint32_t stack_number(
    struct otlp_profiles *o, const struct gcs_site *s, const uint32_t *nodes)
{
	const uint32_t node = s->stack == GCS_NONE
				  ? intern_pair(o, &o->nodes, 0, frame_tables_no_frames(&o->tables))
				  : nodes[s->stack];
	return intern_pair(o, &o->stacks, node, 0) + 1;
}

struct otlp_values {
	bool live, bytes;
};

static double value_of(const struct gcs_site *s, struct otlp_values v)
{
	return v.live ? v.bytes ? s->live_bytes : s->live_objects : v.bytes ? s->bytes : s->objects;
}

static void write_profile(struct otlp_profiles *o, const struct gcs_sites *sites,
    const uint32_t *nodes, struct otlp_values v, const int64_t *since_ns)
{
	const char *const words[2][2] = {
	    {"alloc_objects", "alloc_space"}, {"inuse_objects", "inuse_space"}};
	put_value_type(
	    o, OTLP_PROFILE_SAMPLE_TYPE, words[v.live][v.bytes], v.bytes ? "bytes" : "count");
	for (uint32_t i = 0; i < sites->count; i++) {
		const struct gcs_site *s = &sites->items[i];
		const uint64_t value = text_rounded(value_of(s, v));
		if (value == 0)
			continue;
		pb_varint(&o->sample, OTLP_SAMPLE_STACK, stack_number(o, s, nodes));
		add_attribute(o, "class", s->class_name);
		add_attribute(o, "thread.name", s->thread);
		pb_message(&o->sample, OTLP_SAMPLE_ATTRIBUTES, &o->inner);
		wr_varint(&o->inner, value);
		pb_message(&o->sample, OTLP_SAMPLE_VALUES, &o->inner);
		pb_message(&o->part, OTLP_PROFILE_SAMPLE, &o->sample);
	}
	const int64_t until_ns = gcs_profile_head(sites->profile)->wall_ns;
	const int64_t from_ns = since_ns == NULL ? until_ns : *since_ns;
	pb_fixed(&o->part, OTLP_PROFILE_TIME, (uint64_t)from_ns);
	/* The clock may have been set back. */
	if (until_ns > from_ns)
		pb_varint(&o->part, OTLP_PROFILE_DURATION, (uint64_t)(until_ns - from_ns));
	put_value_type(o, OTLP_PROFILE_PERIOD_TYPE, "space", "bytes");
	pb_varint(&o->part, OTLP_PROFILE_PERIOD, gcs_profile_head(sites->profile)->interval);
	pb_message(&o->profiles, OTLP_SCOPE_PROFILE, &o->part);
}

static enum gcs_status profiles_status(const struct otlp_profiles *o)
{
	return o->tables.failed ? GCS_NOMEM : o->profiles.status;
}

enum gcs_status otlp_profiles_add(
    struct otlp_profiles *o, const struct gcs_sites *sites, const int64_t *since_ns)
{
	const struct intern_keys *stacks = &sites->stacks;
	uint32_t *nodes = gcs_alloc(((size_t)stacks->count + 1) * sizeof *nodes);
	if (nodes == NULL)
		return GCS_NOMEM;
	frame_tables_begin(&o->tables, sites->profile);
	for (uint32_t i = 0; i < stacks->count; i++) {
		const uint32_t *words = stacks->items[i].words;
		nodes[i] = intern_pair(o, &o->nodes, words[0] == 0 ? 0 : nodes[words[0] - 1] + 1,
		    frame_tables_location(&o->tables, words[1]));
	}
	write_profile(o, sites, nodes,
	    (struct otlp_values){.live = since_ns == NULL, .bytes = true}, since_ns);
	write_profile(o, sites, nodes, (struct otlp_values){.live = since_ns == NULL}, since_ns);
	gcs_free(nodes);
	return profiles_status(o);
}

/* As OpenTelemetry's conventions have it for "profile.frame.type"; NULL: it is no frame. */
static const char *frame_type(uint32_t kind)
{
	return kind == GCS_FRAME_JAVA || kind == GCS_FRAME_NATIVE_METHOD ? "jvm"
	       : kind == GCS_FRAME_NATIVE || kind == GCS_FRAME_VM        ? "native"
									 : "";
}

static void write_locations(struct otlp_profiles *o, struct wr *dictionary)
{
	for (uint32_t i = 0; i < o->tables.locations.count; i++) {
		const uint32_t *words = o->tables.locations.items[i].words;
		pb_varint(&o->inner, OTLP_LINE_FUNCTION, words[0] + 1ull);
		pb_varint(&o->inner, OTLP_LINE_LINE, words[1]);
		pb_message(&o->part, OTLP_LOCATION_LINE, &o->inner);
		add_attribute(o, "profile.frame.type", frame_type(words[2]));
		pb_message(&o->part, OTLP_LOCATION_ATTRIBUTES, &o->inner);
		pb_message(dictionary, OTLP_DICTIONARY_LOCATION, &o->part);
	}
	for (uint32_t i = 0; i < o->tables.functions.count; i++) {
		const uint32_t *words = o->tables.functions.items[i].words;
		pb_varint(&o->part, OTLP_FUNCTION_NAME, words[0]);
		pb_varint(&o->part, OTLP_FUNCTION_FILE, words[1]);
		pb_message(dictionary, OTLP_DICTIONARY_FUNCTION, &o->part);
	}
}

static void write_stacks(struct otlp_profiles *o, struct wr *dictionary)
{
	for (uint32_t i = 0; i < o->stacks.count; i++) {
		for (uint32_t node = o->stacks.items[i].words[0] + 1; node != 0;
		     node = o->nodes.items[node - 1].words[0])
			wr_varint(&o->inner, o->nodes.items[node - 1].words[1] + 1ull);
		pb_message(&o->part, OTLP_STACK_LOCATIONS, &o->inner);
		pb_message(dictionary, OTLP_DICTIONARY_STACK, &o->part);
	}
}

static void write_attributes(struct otlp_profiles *o, struct wr *dictionary)
{
	struct gcs_sink sink = {.write = wr_take, .context = &o->sample};
	struct text clean;
	for (uint32_t i = 0; i < o->attributes.count; i++) {
		const uint32_t *words = o->attributes.items[i].words;
		text_begin(&clean, &sink);
		text_line(&clean, o->tables.texts.items[words[1]]);
		text_end(&clean, NULL);
		pb_varint(&o->part, OTLP_ATTRIBUTE_KEY, words[0]);
		pb_message(&o->inner, OTLP_ANY_STRING, &o->sample);
		pb_message(&o->part, OTLP_ATTRIBUTE_VALUE, &o->inner);
		pb_message(dictionary, OTLP_DICTIONARY_ATTRIBUTE, &o->part);
	}
}

enum gcs_status otlp_profiles_end(
    struct otlp_profiles *o, struct wr *scope_profiles, struct wr *dictionary)
{
	if (profiles_status(o) != GCS_OK)
		return profiles_status(o);
	wr_bytes(scope_profiles, o->profiles.data, o->profiles.length);
	for (uint32_t field = OTLP_DICTIONARY_MAPPING; field <= OTLP_DICTIONARY_STACK; field++)
		if (field != OTLP_DICTIONARY_STRING) /* its first one is "" */
			pb_message(dictionary, field, &o->part);
	write_locations(o, dictionary);
	write_stacks(o, dictionary);
	write_attributes(o, dictionary);
	frame_tables_write_texts(&o->tables, dictionary, OTLP_DICTIONARY_STRING);
	return o->tables.failed                   ? GCS_NOMEM
	       : scope_profiles->status != GCS_OK ? scope_profiles->status
						  : dictionary->status;
}
