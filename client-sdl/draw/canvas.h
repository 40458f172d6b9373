/*
 * The canvas: one ARGB8888 pixel buffer that everything is painted into.
 *
 * All drawing of the visualiser ends here, so that a window, a screenshot and a test see the same
 * pixels. The caller owns the struct; cv_init allocates the buffer and cv_fini frees it. Every call
 * clips against the top of the clip stack. Colours are 0xAARRGGBB; the buffer itself is always
 * opaque. Only the thread that owns the canvas may use it.
 */
#ifndef GCSPY_CLIENT_CANVAS_H
#define GCSPY_CLIENT_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "damage.h"

#define CV_CLIP_DEPTH 16

struct cv {
	uint32_t *px; /* w * h pixels, rows without padding */
	int w, h;
	struct cv_rect clip; /* the current clip, always inside the buffer */
	struct cv_rect stack[CV_CLIP_DEPTH];
	int depth;
	struct damage damage; /* painted since the last presentation */
	/* Called for each line of text painted, with the visible part of its place and its whole text
	 * even if it is cut: by an ellipsis, or at a side by the clip. May be NULL. */
	void (*note_text)(void *context, struct cv_rect at, const char *text, bool cut);
	void *note_context;
};

bool cv_init(struct cv *cv, int w, int h);
void cv_fini(struct cv *cv);

/* Changes the size; the content is undefined afterwards. On failure the old buffer stays. */
bool cv_resize(struct cv *cv, int w, int h);

/* Narrows the clip to its intersection with r until the matching pop. */
void cv_push_clip(struct cv *cv, struct cv_rect r);
void cv_pop_clip(struct cv *cv);

/* Adds the visible part of r to the damage. */
void cv_touch(struct cv *cv, struct cv_rect r);

void cv_fill(struct cv *cv, struct cv_rect r, uint32_t colour);
void cv_frame(struct cv *cv, struct cv_rect r, int thick, uint32_t colour);
void cv_hline(struct cv *cv, int x, int y, int w, uint32_t colour);
void cv_vline(struct cv *cv, int x, int y, int h, uint32_t colour);

/* Mixes colour over what is there; alpha 0 leaves the pixels, 255 replaces them. */
void cv_blend(struct cv *cv, struct cv_rect r, uint32_t colour, int alpha);

/* Diagonal lines, one pixel wide and step pixels apart, anchored to the rectangle's corner. */
void cv_hatch(struct cv *cv, struct cv_rect r, int step, uint32_t colour);

/* Filled rectangle and outline with rounded, antialiased corners. */
void cv_round(struct cv *cv, struct cv_rect r, int radius, uint32_t colour);
void cv_round_frame(struct cv *cv, struct cv_rect r, int radius, int thick, uint32_t colour);

/* A filled triangle that points right (dir > 0), left (dir < 0); antialiased. */
void cv_arrow(struct cv *cv, struct cv_rect r, int dir, uint32_t colour);

/* Blends colour by 8-bit coverage: the glyph blit. */
void cv_coverage(
    struct cv *cv, int x, int y, const uint8_t *cover, int pitch, int w, int h, uint32_t colour);

/* Copy r out of and into the canvas; the store has r.w * r.h pixels, r is inside the buffer. */
void cv_save(const struct cv *cv, struct cv_rect r, uint32_t *store);
void cv_restore(struct cv *cv, struct cv_rect r, const uint32_t *store);

/* The colour part/256 of the way from a to b. */
uint32_t cv_mix(uint32_t a, uint32_t b, int part);

#endif
