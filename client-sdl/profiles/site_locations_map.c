/* The small map of locations in the side panel, and its text; declared in site_locations.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "layout.h"
#include "side.h"
#include "sites_view.h"
#include "tiles_spread.h"

enum {
	CELL = 7,      /* pixels of a cell at scale 1, with its gap */
	MAIN_ROWS = 8, /* most rows of cells of the main space … */
	ROWS = 3,      /* … and of another one */
	SHOWN = 4,     /* spaces that are drawn */
	MAP = 240      /* their widgets */
};

/* Building. */

static void forget_map(struct site_locations *l)
{
	for (uint32_t i = 0; i < l->spaces; i++)
		free(l->space[i].values);
	l->spaces = l->left_out = l->answered = l->samples = l->placed = 0;
	l->most = 0;
	l->live = 0;
}

static void fill_space(
    struct site_locations *l, const struct gcs_snapshot *s, struct site_locations_space *space)
{
	for (uint32_t i = 0; i < l->count; i++) {
		const struct site_locations_answer *a = site_locations_find(l, l->number[i]);
		if (a != NULL && a->tiles != NULL)
			tiles_spread(a->tiles, s, space->space, space->values);
	}
	for (uint32_t i = 0; i < space->tiles; i++) {
		space->hit += space->values[i] > 0;
		space->bytes += (double)space->values[i];
		l->most = space->values[i] > l->most ? space->values[i] : l->most;
	}
}

static void add_space(struct site_locations *l, const struct app *app, uint32_t number)
{
	const int64_t *starts, *ends;
	if (!app_shows(app, number) || gcs_snapshot_tiles(app->snapshot, number) == 0 ||
	    !tiles_ranges(app->snapshot, number, &starts, &ends))
		return;
	if (l->spaces == SITE_LOCATIONS_SPACES) {
		l->left_out++;
		return;
	}
	struct site_locations_space *space = &l->space[l->spaces];
	*space = (struct site_locations_space){
	    .space = number, .tiles = gcs_snapshot_tiles(app->snapshot, number)};
	space->values = calloc((size_t)space->tiles + 1, sizeof *space->values);
	if (space->values == NULL)
		return;
	l->spaces++;
	fill_space(l, app->snapshot, space);
}

static void sum_up(struct site_locations *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		struct site_locations_answer *a = site_locations_find(l, l->number[i]);
		if (a == NULL)
			continue;
		a->used = ++l->uses;
		l->answered++;
		if (a->tiles == NULL)
			continue;
		l->samples += a->tiles->samples;
		l->placed += a->tiles->placed;
		l->live += a->tiles->bytes;
	}
	snprintf(l->shown_name, sizeof l->shown_name, "%s", l->name);
}

/* Shows the last map until the answer is late, to avoid flicker. */
static bool is_waited_for(const struct app *app)
{
	const struct site_locations *l = &app->profiles.site_locations;
	if (app->state != SOURCE_LIVE || app->event_history.back || app->replay.on)
		return false;
	const bool asks = !l->ready || site_locations_missing(l) > 0;
	return asks && l->look.key != 0 && app->now_ms < l->since_ms + SITE_LOCATIONS_ASKING_MS;
}

void site_locations_map(struct app *app)
{
	struct site_locations *l = &app->profiles.site_locations;
	const bool same_picture = l->map_of == app->snapshot;
	if ((same_picture && l->map_news == l->news) || (same_picture && is_waited_for(app)))
		return;
	forget_map(l);
	l->map_of = app->snapshot;
	l->map_news = l->news;
	sum_up(l);
	if (app->snapshot == NULL)
		return;
	/* Main spaces first: they have the objects. */
	const struct gcs_model *model = app_model(app);
	for (int main = 1; main >= 0; main--)
		for (uint32_t i = 0; i < model->space_count; i++)
			if (model->spaces[i].main == (main != 0))
				add_space(l, app, i);
}

/* Text. */

/* Why locations are not available; NULL if they are. */
static const char *obstacle(const struct app *app)
{
	if (app->replay.on)
		return "Shown for running programs only; for a recording use gcspy tiles FILE.";
	if (app->event_history.back)
		return "Locations are only known for the live heap; L returns to live.";
	if (app->state != SOURCE_LIVE)
		return "Not connected";
	return app->source.ops->query == NULL ? "This source does not support queries." : NULL;
}

/* The error of the server or the decoder; NULL: none. */
static const char *refusal(const struct site_locations *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		const struct site_locations_answer *a =
		    site_locations_find((struct site_locations *)l, l->number[i]);
		if (a != NULL && a->tiles == NULL)
			return a->message[0] != 0 ? a->message : "No response";
	}
	return NULL;
}

static void put_tiles(const struct site_locations *l, char *text, size_t size)
{
	char tiles[32], bytes[64], placed[32], samples[32], part[80] = "", of[80] = "";
	uint32_t hit = 0, spaces = 0;
	for (uint32_t i = 0; i < l->spaces; i++) {
		hit += l->space[i].hit;
		spaces += l->space[i].hit > 0;
	}
	if (l->all > l->count)
		snprintf(of, sizeof of, "%u largest of %s call sites: ", l->count,
		    sites_put_count(tiles, sizeof tiles, l->all));
	if (l->placed < l->samples)
		snprintf(part, sizeof part, "; %s of %s samples located",
		    sites_put_count(placed, sizeof placed, l->placed),
		    sites_put_count(samples, sizeof samples, l->samples));
	snprintf(text, size, "%s%s tile%s in %u space%s, %s live%s", of,
	    sites_put_count(tiles, sizeof tiles, hit), hit == 1 ? "" : "s", spaces,
	    spaces == 1 ? "" : "s", sites_put_bytes(bytes, sizeof bytes, l->live), part);
}

static bool by_thread(const struct app *app)
{
	const struct sites_view *sites = app->views[VIEW_SITES];
	return app->view_id == VIEW_SITES && sites->by == GCS_SITES_BY_THREAD;
}

bool site_locations_summary(const struct app *app, char *text, size_t size)
{
	const struct site_locations *l = &app->profiles.site_locations;
	const char *why = obstacle(app);
	if (why == NULL && l->look.key == 0)
		why = "Point at or select a row or frame to see which tiles hold its live "
		      "objects.";
	if (why == NULL && l->answered == 0 && (!l->ready || l->count > 0))
		why = is_waited_for(app) ? "" : "Loading \xe2\x80\xa6";
	if (why == NULL && l->count == 0)
		why = by_thread(app) ? "Objects are located by call site: Its call sites has those "
				       "of this thread."
				     : "No call sites of its own.";
	if (why == NULL)
		why = refusal(l);
	if (why == NULL && l->samples == 0)
		why = "No live sampled objects.";
	if (why == NULL)
		put_tiles(l, text, size);
	else
		snprintf(text, size, "%s", why);
	return why == NULL;
}

void site_locations_text(struct app *app, struct textbuf *out)
{
	struct site_locations *l = &app->profiles.site_locations;
	char text[400], bytes[64], hit[32], tiles[32];
	site_locations_map(app);
	if (site_locations_summary(app, text, sizeof text))
		textbuf_printf(out, "location of\t%s\t%s\n", l->shown_name,
		    l->look.selected ? "selected" : "under the pointer");
	textbuf_printf(out, "location\t%s\n", text);
	for (uint32_t i = 0; i < l->spaces && l->answered > 0; i++)
		textbuf_printf(out, "location in %s\t%s of %s tiles\t%s\n",
		    app_space(app, l->space[i].space)->name,
		    sites_put_count(hit, sizeof hit, l->space[i].hit),
		    sites_put_count(tiles, sizeof tiles, l->space[i].tiles),
		    sites_put_bytes(bytes, sizeof bytes, l->space[i].bytes));
}

/* Painting. */

struct cells {
	struct cv_rect r;
	int pitch, columns, rows;
	uint32_t each; /* tiles to a cell */
};

static struct cells lay_out(const struct ui *ui, const struct site_locations_space *space,
    bool main, struct cv_rect *column)
{
	struct cells c = {.pitch = ui_px(ui, CELL)};
	c.columns = column->w / c.pitch > 0 ? column->w / c.pitch : 1;
	const uint32_t most = (uint32_t)(c.columns * (main ? MAIN_ROWS : ROWS));
	c.each = (space->tiles + most - 1) / most;
	c.each = c.each > 0 ? c.each : 1;
	const uint32_t cells = (space->tiles + c.each - 1) / c.each;
	c.rows = (int)((cells + (uint32_t)c.columns - 1) / (uint32_t)c.columns);
	c.r = cut_top(column, c.rows * c.pitch);
	return c;
}

/* A tile with objects is bright and has a frame; the others are faint and have none. */
static void paint_cell(const struct ui *ui, struct cv_rect r, double value, double most)
{
	const struct theme *th = ui->theme;
	if (value <= 0) {
		cv_fill(ui->cv, r, cv_mix(th->panel, th->line, 110));
		return;
	}
	const int part = (int)(140 + 115 * value / most);
	cv_fill(ui->cv, r, cv_mix(th->panel, th->accent, part));
	cv_frame(ui->cv, r, 1, th->text);
}

/* Bytes of the tiles of a cell. */
static double bytes_of(const struct site_locations_space *space, uint32_t first, uint32_t each)
{
	double sum = 0;
	for (uint32_t t = first; t < space->tiles && t - first < each; t++)
		sum += (double)space->values[t];
	return sum;
}

static void paint_cells(
    const struct ui *ui, const struct site_locations_space *space, const struct cells *c)
{
	const uint32_t columns = (uint32_t)c->columns;
	double most = 0;
	for (uint32_t t = 0; t < space->tiles; t += c->each) {
		const double bytes = bytes_of(space, t, c->each);
		most = bytes > most ? bytes : most;
	}
	for (uint32_t i = 0; i * c->each < space->tiles; i++) {
		const struct cv_rect r = rect_make(c->r.x + (int)(i % columns) * c->pitch,
		    c->r.y + (int)(i / columns) * c->pitch, c->pitch - 1, c->pitch - 1);
		paint_cell(ui, r, bytes_of(space, i * c->each, c->each), most);
	}
}

/* The addresses of the cell at the pointer. */
static void point(struct app *app, const struct site_locations_space *space, const struct cells *c)
{
	const int64_t *starts, *ends;
	const int x = (app->ui.ev->x - c->r.x) / c->pitch, y = (app->ui.ev->y - c->r.y) / c->pitch;
	const uint64_t first = ((uint64_t)y * (uint64_t)c->columns + (uint64_t)x) * c->each;
	if (x >= c->columns || first >= space->tiles ||
	    space->tiles != gcs_snapshot_tiles(app->snapshot, space->space) ||
	    !tiles_ranges(app->snapshot, space->space, &starts, &ends))
		return;
	const uint64_t rest = space->tiles - first;
	const uint64_t last = first + (rest < c->each ? rest : c->each) - 1;
	if ((uint64_t)ends[last] > (uint64_t)starts[first])
		site_locations_point(app, (uint64_t)starts[first], (uint64_t)ends[last]);
}

static void run_space(
    struct app *app, const struct site_locations_space *space, uint32_t id, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	const struct gcs_space *s = app_space(app, space->space);
	char hit[32], tiles[32], text[120];
	struct cv_rect row = cut_top(column, ui_px(ui, 18));
	snprintf(text, sizeof text, "%s of %s", sites_put_count(hit, sizeof hit, space->hit),
	    sites_put_count(tiles, sizeof tiles, space->tiles));
	const int w = text_width(ui->fonts->face[FONT_SMALL], text) + ui_px(ui, 8);
	ui_label(ui, cut_right(&row, w), TEXT_RIGHT, text);
	ui_label(ui, row, TEXT_LEFT, s->name);
	const struct cells c = lay_out(ui, space, s->main, column);
	ui_area(ui, id, c.r);
	if (ui_paints(ui))
		paint_cells(ui, space, &c);
	else if (ui->ev != NULL && ui->ev->kind == EV_MOVE && ui->hot == id)
		point(app, space, &c);
	cut_top(column, ui_px(ui, 4));
}

void site_locations_side(struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	struct site_locations *l = &app->profiles.site_locations;
	char text[400];
	site_locations_map(app);
	const bool known = site_locations_summary(app, text, sizeof text);
	if (!ui_paints(ui) && ui->ev != NULL && ui->ev->kind == EV_MOVE)
		site_locations_point(app, 0, 0); /* unless a space below is pointed at */
	side_section(app, column, "Location in heap",
	    l->look.key == 0   ? ""
	    : l->look.selected ? "selected"
			       : "under the pointer");
	struct font *font = ui->fonts->face[FONT_SMALL];
	/* The same height for every text, so that the panel stays still under a moving pointer. */
	const int lines = 3 * (font_height(font) + ui_px(ui, 2));
	const int needed = text_paragraph(NULL, font, *column, 0, text);
	struct cv_rect said = cut_top(column, needed > lines ? needed : lines);
	if (ui_paints(ui)) {
		cv_push_clip(ui->cv, said);
		text_paragraph(ui->cv, font, said, known ? ui->theme->text : ui->theme->weak, text);
		cv_pop_clip(ui->cv);
	}
	if (obstacle(app) != NULL)
		return;
	uint32_t shown = 0;
	for (uint32_t i = 0; i < l->spaces && shown < SHOWN; i++, shown++)
		run_space(app, &l->space[i], UI_ID(PANEL_SIDE, MAP + i), column);
	if (l->spaces + l->left_out > shown) {
		snprintf(text, sizeof text, "and %u more space%s with addresses",
		    l->spaces + l->left_out - shown,
		    l->spaces + l->left_out - shown == 1 ? "" : "s");
		ui_label(ui, cut_top(column, ui_px(ui, 18)), TEXT_LEFT, text);
	}
}
