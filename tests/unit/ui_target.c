#include "ui_target.h"

#include <gcspy/plugin.h>
#include <inttypes.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"

struct target target;

static struct gcs_answer *say(enum gcs_status status, const char *message, const char *body)
{
	return world_make_answer(0, status, message, body, strlen(body));
}

static const char *const levels[] = {"brief", "all"};
static const struct gcs_parameter of_backtrace[] = {
    {.name = "thread",
	.description = "Name of the thread",
	.kind = GCS_PARAMETER_TEXT,
	.initial = "main"},
};
static const struct gcs_parameter of_memory[] = {
    {.name = "address", .description = "First byte", .kind = GCS_PARAMETER_ADDRESS},
    {.name = "length", .description = "Bytes", .kind = GCS_PARAMETER_LENGTH, .initial = "256"},
};
static const struct gcs_parameter of_fragmentation[] = {
    {.name = "space", .description = "Its free runs", .kind = GCS_PARAMETER_SPACE},
    {.name = "block",
	.description = "Size of a block",
	.kind = GCS_PARAMETER_NUMBER,
	.initial = "512"},
};
static const struct gcs_parameter of_notes[] = {
    {.name = "level",
	.description = "How much to say",
	.kind = GCS_PARAMETER_ENUM,
	.initial = "brief",
	.enum_count = 2,
	.enum_names = levels},
};
static const struct gcs_plugin plugins[TARGET_PLUGINS] = {
    [TARGET_BACKTRACE] = {.name = "backtrace",
	.title = "Backtrace",
	.description = "The frames of a thread, now",
	.kind = GCS_PLUGIN_TABLE,
	.parameter_count = 1,
	.parameters = of_backtrace},
    [TARGET_MEMORY] = {.name = "memory",
	.title = "Memory",
	.description = "Bytes of the heap, with the objects that lie there",
	.kind = GCS_PLUGIN_BYTES,
	.parameter_count = 2,
	.parameters = of_memory},
    [TARGET_FRAGMENTATION] = {.name = "fragmentation",
	.title = "Fragmentation",
	.description = "Free runs of a space by size, and how fragmented it is for blocks of a "
		       "size",
	.kind = GCS_PLUGIN_TABLE,
	.parameter_count = 2,
	.parameters = of_fragmentation},
    [TARGET_NOTES] = {.name = "notes",
	.title = "Notes",
	.description = "",
	.kind = GCS_PLUGIN_TEXT,
	.parameter_count = 1,
	.parameters = of_notes},
};

static struct gcs_answer *say_bytes(enum gcs_status status, void *bytes, size_t length)
{
	world_must(status == GCS_OK, "encode");
	struct gcs_answer *answer = world_make_answer(0, GCS_OK, "", bytes, length);
	gcs_plugin_free(bytes);
	return answer;
}

/* A tree: callers above what they call. */
static struct gcs_answer *say_backtrace(void)
{
	static const struct gcs_column columns[] = {{.name = "Frame"}, {.name = "File"},
	    {.name = "Line", .kind = GCS_COLUMN_NUMBER, .format = GCS_DECIMAL}};
	static const struct gcs_cell cells[] = {{.text = "java.lang.Thread.run"},
	    {.text = "Thread.java"}, {.number = 1583}, {.text = "com.shop.Server.serve"},
	    {.text = "Server.java"}, {.number = 88}, {.text = "com.shop.Cart.add"},
	    {.text = "Cart.java"}, {.number = 31}, {.text = "libzip.so"}, {.text = ""},
	    {.absent = true}, {.text = "com.shop.Log.flush"}, {.text = "Log.java"}, {.number = 7}};
	static const uint32_t depths[] = {0, 1, 2, 3, 1};
	const struct gcs_table table = {.title = "main, 5 frames",
	    .column_count = 3,
	    .columns = columns,
	    .row_count = 5,
	    .cells = cells,
	    .depths = depths};
	struct gcs_error err;
	void *bytes;
	size_t length;
	const enum gcs_status status = gcs_table_encode(&table, &bytes, &length, &err);
	return say_bytes(status, bytes, length);
}

static struct gcs_answer *say_fragmentation(void)
{
	static const struct gcs_column columns[] = {{.name = "Free runs"},
	    {.name = "Count", .kind = GCS_COLUMN_NUMBER, .format = GCS_DECIMAL},
	    {.name = "Bytes", .kind = GCS_COLUMN_NUMBER, .format = GCS_BYTES}};
	static const struct gcs_cell cells[] = {{.text = "512 B to 1 KiB"}, {.number = 40},
	    {.number = 30000}, {.text = "1 MiB and more"}, {.number = 3}, {.number = 5000000},
	    {.text = "fragmentation (512)"}, {.absent = true}, {.number = 30208}};
	const struct gcs_table table = {.title = "Regions",
	    .column_count = 3,
	    .columns = columns,
	    .row_count = 3,
	    .cells = cells};
	struct gcs_error err;
	void *bytes;
	size_t length;
	const enum gcs_status status = gcs_table_encode(&table, &bytes, &length, &err);
	return say_bytes(status, bytes, length);
}

static struct gcs_answer *say_memory(const char *address, const char *size)
{
	static const struct gcs_mark marks[] = {{.start = 0, .length = 24, .text = "byte[8]"},
	    {.start = 0, .length = 12, .text = "header"},
	    {.start = 40, .length = 30, .text = "com.shop.Cart"}};
	uint8_t data[256];
	const unsigned long n = strtoul(size, NULL, 10);
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)(i % 5 == 0 ? 0 : i);
	const struct gcs_memory memory = {.title = "Region 30",
	    .address = strtoull(address, NULL, 16),
	    .length = n < sizeof data ? n : sizeof data,
	    .bytes = data,
	    .mark_count = n >= 70 ? 3 : 0,
	    .marks = marks};
	struct gcs_error err;
	void *bytes;
	size_t length;
	const enum gcs_status status = gcs_memory_encode(&memory, &bytes, &length, &err);
	return say_bytes(status, bytes, length);
}

/* As a server, which has checked the parameters and filled in the initial values. */
static struct gcs_answer *answer_plugin(
    uint32_t plugin, uint32_t count, const struct gcs_info *parameters)
{
	const struct gcs_plugin *p = &plugins[plugin];
	const char *value[2] = {"", ""};
	size_t used = (size_t)snprintf(target.question, sizeof target.question, "%s", p->name);
	for (uint32_t i = 0; i < p->parameter_count; i++)
		value[i] = p->parameters[i].initial;
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < p->parameter_count; k++)
			if (strcmp(p->parameters[k].name, parameters[i].key) == 0)
				value[k] = parameters[i].value;
		used += (size_t)snprintf(target.question + used, sizeof target.question - used,
		    " %s=%s", parameters[i].key, parameters[i].value);
	}
	target.questions++;
	if (target.refusal[0] != 0)
		return say(GCS_ARGUMENT, target.refusal, "");
	switch (plugin) {
	case TARGET_BACKTRACE:
		return say_backtrace();
	case TARGET_MEMORY:
		return say_memory(value[0], value[1]);
	case TARGET_FRAGMENTATION:
		return say_fragmentation();
	default:
		return say(GCS_OK, "as of now",
		    strcmp(value[0], "all") == 0 ? "one\n\ttwo\r\n\nthree\xff\n" : "one\n");
	}
}

static struct gcs_answer *say_triggers(void)
{
	struct gcs_trigger_state states[TARGET_TRIGGERS + 1] = {
	    {.trigger = {.name = "night",
		 .condition = "Pause > 1s",
		 .actions = GCS_TRIGGER_KEEP | GCS_TRIGGER_RECORD,
		 .nth = 1},
		.times = 7}};
	for (uint32_t i = 0; i < target.triggers; i++) {
		const struct target_trigger *t = &target.trigger[i];
		states[i + 1] = (struct gcs_trigger_state){.trigger = {.name = t->name,
							       .condition = t->condition,
							       .actions = t->actions,
							       .nth = t->nth,
							       .most = t->most,
							       .plugin = t->plugin},
		    .times = t->times,
		    .own = true};
	}
	struct wr w;
	wr_init(&w, 1 << 16);
	put_trigger_list(&w, target.triggers + 1, states);
	struct gcs_answer *answer = world_make_answer(0, GCS_OK, "", w.data, w.length);
	wr_fini(&w);
	target.lists++;
	return answer;
}

static struct target_trigger *trigger_named(const char *name)
{
	for (uint32_t i = 0; i < target.triggers; i++)
		if (strcmp(target.trigger[i].name, name) == 0)
			return &target.trigger[i];
	world_must(target.triggers < TARGET_TRIGGERS, "too many triggers");
	return &target.trigger[target.triggers++];
}

static struct gcs_answer *target_trigger(const struct gcs_trigger *t)
{
	if (target.refusal[0] != 0)
		return say(GCS_ARGUMENT, target.refusal, "");
	struct target_trigger *own = trigger_named(t->name);
	*own = (struct target_trigger){.actions = t->actions, .nth = t->nth, .most = t->most};
	snprintf(own->name, sizeof own->name, "%s", t->name);
	snprintf(own->condition, sizeof own->condition, "%s", t->condition);
	snprintf(own->plugin, sizeof own->plugin, "%s", t->plugin != NULL ? t->plugin : "");
	target.set++;
	return say(GCS_OK, "", "");
}

static struct gcs_answer *target_untrigger(const char *name)
{
	target.removed++;
	if (strcmp(name, "night") == 0)
		return say(GCS_OK, "", "");
	struct target_trigger *own = trigger_named(name);
	*own = target.trigger[--target.triggers];
	return say(GCS_OK, "", "");
}

/* Those that ask a plugin have its answer. */
static void fire(struct gcs_snapshot *s)
{
	for (uint32_t i = 0; target.fires && i < target.triggers; i++) {
		struct target_trigger *t = &target.trigger[i];
		struct gcs_answer *answer =
		    strcmp(t->plugin, "backtrace") == 0 ? say_backtrace() : NULL;
		const struct gcs_fired fired = {.trigger = t->name,
		    .condition = t->condition,
		    .times = ++t->times,
		    .plugin = t->plugin,
		    .message = "",
		    .length = answer != NULL ? answer->length : 0,
		    .answer = answer != NULL ? answer->bytes : NULL};
		world_must(gcs_snapshot_add_fired(s, &fired), "fired");
		gcs_answer_free(answer);
	}
	target.fires = false;
}

static struct gcs_answer *target_ask(
    const char *topic, uint32_t count, const struct gcs_info *parameters)
{
	char text[80];
	for (uint32_t i = 0; i < TARGET_PLUGINS; i++)
		if (strcmp(topic, plugins[i].name) == 0)
			return answer_plugin(i, count, parameters);
	if (strcmp(topic, "triggers") == 0)
		return say_triggers();
	if (strcmp(topic, "settings") != 0)
		return NULL;
	world_must(count == 0, "no parameters");
	target.asked++;
	snprintf(text, sizeof text, "interval=0\nupdate=%u\nclock=1000\n", target.update_ms);
	return say(GCS_OK, "", text);
}

static struct gcs_answer *target_set(const char *key, const char *value)
{
	if (strcmp(key, "volume") == 0)
		return say(GCS_OK, value, "");
	if (strcmp(key, "update") != 0)
		return NULL;
	target.sets++;
	if (target.refusal[0] != 0)
		return say(GCS_ARGUMENT, target.refusal, "");
	target.update_ms = (unsigned)strtoul(value, NULL, 10);
	return say(GCS_OK, "an update", "");
}

static const struct world_target functions = {
    target_ask, target_set, target_trigger, target_untrigger};

void target_event(struct world *w, uint64_t updates)
{
	struct gcs_snapshot *s = world_snapshot(w->model, w->last, w->step++);
	gcs_snapshot_set_counter(s, TARGET_UPDATE, updates);
	fire(s);
	gcs_snapshot_unref(w->last);
	w->last = s;
	world_put(w, s);
}

void target_open(struct world *w, int width, int height, unsigned n)
{
	static const struct gcs_attribute attribute = {
	    .name = "GC start per second", .format = GCS_DECIMAL};
	static const struct gcs_event update = {
	    .name = "Update", .attribute_count = 1, .attributes = &attribute};
	struct gcs_error err;
	target = (struct target){.update_ms = 50};
	world_open(w, width, height);
	world_must(gcs_model_add_event(w->model, &update, NULL, &err) == GCS_OK, err.text);
	for (int i = 0; i < TARGET_PLUGINS; i++)
		world_must(
		    gcs_model_add_plugin(w->model, &plugins[i], NULL, &err) == GCS_OK, err.text);
	w->source.target = &functions;
	world_live(w, 0);
	for (unsigned i = 0; i < n; i++)
		target_event(w, 4 * i);
}
