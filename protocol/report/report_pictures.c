/* The tile maps of the heap at a few moments, and the legend of their colours. */
#include <inttypes.h>
#include <string.h>

#include <gcspy/format.h>

#include "picture.h"
#include "report_page.h"
#include "trace_walk.h"

/* Tiles are as large as fits; where one pixel is too much for each, several share one. */
enum { WIDTH = 520, HEIGHT = 300, LARGEST_PITCH = 14, MOST_SPACES = 8 };

static enum gcs_status put_sample(
    struct report *r, unsigned look, const char *name, struct gcs_error *err)
{
	enum { SIZE = 13 };
	struct picture p;
	if (picture_open(&p, SIZE, SIZE))
		picture_tile(&p, rect_make(0, 0, SIZE, SIZE), look);
	PUT(r, "<span class=\"key\"><img class=\"sample\" alt=\"\" src=\"");
	enum gcs_status status = picture_close(&p, r->text, err);
	FILL(r, "\"/> {}</span>\n", name);
	return status;
}

static enum gcs_status put_names(
    struct report *r, const struct gcs_stream *s, struct gcs_error *err)
{
	enum gcs_status status = GCS_OK;
	uint32_t i = 0;
	for (; i < s->enum_count && i < TILE_NAMES && status == GCS_OK; i++) {
		bool zero = s->paint == GCS_PAINT_ZERO && s->min + (int64_t)i == s->zero;
		status = put_sample(r, zero ? LOOK_ZERO : LOOK_ENUM + i, s->enum_names[i], err);
	}
	if (s->enum_count > i)
		FILL(r, "<span class=\"key\">and {} more names</span>\n",
		    say_count(r, s->enum_count - i));
	return status;
}

/* What the highest shade means. */
static const char *highest(
    struct report *r, const struct gcs_space *space, const struct gcs_stream *s)
{
	char number[48];
	switch (s->maximum) {
	case GCS_MAX_FIXED:
		gcs_format_number(number, sizeof number, s->max, s->format);
		return say(r, "%s%s", number, s->presentation == GCS_PLUS ? " or more" : "");
	case GCS_MAX_OF_STREAM:
		return say(r, "all of %s",
		    s->max_stream < space->stream_count ? space->streams[s->max_stream].name
							: "it");
	default:
		return "the largest value of the event";
	}
}

static enum gcs_status put_shades(struct report *r, const struct gcs_space *space,
    const struct gcs_stream *s, struct gcs_error *err)
{
	char zero[48];
	enum gcs_status status = put_sample(r, 0, "little", err);
	if (status == GCS_OK)
		status = put_sample(r, PALETTE_SHADES / 2, "half", err);
	if (status == GCS_OK)
		status = put_sample(r, PALETTE_SHADES - 1, highest(r, space, s), err);
	if (status == GCS_OK && s->paint == GCS_PAINT_ZERO)
		status = put_sample(
		    r, LOOK_ZERO, gcs_format_number(zero, sizeof zero, s->zero, s->format), err);
	return status;
}

enum gcs_status report_legend(struct report *r, struct gcs_error *err)
{
	const struct gcs_space *space = report_history_space(r);
	const struct gcs_stream *s = &space->streams[space->default_stream];
	PUT(r, "<p class=\"legend\">");
	enum gcs_status status =
	    s->presentation == GCS_ENUM ? put_names(r, s, err) : put_shades(r, space, s, err);
	if (status == GCS_OK)
		status = put_sample(r, LOOK_UNUSED,
		    space->unused_text[0] == '\0' ? "unused" : space->unused_text, err);
	PUT(r, "</p>\n");
	return status;
}

struct grid {
	uint32_t columns, rows, pitch, tile; /* pixels of a tile with and without its gap */
};

static struct grid grid_for(uint32_t tiles, const struct gcs_space *space)
{
	bool matrix =
	    space->kind == GCS_SPACE_MATRIX && space->columns > 0 && space->columns <= WIDTH;
	struct grid g = {.pitch = LARGEST_PITCH + 1};
	do {
		g.pitch--;
		g.columns = matrix ? space->columns : WIDTH / g.pitch;
		g.rows = (tiles + g.columns - 1) / g.columns;
	} while (g.pitch > 1 && (g.rows * g.pitch > HEIGHT || g.columns * g.pitch > WIDTH));
	g.tile = g.pitch > 2 ? g.pitch - 1 : g.pitch;
	return g;
}

static enum gcs_status put_tiles(struct report *r, const struct gcs_space *space,
    const struct hist_row *row, struct gcs_error *err)
{
	const struct hist_row_lane *part = &row->lane[0];
	struct grid g = grid_for(part->columns, space);
	struct picture p;
	bool open = picture_open(&p, g.columns * g.pitch, g.rows * g.pitch);
	for (uint32_t i = 0; open && i < part->columns; i++)
		picture_tile(&p,
		    rect_make((int)(i % g.columns * g.pitch), (int)(i / g.columns * g.pitch),
			(int)g.tile, (int)g.tile),
		    hist_cell_code(&row->cell[i], report_reduce(space)));
	text_format(r->text,
	    "<img class=\"map\" alt=\"Tile map\" width=\"%u\" height=\"%u\" src=\"",
	    (unsigned)(g.columns * g.pitch), (unsigned)(g.rows * g.pitch));
	enum gcs_status status = picture_close(&p, r->text, err);
	PUT(r, "\"/>\n");
	if (part->shift > 0)
		FILL(r, "<p class=\"small\">{} tiles to a pixel: {}</p>\n",
		    say_count(r, 1u << part->shift), report_reduce_words(space));
	return status;
}

/* The summaries of the stream shown, and of the streams that are shares. */
static void put_summaries(struct report *r, const struct gcs_snapshot *s, uint32_t id)
{
	const struct gcs_space *space = &gcs_snapshot_model(s)->spaces[id];
	char words[4096];
	for (uint32_t i = 0; i < space->stream_count; i++) {
		enum gcs_summary_kind kind = space->streams[i].summary;
		if (kind == GCS_SUMMARY_SHARE ||
		    (i == space->default_stream && kind != GCS_SUMMARY_NONE))
			FILL(r, "<p class=\"small\">{}: {}</p>\n", space->streams[i].name,
			    gcs_format_summary(words, sizeof words, s, id, i));
	}
}

static enum gcs_status put_space(
    struct report *r, const struct gcs_snapshot *s, uint32_t id, struct gcs_error *err)
{
	const struct gcs_space *space = &gcs_snapshot_model(s)->spaces[id];
	struct hist_lane lane = report_lane(space);
	struct hist_maker maker = {0};
	struct hist_row row;
	hist_maker_init(&maker, &lane, 1, WIDTH * HEIGHT);
	bool made = hist_make(&maker, s, 1, &row);
	hist_maker_fini(&maker);
	if (!made)
		return gcs_fail(err, GCS_NOMEM, "no memory for a picture");
	enum gcs_status status = GCS_OK;
	if (row.lane[0].columns > 0) {
		FILL(r, "<p class=\"small\"><b>{}</b></p>\n", space->name);
		status = put_tiles(r, space, &row, err);
		put_summaries(r, s, id);
	}
	hist_row_free(&row);
	return status;
}

/* The top-level group of a group; parents come before their children. */
static uint32_t top_of(const struct gcs_model *m, uint32_t group)
{
	while (group < m->group_count && m->groups[group].parent < group)
		group = m->groups[group].parent;
	return group;
}

/* Other parts of the same heap, by the same stream, belong to the picture of the main space. */
static bool belongs(const struct gcs_model *m, uint32_t main_space, uint32_t id)
{
	const struct gcs_space *a = &m->spaces[main_space], *b = &m->spaces[id];
	if (b->gone || b->default_stream >= b->stream_count)
		return false;
	return id == main_space ||
	       (top_of(m, a->group) == top_of(m, b->group) && a->kind == GCS_SPACE_ADDRESSES &&
		   b->kind == GCS_SPACE_ADDRESSES &&
		   strcmp(a->streams[a->default_stream].name, b->streams[b->default_stream].name) ==
		       0);
}

static enum gcs_status put_picture(
    struct report *r, const char *title, uint64_t place, struct gcs_error *err)
{
	const struct gcs_space *main_space = report_history_space(r);
	enum gcs_status status = GCS_OK;
	struct gcs_snapshot *s = gcs_trace_at(r->trace, place, err);
	if (s == NULL)
		return err->status == GCS_NOMEM || err->status == GCS_IO ? err->status : GCS_OK;
	const struct gcs_model *m = gcs_snapshot_model(s);
	uint32_t id = gcs_model_find_space(m, main_space->name);
	int64_t pause;
	bool paused = trace_walk_number(s, "Pause", GCS_NANOSECONDS, &pause);
	if (id != GCS_NONE && !m->spaces[id].gone) {
		FILL(r,
		    "<figure class=\"map\"><figcaption><h3>{}</h3></figcaption>\n"
		    "<p class=\"small\">Event {} at {}, {}{}{}</p>\n",
		    title, say(r, "%" PRIu64, place + 1),
		    say_moment(r, gcs_snapshot_occurrence(s)->time_ns), trace_walk_event(s),
		    paused ? ", pause " : "",
		    paused ? say_figure(r, (double)pause, GCS_UNIT_NANOSECONDS) : "");
		unsigned shown = 0;
		for (uint32_t i = 0; i < m->space_count && shown < MOST_SPACES; i++)
			if (status == GCS_OK && belongs(m, id, i)) {
				status = put_space(r, s, i, err);
				shown++;
			}
		PUT(r, "</figure>\n");
	}
	gcs_snapshot_unref(s);
	return status;
}

enum gcs_status report_pictures(struct report *r, struct gcs_error *err)
{
	const struct gcs_stats *s = r->stats;
	const struct gcs_space *space = report_history_space(r);
	const struct {
		const char *title;
		uint64_t place;
	} moments[] = {{"At the beginning", s->first_place},
	    {"Where most of the heap was used", r->series.most_place},
	    {"After the longest pause",
		s->no_pauses.text[0] == '\0' ? s->pauses.max_place : GCS_NO_PLACE},
	    {"At the end", s->last_place}};
	PUT(r, "<section id=\"pictures\"><h2>The heap</h2>\n");
	if (space == NULL) {
		PUT(r, "<p>The trace has no space to draw.</p></section>\n");
		return GCS_OK;
	}
	FILL(r, "<p>By {}{}{}.</p>\n", space->streams[space->default_stream].name,
	    space->block_info[0] == '\0' ? "" : "; ", space->block_info);
	enum gcs_status status = report_legend(r, err);
	PUT(r, "<div class=\"maps\">\n");
	for (unsigned i = 0; i < sizeof moments / sizeof *moments && status == GCS_OK; i++) {
		bool known = moments[i].place == GCS_NO_PLACE;
		for (unsigned k = 0; k < i; k++)
			known = known || moments[k].place == moments[i].place;
		if (!known)
			status = put_picture(r, moments[i].title, moments[i].place, err);
	}
	PUT(r, "</div></section>\n");
	return status;
}
