/* Spaces of a few tiles, which are filled at each update: mspaces; dv and top; parked chunks by size. */
#include <stdio.h>

#include <gcspy/blocks.h>

#include "class_space.h"
#include "dl_drivers.h"

enum { FOOTPRINT, MAX_FOOTPRINT, FREE, MSPACE_START, MSPACE_END, MSPACE_STREAMS };
enum { SIZE, START, END, END_STREAMS };
enum { CHUNKS, BYTES, PARKED_STREAMS };
enum { MOST_PARKED = 1024 };

static struct gcs_stream size_stream(const char *name, const char *description)
{
	struct gcs_stream stream = bytes_stream(name, description);
	stream.paint = GCS_PAINT_PLAIN;
	return stream;
}

static enum gcs_status add_mspaces(
    struct summary_spaces *s, struct gcs_server *server, uint32_t group, struct gcs_error *err)
{
	struct gcs_stream streams[MSPACE_STREAMS] = {
	    [FOOTPRINT] = size_stream("Footprint", "Memory from the system"),
	    [MAX_FOOTPRINT] = size_stream("Most footprint", "The most that it has been"),
	    [FREE] = size_stream("Free", "Bytes in its bins, dv and top"),
	    [MSPACE_START] = gcs_stream_range_start(),
	    [MSPACE_END] = gcs_stream_range_end()};
	streams[FREE].maximum = GCS_MAX_OF_STREAM;
	streams[FREE].presentation = GCS_PERCENT;
	streams[FREE].max_stream = FOOTPRINT;
	const struct gcs_space space = {.name = "Mspaces",
	    .description = "Heaps of their own that the program has created",
	    .tile_title = "Mspace",
	    .block_info = "1 mspace per tile, oldest first",
	    .group = group,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = MSPACE_STREAMS,
	    .streams = streams};
	return gcs_server_add_space(server, &space, &s->mspaces, err);
}

static enum gcs_status add_ends(
    struct summary_spaces *s, struct gcs_server *server, uint32_t group, struct gcs_error *err)
{
	const struct gcs_stream streams[END_STREAMS] = {
	    [SIZE] = size_stream("Size", "Bytes of the chunk"),
	    [START] = gcs_stream_range_start(),
	    [END] = gcs_stream_range_end()};
	const struct gcs_space space = {.name = "dv and top",
	    .description =
		"The designated victim, from which small requests are cut that no bin serves "
		"exactly, and the chunk at the end of the heap",
	    .tile_title = "Chunk",
	    .block_info = "1 chunk per tile",
	    .group = group,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = END_STREAMS,
	    .streams = streams};
	return gcs_server_add_space(server, &space, &s->ends, err);
}

static enum gcs_status add_parked(
    struct summary_spaces *s, struct gcs_server *server, uint32_t group, struct gcs_error *err)
{
	const struct gcs_stream streams[PARKED_STREAMS] = {
	    [CHUNKS] = count_stream("Chunks", "Chunks of this size"),
	    [BYTES] = bytes_stream("Bytes", "In these chunks")};
	const struct gcs_space space = {.name = "Parked",
	    .description = "Chunks that the program has freed, kept for requests of their size "
			   "(deferred coalescing)",
	    .tile_title = "Size",
	    .block_info = "1 size of chunks per tile, smallest first",
	    .group = group,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = PARKED_STREAMS,
	    .streams = streams};
	return gcs_server_add_space(server, &space, &s->parked, err);
}

enum gcs_status summary_spaces_add(struct summary_spaces *s, struct gcs_server *server,
    const struct dlmalloc_inside *inside, uint32_t group, struct gcs_error *err)
{
	s->inside = inside;
	enum gcs_status status = add_mspaces(s, server, group, err);
	if (status == GCS_OK)
		status = add_ends(s, server, group, err);
	return status == GCS_OK ? add_parked(s, server, group, err) : status;
}

static void set(
    struct gcs_snapshot *s, uint32_t space, uint32_t stream, uint32_t tile, uint64_t value)
{
	int64_t *values = gcs_snapshot_write(s, space, stream);
	if (values != NULL)
		values[tile] = (int64_t)value;
}

static void set_total(struct gcs_snapshot *s, uint32_t space, uint32_t stream, uint64_t value)
{
	const int64_t total = (int64_t)value;
	gcs_snapshot_set_summary(s, space, stream, 1, &total);
}

static void fill_mspaces(const struct summary_spaces *own, struct gcs_snapshot *s)
{
	static struct dlmalloc_mspace all[DLMALLOC_MSPACES]; /* of the thread that flushes */
	const uint32_t count = own->inside->mspaces(all, DLMALLOC_MSPACES);
	uint64_t totals[3] = {0};
	gcs_snapshot_resize(s, own->mspaces, count);
	for (uint32_t i = 0; i < count; i++) {
		char name[24];
		const struct dlmalloc_mspace *m = &all[i];
		snprintf(name, sizeof name, "mspace %lu", (unsigned long)m->number);
		gcs_snapshot_set_name(s, own->mspaces, i, name);
		set(s, own->mspaces, FOOTPRINT, i, m->footprint);
		set(s, own->mspaces, MAX_FOOTPRINT, i, m->max_footprint);
		set(s, own->mspaces, FREE, i, m->free_bytes);
		set(s, own->mspaces, MSPACE_START, i, m->start);
		set(s, own->mspaces, MSPACE_END, i, m->end);
		totals[0] += m->footprint;
		totals[1] += m->max_footprint;
		totals[2] += m->free_bytes;
	}
	for (uint32_t i = 0; i < 3; i++)
		set_total(s, own->mspaces, i, totals[i]);
	gcs_snapshot_set_gathered(s, own->mspaces, true);
}

static void fill_ends(
    const struct summary_spaces *own, struct gcs_snapshot *s, const struct dlmalloc_state *state)
{
	const struct {
		const char *name;
		uint64_t start, size;
	} all[] = {{"dv", state->dv, state->dv_size}, {"top", state->top, state->top_size}};
	gcs_snapshot_resize(s, own->ends, 2);
	for (uint32_t i = 0; i < 2; i++) {
		gcs_snapshot_set_name(s, own->ends, i, all[i].name);
		set(s, own->ends, SIZE, i, all[i].size);
		set(s, own->ends, START, i, all[i].start);
		set(s, own->ends, END, i, all[i].start + all[i].size);
	}
	set_total(s, own->ends, SIZE, state->dv_size + state->top_size);
	gcs_snapshot_set_gathered(s, own->ends, true);
}

static void fill_parked(
    const struct summary_spaces *own, struct gcs_snapshot *s, const struct dlmalloc_state *state)
{
	static struct dlmalloc_parked sizes[MOST_PARKED]; /* of the thread that flushes */
	const uint32_t count = own->inside->parked(sizes, MOST_PARKED);
	gcs_snapshot_resize(s, own->parked, count);
	for (uint32_t i = 0; i < count; i++) {
		char name[24];
		snprintf(name, sizeof name, "%lu B", (unsigned long)sizes[i].size);
		gcs_snapshot_set_name(s, own->parked, i, name);
		set(s, own->parked, CHUNKS, i, sizes[i].chunks);
		set(s, own->parked, BYTES, i, sizes[i].chunks * sizes[i].size);
	}
	set_total(s, own->parked, CHUNKS, state->parked_chunks);
	set_total(s, own->parked, BYTES, state->parked_bytes);
	gcs_snapshot_set_gathered(s, own->parked, true);
}

void summary_spaces_fill(struct summary_spaces *own, struct gcs_snapshot *s)
{
	struct dlmalloc_state state;
	own->inside->state(&state);
	fill_mspaces(own, s);
	fill_ends(own, s, &state);
	fill_parked(own, s, &state);
}
