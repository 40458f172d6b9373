#include "report_history.h"

#include <string.h>

#include <gcspy/memory.h>

#include "report_look.h"
#include "trace_walk.h"

/* Looks are counted as: nothing, unused, zero, a number, or one of the names' colours. */
enum { SEEN_NUMBER = LOOK_SHADES, SEEN_NAMES };

_Static_assert((int)SEEN_NAMES + (int)NAME_COLOURS == (int)HISTORY_SEEN, "a counter for each");

bool history_init(struct history *h, uint64_t events, uint32_t tiles)
{
	memset(h, 0, sizeof *h);
	h->per_row = (events + HISTORY_ROWS - 1) / HISTORY_ROWS;
	h->per_row += h->per_row == 0;
	h->per_column = (tiles + HISTORY_COLUMNS - 1) / HISTORY_COLUMNS;
	h->per_column += h->per_column == 0;
	h->row = gcs_zalloc(HISTORY_ROWS * sizeof h->row[0]);
	h->pixels = gcs_zalloc((size_t)HISTORY_ROWS * HISTORY_COLUMNS);
	h->seen = gcs_zalloc(HISTORY_COLUMNS * sizeof h->seen[0]);
	h->largest = gcs_zalloc(HISTORY_COLUMNS);
	return h->row != NULL && h->pixels != NULL && h->seen != NULL && h->largest != NULL;
}

void history_fini(struct history *h)
{
	gcs_model_unref(h->model);
	gcs_free(h->space);
	gcs_free(h->row);
	gcs_free(h->pixels);
	gcs_free(h->seen);
	gcs_free(h->largest);
	memset(h, 0, sizeof *h);
}

/* What a column of the finished row shows. */
static uint8_t settle(const struct history *h, uint32_t column)
{
	const uint32_t *seen = h->seen[column];
	unsigned best = LOOK_NOTHING;
	if (!h->names && seen[SEEN_NUMBER] != 0)
		return h->largest[column];
	for (unsigned i = 1; i < HISTORY_SEEN; i++)
		if (i != SEEN_NUMBER && seen[i] > seen[best])
			best = i;
	return (uint8_t)(best >= SEEN_NAMES ? LOOK_NAMES + best - SEEN_NAMES : best);
}

static void finish_row(struct history *h)
{
	if (h->in_row == 0)
		return;
	uint8_t *line = h->pixels + (size_t)(h->rows - 1) * HISTORY_COLUMNS;
	for (uint32_t i = 0; i < HISTORY_COLUMNS; i++)
		line[i] = settle(h, i);
	memset(h->seen, 0, HISTORY_COLUMNS * sizeof h->seen[0]);
	memset(h->largest, 0, HISTORY_COLUMNS);
	h->in_row = 0;
}

void history_end(struct history *h)
{
	finish_row(h);
}

/* A space that has outgrown the columns: two neighbours become one, everywhere. */
static void widen(struct history *h)
{
	for (uint32_t y = 0; y < h->rows; y++) {
		uint8_t *line = h->pixels + (size_t)y * HISTORY_COLUMNS;
		for (uint32_t x = 0; x < HISTORY_COLUMNS; x++) {
			uint8_t a = 0, b = 0;
			if (2 * x + 1 < HISTORY_COLUMNS) {
				a = line[2 * x];
				b = line[2 * x + 1];
			}
			line[x] = h->names && a > LOOK_ZERO ? a : a > b ? a : b;
		}
	}
	for (uint32_t x = 0; x < HISTORY_COLUMNS; x++) {
		bool inside = 2 * x + 1 < HISTORY_COLUMNS;
		for (unsigned i = 0; i < HISTORY_SEEN; i++)
			h->seen[x][i] = inside ? h->seen[2 * x][i] + h->seen[2 * x + 1][i] : 0;
		uint8_t a = inside ? h->largest[2 * x] : 0, b = inside ? h->largest[2 * x + 1] : 0;
		h->largest[x] = a > b ? a : b;
	}
	h->per_column *= 2;
	h->columns = (h->columns + 1) / 2;
}

static void add_tiles(struct history *h, const struct look_rule *rule)
{
	while ((uint64_t)h->per_column * HISTORY_COLUMNS < rule->tiles)
		widen(h);
	for (uint32_t i = 0; i < rule->tiles; i++) {
		uint32_t column = i / h->per_column;
		uint8_t look = look_at(rule, i);
		unsigned seen = look;
		if (look >= LOOK_NAMES) {
			seen = (unsigned)(SEEN_NAMES + look - LOOK_NAMES);
		} else if (look >= LOOK_SHADES) {
			seen = SEEN_NUMBER;
			h->largest[column] = look > h->largest[column] ? look : h->largest[column];
		}
		h->seen[column][seen]++;
	}
	uint32_t used = (rule->tiles + h->per_column - 1) / h->per_column;
	h->columns = used > h->columns ? used : h->columns;
	h->most_tiles = rule->tiles > h->most_tiles ? rule->tiles : h->most_tiles;
}

static void add_figures(
    struct history_row *row, const struct look_rule *rule, const struct gcs_snapshot *s)
{
	int64_t pause;
	/* The default stream's own summary, or that of the first stream that has a total. */
	for (uint32_t i = 0; i <= rule->space->stream_count; i++) {
		uint32_t id = i == 0 ? rule->stream_id : i - 1, count = 0;
		enum gcs_summary_kind summed = rule->space->streams[id].summary;
		if (summed != GCS_SUMMARY_TOTAL && summed != GCS_SUMMARY_SHARE)
			continue;
		const int64_t *values = gcs_snapshot_summary(s, rule->space_id, id, &count);
		if (values != NULL && count != 0 && (!row->has_most || values[0] > row->most)) {
			row->most = values[0];
			row->has_most = true;
		}
		break;
	}
	if (trace_walk_number(s, "Pause", GCS_NANOSECONDS, &pause) && (double)pause > row->pause_ns)
		row->pause_ns = (double)pause;
	const char *kind = trace_walk_kind(s, NULL);
	row->full = row->full || (kind != NULL && strncmp(kind, "Full", 4) == 0);
	row->tiles = rule->tiles > row->tiles ? rule->tiles : row->tiles;
}

/* The description that legend and labels are taken from; false without memory. */
static bool remember(struct history *h, const struct gcs_snapshot *s, const struct look_rule *rule)
{
	if (h->space != NULL)
		return true;
	h->space = gcs_strdup(rule->space->name);
	h->model = gcs_model_ref((struct gcs_model *)(uintptr_t)gcs_snapshot_model(s));
	h->space_id = rule->space_id;
	h->stream_id = rule->stream_id;
	h->names = look_is_name(rule);
	return h->space != NULL;
}

bool history_add(struct history *h, const struct gcs_snapshot *s, uint64_t place)
{
	struct look_rule rule;
	if (!look_init(&rule, s, h->space))
		return true;
	if (!remember(h, s, &rule))
		return false;
	if (h->in_row == h->per_row)
		finish_row(h);
	if (h->in_row == 0) {
		if (h->rows == HISTORY_ROWS)
			return true;
		h->row[h->rows++] = (struct history_row){
		    .place = place, .time_ns = gcs_snapshot_occurrence(s)->time_ns};
	}
	h->in_row++;
	add_tiles(h, &rule);
	add_figures(&h->row[h->rows - 1], &rule, s);
	return true;
}
