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
	FINISH_PROMOTED,
	FINISH_HUMONGOUS,
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
    [FINISH_PROMOTED] = {.name = "Promoted", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
    [FINISH_HUMONGOUS] = {.name = "Humongous regions", .kind = GCS_ATTRIBUTE_NUMBER},
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
    [GC_EVENT_ALLOCATION] = {.name = "Sampled allocation",
	.description =
	    "A trigger has fired at the sample of an allocation (option interval=); other "
	    "samples are not sent",
	.colour = 0xcc79a7,
	.attribute_count = SAMPLE_EVENT_COUNT,
	.attributes = sample_event_attributes},
};

_Static_assert((int)FINISH_COUNT <= (int)GC_ATTRIBUTES, "room for all values");

static void number(struct gc_values *v, uint32_t attribute, uint64_t value)
{
	v->known |= UINT64_C(1) << attribute;
	v->numbers[attribute] = (int64_t)value;
}

static void text(struct gc_values *v, uint32_t attribute, const char *value)
{
	v->known |= UINT64_C(1) << attribute;
	v->texts[attribute] = value;
}

static void of_start(struct gc_values *v, const struct capture *c, const struct heap_totals *now)
{
	if (c->collection != 0)
		number(v, START_COLLECTION, c->collection);
	text(v, START_CAUSE, c->cause);
	if (now == NULL)
		return;
	number(v, START_USED, now->used);
	number(v, START_COMMITTED, now->committed);
}

/* The growth of the old generation, which nothing but a young collection has to itself. */
static void of_promotion(struct gc_values *v, enum gc_kind kind, const struct gc_sizes *sizes)
{
	const struct heap_totals *before = sizes->before, *now = sizes->now;
	if (kind == GC_YOUNG && before != NULL && before->has_old && now->has_old)
		number(v, FINISH_PROMOTED, now->old > before->old ? now->old - before->old : 0);
}

static void of_finish(
    struct gc_values *v, const struct capture *c, enum gc_kind kind, const struct gc_sizes *sizes)
{
	bool concurrent = kind == GC_REMARK || kind == GC_CLEANUP;
	if (c->collection != 0)
		number(v, FINISH_COLLECTION, c->collection);
	number(v, FINISH_KIND, kind);
	text(v, FINISH_CAUSE, c->cause[0] == '\0' && concurrent ? "Concurrent cycle" : c->cause);
	if (c->pause_ns != 0)
		number(v, FINISH_PAUSE, c->pause_ns);
	if (sizes->before != NULL)
		number(v, FINISH_BEFORE, sizes->before->used);
	if (sizes->now == NULL)
		return;
	number(v, FINISH_AFTER, sizes->now->used);
	number(v, FINISH_COMMITTED, sizes->now->committed);
	of_promotion(v, kind, sizes);
	if (sizes->now->has_humongous)
		number(v, FINISH_HUMONGOUS, sizes->now->humongous);
}

static void of_clock(struct gc_values *v, const struct heap_totals *now)
{
	if (now == NULL)
		return;
	number(v, CLOCK_USED, now->used);
	number(v, CLOCK_COMMITTED, now->committed);
}

void gc_attributes_of(
    struct gc_values *v, const struct capture *c, enum gc_kind kind, const struct gc_sizes *sizes)
{
	*v = (struct gc_values){.known = 0};
	switch (c->trigger) {
	case CAPTURE_START:
		of_start(v, c, sizes->now);
		break;
	case CAPTURE_FINISH:
		of_finish(v, c, kind, sizes);
		break;
	case CAPTURE_TICK:
		of_clock(v, sizes->now);
		break;
	case CAPTURE_REQUEST: /* belongs to no event */
	case CAPTURE_ALLOCATION:
		break;
	}
}

void gc_attributes_set(struct gcs_snapshot *s, const struct capture *c, enum gc_kind kind,
    const struct gc_sizes *sizes)
{
	struct gc_values v;
	gc_attributes_of(&v, c, kind, sizes);
	for (uint32_t i = 0; i < GC_ATTRIBUTES; i++) {
		if ((v.known >> i & 1) == 0)
			continue;
		if (v.texts[i] != NULL)
			gcs_snapshot_set_text(s, i, v.texts[i]);
		else
			gcs_snapshot_set_number(s, i, v.numbers[i]);
	}
	if (c->trigger == CAPTURE_ALLOCATION)
		sample_event_set(s, c->allocation);
}
