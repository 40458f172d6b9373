/*
 * The heap map as differences from an earlier snapshot, A (V4, C24): marked in this window, or read
 * from a recording by a thread. A is kept by reference; the differences of each space are in its
 * preferences (tilediff.h).
 */
#ifndef GCSPY_CLIENT_HEAP_COMPARE_H
#define GCSPY_CLIENT_HEAP_COMPARE_H

#include "app.h"
#include "tilediff.h"
#include "tilemap.h"
#include "worker.h"

struct heap;
struct heap_item;
struct heap_prefs;

#define HEAP_COMPARE_POLL_MS 30 /* while a recording is read */

struct heap_compare {
	struct gcs_snapshot *a; /* NULL: no comparison */
	char label[300];        /* of A: "GC end #12", "run.gcspy, event 40" */
	bool reading;           /* a recording */
	struct worker loader;
};

void heap_compare_fini(struct heap *heap);

/* Commands, false on failure: Ctrl+D, or "mark"; and FILE [EVENT], off. */
bool heap_compare_mark(struct heap *heap, struct app *app, const char *argument);
bool heap_compare_file(struct heap *heap, struct app *app, const char *argument);

/* Ends the comparison; false if there is none. */
bool heap_compare_end(struct heap *heap, struct app *app);

/* Takes the snapshot read from a file. */
void heap_compare_poll(struct heap *heap, struct app *app);

/* True while tiles show differences. */
bool heap_compares(const struct heap *heap);

/* Computes a space's differences; false if A has no such space or stream. */
bool heap_compare_space(
    struct heap *heap, const struct app *app, struct heap_prefs *p, uint32_t space);

/* heap_compare_text.c: a tile's "512 KiB, was 300 KiB at A (+212 KiB)"; "" without a
 * comparison. */
char *heap_compare_tile(
    struct heap *heap, const struct app *app, struct tile_ref at, char *text, size_t size);

/* Formats a whole space: "+1.2 MiB in 12 tiles, -300 KiB in 3, 4 new". */
char *heap_compare_sum(
    const struct app *app, const struct heap_prefs *p, uint32_t space, char *text, size_t size);

/* The legend in the side panel, and the same as text. */
void heap_compare_legend(struct heap *heap, struct app *app, struct cv_rect *column);
void heap_compare_text(struct heap *heap, struct app *app, struct textbuf *out);

/* One character per tile: less, more, unchanged, new, no value. */
char heap_compare_letter(const struct heap_prefs *p, uint32_t tile);

/* Plus and dash on tiles that are large enough, so that colour is not the only cue. */
void heap_compare_signs(const struct heap *heap, struct app *app, const struct heap_item *item);

#endif
