/*
 * The parts of the history view that its files share: settings (history_settings.c,
 * history_style.c), where rows come from (history_feed.c), layout (history_plan.c), codes of lines
 * (history_shown.c) and their pixels (history_palette.c), painting (history_paint.c, history_frame.c,
 * history_lines.c, history_charts.c), text (extent_text.c), moving and searching (history_move.c,
 * history_find.c), the side panel (history_side.c, history_legend.c), pictures (history_save.c).
 * view_history.c combines them. A *row* is what the graph stores; a *line* is what is painted, of
 * one or several rows. The window's thread only.
 */
#ifndef GCSPY_CLIENT_HISTORY_VIEW_H
#define GCSPY_CLIENT_HISTORY_VIEW_H

#include "app.h"
#include "history_rows.h"
#include "history_reader.h"

/* The widgets of the view and the side panel. */
enum hist_widget {
	HIST_RASTER = 1,
	HIST_BAR,
	HIST_SETTINGS,
	HIST_SAVE,
	HIST_FOLLOW,
	HIST_NEWEST,
	HIST_COLLECT,
	HIST_SIDE = 300, /* two per setting, from here on */
	HIST_DEFAULTS = 900,
	HIST_FIND,
	HIST_MORE, /* of spaces, and of streams */
	HIST_SPACE_NAMES = 1000,
	HIST_STREAM_NAMES = HIST_SPACE_NAMES + GCS_MAX_SPACES,
	HIST_VALUES = HIST_STREAM_NAMES + GCS_MAX_STREAMS
};

enum hist_legend { LEGEND_AUTO, LEGEND_BYTES, LEGEND_ADDRESS, LEGEND_NUMBER, LEGEND_OFF };

/* Colours that can be set; HIST_OF_THEME if not set. */
enum hist_colour {
	HIST_COLOUR_UNUSED,
	HIST_COLOUR_ZERO,
	HIST_COLOUR_LOW,
	HIST_COLOUR_HIGH,
	HIST_COLOUR_BACKGROUND,
	HIST_COLOUR_SEPARATOR,
	HIST_COLOUR_BORDER,
	HIST_COLOUR_TITLE,
	HIST_COLOURS
};

#define HIST_OF_THEME  (-1)
#define HIST_SEPARATOR 80 /* default tiles between separators */

/* Font size of labels, in pixels at scale 1: the default is that of the window's small text;
 * limits. */
enum { HIST_FONT = 11, HIST_FONT_LEAST = 8, HIST_FONT_MOST = 24 };

struct hist_settings {
	int rows, tile, border;
	int separator; /* tiles between vertical separators, 0: none */
	int reduce;    /* enum hist_reduce */
	int legend;    /* enum hist_legend */
	int smooth;    /* choice: off, 3, 5, 9 rows */
	bool follow, newest, collect, fill;
	bool title, space_separators, totals, pauses, edges;
	int font; /* pixels at scale 1 */
	int colour[HIST_COLOURS];
	double factor;
	char prefix[64], postfix[16];
	char event[GCS_MAX_NAME + 1]; /* "": no horizontal separators */
};

/* The selection, by name. Empty: the main space, the default stream of each space. */
struct hist_choice {
	uint32_t spaces, streams;
	bool bare; /* no stream */
	char space[HIST_CHOICES][GCS_MAX_NAME + 1], stream[HIST_CHOICES][GCS_MAX_NAME + 1];
};

/* A lane on the canvas. */
struct hist_block {
	int x, w;
	uint32_t columns, first; /* visible, and its place in a line */
	uint32_t join;           /* cells per column */
};

/* The detail that fits: a colour; patterns that continue across cells; each cell as in tile
 * maps. */
enum hist_detail { HIST_PLAIN, HIST_TEXTURES, HIST_PICTURES };

/* The one value that is not dimmed, by the names in the legend. */
struct hist_only {
	bool on;
	char stream[GCS_MAX_NAME + 1], name[GCS_MAX_NAME + 1];
};

#define HIST_CHARTS (HIST_LANES + 2)
enum { CHART_PAUSE = HIST_LANES, CHART_USED };

struct hist_plan {
	struct cv_rect tools, title, names, labels, axis, marks, raster, status, bar;
	struct cv_rect chart[HIST_CHARTS];
	uint32_t chart_of[HIST_CHARTS]; /* a lane, CHART_PAUSE, CHART_USED */
	uint32_t charts, left_out;      /* left_out: charts that do not fit */
	struct hist_block block[HIST_LANES];
	uint32_t lanes, columns; /* of all blocks */
	int row_px;
	enum hist_detail detail; /* the same for all lanes and for the legend */
	int chart_px;            /* width of a chart */
	uint32_t group;          /* rows per line */
	uint64_t first, lines,
	    top;       /* number of the first line, their number, the first visible one */
	uint32_t page; /* lines that fit */
};

/* The codes of lines, computed once. */
struct hist_shown {
	uint16_t *raw, *post;
	uint64_t *raw_of, *post_of; /* the line in each slot, plus 1 */
	uint32_t slots, columns;
	uint64_t epoch;
	struct hist_block block[HIST_LANES];
	uint32_t group;
	int reduce, smooth;
	bool edges;
};

/* From codes to pixels. */
struct hist_palette {
	uint32_t colour[1024];
	struct theme theme; /* with the user's colours */
	const struct theme *of;
	int ramp;
	bool edges;
	int own[HIST_COLOURS];
	int only
	    [HIST_LANES]; /* the code that is not dimmed; -1: none is dimmed, HIST_NO_CODE: all are */
	uint32_t dimmed[HIST_LANES][1024];
};

#define HIST_NO_CODE 1024

/* The place of a control in the side panel, from the top of its content. */
struct hist_spot {
	uint32_t id;
	int y, h;
};

enum hist_drag { HIST_DRAG_NONE, HIST_DRAG_RASTER, HIST_DRAG_PAN, HIST_DRAG_AXIS, HIST_DRAG_RANGE };

struct hist_view {
	struct hist_settings set;
	struct hist_choice choice;
	struct hist_graph graph;
	struct hist_graph tail; /* rows that arrive while the history is read */
	struct hist_maker maker;
	struct hist_reader *reader;
	struct hist_progress progress;
	bool resolved; /* the lanes are known */
	bool wanted;   /* the history is to be read */
	bool reading;
	uint64_t program; /* that the graph is about: app->program */
	char server[GCS_MAX_NAME + 1];
	uint64_t origin_ns; /* zero of the time axis */

	int row_px;     /* chosen pixels per row; 0: the tile size */
	uint32_t group; /* chosen rows per line */
	bool fitted;    /* instead: all rows as large as they fit */
	uint64_t top;
	bool has_cursor;
	uint64_t cursor_ns; /* the first time of its row */
	uint32_t cursor_lane, cursor_tile;
	bool anchored; /* a range is being selected by keys */
	uint64_t anchor_ns;
	enum hist_drag drag;
	int drag_y;
	uint64_t drag_top;
	struct tile_ref pending; /* to be selected once it is shown */
	uint64_t pending_ns;
	struct textfield prefix, postfix, factor;
	struct textfield colour[HIST_COLOURS];
	struct textfield find;
	bool finding;        /* its field is open */
	bool unfolded[2];    /* all spaces, all streams are listed */
	uint32_t side_focus; /* the control in the side panel that was last scrolled into sight */
	int settings_at;     /* where the settings start in it */
	struct hist_spot spot[UI_FOCUS_ITEMS];
	uint32_t spots;
	struct hist_only only;
	struct fonts fonts; /* of labels with a size of their own; otherwise empty */
	int fonts_scale;

	struct hist_plan plan; /* as last painted */
	struct hist_shown shown;
	struct hist_palette palette;
};

/* history_settings.c */
enum hist_kind {
	SETTING_NUMBER,
	SETTING_CHOICE,
	SETTING_SWITCH,
	SETTING_TEXT,
	SETTING_FACTOR,
	SETTING_FONT,
	SETTING_COLOUR
};

struct hist_setting {
	const char *key, *title;
	enum hist_kind kind;
	size_t offset; /* in struct hist_settings */
	int low, high; /* of a number; high: of a text, its size */
	const char *choices[6];
};

extern const struct hist_setting hist_settings[];
uint32_t hist_setting_count(void);
void hist_settings_init(struct hist_settings *set);
char *hist_setting_text(
    const struct hist_settings *set, const struct hist_setting *setting, char *text, size_t size);

/* KEY=VALUE, or "defaults"; false with a toast. */
bool hist_set(struct hist_view *v, struct app *app, const char *argument);

/* Resets all settings; the selection stays. */
void hist_defaults(struct hist_view *v, struct app *app);

/* One step of a setting: the next choice, the next number up or down. */
void hist_step(struct hist_view *v, struct app *app, const struct hist_setting *setting, int dir);

/* To be called after a setting has changed. */
void hist_changed(struct hist_view *v, struct app *app, const struct hist_setting *setting);
int hist_window(const struct hist_settings *set); /* lines to average; 1: no smoothing */

/* history_style.c: font and colours. False for an invalid text; a name, "#rrggbb" or "theme". */
bool hist_colour_parse(const char *text, int *colour);
char *hist_colour_text(int colour, char *text, size_t size);
int hist_colour_next(int colour, int dir);
bool hist_set_colour(struct app *app, const struct hist_setting *s, const char *value, int *at);
bool hist_set_font(struct app *app, const struct hist_setting *s, const char *value, int *at);
char *hist_font_text(int font, char *text, size_t size);

/* Makes the fonts for the present size and scale. */
void hist_fonts_prepare(struct hist_view *v, struct app *app);
struct font *hist_font(const struct hist_view *v, const struct app *app, enum font_face face);

/* Scales n pixels with the size of labels. */
int hist_label_px(const struct hist_view *v, const struct ui *ui, int n);

/* Its saved state, as struct view has it. */
void hist_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out);
void hist_forget(void *self, struct app *app);

/* history_choose.c: spaces and streams; true if the key is one of them. */
bool hist_choose(
    struct hist_view *v, struct app *app, const char *key, char op, const char *value, bool *ok);
void hist_turn_space(struct hist_view *v, struct app *app, int dir);
void hist_turn_stream(struct hist_view *v, struct app *app, int dir);
uint32_t hist_resolve(
    const struct hist_choice *choice, const struct gcs_model *model, struct hist_lane *lanes);

/* history_feed.c: where rows come from. Functions of `self` are those of struct view. */
void hist_note(void *self, struct app *app, const struct gcs_snapshot *snapshot);
void hist_restart(struct hist_view *v, struct app *app);
void hist_feed(void *self, struct app *app);

/* Reads the files again, because other rows are needed. */
void hist_want(struct hist_view *v, struct app *app);
bool hist_settled(void *self, struct app *app);

/* history_plan.c: false if there is nothing to show. `whole`: all lines, at full height, without
 * window controls. */
bool hist_plan_make(struct hist_plan *plan, const struct hist_view *v, const struct app *app,
    struct cv_rect r, bool whole);
int hist_plan_height(const struct hist_plan *plan);

/* The rows of a line, as indices into the graph. */
void hist_line_rows(const struct hist_plan *plan, const struct hist_graph *g, uint64_t line,
    uint32_t *from, uint32_t *to);
uint64_t hist_line_of(const struct hist_plan *plan, const struct hist_graph *g, uint32_t row);
int hist_line_y(const struct hist_plan *plan, uint64_t line);
bool hist_line_at(const struct hist_plan *plan, int y, uint64_t *line);
uint64_t hist_tiles_per(const struct hist_graph *g, const struct hist_plan *plan, uint32_t lane);

/* The x of a column; widths may differ by a pixel. */
int hist_column_x(const struct hist_block *block, uint32_t column);
struct cv_rect hist_cell_rect(
    const struct hist_plan *plan, uint32_t lane, uint32_t column, uint64_t line);

/* The column at a pixel. */
bool hist_column_at(const struct hist_plan *plan, int x, uint32_t *lane, uint32_t *column);
uint64_t hist_top_most(const struct hist_plan *plan);

/* history_shown.c */
void hist_shown_fini(struct hist_shown *s);

/* Fits it to the plan; false without memory. */
bool hist_shown_prepare(struct hist_shown *s, struct hist_graph *g, const struct hist_plan *plan,
    const struct hist_settings *set);

/* The codes of a line, plan->columns of them; valid until the next call. */
const uint16_t *hist_shown_line(struct hist_shown *s, const struct hist_graph *g,
    const struct hist_plan *plan, const struct hist_settings *set, uint64_t line);

/* history_palette.c */
void hist_palette_set(struct hist_view *v, const struct app *app);

/* The colours of a lane's codes. */
const uint32_t *hist_palette_colours(const struct hist_palette *palette, uint32_t lane);

/* Frames, patterns and hatches of a code; the same in the raster and in the legend. */
bool hist_has_pattern(enum hist_detail detail, unsigned code);
void hist_paint_pattern(struct cv *cv, const struct hist_palette *palette, enum hist_detail detail,
    struct cv_rect r, unsigned code);

/* history_paint.c */
void hist_paint_raster(struct cv *cv, struct hist_shown *shown, const struct hist_palette *palette,
    const struct hist_graph *g, const struct hist_plan *plan, const struct hist_settings *set);

/* history_frame.c: axis, names, marks around the raster. */
void hist_paint_frame(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *plan);
void hist_paint_title(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *plan);
void hist_text(const struct hist_view *v, const struct app *app, struct cv *cv, struct cv_rect r,
    enum text_align align, uint32_t colour, const char *text); /* small */

/* history_charts.c */
void hist_paint_chart(const struct hist_view *v, struct app *app, struct cv *cv,
    const struct hist_plan *plan, uint32_t chart);

/* A value as text that fits: with unit, without, or compact. */
void hist_chart_fit(const struct hist_view *v, const struct app *app, uint32_t of, int64_t value,
    int width, char *text, size_t size);

/* A chart's maximum, and its value in a line; HIST_NONE: none. */
int64_t hist_chart_most(const struct hist_view *v, uint32_t of);
int64_t hist_chart_value(
    const struct hist_view *v, const struct hist_plan *plan, uint32_t of, uint64_t line);

/* history_lines.c: separators and lines at events, thinned to a minimum distance, which the text
 * names. */
void hist_paint_lines(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *plan);
void hist_line_text(const struct hist_view *v, const struct app *app, const struct hist_plan *plan,
    char *text, size_t size);

/* Tiles between drawn separators, and between those with labels; 0: none. */
uint64_t hist_separator_period(
    const struct hist_view *v, const struct app *app, const struct hist_plan *plan, uint32_t lane);
uint64_t hist_label_period(
    const struct hist_view *v, const struct app *app, const struct hist_plan *plan, uint32_t lane);
int hist_tile_x(
    const struct hist_view *v, const struct hist_plan *plan, uint32_t lane, uint64_t tile);
uint32_t hist_event_id(const struct hist_view *v);

/* extent_text.c */
const struct gcs_space *hist_space(const struct hist_view *v, uint32_t lane);
const struct gcs_stream *hist_stream(const struct hist_view *v, uint32_t lane);
void hist_lane_text(const struct hist_view *v, uint32_t lane, char *text, size_t size);
void hist_title_text(const struct hist_view *v, char *text, size_t size);
void hist_status_text(const struct hist_view *v, const struct app *app,
    const struct hist_plan *plan, char *text, size_t size);

/* What is missing or in progress, or "". */
void hist_notice_text(const struct hist_view *v, char *text, size_t size);
void hist_number_text(
    const struct hist_view *v, uint32_t lane, int64_t value, char *text, size_t size);
void hist_cell_text(const struct hist_view *v, uint32_t lane, const struct hist_cell *cell,
    char *text, size_t size);
void hist_tile_text(const struct hist_view *v, const struct hist_plan *plan, uint32_t lane,
    uint32_t column, char *text, size_t size);
void hist_legend_text(
    const struct hist_view *v, uint32_t lane, uint64_t tile, char *text, size_t size);
void hist_chart_name(const struct hist_view *v, uint32_t of, char *text, size_t size);
void hist_chart_text(
    const struct hist_view *v, uint32_t of, int64_t value, char *text, size_t size);
char *hist_time_text(const struct hist_view *v, uint64_t time_ns, char *text, size_t size);
void hist_tip(struct hist_view *v, struct app *app, uint64_t line, uint32_t lane, uint32_t column);
void hist_tip_chart(struct hist_view *v, struct app *app, uint64_t line, uint32_t chart);
void hist_empty_text(const struct hist_view *v, const struct app *app, char *title,
    size_t title_size, char *text, size_t size);

/* history_copy.c: the visible rows. */
void hist_copy_text(void *self, struct app *app, struct textbuf *out);

/* history_move.c */
void hist_pointer(struct hist_view *v, struct app *app);
bool hist_key(struct hist_view *v, struct app *app);
bool hist_move(struct hist_view *v, struct app *app, enum command_id id);

/* The zoom that shows that many rows in a height, as large as they fit. */
void hist_zoom_fitting(uint32_t rows, int height, uint32_t *group, int *row_px);
void hist_go(struct hist_view *v, struct app *app);

/* Moves the cursor to the row at a time in seconds, as on the axis; false with a toast. */
bool hist_cursor_to(struct hist_view *v, struct app *app, const char *seconds);
bool hist_back(struct hist_view *v, struct app *app);
bool hist_cursor_place(
    const struct hist_view *v, const struct hist_plan *plan, uint64_t *line, uint32_t *column);

/* True if an earlier moment than a live program's newest is shown. */
bool hist_looks_back(const struct app *app);

/* The line that the other views show; false if there is none. */
bool hist_present_line(
    const struct hist_view *v, const struct app *app, const struct hist_plan *plan, uint64_t *line);

/* Moves the cursor and scrolls it into sight. */
void hist_cursor_put(
    struct hist_view *v, struct app *app, uint64_t line, uint32_t lane, uint32_t tile);

/* history_find.c: a tile, an event, a graph. */
bool hist_find(struct hist_view *v, struct app *app, const char *text);
void hist_find_open(struct hist_view *v, struct app *app);
bool hist_find_close(struct hist_view *v, struct app *app);
void hist_find_run(struct hist_view *v, struct app *app, struct cv_rect *column);

/* history_legend.c */
void hist_legend_run(struct hist_view *v, struct app *app, struct cv_rect *column);

/* Value i in the legend of a lane; false after the last one. */
bool hist_value_at(
    const struct hist_view *v, uint32_t lane, uint32_t i, unsigned *look, char *text, size_t size);

/* The lane's code that is highlighted, or as in struct hist_palette. */
int hist_only_code(const struct hist_view *v, uint32_t lane);

/* Highlights one value, by its name; "" or "none": shows all. False with a toast. */
bool hist_set_only(struct hist_view *v, struct app *app, const char *name);

/* history_side.c */
/* Records where a control is, for scrolling to it. */
void hist_spot(struct hist_view *v, struct app *app, uint32_t id, struct cv_rect r);
void hist_side_run(void *self, struct app *app, struct cv_rect *column);
void hist_side_text(void *self, struct app *app, struct textbuf *out);
void hist_open_settings(struct hist_view *v, struct app *app);

/* history_save.c */
bool hist_save_png(struct hist_view *v, struct app *app, const char *path);
bool hist_svg(void *self, struct app *app, struct textbuf *out);

/* view_history.c: marks everything dirty. */
void hist_dirty(struct app *app);
bool hist_paint_graph(struct hist_view *v, struct app *app, struct cv *cv,
    const struct hist_plan *plan, struct hist_shown *shown);

#endif
