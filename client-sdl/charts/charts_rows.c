#include "charts_rows.h"

#include <gcspy/format.h>
#include <stdlib.h>

#include "findtext.h"

/* The filter's search term. */
struct wanted {
	const char *name; /* part of a name; NULL: search for the number */
	uint64_t number;
	const int64_t *start, *end; /* address columns, or NULL */
};

static struct wanted wanted_of(const struct charts *c)
{
	struct wanted w = {.name = c->table.field.text};
	uint32_t start = gcs_space_role(c->data.space, GCS_ROLE_RANGE_START);
	uint32_t end = gcs_space_role(c->data.space, GCS_ROLE_RANGE_END);
	if (start != GCS_NONE && end != GCS_NONE) {
		w.start = gcs_snapshot_values(c->snapshot, c->data.space_id, start);
		w.end = gcs_snapshot_values(c->snapshot, c->data.space_id, end);
	}
	if (findtext_address(w.name, &w.number) || gcs_parse_number(w.name, &w.number))
		w.name = NULL;
	return w;
}

/* Matches a tile by number or address, by name, or by a value in a column. */
static bool passes(const struct charts *c, const struct wanted *w, uint32_t tile)
{
	const struct chart_table_state *t = &c->table;
	if (w->name != NULL) {
		if (findtext_fit(gcs_snapshot_name(c->snapshot, c->data.space_id, tile), w->name))
			return true;
	} else if (tile == w->number ||
		   (w->start != NULL && w->end != NULL && w->number >= (uint64_t)w->start[tile] &&
		       w->number < (uint64_t)w->end[tile])) {
		return true;
	}
	for (int i = 1; i < t->columns; i++) {
		const struct chart_data *d = &t->data[i];
		if (d->values == NULL || !chart_used(d, tile))
			continue;
		uint64_t index = (uint64_t)d->values[tile] - (uint64_t)d->stream->min;
		bool named = d->stream->presentation == GCS_ENUM && index < d->stream->enum_count;
		if (w->name == NULL && !named && (uint64_t)d->values[tile] == w->number)
			return true;
		if (w->name != NULL && named && findtext_fit(d->stream->enum_names[index], w->name))
			return true;
	}
	return false;
}

/* The tile's column, and as many streams as fit, the selected one among them. */
static void set_columns(struct charts *c)
{
	struct chart_table_state *t = &c->table;
	const struct gcs_space *s = c->data.space;
	uint32_t before = 0, all = 0;
	for (uint32_t i = 0; i < s->stream_count; i++) {
		if (s->streams[i].role != GCS_ROLE_DATA)
			continue;
		before += i < c->data.stream_id;
		all++;
	}
	uint32_t room = CHART_COLUMNS - 1;
	uint32_t skip = all <= room ? 0 : before < room ? 0 : before - room + 1;
	t->column[0] = (struct table_column){.name = "tile",
	    .title = s->tile_title[0] != 0 ? s->tile_title : "Tile",
	    .width = gcs_space_role(s, GCS_ROLE_RANGE_END) != GCS_NONE ? 196 : 130,
	    .stretch = 1,
	    .rising = true};
	t->stream[0] = GCS_NONE;
	t->columns = 1;
	for (uint32_t i = chart_next_stream(s, GCS_NONE);
	     i != GCS_NONE && t->columns < CHART_COLUMNS; i = chart_next_stream(s, i)) {
		if (skip > 0) {
			skip--;
			continue;
		}
		const struct gcs_stream *st = &s->streams[i];
		t->column[t->columns] = (struct table_column){.name = st->name,
		    .title = st->name,
		    .align = st->presentation == GCS_ENUM ? TEXT_LEFT : TEXT_RIGHT,
		    .width = 116,
		    .stretch = 1,
		    .rank = i == c->data.stream_id ? 0 : t->columns};
		chart_data_open(&t->data[t->columns], c->snapshot, c->data.space_id, i);
		t->stream[t->columns++] = i;
	}
	t->more = all - (uint32_t)(t->columns - 1);
}

/* The sort column may have moved or disappeared. */
static void find_sort(struct chart_table_state *t)
{
	for (int i = 0; i < t->columns; i++) {
		if (t->stream[i] == t->sort) {
			t->table.sort = i;
			return;
		}
	}
	t->table.sort = 0;
	t->table.falling = false;
	t->sort = GCS_NONE;
}

static void turn_round(uint32_t *order, uint32_t count)
{
	for (uint32_t i = 0; i < count / 2; i++) {
		uint32_t x = order[i];
		order[i] = order[count - 1 - i];
		order[count - 1 - i] = x;
	}
}

static bool reserve(struct chart_table_state *t, uint32_t tiles)
{
	if (tiles <= t->capacity)
		return true;
	uint32_t *more = realloc(t->order, tiles * sizeof *more);
	if (more == NULL)
		return false;
	t->order = more;
	t->capacity = tiles;
	return true;
}

void charts_rows_filter(struct charts *c, struct app *app)
{
	struct chart_table_state *t = &c->table;
	struct wanted w = wanted_of(c);
	bool any = t->field.text[0] != 0;
	t->count = 0;
	if (!reserve(t, c->data.tiles))
		return;
	for (uint32_t i = 0; i < c->data.tiles; i++) {
		if (!any || passes(c, &w, i))
			t->order[t->count++] = i;
	}
	if (t->table.sort > 0 && t->data[t->table.sort].values != NULL)
		charts_sort(&t->data[t->table.sort], t->order, t->count, t->table.falling);
	else if (t->table.falling)
		turn_round(t->order, t->count);
	t->sorted = true;
	t->sorted_of = gcs_snapshot_occurrence(c->snapshot)->sequence;
	t->sorted_ms = app->now_ms;
	t->table.selected = TABLE_NONE;    /* found again from the selected tile */
	t->table.shown.count = UINT32_MAX; /* repaints all rows */
}

bool charts_rows_refresh(struct charts *c, struct app *app)
{
	struct chart_table_state *t = &c->table;
	bool newer = t->version != c->version;
	bool late = !t->sorted && app->now_ms - t->sorted_ms >= CHART_RESORT_MS &&
		    c->data.tiles <= CHART_MANY;
	if (!newer && !late)
		return false;
	uint32_t tiles = t->tiles, space = t->space;
	t->version = c->version;
	t->tiles = c->data.tiles;
	t->space = c->data.space_id;
	set_columns(c);
	find_sort(t);
	bool other = space != t->space || tiles != t->tiles || t->capacity == 0;
	bool by_tile = t->table.sort == 0 && t->field.text[0] == 0;
	if (other || late ||
	    (!by_tile && app->now_ms - t->sorted_ms >= CHART_RESORT_MS &&
		c->data.tiles <= CHART_MANY))
		charts_rows_filter(c, app);
	else if (!by_tile && t->sorted_of != gcs_snapshot_occurrence(c->snapshot)->sequence)
		t->sorted = false;
	return true;
}
