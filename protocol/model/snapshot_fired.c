/* The triggers that have fired at a snapshot's event. */
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/trigger.h>

#include "arena.h"
#include "snapshot_internal.h"

struct fired_list {
	atomic_uint references;
	uint32_t count;
	size_t bytes;
	struct arena arena;
	struct gcs_fired fired[GCS_MAX_TRIGGERS];
};

struct fired_list *fired_ref(struct fired_list *list)
{
	if (list != NULL)
		atomic_fetch_add(&list->references, 1);
	return list;
}

void fired_unref(struct fired_list *list)
{
	if (list == NULL || atomic_fetch_sub(&list->references, 1) != 1)
		return;
	arena_fini(&list->arena);
	gcs_free(list);
}

size_t fired_bytes(const struct fired_list *list)
{
	return list == NULL ? 0 : sizeof *list + list->bytes;
}

static const char *copy(struct fired_list *list, const char *text, size_t max)
{
	const size_t length = text == NULL ? 0 : strlen(text);
	list->bytes += length + 1;
	return length > max ? NULL : arena_text(&list->arena, text == NULL ? "" : text, length);
}

bool gcs_snapshot_add_fired(struct gcs_snapshot *s, const struct gcs_fired *from)
{
	if (s->fired == NULL && (s->fired = gcs_zalloc(sizeof *s->fired)) != NULL)
		atomic_init(&s->fired->references, 1);
	struct fired_list *list = s->fired;
	if (list == NULL || list->count == GCS_MAX_TRIGGERS || from->length > GCS_MAX_FIRED_ANSWER)
		return false;
	struct gcs_fired to = {.trigger = copy(list, from->trigger, GCS_MAX_NAME),
	    .condition = copy(list, from->condition, GCS_MAX_TEXT),
	    .times = from->times,
	    .plugin = copy(list, from->plugin, GCS_MAX_NAME),
	    .status = from->status,
	    .message = copy(list, from->message, GCS_MAX_TEXT),
	    .actions = from->actions};
	bool ok = to.trigger != NULL && to.condition != NULL && to.plugin != NULL &&
		  to.message != NULL && to.trigger[0] != '\0';
	if (ok && from->length != 0) {
		to.length = from->length;
		to.answer = arena_text(&list->arena, from->answer, from->length);
		list->bytes += from->length;
		ok = to.answer != NULL;
	}
	if (ok)
		list->fired[list->count++] = to;
	return ok;
}

uint32_t gcs_snapshot_fired_count(const struct gcs_snapshot *s)
{
	return s->fired == NULL ? 0 : s->fired->count;
}

const struct gcs_fired *gcs_snapshot_fired(const struct gcs_snapshot *s, uint32_t index)
{
	return index < gcs_snapshot_fired_count(s) ? &s->fired->fired[index] : NULL;
}
