/*
 * A single-line text field: cursor, selection, clipboard, horizontal scrolling. The caller owns the
 * state; the text is valid UTF-8.
 */
#ifndef GCSPY_CLIENT_TEXTFIELD_H
#define GCSPY_CLIENT_TEXTFIELD_H

#include "ui.h"

struct textfield {
	char text[256];
	size_t cursor, anchor; /* byte offsets of the ends of the selection */
	int scroll;            /* pixels hidden on the left */
};

/* Replaces the whole text and selects it. */
void textfield_set(struct textfield *field, const char *text);

/* Replaces the selection; leaves out control characters and cuts what does not fit. */
void textfield_insert(struct textfield *field, const char *text);

/* Handles a key; false if it has no meaning here. */
bool textfield_key(
    struct textfield *field, struct keystroke stroke, const struct ui_clipboard *clipboard);

/* The widget; true if the text changed. hint is shown while it is empty. */
bool ui_field(
    struct ui *ui, uint32_t id, struct cv_rect r, struct textfield *field, const char *hint);

#endif
