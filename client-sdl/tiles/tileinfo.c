#include "tileinfo.h"

#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "related.h"
#include "tilecode.h"

static struct info_row *add_row(struct info_row *rows, uint32_t *n, const char *label)
{
	struct info_row *row = &rows[(*n)++];
	snprintf(row->label, sizeof row->label, "%s", label);
	row->value[0] = 0;
	row->stream = GCS_NONE;
	return row;
}

/* Describes the control bits, "" for a plain tile; true if the tile has values to show. Those say
 * what it is: a committed region is a tile in use, of type Free. */
static bool describe_state(char *out, size_t size, const struct gcs_space *s, int64_t bits)
{
	const bool used = tilecode_used(&bits, 0);
	const char *unused =
	    s->unused_text != NULL && *s->unused_text != 0 ? s->unused_text : "unused";
	const char *state = used                         ? ""
			    : bits & GCS_TILE_BACKGROUND ? "not part of the space"
							 : unused;
	char text[250];
	snprintf(text, sizeof text, "%s%s%s%s%s", used ? "" : ", ", state,
	    bits & GCS_TILE_LINK ? ", linked to the next" : "",
	    bits & GCS_TILE_SEPARATOR ? ", border before" : "",
	    bits & GCS_TILE_STALE ? ", older than the snapshot" : "");
	snprintf(out, size, "%s", text[0] != 0 ? text + 2 : "");
	return used;
}

static void add_range(const struct gcs_snapshot *snapshot, uint32_t space, uint32_t tile,
    struct info_row *rows, uint32_t *n)
{
	const struct gcs_space *s = &gcs_snapshot_model(snapshot)->spaces[space];
	const int64_t *start = tilecode_column(snapshot, space, GCS_ROLE_RANGE_START);
	const int64_t *end = tilecode_column(snapshot, space, GCS_ROLE_RANGE_END);
	/* The range of a tile without a name is its title. */
	if (start == NULL || end == NULL || *gcs_snapshot_name(snapshot, space, tile) == 0)
		return;
	const enum gcs_format format = s->streams[gcs_space_role(s, GCS_ROLE_RANGE_START)].format;
	char a[64], b[64];
	gcs_format_number(a, sizeof a, start[tile], format);
	gcs_format_number(b, sizeof b, end[tile], format);
	struct info_row *row = add_row(rows, n, "Range");
	snprintf(row->value, sizeof row->value, "%s \xe2\x80\x93 %s", a, b);
}

/* Other tiles that show the same memory (F15). */
static void add_related(const struct gcs_snapshot *snapshot, uint32_t space, uint32_t tile,
    struct info_row *rows, uint32_t *n)
{
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	struct related related;
	char tiles[120];
	for (uint32_t i = 0; i < model->space_count && *n < TILEINFO_ROWS; i++) {
		related_find(snapshot, space, tile, i, &related);
		if (related.tiles == 0)
			continue;
		struct info_row *row = add_row(rows, n, "Same memory");
		related_text(snapshot, i, &related, tiles, sizeof tiles);
		snprintf(
		    row->value, sizeof row->value, "%s in %.120s", tiles, model->spaces[i].name);
	}
}

uint32_t tileinfo_rows(const struct gcs_snapshot *snapshot, uint32_t space, uint32_t tile,
    struct info_row rows[TILEINFO_ROWS])
{
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	if (space >= model->space_count || tile >= gcs_snapshot_tiles(snapshot, space))
		return 0;
	const struct gcs_space *s = &model->spaces[space];
	uint32_t n = 0;
	char text[128], other[64];
	gcs_format_tile_name(text, sizeof text, snapshot, space, tile);
	struct info_row *row = add_row(rows, &n, text);
	row = add_row(rows, &n, *s->tile_title != 0 ? s->tile_title : "Tile");
	gcs_format_number(text, sizeof text, tile, GCS_DECIMAL);
	gcs_format_number(other, sizeof other, gcs_snapshot_tiles(snapshot, space), GCS_DECIMAL);
	snprintf(row->value, sizeof row->value, "%.60s of %.60s in %.100s", text, other, s->name);
	add_range(snapshot, space, tile, rows, &n);
	bool used = true;
	const int64_t *bits = tilecode_column(snapshot, space, GCS_ROLE_CONTROL);
	if (bits != NULL) {
		row = add_row(rows, &n, "State");
		used = describe_state(row->value, sizeof row->value, s, bits[tile]);
		n -= row->value[0] == 0;
	}
	for (uint32_t i = 0; i < s->stream_count; i++) {
		if (!tilecode_is_view(s, i))
			continue;
		row = add_row(rows, &n, s->streams[i].name);
		row->stream = i;
		const int64_t *counted = tilecode_counted(snapshot, space, i);
		if (used && (counted == NULL || counted[tile] != 0))
			gcs_format_tile(row->value, sizeof row->value, snapshot, space, i, tile);
		else
			snprintf(row->value, sizeof row->value, "\xe2\x80\x93");
	}
	add_related(snapshot, space, tile, rows, &n);
	return n;
}
