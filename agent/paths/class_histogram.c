/*
 * Objects and bytes by class, in one pause: counted by our own walk, where there is one for this heap
 * (heap_count.h), else in the callback of IterateThroughHeap, which takes several times as long.
 * Declared in paths.h.
 */

#include "paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "arena.h"
#include "chain_names.h"
#include "class_name_format.h"
#include "heap_count.h"
#include "now.h"
#include "pass_cost.h"

enum { COLUMN_CLASS, COLUMN_OBJECTS, COLUMN_BYTES, COLUMNS };

struct class_count {
	uint64_t objects, bytes;
	uint32_t class_;
};

struct counting {
	const struct vm *vm;
	struct tag_space tags;
	struct heap_count *walk;    /* our own; NULL: the JVM's */
	bool walked;                /* it has counted all */
	bool sampled;               /* samples refer to objects, garbage too, until a collection */
	struct class_count *counts; /* by class; the last one: those that have no name */
	uint32_t classes;
	uint64_t objects, bytes;
	struct pass_clock clock;
	struct pass_time first; /* in the VM thread */
	uint64_t wall_ns, cpu_ns;
};

/* In the VM thread, at a safepoint, as soon as it calls. */
static void note_clock(struct counting *c)
{
	if (c->clock.known)
		return;
	pass_clock_note(&c->clock);
	c->first = pass_clock_begin(&c->clock);
}

static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag, jint length, void *context)
{
	struct counting *c = context;
	uint32_t class_ = tag_class(&c->tags, class_tag);
	(void)tag, (void)length;
	note_clock(c);
	class_ = class_ == TAG_NONE ? c->classes : class_;
	c->counts[class_].objects++;
	c->counts[class_].bytes += (uint64_t)size;
	return 0;
}

/* Likewise. */
static void at_safepoint(void *context)
{
	struct counting *c = context;
	note_clock(c);
	c->walked = heap_count_run(c->walk);
}

static void take_walked(struct counting *c)
{
	uint32_t count = 0;
	const struct heap_count_total *totals = heap_count_totals(c->walk, &count);
	c->classes = count - 1;
	for (uint32_t i = 0; i < count; i++) {
		struct class_count *to = &c->counts[i == 0 ? c->classes : i - 1];
		to->objects = totals[i].objects;
		to->bytes = totals[i].bytes;
	}
}

static int by_bytes(const void *left, const void *right)
{
	const struct class_count *a = left, *b = right;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->class_ < b->class_ ? -1 : a->class_ > b->class_;
}

static uint32_t sort(struct counting *c)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i <= c->classes; i++) {
		c->objects += c->counts[i].objects;
		c->bytes += c->counts[i].bytes;
		c->counts[i].class_ = i;
		if (c->counts[i].objects != 0)
			c->counts[kept++] = c->counts[i];
	}
	if (kept != 0)
		qsort(c->counts, kept, sizeof *c->counts, by_bytes);
	return kept;
}

static void write_name(const struct counting *c, uint32_t class_, char *name, size_t size)
{
	char signature[VM_CLASS_NAME + 2];
	if (class_ == c->classes) {
		snprintf(name, size,
		    c->walked ? "(further classes)" : "(classes that were loaded meanwhile)");
	} else if (c->walked) {
		const char *own = heap_count_name(c->walk, class_ + 1);
		snprintf(signature, sizeof signature, own[0] == '[' ? "%s" : "L%s;", own);
		(void)spell_class(signature, name, size);
	} else {
		class_text(&c->tags, c->tags.classes[class_].class_, name, size);
	}
}

/* The JVM's walks of these collectors' heaps visit what is reachable (zHeapIterator.cpp,
 * shenandoahHeap.cpp), by weak references too: those of samples are ours. */
static void put_left_out(const struct counting *c, char *text, size_t size)
{
	const enum vm_collector collector = c->walked ? VM_COLLECTOR_UNKNOWN : vm_collector(c->vm);
	text[0] = '\0';
	if (collector == VM_COLLECTOR_ZGC || collector == VM_COLLECTOR_SHENANDOAH)
		snprintf(text, size, "; without garbage%s: %s finds objects by references",
		    c->sampled ? " but that of samples" : "", vm_collector_name(collector));
}

static enum gcs_status encode(
    struct counting *c, void **bytes, size_t *length, struct gcs_error *err)
{
	static const struct gcs_column columns[COLUMNS] = {
	    [COLUMN_CLASS] = {"Class", GCS_COLUMN_TEXT, GCS_DECIMAL},
	    [COLUMN_OBJECTS] = {"Objects", GCS_COLUMN_NUMBER, GCS_DECIMAL},
	    [COLUMN_BYTES] = {"Bytes", GCS_COLUMN_NUMBER, GCS_BYTES},
	};
	const uint32_t rows = sort(c);
	struct arena texts = {.blocks = NULL};
	struct gcs_cell *cells = gcs_zalloc(((size_t)rows + 1) * COLUMNS * sizeof *cells);
	char name[512], title[200], all[40], pause[40], objects[40], without[100];
	bool ok = cells != NULL;
	for (uint32_t i = 0; ok && i < rows; i++) {
		struct gcs_cell *row = &cells[(size_t)i * COLUMNS];
		write_name(c, c->counts[i].class_, name, sizeof name);
		row[COLUMN_CLASS].text = arena_text(&texts, name, strlen(name));
		row[COLUMN_OBJECTS].number = (int64_t)c->counts[i].objects;
		row[COLUMN_BYTES].number = (int64_t)c->counts[i].bytes;
		ok = row[COLUMN_CLASS].text != NULL;
	}
	put_left_out(c, without, sizeof without);
	snprintf(title, sizeof title, "%s in %s objects; 1 pause of %s%s",
	    gcs_format_number(all, sizeof all, (int64_t)c->bytes, GCS_BYTES),
	    gcs_format_count(objects, sizeof objects, c->objects),
	    gcs_format_number(pause, sizeof pause, (int64_t)c->wall_ns, GCS_NANOSECONDS), without);
	const enum gcs_status status = ok ? gcs_table_encode(&(struct gcs_table){.title = title,
								 .column_count = COLUMNS,
								 .columns = columns,
								 .row_count = rows,
								 .cells = cells},
						bytes, length, err)
					  : gcs_fail(err, GCS_NOMEM, "no memory for a histogram");
	gcs_free(cells);
	arena_fini(&texts);
	return status;
}

/* False if the JVM does not let its heap be counted. */
static bool iterate(struct counting *c)
{
	const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_object};
	c->clock.known = false;
	return (*c->tags.jvmti)->IterateThroughHeap(c->tags.jvmti, 0, NULL, &callbacks, c) ==
	       JVMTI_ERROR_NONE;
}

static bool count_objects(struct counting *c)
{
	uint64_t begin = now_ns();
	bool ok = c->walk != NULL && tag_space_pause(&c->tags, at_safepoint, c) && c->walked;
	if (!ok) {
		begin = now_ns();
		ok = iterate(c);
	}
	c->wall_ns = now_ns() - begin;
	c->cpu_ns = pass_clock_since(&c->clock, &c->first).cpu_ns;
	if (c->walked)
		take_walked(c);
	return ok;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

enum gcs_status class_histogram(const struct paths_parts *parts, JNIEnv *jni,
    struct path_counted *counted, void **bytes, size_t *length, char *message, size_t size,
    struct gcs_error *err)
{
	struct counting c = {.vm = parts->vm, .sampled = sampler_interval(parts->sampler) != 0};
	enum gcs_status status = tag_space_begin(&c.tags, parts->java, jni, err);
	if (status != GCS_OK)
		return status;
	c.classes = c.tags.count;
	c.walk = heap_count_create(parts->vm, parts->driver, parts->heap);
	c.counts =
	    gcs_zalloc(((size_t)larger(c.classes, HEAP_COUNT_CLASSES) + 1) * sizeof *c.counts);
	if (c.counts == NULL)
		status = gcs_fail(err, GCS_NOMEM, "no memory for a histogram");
	else if (!count_objects(&c))
		status = gcs_fail(err, GCS_STATE, "the JVM does not let its heap be counted");
	if (status == GCS_OK)
		status = encode(&c, bytes, length, err);
	if (status == GCS_OK)
		*counted = (struct path_counted){(double)c.objects, (double)c.bytes};
	snprintf(message, size, "pause-us=%" PRIu64 " cpu-us=%" PRIu64 " walk=%s", c.wall_ns / 1000,
	    c.cpu_ns / 1000, c.walked ? "agent" : "jvmti");
	gcs_free(c.counts);
	heap_count_destroy(c.walk);
	tag_space_end(&c.tags);
	return status;
}
