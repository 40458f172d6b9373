/*
 * The event "Sampled allocation" (F17): a sample as triggers see it, on the allocating thread. Nothing
 * of it is computed while no trigger can fire at the event.
 */
#ifndef GCSPY_AGENT_SAMPLE_EVENT_H
#define GCSPY_AGENT_SAMPLE_EVENT_H

#include <gcspy/server.h>

enum {
	SAMPLE_EVENT_CLASS,
	SAMPLE_EVENT_SIZE,
	SAMPLE_EVENT_THREAD,
	SAMPLE_EVENT_FRAME,
	SAMPLE_EVENT_STACK,
	SAMPLE_EVENT_COUNT
};

extern const struct gcs_attribute sample_event_attributes[SAMPLE_EVENT_COUNT];

/* A sample that a trigger has fired at. Texts may be "", when they are not known. */
struct sampled_allocation {
	uint64_t size;
	char class_name[GCS_MAX_NAME + 1];
	char thread[GCS_MAX_NAME + 1];
	char frame[2 * GCS_MAX_NAME]; /* the first that is not the JDK's */
	char stack[GCS_MAX_TEXT + 1]; /* lines, youngest first; as many as fit */
};

void sample_event_set(struct gcs_snapshot *snapshot, const struct sampled_allocation *allocation);

#endif
