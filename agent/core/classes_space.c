#include "classes_space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "streams.h"
#include "class_name_format.h"

enum { BYTES, INSTANCES, GROWTH, CONTROL, STREAM_COUNT };

/* Classes with a tile of their own. */
enum { TOP = 256 };

struct row {
	uint64_t bytes, objects;
	int64_t growth;
};

struct classes_space {
	const struct heap_walk *heap_walk;
	uint32_t space;
	bool shown;
	char info[300];                       /* of the last heap walk */
	uint64_t generation;                  /* of the class ids in `ids` */
	uint32_t tiles;                       /* with a class */
	uint32_t ids[TOP];                    /* the class of each tile */
	const struct heap_walk_class **order; /* of a result, by bytes */
	uint32_t order_capacity;
};

struct classes_space *classes_space_create(const struct heap_walk *heap_walk)
{
	struct classes_space *c = gcs_zalloc(sizeof *c);
	if (c != NULL)
		c->heap_walk = heap_walk;
	return c;
}

void classes_space_destroy(struct classes_space *c)
{
	if (c == NULL)
		return;
	gcs_free((void *)c->order);
	gcs_free(c);
}

uint32_t classes_space_id(const struct classes_space *c)
{
	return c->space;
}

enum gcs_status classes_space_describe(
    struct classes_space *c, struct gcs_server *server, uint32_t group, struct gcs_error *err)
{
	struct gcs_stream streams[STREAM_COUNT] = {
	    [BYTES] = stream_bytes("Bytes", "Bytes in objects of the class, including dead ones"),
	    [INSTANCES] = stream_bytes("Instances", "Objects of the class, including dead ones"),
	    [GROWTH] = stream_bytes("Growth", "Change in bytes since the heap was last walked"),
	    [CONTROL] = gcs_stream_control(GCS_TILE_USED),
	};
	streams[INSTANCES].suffix = "";
	streams[INSTANCES].format = GCS_DECIMAL;
	streams[INSTANCES].colour = 0xcc79a7;
	streams[GROWTH].min = INT64_MIN;
	streams[GROWTH].colour = 0xd55e00;
	struct gcs_space space = {
	    .name = "Classes",
	    .description = "The classes of the heap's objects, with the heavy volume. The "
			   "last tile stands for all classes without a tile of their own",
	    .tile_title = "Class",
	    .block_info = "1 class per tile",
	    .unused_text = "no class",
	    .group = group,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = STREAM_COUNT,
	    .streams = streams,
	    .default_stream = BYTES,
	};
	return gcs_server_add_space(server, &space, &c->space, err);
}

static int by_bytes(const void *a, const void *b)
{
	const struct heap_walk_class *x = *(const struct heap_walk_class *const *)a;
	const struct heap_walk_class *y = *(const struct heap_walk_class *const *)b;
	return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : x->id < y->id ? -1 : 1;
}

/* Sorts the result's classes by bytes in c->order; false without memory. */
static bool rank(struct classes_space *c, const struct heap_walk_result *p)
{
	if (p->class_count > c->order_capacity) {
		uint32_t capacity = p->class_count + p->class_count / 2;
		const struct heap_walk_class **order =
		    gcs_realloc((void *)c->order, capacity * sizeof *order);
		if (order == NULL)
			return false;
		c->order = order;
		c->order_capacity = capacity;
	}
	for (uint32_t i = 0; i < p->class_count; i++)
		c->order[i] = &p->classes[i];
	if (p->class_count != 0)
		qsort((void *)c->order, p->class_count, sizeof *c->order, by_bytes);
	return true;
}

/* The class's name in Java syntax. */
static void name_class(const struct classes_space *c, uint32_t id, char *text, size_t size)
{
	char signature[VM_CLASS_NAME + 3];
	const char *name = heap_walk_class_name(c->heap_walk, id);
	if (name[0] == '[') {
		spell_class(name, text, size);
		return;
	}
	snprintf(signature, sizeof signature, "L%s;", name);
	spell_class(signature, text, size);
}

/* The tile of a class among the first `wanted`, or GCS_NONE. */
static uint32_t tile_of(const struct classes_space *c, uint32_t wanted, uint32_t id)
{
	for (uint32_t i = 0; i < c->tiles && i < wanted; i++)
		if (c->ids[i] == id)
			return i;
	return GCS_NONE;
}

static void name_tile(
    const struct classes_space *c, struct gcs_snapshot *s, uint32_t tile, uint32_t id)
{
	char text[512];
	name_class(c, id, text, sizeof text);
	gcs_snapshot_set_name(s, c->space, tile, text);
}

/* The tile is the class's, but a server without clients has dropped its name. */
static bool lost_name(const struct classes_space *c, const struct gcs_snapshot *s, uint32_t tile)
{
	return gcs_snapshot_name(s, c->space, tile)[0] == '\0';
}

/* Gives tiles to the biggest classes, which keep theirs as long as they are among them. tiles[i]
 * becomes the tile of the i-th class by bytes. */
static void place(struct classes_space *c, struct gcs_snapshot *s, uint32_t wanted, uint32_t *tiles)
{
	bool taken[TOP] = {false};
	for (uint32_t i = 0; i < wanted; i++) {
		tiles[i] = tile_of(c, wanted, c->order[i]->id);
		if (tiles[i] == GCS_NONE)
			continue;
		taken[tiles[i]] = true;
		if (lost_name(c, s, tiles[i]))
			name_tile(c, s, tiles[i], c->order[i]->id);
	}
	uint32_t next = 0;
	for (uint32_t i = 0; i < wanted; i++) {
		if (tiles[i] != GCS_NONE)
			continue;
		while (taken[next])
			next++;
		taken[next] = true;
		tiles[i] = next;
		c->ids[next] = c->order[i]->id;
		name_tile(c, s, next, c->order[i]->id);
	}
	gcs_snapshot_set_name(s, c->space, wanted, "[all other classes]");
	c->tiles = wanted;
}

static void add(struct row *row, const struct heap_walk_class *class, bool first)
{
	row->bytes += class->bytes;
	row->objects += class->objects;
	row->growth += first ? 0 : class->growth;
}

static bool write_rows(
    const struct classes_space *c, struct gcs_snapshot *s, const struct row *rows, bool stale)
{
	int64_t *values[STREAM_COUNT], totals[STREAM_COUNT] = {0};
	for (uint32_t i = 0; i < STREAM_COUNT; i++)
		if ((values[i] = gcs_snapshot_write(s, c->space, i)) == NULL)
			return false;
	for (uint32_t t = 0; t <= c->tiles; t++) {
		values[BYTES][t] = (int64_t)rows[t].bytes;
		values[INSTANCES][t] = (int64_t)rows[t].objects;
		values[GROWTH][t] = rows[t].growth;
		values[CONTROL][t] = GCS_TILE_USED | (stale ? GCS_TILE_STALE : 0);
		for (int i = 0; i < CONTROL; i++)
			totals[i] += values[i][t];
	}
	for (uint32_t i = 0; i < CONTROL; i++)
		gcs_snapshot_set_summary(s, c->space, i, 1, &totals[i]);
	return true;
}

/* ", 3 KiB why", or nothing for 0 bytes. */
static void add_clause(char *text, size_t size, uint64_t bytes, const char *why)
{
	char number[32];
	const size_t length = strlen(text);
	if (bytes == 0)
		return;
	gcs_format_number(number, sizeof number, (int64_t)bytes, GCS_BYTES);
	snprintf(text + length, size - length, ", %s %s", number, why);
}

static void set_info(
    struct classes_space *c, struct gcs_snapshot *s, const struct heap_walk_result *p)
{
	char used[32], behind[32], unparsable[32];
	gcs_format_number(used, sizeof used, (int64_t)p->used, GCS_BYTES);
	gcs_format_number(behind, sizeof behind, (int64_t)p->behind, GCS_BYTES);
	gcs_format_number(unparsable, sizeof unparsable, (int64_t)p->unparsable, GCS_BYTES);
	snprintf(c->info, sizeof c->info,
	    "%u classes; of %s in use %s not walked again yet, %s unparsable", p->class_count, used,
	    behind, unparsable);
	add_clause(c->info, sizeof c->info, p->unsettled,
	    "in parts counted by class when they are complete");
	add_clause(c->info, sizeof c->info, p->lost, "not counted by class");
	gcs_snapshot_set_space_info(s, c->space, c->info);
}

static bool map_picture(
    struct classes_space *c, struct gcs_snapshot *s, const struct heap_walk_result *p)
{
	struct row rows[TOP + 1] = {{0}};
	uint32_t tiles[TOP], wanted = p->class_count < TOP ? p->class_count : TOP;
	if (p->generation != c->generation)
		c->tiles = 0;
	c->generation = p->generation;
	if (!rank(c, p) || (gcs_snapshot_tiles(s, c->space) != wanted + 1 &&
			       !gcs_snapshot_resize(s, c->space, wanted + 1)))
		return false;
	place(c, s, wanted, tiles);
	for (uint32_t i = 0; i < p->class_count; i++)
		add(&rows[i < wanted ? tiles[i] : wanted], c->order[i], p->first);
	set_info(c, s, p);
	c->shown = true;
	return write_rows(c, s, rows, p->behind != 0);
}

/* The tiles show an earlier event. */
static bool mark_stale(const struct classes_space *c, struct gcs_snapshot *s)
{
	const uint32_t tiles = gcs_snapshot_tiles(s, c->space);
	int64_t *control = tiles == 0 ? NULL : gcs_snapshot_write(s, c->space, CONTROL);
	for (uint32_t t = 0; control != NULL && t < tiles; t++)
		control[t] |= GCS_TILE_STALE;
	return tiles == 0 || control != NULL;
}

/* Object counting is off, or does not include this event. */
static bool map_nothing(struct classes_space *c, struct gcs_snapshot *s, bool heavy)
{
	if (!heavy) {
		gcs_snapshot_set_space_info(s, c->space, "Object counting is off (light volume)");
		c->shown = false;
		c->tiles = 0;
		return gcs_snapshot_resize(s, c->space, 0);
	}
	char text[sizeof c->info + 32] = "Nothing has been counted yet";
	/* A client that attached later has not seen the event of these counts. */
	if (c->shown)
		snprintf(text, sizeof text, "At an earlier event: %s", c->info);
	gcs_snapshot_set_space_info(s, c->space, text);
	return mark_stale(c, s) && gcs_snapshot_set_gathered(s, c->space, !c->shown);
}

bool classes_space_map(struct classes_space *c, struct gcs_snapshot *s,
    const struct heap_walk_result *result, bool heavy)
{
	if (result == NULL)
		return map_nothing(c, s, heavy) &&
		       (heavy || gcs_snapshot_set_gathered(s, c->space, true));
	return map_picture(c, s, result) && gcs_snapshot_set_gathered(s, c->space, true);
}
