#include "gc_attributes.h"

enum { START_COLLECTION, START_CAUSE, START_USED, START_COMMITTED, START_COUNT };
enum {
	FINISH_COLLECTION,
	FINISH_KIND,
	FINISH_CAUSE,
	FINISH_PAUSE,
	FINISH_BEFORE,
	FINISH_AFTER,
	FINISH_COMMITTED,
	FINISH_COUNT
};

enum { CLOCK_USED, CLOCK_COMMITTED, CLOCK_COUNT };

static const struct gcs_attribute start_attributes[START_COUNT] = {
    [START_COLLECTION] = {.name = "Collection", .kind = GCS_ATTRIBUTE_NUMBER},
    [START_CAUSE] = {.name = "Cause", .kind = GCS_ATTRIBUTE_TEXT},
    [START_USED] = {.name = "Used", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
    [START_COMMITTED] = {.name = "Committed", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
};

static const struct gcs_attribute finish_attributes[FINISH_COUNT] = {
    [FINISH_COLLECTION] = {.name = "Collection", .kind = GCS_ATTRIBUTE_NUMBER},
    [FINISH_KIND] = {.name = "Kind",
	.kind = GCS_ATTRIBUTE_ENUM,
	.enum_count = GC_KIND_COUNT,
	.enum_names = gc_kind_names},
    [FINISH_CAUSE] = {.name = "Cause", .kind = GCS_ATTRIBUTE_TEXT},
    [FINISH_PAUSE] = {.name = "Pause", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_NANOSECONDS},
    [FINISH_BEFORE] = {.name = "Used before", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
    [FINISH_AFTER] = {.name = "Used after", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
    [FINISH_COMMITTED] = {.name = "Committed", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
};

static const struct gcs_attribute clock_attributes[CLOCK_COUNT] = {
    [CLOCK_USED] = {.name = "Used", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
    [CLOCK_COMMITTED] = {.name = "Committed", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
};

const struct gcs_event gc_event_descriptions[GC_EVENT_COUNT] = {
    [GC_EVENT_START] = {.name = "GC start",
	.description =
	    "A collection begins; the program is stopped and nothing has been collected yet",
	.colour = 0xe69f00,
	.attribute_count = START_COUNT,
	.attributes = start_attributes},
    [GC_EVENT_FINISH] = {.name = "GC finish",
	.description = "A collection has ended; the program is about to continue",
	.colour = 0x56b4e9,
	.attribute_count = FINISH_COUNT,
	.attributes = finish_attributes},
    [GC_EVENT_CLOCK] = {.name = "Clock",
	.description =
	    "A clock tick (option clock=); the program keeps running and cannot be paused here",
	.colour = 0x999999,
	.attribute_count = CLOCK_COUNT,
	.attributes = clock_attributes},
};

static void set_bytes(struct gcs_snapshot *s, uint32_t attribute, uint64_t bytes)
{
	gcs_snapshot_set_number(s, attribute, (int64_t)bytes);
}

static void set_start(
    struct gcs_snapshot *s, const struct capture *c, const struct heap_totals *now)
{
	if (c->collection != 0)
		gcs_snapshot_set_number(s, START_COLLECTION, (int64_t)c->collection);
	gcs_snapshot_set_text(s, START_CAUSE, c->cause);
	if (now == NULL)
		return;
	set_bytes(s, START_USED, now->used);
	set_bytes(s, START_COMMITTED, now->committed);
}

static void set_finish(struct gcs_snapshot *s, const struct capture *c, enum gc_kind kind,
    const struct gc_sizes *sizes)
{
	bool concurrent = kind == GC_REMARK || kind == GC_CLEANUP;
	if (c->collection != 0)
		gcs_snapshot_set_number(s, FINISH_COLLECTION, (int64_t)c->collection);
	gcs_snapshot_set_number(s, FINISH_KIND, kind);
	gcs_snapshot_set_text(
	    s, FINISH_CAUSE, c->cause[0] == '\0' && concurrent ? "Concurrent cycle" : c->cause);
	if (c->pause_ns != 0)
		gcs_snapshot_set_number(s, FINISH_PAUSE, (int64_t)c->pause_ns);
	if (sizes->before != NULL)
		set_bytes(s, FINISH_BEFORE, sizes->before->used);
	if (sizes->now == NULL)
		return;
	set_bytes(s, FINISH_AFTER, sizes->now->used);
	set_bytes(s, FINISH_COMMITTED, sizes->now->committed);
}

static void set_clock(struct gcs_snapshot *s, const struct heap_totals *now)
{
	if (now == NULL)
		return;
	set_bytes(s, CLOCK_USED, now->used);
	set_bytes(s, CLOCK_COMMITTED, now->committed);
}

void gc_attributes_set(struct gcs_snapshot *s, const struct capture *c, enum gc_kind kind,
    const struct gc_sizes *sizes)
{
	switch (c->trigger) {
	case CAPTURE_START:
		set_start(s, c, sizes->now);
		break;
	case CAPTURE_FINISH:
		set_finish(s, c, kind, sizes);
		break;
	case CAPTURE_TICK:
		set_clock(s, sizes->now);
		break;
	case CAPTURE_REQUEST:
		break; /* belongs to no event */
	}
}
