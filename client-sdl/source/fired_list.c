#include "fired_list.h"

#include <stdio.h>
#include <string.h>

static struct fired_trigger *find(struct fired_list *list, const char *name)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (strncmp(list->at[i].name, name, FIRED_NAME - 1) == 0)
			return &list->at[i];
	return NULL;
}

const struct fired_trigger *fired_list_find(const struct fired_list *list, const char *name)
{
	return find((struct fired_list *)(uintptr_t)list, name);
}

void fired_list_note(struct fired_list *list, const struct gcs_snapshot *snapshot)
{
	for (uint32_t i = 0; i < gcs_snapshot_fired_count(snapshot); i++) {
		const struct gcs_fired *f = gcs_snapshot_fired(snapshot, i);
		struct fired_trigger *t = find(list, f->trigger);
		if (t == NULL && list->count == GCS_MAX_TRIGGERS) {
			memmove(list->at, list->at + 1, --list->count * sizeof list->at[0]);
			t = &list->at[list->count++];
		} else if (t == NULL) {
			t = &list->at[list->count++];
		}
		snprintf(t->name, sizeof t->name, "%s", f->trigger);
		snprintf(t->condition, sizeof t->condition, "%s", f->condition);
		snprintf(t->plugin, sizeof t->plugin, "%s", f->plugin);
		t->actions = f->actions;
	}
}
