/*
 * What a recording tells of its triggers: the condition of each, and what it does, from the events at
 * which it fired. The last 32 by name.
 */
#ifndef GCSPY_CLIENT_FIRED_LIST_H
#define GCSPY_CLIENT_FIRED_LIST_H

#include <gcspy/snapshot.h>
#include <gcspy/trigger.h>

#define FIRED_NAME      64 /* bytes, as in event headers */
#define FIRED_CONDITION 256

struct fired_trigger {
	char name[FIRED_NAME];
	char condition[FIRED_CONDITION]; /* cut */
	char plugin[FIRED_NAME];         /* "": none */
	uint32_t actions;                /* of enum gcs_trigger_action */
};

struct fired_list {
	uint32_t count;
	struct fired_trigger at[GCS_MAX_TRIGGERS];
};

/* Takes what has fired at the snapshot. */
void fired_list_note(struct fired_list *list, const struct gcs_snapshot *snapshot);

/* The trigger with that name, which may be cut, or NULL. */
const struct fired_trigger *fired_list_find(const struct fired_list *list, const char *name);

#endif
