#include "memory_space.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "now.h"
#include "process_memory.h"
#include "streams.h"

enum { CONTROL = SMAPS_FIGURE_COUNT, STREAM_COUNT };

/* Read again after a second, and after PAUSE_FACTOR times as long as reading it took: 0.5 % of the time. */
static const uint64_t INTERVAL_NS = 1000000000;
enum { PAUSE_FACTOR = 200, INFO = 320, NAMED = 3 };

struct memory_space {
	struct process_memory *memory;
	uint32_t space, group;
	bool known;
	uint64_t next_ns; /* when it may be read again */
	char info[INFO];
};

struct memory_space *memory_space_create(const struct vm *vm, struct threads *threads)
{
	struct memory_space *m = gcs_zalloc(sizeof *m);
	if (m == NULL)
		return NULL;
	snprintf(m->info, sizeof m->info, "Not read yet");
	m->memory = process_memory_create(vm, threads);
	if (m->memory == NULL) {
		gcs_free(m);
		return NULL;
	}
	return m;
}

void memory_space_destroy(struct memory_space *m)
{
	if (m == NULL)
		return;
	process_memory_destroy(m->memory);
	gcs_free(m);
}

uint32_t memory_space_id(const struct memory_space *m)
{
	return m->space;
}

uint32_t memory_space_group(const struct memory_space *m)
{
	return m->group;
}

enum gcs_status memory_space_describe(
    struct memory_space *m, struct gcs_server *server, struct gcs_error *err)
{
	struct gcs_stream streams[STREAM_COUNT] = {
	    [SMAPS_RESIDENT] = stream_bytes("Resident",
		"Bytes in memory; a page counts once for each place where it is mapped"),
	    [SMAPS_PROPORTIONAL] = stream_bytes("Proportional",
		"Bytes in memory, where a page that is mapped N times, also by other processes, "
		"counts as 1/N"),
	    [SMAPS_DIRTY] = stream_bytes("Private dirty",
		"Resident bytes that only this process has and that no file holds"),
	    [SMAPS_SWAPPED] = stream_bytes("Swapped", "Bytes in swap"),
	    [SMAPS_RESERVED] = stream_bytes("Reserved", "Bytes of address space"),
	    [CONTROL] = gcs_stream_control(GCS_TILE_USED),
	};
	streams[SMAPS_DIRTY].colour = 0xd55e00;
	streams[SMAPS_RESERVED].colour = 0x999999;
	enum gcs_status status = gcs_server_add_group(
	    server, &(struct gcs_group){.name = "Process", .parent = GCS_NONE}, &m->group, err);
	const struct gcs_space space = {
	    .name = "Memory",
	    .description = "The memory of the process by what it is for, from /proc/self/smaps. "
			   "Other anonymous has the collector's marks and remembered sets, direct "
			   "mappings of libraries, and other allocators than the C library's",
	    .tile_title = "Kind of memory",
	    .block_info = "1 kind per tile",
	    .unused_text = "none",
	    .group = m->group,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = STREAM_COUNT,
	    .streams = streams,
	    .default_stream = SMAPS_RESIDENT,
	};
	return status != GCS_OK ? status : gcs_server_add_space(server, &space, &m->space, err);
}

static void append(struct memory_space *m, const char *text, const char *more)
{
	const size_t length = strlen(m->info);
	snprintf(m->info + length, sizeof m->info - length, "%s%s", text, more);
}

/* The tiles have names only where there is room: the largest ones are named in the space's line. */
static void name_largest(struct memory_space *m)
{
	const memory_figures *figures = process_memory_figures(m->memory);
	bool named[MEMORY_KIND_COUNT] = {false};
	for (int i = 0; i < NAMED; i++) {
		int largest = -1;
		char bytes[40];
		for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++)
			if (!named[kind] && (largest == -1 || figures[kind][SMAPS_RESIDENT] >
								  figures[largest][SMAPS_RESIDENT]))
				largest = kind;
		named[largest] = true;
		gcs_format_number(
		    bytes, sizeof bytes, (int64_t)figures[largest][SMAPS_RESIDENT], GCS_BYTES);
		append(m, i == 0 ? "" : ", ", memory_kind_name((enum memory_kind)largest));
		append(m, " ", bytes);
	}
}

static void explain(struct memory_space *m, uint64_t took_ns)
{
	char when[32] = "", took[48];
	const time_t now = (time_t)(now_wall_ns() / 1000000000);
	struct tm parts;
	if (localtime_r(&now, &parts) != NULL)
		(void)strftime(when, sizeof when, "%H:%M:%S", &parts);
	snprintf(took, sizeof took, "; %u mappings, read in %.1f ms",
	    process_memory_mappings(m->memory), (double)took_ns / 1e6);
	m->info[0] = '\0';
	name_largest(m);
	append(m, "; as of ", when);
	append(m, took, "");
	for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++)
		if (process_memory_unknown(m->memory, (enum memory_kind)kind))
			append(m, "; not told apart: ", memory_kind_name((enum memory_kind)kind));
}

static void read_memory(struct memory_space *m)
{
	const uint64_t begin = now_ns();
	m->known = process_memory_read(m->memory);
	const uint64_t end = now_ns(), pause = (end - begin) * PAUSE_FACTOR;
	m->next_ns = end + (pause > INTERVAL_NS ? pause : INTERVAL_NS);
	if (m->known)
		explain(m, end - begin);
	else
		snprintf(m->info, sizeof m->info, "/proc/self/smaps cannot be read");
}

static bool write(const struct memory_space *m, struct gcs_snapshot *s)
{
	const memory_figures *figures = process_memory_figures(m->memory);
	int64_t *values[STREAM_COUNT], totals[STREAM_COUNT] = {0};
	if (!streams_write(s, m->space, NULL, STREAM_COUNT, values))
		return false;
	for (uint32_t kind = 0; kind < MEMORY_KIND_COUNT; kind++) {
		for (int i = 0; i < SMAPS_FIGURE_COUNT; i++) {
			values[i][kind] = (int64_t)figures[kind][i];
			totals[i] += values[i][kind];
		}
		values[CONTROL][kind] =
		    figures[kind][SMAPS_RESERVED] != 0 ? GCS_TILE_USED : GCS_TILE_UNUSED;
		if (gcs_snapshot_name(s, m->space, kind)[0] == '\0')
			gcs_snapshot_set_name(
			    s, m->space, kind, memory_kind_name((enum memory_kind)kind));
	}
	for (uint32_t i = 0; i < CONTROL; i++)
		gcs_snapshot_set_summary(s, m->space, i, 1, &totals[i]);
	return true;
}

bool memory_space_map(struct memory_space *m, struct gcs_snapshot *s, bool collecting)
{
	if (!collecting && now_ns() >= m->next_ns)
		read_memory(m);
	const uint32_t tiles = m->known ? MEMORY_KIND_COUNT : 0;
	gcs_snapshot_set_space_info(s, m->space, m->info);
	if (gcs_snapshot_tiles(s, m->space) != tiles && !gcs_snapshot_resize(s, m->space, tiles))
		return false;
	return (tiles == 0 || write(m, s)) && gcs_snapshot_set_gathered(s, m->space, true);
}
