/* Objects and bytes by class: one IterateThroughHeap whose callback counts. Declared in paths.h. */

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
#include "now.h"

enum { COLUMN_CLASS, COLUMN_OBJECTS, COLUMN_BYTES, COLUMNS };

struct class_count {
	uint64_t objects, bytes;
	uint32_t class_;
};

struct counting {
	struct tag_space tags;
	struct class_count *counts; /* by class; the last one: classes that were loaded meanwhile */
	uint32_t classes;
	uint64_t objects, bytes, pause_ns;
};

/* In the VM thread, at a safepoint. */
static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag, jint length, void *context)
{
	struct counting *c = context;
	uint32_t class_ = tag_class(&c->tags, class_tag);
	(void)tag, (void)length;
	class_ = class_ == TAG_NONE ? c->classes : class_;
	c->counts[class_].objects++;
	c->counts[class_].bytes += (uint64_t)size;
	return 0;
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
	char name[512], title[200], all[40], pause[40], objects[40];
	bool ok = cells != NULL;
	for (uint32_t i = 0; ok && i < rows; i++) {
		struct gcs_cell *row = &cells[(size_t)i * COLUMNS];
		if (c->counts[i].class_ == c->classes)
			snprintf(name, sizeof name, "(classes that were loaded meanwhile)");
		else
			class_text(&c->tags, c->tags.classes[c->counts[i].class_].class_, name,
			    sizeof name);
		row[COLUMN_CLASS].text = arena_text(&texts, name, strlen(name));
		row[COLUMN_OBJECTS].number = (int64_t)c->counts[i].objects;
		row[COLUMN_BYTES].number = (int64_t)c->counts[i].bytes;
		ok = row[COLUMN_CLASS].text != NULL;
	}
	snprintf(title, sizeof title, "%s in %s objects; 1 pause of %s",
	    gcs_format_number(all, sizeof all, (int64_t)c->bytes, GCS_BYTES),
	    gcs_format_count(objects, sizeof objects, c->objects),
	    gcs_format_number(pause, sizeof pause, (int64_t)c->pause_ns, GCS_NANOSECONDS));
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

enum gcs_status class_histogram(JavaVM *java, JNIEnv *jni, void **bytes, size_t *length,
    char *words, size_t size, struct gcs_error *err)
{
	const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_object};
	struct counting c = {.counts = NULL};
	enum gcs_status status = tag_space_begin(&c.tags, java, jni, err);
	if (status != GCS_OK)
		return status;
	c.classes = c.tags.count;
	c.counts = gcs_zalloc(((size_t)c.classes + 1) * sizeof *c.counts);
	const uint64_t begin = now_ns();
	if (c.counts == NULL)
		status = gcs_fail(err, GCS_NOMEM, "no memory for a histogram");
	else if ((*c.tags.jvmti)->IterateThroughHeap(c.tags.jvmti, 0, NULL, &callbacks, &c) !=
		 JVMTI_ERROR_NONE)
		status = gcs_fail(err, GCS_STATE, "the JVM does not let its heap be counted");
	c.pause_ns = now_ns() - begin;
	if (status == GCS_OK)
		status = encode(&c, bytes, length, err);
	snprintf(words, size, "pause-us=%" PRIu64, c.pause_ns / 1000);
	gcs_free(c.counts);
	tag_space_end(&c.tags);
	return status;
}
