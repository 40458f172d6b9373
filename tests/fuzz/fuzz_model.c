/* Each message of a description by itself; what decodes must be refused or make a sound model that
 * codes to the same. The first byte chooses the message. */
#include "fuzz.h"

#include "codec.h"
#include "kit.h"
#include "model_internal.h"

static void add_events(struct gcs_model *m, struct rd *r, struct arena *a)
{
	uint32_t count;
	struct gcs_event *events;
	if (get_events(r, a, &count, &events))
		for (uint32_t i = 0; i < count; i++)
			(void)gcs_model_add_event(m, &events[i], NULL, NULL);
}

static void add_groups(struct gcs_model *m, struct rd *r, struct arena *a)
{
	uint32_t count;
	struct gcs_group *groups;
	if (get_groups(r, a, &count, &groups))
		for (uint32_t i = 0; i < count; i++)
			(void)gcs_model_add_group(m, &groups[i], NULL, NULL);
}

static void add_info(struct gcs_model *m, struct rd *r, struct arena *a)
{
	uint32_t count;
	struct gcs_info *info;
	if (get_info(r, a, &count, &info))
		for (uint32_t i = 0; i < count; i++)
			(void)gcs_model_set_info(m, info[i].key, info[i].value, NULL);
}

static void add_space(struct gcs_model *m, struct rd *r, struct arena *a)
{
	uint32_t id;
	struct gcs_space space;
	if (!get_space(r, a, &id, &space) || gcs_model_add_space(m, &space, &id, NULL) != GCS_OK)
		return;
	struct wr w;
	struct frame frame;
	wr_init(&w, GCS_WIRE_MAX_TO_CLIENT);
	put_space(&w, id, &m->spaces[id], NULL);
	if (w.status == GCS_OK) {
		struct gcs_model *same = gcs_model_copy(m);
		fuzz_expect(
		    frame_next(w.data, w.length, GCS_WIRE_MAX_TO_CLIENT, NULL, &frame) == GCS_OK);
		bool back = get_space(&frame.payload, a, &id, &space);
		fuzz_expect(back || frame.payload.status == GCS_NOMEM);
		if (back && same != NULL && gcs_model_set_space(same, id, &space, NULL) == GCS_OK)
			fuzz_expect(kit_model_difference(m, same) == NULL);
		gcs_model_unref(same);
	}
	wr_fini(&w);
}

static void add_plugins(struct gcs_model *m, struct rd *r, struct arena *a)
{
	uint32_t count;
	struct gcs_plugin *plugins;
	if (!get_plugins(r, a, &count, &plugins) ||
	    model_replace_plugins(m, count, plugins, NULL) != GCS_OK)
		return;
	struct wr w;
	struct frame frame;
	wr_init(&w, GCS_WIRE_MAX_TO_CLIENT);
	put_plugins(&w, m, NULL);
	fuzz_expect(w.status == GCS_OK || w.status == GCS_NOMEM);
	if (w.status == GCS_OK) {
		struct gcs_model *same = gcs_model_copy(m);
		fuzz_expect(
		    frame_next(w.data, w.length, GCS_WIRE_MAX_TO_CLIENT, NULL, &frame) == GCS_OK);
		bool back = get_plugins(&frame.payload, a, &count, &plugins);
		fuzz_expect(back || frame.payload.status == GCS_NOMEM);
		if (back && same != NULL &&
		    model_replace_plugins(same, count, plugins, NULL) == GCS_OK)
			fuzz_expect(kit_model_difference(m, same) == NULL);
		gcs_model_unref(same);
	}
	wr_fini(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const decode[])(struct gcs_model *, struct rd *, struct arena *) = {
	    add_events, add_groups, add_info, add_space, add_plugins};
	struct arena arena = {0};
	if (size == 0)
		return 0;
	fuzz_begin();
	struct gcs_model *model = kit_model();
	struct rd r = rd_over(data + 1, size - 1);
	decode[data[0] % 5](model, &r, &arena);
	fuzz_expect(gcs_model_check(model, NULL) == GCS_OK);
	arena_fini(&arena);
	gcs_model_unref(model);
	fuzz_end();
	return 0;
}
