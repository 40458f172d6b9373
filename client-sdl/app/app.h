/*
 * The application: connection, snapshot, selection, panels. It knows no window system: a shell
 * passes it events and the time, and presents its canvas. Everything here belongs to one thread,
 * except the shell's wake-up, which makes that thread call app_poll.
 */
#ifndef GCSPY_CLIENT_APP_H
#define GCSPY_CLIENT_APP_H

#include <time.h>

#include "pending_connection.h"
#include "tile_zoom.h"
#include "collect.h"
#include "counting.h"
#include "commands.h"
#include "cut_text.h"
#include "latency.h"
#include "local_jvms.h"
#include "menu.h"
#include "layer.h"
#include "layouts.h"
#include "nav.h"
#include "playback_rate.h"
#include "event_history.h"
#include "profiles.h"
#include "record.h"
#include "replay.h"
#include "requests.h"
#include "source.h"
#include "textfield.h"
#include "time_figures.h"
#include "timescale.h"
#include "ui.h"
#include "view.h"
#include "view_state.h"

enum panel_id {
	PANEL_HEADER,
	PANEL_VIEW,
	PANEL_SIDE,
	PANEL_TIMELINE,
	PANEL_FOOTER,
	PANEL_MODAL,
	PANEL_COUNT
};

enum modal {
	MODAL_NONE,
	MODAL_HELP,
	MODAL_PALETTE,
	MODAL_CONNECT,
	MODAL_INFO,
	MODAL_STREAMS,
	MODAL_SUMMARY,
	MODAL_COLLECT,
	MODAL_COLOURS,
	MODAL_MENU,
	MODAL_ARGUMENT,
	MODAL_SETTINGS,
	MODAL_COUNT
};

#define RETRY_MS      2000  /* between attempts to connect again … */
#define RETRY_MOST_MS 60000 /* … and for how long */
#define SILENT_MS     5000  /* without an event, after which that is shown */
#define TOAST_MS      4000

/* What the frame overlay shows; all times are CPU or wall time in microseconds. */
struct app_stats {
	bool pending; /* the newest snapshot has not been painted yet */
	uint64_t frames;
	uint32_t paint_us, paint_worst_us; /* wall time of painting a frame */
	uint32_t tiles;                    /* tiles painted by the last frame */
	uint64_t snapshots, skipped;       /* received, and of these never painted */
	uint64_t lag_us;                   /* from the wake-up to the frame that shows it */
	/* Updated twice a second while shown: bytes received, memory of the process. */
	uint64_t looked_ms, looked_at, bytes, bytes_per_s, resident;
};

struct app {
	struct cv cv;
	struct ui ui;
	struct fonts fonts;
	bool (*make_fonts)(struct fonts *fonts, int scale);
	int theme, ramp;
	int scale, first_scale; /* percent */
	uint64_t now_ms;        /* monotonic, set by the shell before each call */

	struct source source;
	struct source_opener opener;
	uint64_t
	    connection;    /* number of the source; answers to queries of another one are dropped */
	uint64_t greeted;  /* the connection that has been sent the collapsed groups */
	uint64_t pictured; /* the connection of the last snapshot shown */
	uint64_t met;      /* the connection that `program` is about */
	uint64_t program;  /* counts programs and recordings; what views keep belongs to one */
	bool again;        /* same address as the previous connection */
	char address[1024];            /* of the last connection, "" before the first */
	char server[GCS_MAX_NAME + 1]; /* of the last snapshot shown */
	enum source_state state;
	struct gcs_error why; /* why the connection is lost or failed */
	bool retries;         /* lost and being retried; `why` is the last failure */
	bool reconnects;      /* the user asked for it and has no answer yet */
	bool ended;           /* the program itself has ended: not retried */
	time_t lost_at;       /* when the connection was lost */
	uint64_t give_up_ms;  /* the last time for a retry */
	uint64_t heard_ms;    /* of the newest event, or of the connection before the first one */
	uint64_t silent_ms;   /* since then, as shown beside "Live"; 0: nothing is shown */
	struct pending_connection pending_connection;
	enum gcs_run_state run;
	bool run_own;
	uint32_t run_others;
	bool auto_retry;
	bool pause_at_start;
	void (*wake)(void *context); /* the shell's, callable from any thread; may be NULL */
	void *wake_context;
	bool (*drop)(void *context, const char *path); /* the shell's: simulates a dropped file */
	const char *agent_path;  /* of the agent library, for the hint how to attach */
	const char *sample_path; /* of the sample recording, or NULL */
	const char *tool_path;   /* of `gcspy`, or NULL */
	uint64_t retry_at_ms;    /* 0: no attempt is due */
	uint32_t notice;

	struct gcs_snapshot *snapshot; /* shown; NULL before the first one */
	struct replay replay;
	struct event_history event_history;
	struct playback_rate playback_rate;
	struct event_history_range range; /* the selected time range */
	uint64_t
	    hover_ns; /* of the event under the pointer on the timeline or in a chart; 0: none */
	struct time_figures figures;
	bool guided; /* a user looks: opens with the overview, recordings where it tells most */
	uint64_t guided_to; /* the connection whose most telling moment was gone to */
	struct timeline_view timeline;
	struct record record;
	struct collect collect;
	struct counting counting;
	struct requests requests;
	uint64_t events;      /* snapshots of events received */
	uint32_t space_count; /* size of stream_of */
	uint32_t *stream_of;  /* per space: the stream that colours it */
	uint32_t group_count;
	bool *group_closed;
	uint32_t active_space; /* GCS_NONE without spaces */
	struct tile_ref selected, hovered;
	struct tile_zoom tile_zoom;
	struct profiles profiles; /* of sampled allocations */
	bool reveal;              /* scroll the selected tile into sight */

	void *views[VIEW_COUNT];
	enum view_id view_id; /* the view shown; below, its table and its state */
	const struct view *view;
	void *view_self;

	struct cv_rect rect[PANEL_COUNT];
	bool dirty[PANEL_COUNT];
	bool view_all; /* the view must paint everything */
	int side_width;
	bool side_shown;
	int side_scroll, side_content;

	enum modal modal;
	struct cv_rect modal_box;
	struct cv_rect modal_at; /* where a menu opens; empty: the middle of the window */
	struct textfield field;  /* of the palette or the connect dialog */
	int modal_row, modal_scroll;
	struct menu menu;
	uint64_t header_of; /* of what chips and buttons of the header show, as painted */
	struct layer layer_modal, layer_tip, layer_toast, layer_stats;
	bool tip_shown;
	struct cut_text cut_text; /* of a text under the pointer that does not fit */
	char toast[320];
	uint64_t toast_until_ms;
	bool stats_shown;
	struct app_stats stats;
	struct latency latency; /* of input, recorded by the shell */
	struct view_state view_state;
	struct layouts layouts;
	struct nav nav;
	struct local_jvms local_jvms;
	bool from_start;         /* the source was opened on the start screen */
	bool at_start;           /* the start screen is shown in front of the view of a snapshot */
	struct browser *browser; /* of the dialog to open, NULL before it was opened */

	bool quit;
	int exit_code;
};

struct app_options {
	int width, height, scale, theme;
	bool (*make_fonts)(struct fonts *fonts, int scale);
	struct source_opener opener;
	struct ui_clipboard clipboard;
	void (*wake)(void *context);
	void *wake_context;
	bool (*drop)(void *context, const char *path); /* may be NULL */
	const char *agent_path, *sample_path, *tool_path;
	uint64_t history_bytes; /* of disk space, for looking back; 0: none */
	bool guided;            /* opens with the overview, not with the heap map */
	uint64_t now_ms;        /* at the start */
};

bool app_init(struct app *app, const struct app_options *options, struct gcs_error *err);
void app_fini(struct app *app);

/* app_connection.c. */
/* The address of a server, or a file. */
bool app_connect(struct app *app, const char *address);
void app_disconnect(struct app *app);
/* Tells a new connection which groups are collapsed. */
void app_greet(struct app *app);
/* Replaces the present source. */
void app_take_source(struct app *app, const struct source *source, const char *address);
/* Takes what is new of the connection. */
void app_poll_state(struct app *app);
/* A file was dropped on the window (app_drop.c); false, with a toast and without any change, if
 * it cannot be shown. */
bool app_drop(struct app *app, const char *path);

/* app.c: the snapshot. */
void app_poll(struct app *app);

/* Shows a snapshot in place of the present one; takes a reference of its own. */
void app_show(struct app *app, const struct gcs_snapshot *snapshot);

/* The model of the present snapshot, or NULL. Valid as long as the snapshot. */
const struct gcs_model *app_model(const struct app *app);
const struct gcs_space *app_space(const struct app *app, uint32_t space);

/* True if the space is to be shown: described, and not released by us. */
bool app_shows(const struct app *app, uint32_t space);

/* Activates another space if the active one is no longer shown. */
void app_settle(struct app *app);

/* Plans the next attempt to connect again, if there is to be one; none. */
void app_retry_later(struct app *app);
void app_end_retries(struct app *app);

/* Time without an event, in the steps in which it is shown; 0: not to be shown. When it changes. */
uint64_t app_silent_ms(const struct app *app);
uint64_t app_silent_due_ms(const struct app *app);

/* True if the snapshot does not come from a live connection (any more). */
bool app_is_old(const struct app *app);

void app_select(struct app *app, uint32_t space, uint32_t tile);
void app_set_stream(struct app *app, uint32_t space, uint32_t stream);
void app_activate(struct app *app, uint32_t space);
void app_toggle_group(struct app *app, uint32_t group);

/* True if the group and all its parents are open. */
bool app_group_open(const struct app *app, uint32_t group);

/* app_guide.c: what a user sees first. The overview gives way to the heap map if the events of the
 * program tell neither memory nor pauses; a recording opens at its most telling moment: the largest
 * heap after a collection, where the call sites of survivors are known if they are anywhere. */
void app_guide(struct app *app);
bool app_tells_memory(const struct gcs_model *model);

/* app_views.c: the views. */
bool app_open_views(struct app *app, struct gcs_error *err);
void app_close_views(struct app *app);
const struct view *app_view_at(enum view_id id);
void app_set_view(struct app *app, enum view_id id);
/* Shows the start screen in front of the view, or the view again, which any other view and any
 * command about the heap do as well. The connection stays. */
void app_show_start(struct app *app, bool on);
/* True while it is shown: also before the first snapshot, in every view. */
bool app_is_at_start(const struct app *app);
/* Makes commands go to another view, without showing it. */
void app_swap_view(struct app *app, enum view_id id);
void app_poll_views(struct app *app);
void app_note_views(struct app *app, const struct gcs_snapshot *snapshot);
void app_describe_views(struct app *app);
void app_tick_view(struct app *app);
uint64_t app_view_due_ms(const struct app *app);

/* The commands that show a view, and those of a view that is not shown, which show it first. */
bool app_view_command(struct app *app, enum command_id id, const char *argument);

/* app_places.c: the call sites of a tile, the tiles of a call site. */
bool app_place_command(struct app *app, enum command_id id, const char *argument);

/* The addresses of a tile as a place (docs/protocol.md, section 10). NULL, or why there are
 * none. */
const char *app_place_of(const struct app *app, struct tile_ref of, char *where, size_t size);

/* The row or frame under the pointer, or the selected one, of a view of call sites: a key that
 * identifies it, 0 if there is none. app_look_sites puts at most PROFILES_KEPT of its call
 * sites, the largest, and returns how many it has. */
uint64_t app_look(const struct app *app, bool selected);
uint32_t app_look_sites(
    const struct app *app, bool selected, uint64_t *numbers, char *name, size_t size);

/* Highlights in the heap map what is selected in a view of call sites, unless it is too many
 * sites. */
void app_show_kept(struct app *app);

/* view_history.c: the commands of history graphs, whichever view is shown. */
bool hist_command(struct app *app, enum command_id id, const char *argument);

/* app_frame.c: layout and painting. */
void app_resize(struct app *app, int width, int height);
bool app_set_scale(struct app *app, int scale);
void app_layout(struct app *app);
void app_dirty(struct app *app, enum panel_id panel);
void app_dirty_all(struct app *app);

/* Paints what is dirty; true if the canvas has new damage. */
bool app_frame(struct app *app);

/* Milliseconds until something is due; -1: nothing is. */
int app_wait_ms(const struct app *app);

/* Does what is due by the clock: retries, the end of a toast. */
void app_tick(struct app *app);

/* stats_box.c: the periodic figures of F12. */
void stats_tick(struct app *app);
uint64_t stats_due_ms(const struct app *app);

/* app_event.c */
void app_event(struct app *app, const struct ui_event *ev);

/* app_commands.c: false, with a toast, if the command failed. */
bool app_command(struct app *app, enum command_id id, const char *argument);
void app_toast(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* app_output.c: copy, dump and pictures; the text of the whole window. */
bool app_output_command(struct app *app, enum command_id id, const char *argument);
void app_dump(struct app *app, struct textbuf *out);

void app_open_modal(struct app *app, enum modal modal);
void app_close_modal(struct app *app);

/* The panels, one file each; called in both passes. */
void header_run(struct app *app, struct cv_rect r);
/* The row of tabs at the top of the header (panel_tabs.c), and its height in pixels. */
void tabs_run(struct app *app, struct cv_rect r);
int tabs_height(const struct app *app);

/* Buttons for the whole window, cut off the right of a row (panel_tools.c); what restricts the view,
 * each with a cross (chips.c). They take no height, so that nothing moves when one appears. The
 * numbers change with what is to be painted. */
void toolbar_run(struct app *app, struct cv_rect *row);
uint64_t toolbar_state(const struct app *app);
void chips_run(struct app *app, struct cv_rect *row);
uint64_t chips_state(const struct app *app);
void chips_text(const struct app *app, struct textbuf *out);

void side_run(struct app *app, struct cv_rect r);
void timeline_run(struct app *app, struct cv_rect r);
void footer_run(struct app *app, struct cv_rect r);

void header_text(struct app *app, struct textbuf *out);
void side_text(struct app *app, struct textbuf *out);
void timeline_text(struct app *app, struct textbuf *out);
void footer_text(struct app *app, struct textbuf *out);

/* The dialogs, each in its box. */
void help_run(struct app *app, struct cv_rect r);
void help_text(struct app *app, struct textbuf *out);
void palette_run(struct app *app, struct cv_rect r);
void palette_text(struct app *app, struct textbuf *out);
void connect_run(struct app *app, struct cv_rect r);
void info_run(struct app *app, struct cv_rect r);
void info_text(struct app *app, struct textbuf *out);
void settings_run(struct app *app, struct cv_rect r); /* settings_box.c */

/* The start screen (heap_empty.c): before the first snapshot, and in front of the view when asked
 * for. */
void heap_empty(struct app *app, struct cv_rect r);
void heap_empty_text(const struct app *app, struct textbuf *out);

/* About the active space (heap_dialogs.c): the menu of its streams, its height at scale 1, and
 * the summary. */
void stream_menu_run(struct app *app, struct cv_rect r);
int stream_menu_height(const struct app *app);
int stream_menu_chosen(const struct app *app); /* the row of what colours the tiles */
void summary_run(struct app *app, struct cv_rect r);
void colours_run(struct app *app, struct cv_rect r); /* heap_colours_box.c */
void colours_text(struct app *app, struct textbuf *out);
void summary_text(struct app *app, struct textbuf *out);

#endif
