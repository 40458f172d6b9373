/* The tile maps of the heap at a few moments, tile by tile in rows as in the visualiser. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "report_legend.h"
#include "report_page.h"
#include "report_png.h"
#include "trace_walk.h"

/* Of a picture; tiles are as large as fits, and put together where one pixel is too much. */
enum { WIDTH = 520, HEIGHT = 300, LARGEST_PITCH = 14, MOST_SPACES = 8 };

struct grid {
	uint32_t columns, rows, pitch, tile; /* pixels of a tile with and without its gap */
	uint32_t together;                   /* tiles to a square */
};

static struct grid grid_for(uint32_t tiles, uint32_t matrix_columns)
{
	struct grid g = {.together = 1};
	for (g.pitch = LARGEST_PITCH; g.pitch > 1; g.pitch--) {
		g.columns = matrix_columns != 0 ? matrix_columns : WIDTH / g.pitch;
		g.rows = (tiles + g.columns - 1) / g.columns;
		if (g.rows * g.pitch <= HEIGHT && g.columns * g.pitch <= WIDTH)
			break;
	}
	if (g.pitch == 1) {
		g.together = (tiles + WIDTH * HEIGHT - 1) / (WIDTH * HEIGHT);
		g.together += g.together == 0;
		g.columns = WIDTH;
		g.rows = (tiles / g.together + WIDTH) / WIDTH;
	}
	g.tile = g.pitch > 2 ? g.pitch - 1 : g.pitch;
	return g;
}

/* Squares of several tiles show the most prominent look of them. */
static uint8_t look_of(const struct look_rule *rule, const struct grid *g, uint32_t square)
{
	uint8_t look = LOOK_NOTHING;
	for (uint32_t i = 0; i < g->together; i++) {
		uint32_t tile = square * g->together + i;
		uint8_t other = tile < rule->tiles ? look_at(rule, tile) : LOOK_NOTHING;
		look = other > look ? other : look;
	}
	return look;
}

static void paint_square(uint8_t *pixels, const struct grid *g, uint32_t square, uint8_t look)
{
	uint32_t width = g->columns * g->pitch;
	uint32_t left = square % g->columns * g->pitch, top = square / g->columns * g->pitch;
	for (uint32_t y = 0; y < g->tile; y++)
		for (uint32_t x = 0; x < g->tile; x++) {
			/* A tile without a value is an empty frame where there is room for one. */
			bool inside = x != 0 && y != 0 && x + 1 < g->tile && y + 1 < g->tile;
			pixels[(top + y) * width + left + x] =
			    look == LOOK_ZERO && inside && g->tile > 3 ? LOOK_NOTHING : look;
		}
}

static enum gcs_status put_map(struct text *t, const struct look_rule *rule, struct gcs_error *err)
{
	uint32_t matrix = rule->space->kind == GCS_SPACE_MATRIX && rule->space->columns <= WIDTH
			      ? rule->space->columns
			      : 0;
	struct grid g = grid_for(rule->tiles, matrix);
	uint32_t width = g.columns * g.pitch, height = g.rows * g.pitch;
	uint8_t *pixels = gcs_zalloc((size_t)width * height + 1);
	if (pixels == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for a picture");
	for (uint32_t i = 0; i < (rule->tiles + g.together - 1) / g.together; i++)
		paint_square(pixels, &g, i, look_of(rule, &g, i));
	text_format(t, "<img class=\"map\" alt=\"Tile map\" width=\"%u\" height=\"%u\" src=\"",
	    (unsigned)width, (unsigned)height);
	enum gcs_status status = png_uri(t, pixels, width, height, err);
	text_raw(t, "\"/>\n");
	if (g.together > 1)
		text_format(t, "<p class=\"small\">%u tiles to a pixel: the most prominent</p>\n",
		    (unsigned)g.together);
	gcs_free(pixels);
	return status;
}

/* What happened. */
static void put_words(struct report *r, const struct gcs_snapshot *s, uint64_t place)
{
	char at[32], pause[32];
	int64_t ns;
	report_moment(at, sizeof at, r, gcs_snapshot_occurrence(s)->time_ns);
	text_format(r->text, "<p class=\"small\">Event %" PRIu64 " at %s, ", place, at);
	text_xml(r->text, trace_walk_event(s));
	if (trace_walk_number(s, "Pause", GCS_NANOSECONDS, &ns))
		text_format(r->text, ", pause %s",
		    gcs_format_number(pause, sizeof pause, ns, GCS_NANOSECONDS));
	text_raw(r->text, "</p>\n");
}

/* The summaries of the stream shown, and of those that are shares. */
static void put_summaries(
    struct text *t, const struct gcs_snapshot *s, const struct look_rule *rule)
{
	char words[4096];
	for (uint32_t i = 0; i < rule->space->stream_count; i++) {
		const struct gcs_stream *stream = &rule->space->streams[i];
		if (stream->summary == GCS_SUMMARY_NONE ||
		    (i != rule->stream_id && stream->summary != GCS_SUMMARY_SHARE))
			continue;
		text_raw(t, "<p class=\"small\">");
		text_xml(t, stream->name);
		text_raw(t, ": ");
		text_xml(t, gcs_format_summary(words, sizeof words, s, rule->space_id, i));
		text_raw(t, "</p>\n");
	}
}

/* The group at the top that a group is in; parents come before their children. */
static uint32_t top_of(const struct gcs_model *m, uint32_t group)
{
	while (group < m->group_count && m->groups[group].parent < group)
		group = m->groups[group].parent;
	return group;
}

/* Spaces beside the main one that belong to the same picture: parts of the same heap, by the same
 * stream. */
static bool belongs(const struct gcs_model *m, const struct look_rule *main_rule, uint32_t id)
{
	const struct gcs_space *a = main_rule->space, *b = &m->spaces[id];
	return id == main_rule->space_id ||
	       (!b->gone && top_of(m, a->group) == top_of(m, b->group) &&
		   a->kind == GCS_SPACE_ADDRESSES && b->kind == GCS_SPACE_ADDRESSES &&
		   b->default_stream < b->stream_count &&
		   strcmp(a->streams[a->default_stream].name, b->streams[b->default_stream].name) ==
		       0);
}

static enum gcs_status put_spaces(struct report *r, const struct gcs_snapshot *s,
    const struct look_rule *main_rule, struct gcs_error *err)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	enum gcs_status status = GCS_OK;
	unsigned shown = 0;
	for (uint32_t i = 0; i < m->space_count && shown < MOST_SPACES && status == GCS_OK; i++) {
		struct look_rule rule;
		if (!belongs(m, main_rule, i) || !look_init(&rule, s, m->spaces[i].name) ||
		    rule.tiles == 0)
			continue;
		text_raw(r->text, "<p class=\"small\"><b>");
		text_xml(r->text, rule.space->name);
		text_raw(r->text, "</b></p>\n");
		status = put_map(r->text, &rule, err);
		put_summaries(r->text, s, &rule);
		shown++;
	}
	return status;
}

static enum gcs_status put_picture(
    struct report *r, const char *title, uint64_t place, struct gcs_error *err)
{
	struct look_rule rule;
	enum gcs_status status = GCS_OK;
	struct gcs_snapshot *s = gcs_trace_at(r->trace, place, err);
	if (s == NULL)
		return err->status == GCS_NOMEM || err->status == GCS_IO ? err->status : GCS_OK;
	if (look_init(&rule, s, r->history.space)) {
		text_format(
		    r->text, "<figure class=\"map\"><figcaption><h3>%s</h3></figcaption>\n", title);
		put_words(r, s, place);
		status = put_spaces(r, s, &rule, err);
		text_raw(r->text, "</figure>\n");
	}
	gcs_snapshot_unref(s);
	return status;
}

/* The moments of the pictures, each place once. */
static unsigned choose(const struct report *r, uint64_t *places, const char **titles)
{
	const struct gcs_stats *s = r->stats;
	bool paused = s->no_pauses.text[0] == '\0';
	const uint64_t found[] = {s->first_place, r->highest_place,
	    paused ? s->pauses.max_place : GCS_NO_PLACE, s->last_place};
	static const char *const names[] = {"At the beginning", "Where most of the heap was used",
	    "After the longest pause", "At the end"};
	unsigned count = 0;
	for (unsigned i = 0; i < 4; i++) {
		bool known = found[i] == GCS_NO_PLACE;
		for (unsigned k = 0; k < count; k++)
			known = known || places[k] == found[i];
		if (known)
			continue;
		places[count] = found[i];
		titles[count++] = names[i];
	}
	return count;
}

enum gcs_status report_pictures(struct report *r, struct gcs_error *err)
{
	struct text *t = r->text;
	const struct history *h = &r->history;
	uint64_t places[4];
	const char *titles[4];
	enum gcs_status status = GCS_OK;
	text_raw(t, "<section id=\"pictures\"><h2>The heap</h2>\n");
	if (h->space == NULL) {
		text_raw(t, "<p>The trace has no space that could be drawn.</p></section>\n");
		return GCS_OK;
	}
	const struct gcs_space *space = &h->model->spaces[h->space_id];
	text_raw(t, "<p>By ");
	text_xml(t, space->streams[h->stream_id].name);
	text_raw(t, space->block_info[0] == '\0' ? "" : "; ");
	text_xml(t, space->block_info);
	text_raw(t, ".</p>\n");
	legend_put(t, h->model, h->space_id, h->stream_id);
	text_raw(t, "<div class=\"maps\">\n");
	unsigned count = choose(r, places, titles);
	for (unsigned i = 0; i < count && status == GCS_OK; i++)
		status = put_picture(r, titles[i], places[i], err);
	text_raw(t, "</div></section>\n");
	return status;
}
