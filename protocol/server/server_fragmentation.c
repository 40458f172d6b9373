/*
 * The plugin that every server has whose spaces show free memory in bytes: how fragmented that is.
 *
 * Fragmentation(y, n) is that of the ISMM 2006 paper, section 4.4.3: into how many pieces n bytes are
 * cut of which the largest has at most y. Tiles tell nothing of what is in use, so that the pieces
 * here are runs of free tiles.
 */
#include "server_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "free_runs.h"
#include "model_internal.h"

/* The block's size without another, in tiles. */
enum { BLOCK_TILES = 64 };

enum { SPACE, BLOCK, PARAMETERS };

enum { COLUMN_CLASS, COLUMN_RUNS, COLUMN_BYTES, COLUMN_LARGEST, COLUMN_PIECES, COLUMNS };

static const char fragmentation[] = "fragmentation";

static uint32_t first_space(const struct gcs_model *m)
{
	uint32_t i = 0;
	while (i < m->space_count && (m->spaces[i].gone || !free_memory_known(&m->spaces[i])))
		i++;
	return i < m->space_count ? i : GCS_NONE;
}

enum gcs_status server_describe_fragmentation(struct gcs_model *m, struct gcs_error *err)
{
	const uint32_t space = first_space(m);
	char number[12];
	if (space == GCS_NONE || gcs_model_find_plugin(m, fragmentation) != GCS_NONE ||
	    m->plugin_count == GCS_MAX_PLUGINS)
		return GCS_OK;
	snprintf(number, sizeof number, "%u", (unsigned)space);
	const struct gcs_parameter parameters[PARAMETERS] = {
	    [SPACE] = {.name = "space",
		.description = "The space whose free memory is examined",
		.kind = GCS_PARAMETER_SPACE,
		.initial = number},
	    [BLOCK] = {.name = "block",
		.description = "Size of the blocks in which free runs are counted; 0: 64 tiles",
		.kind = GCS_PARAMETER_LENGTH,
		.initial = "0"},
	};
	const struct gcs_plugin plugin = {.name = fragmentation,
	    .title = "Fragmentation",
	    .description = "Runs of free tiles by size, and the most free runs in any block of "
			   "which none is larger than the size",
	    .kind = GCS_PLUGIN_TABLE,
	    .parameter_count = PARAMETERS,
	    .parameters = parameters};
	return gcs_model_add_plugin(m, &plugin, NULL, err);
}

enum gcs_status server_replace_fragmentation(struct gcs_model *m, struct gcs_error *err)
{
	struct gcs_plugin others[GCS_MAX_PLUGINS];
	uint32_t count = 0;
	for (uint32_t i = 0; i < m->plugin_count; i++)
		if (!server_is_fragmentation(&m->plugins[i]))
			others[count++] = m->plugins[i];
	return count == m->plugin_count ? GCS_OK : model_replace_plugins(m, count, others, err);
}

bool server_is_fragmentation(const struct gcs_plugin *plugin)
{
	return strcmp(plugin->name, fragmentation) == 0 && plugin->parameter_count == PARAMETERS &&
	       strcmp(plugin->parameters[SPACE].name, "space") == 0 &&
	       strcmp(plugin->parameters[BLOCK].name, "block") == 0;
}

static uint64_t end_of(const struct free_run *run)
{
	return run->start + run->bytes;
}

/*
 * The most whole runs in any `block` bytes between `low` and `high`; the runs first .. last - 1 are
 * there. A best block begins with a run or ends at `high`.
 */
static uint32_t most_between(const struct free_run *runs, uint32_t first, uint32_t last,
    uint64_t low, uint64_t high, uint64_t block)
{
	uint32_t most = 0, begin = first, end = first;
	if (high - low < block)
		return 0;
	for (uint32_t i = first; i < last; i++) {
		const uint64_t start = runs[i].start > high - block ? high - block : runs[i].start;
		while (begin < last && runs[begin].start < start)
			begin++;
		while (end < last && end_of(&runs[end]) <= start + block)
			end++;
		most = end - begin > most ? end - begin : most;
	}
	return most;
}

/* Fragmentation(largest, block), where runs above `largest` cut the space in parts. */
static uint32_t most_pieces(const struct free_run *runs, uint32_t count, uint64_t low,
    uint64_t high, uint64_t largest, uint64_t block)
{
	uint32_t most = 0, first = 0;
	for (uint32_t i = 0; i <= count; i++) {
		if (i < count && runs[i].bytes <= largest)
			continue;
		const uint64_t end = i < count ? runs[i].start : high;
		const uint32_t here = end < low ? 0 : most_between(runs, first, i, low, end, block);
		most = here > most ? here : most;
		first = i + 1;
		low = i < count ? end_of(&runs[i]) : low;
	}
	return most;
}

/* The addresses of the space. */
static void bounds(const struct free_rule *rule, uint64_t *low, uint64_t *high)
{
	const uint32_t tiles = gcs_snapshot_tiles(rule->snapshot, rule->space);
	*low = 0;
	*high = (uint64_t)(rule->tile_bytes * (double)tiles);
	if (rule->start == NULL || rule->end == NULL || tiles == 0)
		return;
	*low = UINT64_MAX;
	*high = 0;
	for (uint32_t i = 0; i < tiles; i++) {
		const uint64_t start = (uint64_t)rule->start[i], end = (uint64_t)rule->end[i];
		*low = start < end && start < *low ? start : *low;
		*high = start < end && end > *high ? end : *high;
	}
	*low = *low < *high ? *low : *high;
}

static enum gcs_status write_table(const struct free_rule *rule, const struct free_run *runs,
    uint32_t count, uint64_t block, void **bytes, size_t *length, struct gcs_error *err)
{
	static const struct gcs_column columns[COLUMNS] = {
	    [COLUMN_CLASS] = {"Below", GCS_COLUMN_NUMBER, GCS_BYTES},
	    [COLUMN_RUNS] = {"Free runs", GCS_COLUMN_NUMBER, GCS_DECIMAL},
	    [COLUMN_BYTES] = {"Free", GCS_COLUMN_NUMBER, GCS_BYTES},
	    [COLUMN_LARGEST] = {"Largest", GCS_COLUMN_NUMBER, GCS_BYTES},
	    [COLUMN_PIECES] = {"Most in a block", GCS_COLUMN_NUMBER, GCS_DECIMAL},
	};
	struct gcs_cell cells[FREE_BINS][COLUMNS] = {0};
	struct free_runs all;
	uint32_t rows = 0;
	uint64_t low, high;
	char title[500], free[40], whole[40], size[40];
	free_runs_fill(&all, rule);
	bounds(rule, &low, &high);
	for (uint32_t bin = 0; bin + 1 < FREE_BINS; bin++) {
		const uint64_t largest = ((uint64_t)2 << bin) - 1;
		if (all.bin[bin] == 0)
			continue;
		struct gcs_cell *cell = cells[rows++];
		cell[COLUMN_CLASS].number = (int64_t)(largest + 1);
		cell[COLUMN_RUNS].number = all.bin[bin];
		cell[COLUMN_BYTES].number = (int64_t)all.in_bin[bin];
		cell[COLUMN_LARGEST].number = (int64_t)all.most_of[bin];
		cell[COLUMN_PIECES].number = most_pieces(runs, count, low, high, largest, block);
		cell[COLUMN_PIECES].absent = high - low < block;
	}
	gcs_format_number(free, sizeof free, (int64_t)all.free, GCS_BYTES);
	gcs_format_number(whole, sizeof whole, (int64_t)all.whole, GCS_BYTES);
	gcs_format_number(size, sizeof size, (int64_t)block, GCS_BYTES);
	snprintf(title, sizeof title,
	    "%.200s: %s free, %s of it in %u run%s of whole tiles; blocks of %s",
	    gcs_snapshot_model(rule->snapshot)->spaces[rule->space].name, free, whole,
	    (unsigned)all.count, all.count == 1 ? "" : "s", size);
	return gcs_table_encode(&(struct gcs_table){.title = title,
				    .column_count = COLUMNS,
				    .columns = columns,
				    .row_count = rows,
				    .cells = &cells[0][0]},
	    bytes, length, err);
}

/* The heap of libgcspymalloc, alone or in a JVM, and a zoom into it: tiles have gaps between blocks. */
static bool shows_blocks(const struct gcs_space *space)
{
	return gcs_space_find_stream(space, "Blocks") != GCS_NONE &&
	       gcs_space_find_stream(space, "Largest gap") != GCS_NONE;
}

static enum gcs_status examine(const struct gcs_snapshot *snapshot, uint32_t space, uint64_t block,
    void **bytes, size_t *length, struct gcs_error *err)
{
	struct free_rule rule;
	uint32_t count;
	const struct gcs_space *described = &gcs_snapshot_model(snapshot)->spaces[space];
	const bool blocks = shows_blocks(described);
	const bool known = free_rule_init(&rule, snapshot, space);
	if (blocks || !known || !rule.in_bytes)
		return gcs_fail(err, GCS_ARGUMENT, "not known for \"%.60s\": %.200s",
		    described->name,
		    blocks  ? "a C program's free memory is between its blocks, not in whole tiles"
		    : known ? "its tiles have no size."
			    : rule.words);
	if (block == 0) {
		uint64_t low, high;
		const uint32_t tiles = gcs_snapshot_tiles(snapshot, space);
		bounds(&rule, &low, &high);
		block = tiles == 0 ? 0 : (high - low) / tiles * BLOCK_TILES;
		block = block > high - low ? high - low : block;
	}
	struct free_run *runs = free_runs_list(&rule, &count);
	if (runs == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the free runs");
	const enum gcs_status status = write_table(&rule, runs, count, block, bytes, length, err);
	gcs_free(runs);
	return status;
}

void server_answer_fragmentation(
    struct gcs_server *s, uint64_t ticket, const struct gcs_info *parameters)
{
	void *bytes = NULL;
	size_t length = 0;
	struct gcs_error err = {.text = ""};
	enum gcs_status status;
	pthread_mutex_lock(&s->lock);
	struct gcs_snapshot *latest = gcs_snapshot_ref(s->latest);
	pthread_mutex_unlock(&s->lock);
	const unsigned long long space = strtoull(parameters[SPACE].value, NULL, 10);
	if (latest == NULL || space >= gcs_snapshot_model(latest)->space_count ||
	    gcs_snapshot_model(latest)->spaces[space].gone)
		status = gcs_fail(&err, GCS_STATE, "the space has not been sent yet");
	else
		status = examine(latest, (uint32_t)space,
		    strtoull(parameters[BLOCK].value, NULL, 10), &bytes, &length, &err);
	gcs_server_answer(s, ticket, status, err.text, bytes, length);
	gcs_plugin_free(bytes);
	gcs_snapshot_unref(latest);
}
