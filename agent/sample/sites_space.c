#include "sites_space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "streams.h"

enum { ALLOCATED, LIVE, DIED, AGE, SAMPLES, CONTROL, STREAM_COUNT };

/* Maximum number of tiles before the last one: a map of more sites is of no use. */
enum { MOST_TILES = 2048 };

#define EVERY_NS 200000000u

/* Values of a tile. */
struct row {
	double values[STREAM_COUNT - 1];
	double age_sum;
	double died_objects;
};

/* A call site, with all its ranges of sizes and regions. */
struct ranked {
	uint32_t head; /* of them */
	double bytes;
};

struct sites_space {
	struct sampler *sampler;
	uint32_t max_tiles;
	uint32_t space;
	uint32_t tiles;       /* with a site */
	struct ranked *order; /* call sites, the biggest first */
	uint32_t order_count, order_capacity;
	struct row *rows;              /* max_tiles of them and one for the others */
	uint64_t mapped_ns;            /* time of the event mapped last */
	const struct sample_store *of; /* the sample store whose sites have tiles */
};

struct sites_space *sites_space_create(struct sampler *sampler, uint32_t max_tiles)
{
	struct sites_space *s = gcs_zalloc(sizeof *s);
	if (s == NULL)
		return NULL;
	s->sampler = sampler;
	s->max_tiles = max_tiles < MOST_TILES ? max_tiles - 1 : MOST_TILES;
	s->rows = gcs_zalloc((s->max_tiles + (size_t)1) * sizeof s->rows[0]);
	if (s->rows == NULL) {
		gcs_free(s);
		return NULL;
	}
	return s;
}

void sites_space_destroy(struct sites_space *s)
{
	if (s == NULL)
		return;
	gcs_free(s->order);
	gcs_free(s->rows);
	gcs_free(s);
}

uint32_t sites_space_id(const struct sites_space *s)
{
	return s->space;
}

enum gcs_status sites_space_describe(
    struct sites_space *s, struct gcs_server *server, struct gcs_error *err)
{
	struct gcs_stream streams[STREAM_COUNT] = {
	    [ALLOCATED] =
		stream_bytes("Allocated", "Bytes allocated since sampling began (estimate)"),
	    [LIVE] = stream_bytes(
		"Live", "Bytes alive at the last collection that could tell (estimate)"),
	    [DIED] = stream_bytes("Garbage", "Bytes found dead since sampling began (estimate)"),
	    [AGE] = stream_bytes("Mean age", "Collections that dead objects survived, on average"),
	    [SAMPLES] = stream_bytes("Samples", "Sampled allocations, the basis of the estimates"),
	    [CONTROL] = gcs_stream_control(GCS_TILE_USED),
	};
	streams[AGE].suffix = " collections";
	streams[AGE].summary = GCS_SUMMARY_NONE;
	streams[SAMPLES].suffix = " samples";
	streams[AGE].format = streams[SAMPLES].format = GCS_DECIMAL;
	streams[AGE].colour = 0x0072b2;
	streams[ALLOCATED].colour = streams[SAMPLES].colour = 0xcc79a7;
	streams[DIED].colour = 0xd55e00;
	uint32_t group;
	enum gcs_status status = gcs_server_add_group(server,
	    &(struct gcs_group){.name = "Sampled allocation", .parent = GCS_NONE}, &group, err);
	if (status != GCS_OK)
		return status;
	struct gcs_space space = {
	    .name = "Call sites",
	    .description =
		"Where the program allocates: the class and the stack, while sampling is on. "
		"The last tile stands for all sites without a tile of their own",
	    .tile_title = "Call site",
	    .block_info = "1 call site per tile",
	    .unused_text = "no site",
	    .group = group,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = STREAM_COUNT,
	    .streams = streams,
	    .default_stream = LIVE,
	};
	return gcs_server_add_space(server, &space, &s->space, err);
}

/* "java.lang.String from Parser.next (Parser.java:17)". */
static void name_site(const struct stack_table *d, const struct site *site, char *text, size_t size)
{
	const struct stack_table_stack stack = stack_table_stack(d, site->key.stack);
	const char *class_name = stack_table_name(d, site->key.class_name);
	if (stack.frame == STACK_TABLE_NONE) {
		snprintf(text, size, "%s", class_name);
		return;
	}
	const struct stack_table_frame *f = stack_table_frame(d, stack.frame);
	const char *in = stack_table_name(d, f->class_name), *dot = in[0] == '\0' ? "" : ".";
	const char *method = stack_table_name(d, f->method);
	if (f->line != 0)
		snprintf(text, size, "%s from %s%s%s (%s:%u)", class_name, in, dot, method,
		    stack_table_name(d, f->file), f->line);
	else
		snprintf(text, size, "%s from %s%s%s", class_name, in, dot, method);
}

static int by_bytes(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

/* Sorts the call sites by bytes in s->order; false without memory. */
static bool rank(struct sites_space *s, const struct sites *sites)
{
	uint32_t count = 0;
	if (sites->count > s->order_capacity) {
		uint32_t capacity = sites->count + sites->count / 2;
		struct ranked *order = gcs_realloc(s->order, capacity * sizeof *order);
		if (order == NULL)
			return false;
		s->order = order;
		s->order_capacity = capacity;
	}
	for (uint32_t i = 0; i < sites->count; i++)
		s->order[i] = (struct ranked){.head = i};
	for (uint32_t i = 0; i < sites->count; i++)
		s->order[sites->items[i].head].bytes += sites->items[i].allocated.bytes;
	for (uint32_t i = 0; i < sites->count; i++)
		if (sites->items[i].head == i)
			s->order[count++] = s->order[i];
	qsort(s->order, count, sizeof s->order[0], by_bytes);
	s->order_count = count;
	return true;
}

static bool resize(struct sites_space *s, struct gcs_snapshot *snapshot, uint32_t tiles)
{
	uint32_t before = gcs_snapshot_tiles(snapshot, s->space);
	return before == tiles || gcs_snapshot_resize(snapshot, s->space, tiles);
}

/* Gives tiles to the biggest sites; a site keeps its tile as long as it is among them. */
static void place(struct sites_space *s, struct sample_store *t, struct gcs_snapshot *snapshot)
{
	uint32_t wanted = s->order_count < s->max_tiles ? s->order_count : s->max_tiles;
	bool *taken = gcs_zalloc(s->max_tiles + (size_t)1);
	char text[512];
	if (taken == NULL)
		return;
	for (uint32_t i = 0; i < s->order_count; i++) {
		struct site *site = sample_store_site(t, s->order[i].head);
		bool keeps = i < wanted && s->of == t && site->tile < wanted && !taken[site->tile];
		if (keeps)
			taken[site->tile] = true;
		else
			site->tile = GCS_NONE;
	}
	uint32_t free_tile = 0;
	for (uint32_t i = 0; i < wanted; i++) {
		struct site *site = sample_store_site(t, s->order[i].head);
		if (site->tile != GCS_NONE)
			continue;
		while (taken[free_tile])
			free_tile++;
		taken[free_tile] = true;
		site->tile = free_tile;
		name_site(sample_store_stacks(t), site, text, sizeof text);
		gcs_snapshot_set_name(snapshot, s->space, free_tile, text);
	}
	gcs_snapshot_set_name(snapshot, s->space, wanted, "[all other call sites]");
	s->tiles = wanted;
	s->of = t;
	gcs_free(taken);
}

static struct row *row_of(struct sites_space *s, const struct sites *sites, uint32_t site)
{
	const uint32_t tile = sites->items[sites->items[site].head].tile;
	return &s->rows[tile == GCS_NONE ? s->tiles : tile];
}

static void add_up(struct sites_space *s, struct sample_store *t)
{
	const struct sites *sites = sample_store_sites(t);
	uint32_t count;
	const struct tracked *live = sample_store_live(t, &count);
	memset(s->rows, 0, (s->tiles + (size_t)1) * sizeof s->rows[0]);
	for (uint32_t i = 0; i < sites->count; i++) {
		const struct site *site = &sites->items[i];
		struct row *row = row_of(s, sites, i);
		row->values[ALLOCATED] += site->allocated.bytes;
		row->values[SAMPLES] += site->samples;
		for (uint32_t k = 0; k < GCS_SURVIVAL_BUCKETS; k++)
			row->values[DIED] += site->died_bytes[k];
		row->age_sum += site->age_sum;
		row->died_objects += site->died_objects;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (live[i].judged != 0)
			row_of(s, sites, live[i].site)->values[LIVE] +=
			    tracked_estimate(&live[i]).bytes;
	}
}

static bool write_rows(struct sites_space *s, struct gcs_snapshot *snapshot)
{
	for (uint32_t stream = 0; stream < CONTROL; stream++) {
		int64_t *values = gcs_snapshot_write(snapshot, s->space, stream);
		int64_t total = 0;
		if (values == NULL)
			return false;
		for (uint32_t i = 0; i <= s->tiles; i++) {
			const struct row *row = &s->rows[i];
			double value = row->values[stream];
			if (stream == AGE)
				value =
				    row->died_objects > 0 ? row->age_sum / row->died_objects : 0;
			values[i] = (int64_t)(value + 0.5);
			total += values[i];
		}
		if (stream != AGE)
			gcs_snapshot_set_summary(snapshot, s->space, stream, 1, &total);
	}
	return true;
}

static void set_info(
    struct sites_space *s, struct gcs_snapshot *snapshot, const struct sample_store *t)
{
	char text[300], state[160];
	const struct sample_store_counts *c = sample_store_counts(t);
	sampler_describe(s->sampler, state, sizeof state);
	snprintf(text, sizeof text,
	    "Sampling %s; %llu samples, %llu not tracked, %llu without their site; bytes are "
	    "estimates",
	    state, (unsigned long long)c->samples, (unsigned long long)c->dropped,
	    (unsigned long long)c->elsewhere);
	gcs_snapshot_set_space_info(snapshot, s->space, text);
}

static bool map_store(struct sites_space *s, struct sample_store *t, struct gcs_snapshot *snapshot)
{
	if (!rank(s, sample_store_sites(t)))
		return false;
	uint32_t wanted = s->order_count < s->max_tiles ? s->order_count : s->max_tiles;
	if (!resize(s, snapshot, wanted + 1))
		return false;
	place(s, t, snapshot);
	add_up(s, t);
	set_info(s, snapshot, t);
	return write_rows(s, snapshot);
}

/* stats_spaces.c knows these words, and those of set_info, in recordings. */
static void set_info_off(struct sites_space *s, struct gcs_snapshot *snapshot)
{
	char text[300], state[160];
	sampler_describe(s->sampler, state, sizeof state);
	snprintf(text, sizeof text, "Sampling of allocations is %s", state);
	gcs_snapshot_set_space_info(snapshot, s->space, text);
	gcs_snapshot_set_gathered(snapshot, s->space, true);
}

bool sites_space_map(struct sites_space *s, struct gcs_snapshot *snapshot, bool now)
{
	uint64_t time_ns = gcs_snapshot_occurrence(snapshot)->time_ns;
	/* Without tiles no client has been attached for a while: there are no earlier values to
	 * keep. */
	bool due = now || gcs_snapshot_tiles(snapshot, s->space) == 0 ||
		   time_ns - s->mapped_ns >= EVERY_NS;
	struct sample_store *t = sampler_lock(s->sampler);
	if (t == NULL) {
		set_info_off(s, snapshot);
		return true;
	}
	bool ok = !due || map_store(s, t, snapshot);
	sampler_unlock(s->sampler);
	if (due)
		s->mapped_ns = time_ns;
	gcs_snapshot_set_gathered(snapshot, s->space, due && ok);
	return ok;
}
