/*
 * A made-up server for tests of the visualiser: a heap of regions, a card table and a list of
 * threads, with every kind of stream, and a source that hands out what a test puts into it.
 * Everything is deterministic.
 */
#ifndef GCSPY_TESTS_UI_WORLD_H
#define GCSPY_TESTS_UI_WORLD_H

#include <gcspy/profile.h>

#include "app.h"
#include "site_tiles.h"

enum { WORLD_REGIONS, WORLD_CARDS, WORLD_THREADS, WORLD_SPACES };
enum { REGION_TYPE, REGION_USED, REGION_LIVE, REGION_CARDS, REGION_AGE, REGION_CONTROL };
enum { WORLD_GC_START, WORLD_GC_END };

/* Ends the test program, naming what failed. */
void world_must(bool ok, const char *what);

struct gcs_model *world_model(void);

/* The state after `step` events, on top of `previous` (may be NULL); one reference. */
struct gcs_snapshot *world_snapshot(
    struct gcs_model *model, const struct gcs_snapshot *previous, unsigned step);

/* One space "Plain" of that many tiles with one stream 0..1000, all values 0; for measurements. */
struct gcs_snapshot *world_plain(uint32_t tiles);

#define WORLD_QUEUE  16
#define WORLD_LINKS  4
#define WORLD_OTHERS 16

struct world_source;

/* One connection to it. */
struct world_link {
	struct world_source *source;
	enum source_state state; /* as last told */
	bool closed;
};

/* A source under the control of a test. */
struct world_source {
	enum source_state state;
	struct gcs_error why;
	enum gcs_run_state run;
	struct gcs_snapshot *queue[WORLD_QUEUE];
	unsigned first, count;
	uint64_t overrun;                     /* what a queue would have dropped so far */
	uint64_t drops;                       /* the same, just before the next snapshot is taken */
	struct world_link links[WORLD_LINKS]; /* the newest ones */
	unsigned opened, closed, pauses, resumes, steps, collapses;
	bool paused_at_start;
	char address[256];
	char notice[64];
	uint32_t notice_number;
	/* Questions beside the snapshots: the newest one, and its answer once a test gives it. */
	bool mute; /* a source that cannot be asked and has no filters; set before connecting */
	/* Filters as they were sent; `filters` counts. */
	struct gcs_filter filter[GCS_MAX_EVENTS];
	unsigned filters;
	uint32_t interval_ms; /* between snapshots, as it was set last */
	unsigned queries, sets;
	uint32_t id;
	char topic[64], kind[64], interval[64], site[64], where[128];
	enum gcs_status refusal; /* of the question itself */
	bool site_locations;     /* answer queries for object locations; else reject them */
	bool pending;            /* asked, and the answer has not been taken */
	struct gcs_answer *answer;
	/* Zooms, which have answers of their own. */
	unsigned zooms, unzooms;
	uint32_t zoom_id, zoom_space, unzoom_space;
	uint64_t zoom_start, zoom_end, zoom_block;
	struct gcs_answer *zoom_answer;
	/* What else the target can do: settings, triggers, plugins (ui_target.h); NULL: nothing. Its
	 * answers are there at once. */
	const struct world_target *target;
	struct gcs_answer *others[WORLD_OTHERS];
};

struct world_target {
	struct gcs_answer *(*ask)(
	    const char *topic, uint32_t count, const struct gcs_info *parameters);
	struct gcs_answer *(*set)(const char *key, const char *value);
	struct gcs_answer *(*trigger)(const struct gcs_trigger *trigger);
	struct gcs_answer *(*untrigger)(const char *name);
};

/* An answer whose bytes and message are copied. */
struct gcs_answer *world_make_answer(
    uint32_t id, enum gcs_status status, const char *message, const void *bytes, size_t length);

/* An application without a window: block font, clipboard in memory. */
struct world {
	struct app app;
	struct world_source source;
	struct gcs_model *model;
	struct gcs_snapshot *last; /* the newest that was put */
	unsigned step;
	int64_t
	    wall_ns; /* of the server's start, for event_history_events; 0: without a wall clock */
	char clipboard[65536];
};

void world_open(struct world *w, int width, int height);
void world_close(struct world *w);

/* Connects, and lets n events happen and be painted. */
void world_live(struct world *w, unsigned n);

/* Hands one more event to the application and paints. */
void world_event(struct world *w);

/* The same with any snapshot; takes a reference of its own. */
void world_put(struct world *w, const struct gcs_snapshot *snapshot);

/* True if nothing is due while the program runs, but to tell how old its newest event is. */
bool world_is_idle(const struct world *w);

/* Answers the newest question and paints; takes the profile over, which may be NULL. */
void world_answer(
    struct world *w, enum gcs_status status, const char *message, struct gcs_profile *profile);

/* The same with any bytes. */
void world_answer_bytes(
    struct world *w, enum gcs_status status, const char *message, const void *bytes, size_t length);

/* Answers the newest zoom and paints; the space counts if the status is OK. */
void world_answer_zoom(struct world *w, enum gcs_status status, const char *message, uint8_t space);

/* The same with where a call site lies. */
void world_answer_tiles(struct world *w, const struct gcs_site_tiles *tiles);

/* Lets time pass: what is due by the clock is done, and a frame painted. */
void world_wait(struct world *w, unsigned ms);

/* Input, with a frame before and after it, as in a shell. */
void world_key(struct world *w, const char *key);
void world_type(struct world *w, const char *text);
void world_move(struct world *w, int x, int y);
void world_click(struct world *w, int x, int y, int button);
bool world_run(struct world *w, const char *script);

/* What a window says in words, app_dump(); there until the next call. */
const char *window_text(struct app *app);

/* True if that contains it; else all of it goes to stderr. */
bool window_says(struct app *app, const char *what);

/*
 * Compares the canvas with tests/golden/view/<name>.png. On a difference the actual picture and one
 * that shows where it differs are written to the build folder. GCSPY_UPDATE_GOLDEN=1 writes the
 * golden.
 */
bool window_golden(struct app *app, const char *name);
bool world_golden(struct world *w, const char *name);

/* Waits until the dialog to open has read its folder and the selected file. */
void window_folder(struct app *app);

/* True if painting as it went along has left what painting anew gives; else names a pixel. */
bool window_is_whole(struct app *app);

/* Decodes a PNG file of the kinds that png.c writes; NULL if it cannot be read. */
uint32_t *png_read(const char *path, int *width, int *height);

#endif
