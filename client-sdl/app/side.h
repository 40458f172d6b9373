/*
 * The sections of the side panel. Each paints itself at the top of the column and cuts off what it
 * used; the column may be taller than the panel, which scrolls.
 */
#ifndef GCSPY_CLIENT_SIDE_H
#define GCSPY_CLIENT_SIDE_H

#include "app.h"

/* Widgets of the list of streams: the button that counts, and the first stream. */
enum { SIDE_COUNT = 98, SIDE_STREAM = 100 };

void side_section(struct app *app, struct cv_rect *column, const char *title, const char *detail);

/* Label and value in one line; a value that is too long continues in lines below. */
void side_row(
    struct app *app, struct cv_rect *column, const char *name, const char *text, bool marked);

void side_streams(struct app *app, struct cv_rect *column);
void side_legend(struct app *app, struct cv_rect *column);

/* Wrapped text, with `gap` pixels at scale 1 below it. */
void side_paragraph(struct app *app, struct cv_rect *column, enum font_face face, uint32_t ink,
    int gap, const char *text);

/* Words in the accent colour, underlined under the pointer; true when clicked. */
bool side_link(struct app *app, uint32_t id, struct cv_rect r, const char *label);

/* A row of a legend; returns where to paint its sample. */
struct cv_rect side_sample(
    struct app *app, struct cv_rect *column, const char *label, const char *value);

/* A colour ramp with labels for its ends and its middle. */
enum { RAMP_LABEL = 220 };
void side_ramp(struct app *app, struct cv_rect *column, int ramp, char text[3][RAMP_LABEL]);

/* The same in PALETTE_SHADES colours. */
void side_ramp_in(
    struct app *app, struct cv_rect *column, const uint32_t *shade, char text[3][RAMP_LABEL]);

void side_tile(struct app *app, struct cv_rect *column);

void side_streams_text(struct app *app, struct textbuf *out);
void side_tile_text(struct app *app, struct textbuf *out);

#endif
