/*
 * One line of text to edit: cursor, selection, clipboard, horizontal scrolling. The state belongs
 * to the caller; the text is UTF-8 and always whole characters.
 */
#ifndef GCSPY_CLIENT_TEXTFIELD_H
#define GCSPY_CLIENT_TEXTFIELD_H

#include "ui.h"

struct textfield {
	char text[256];
	size_t cursor, anchor; /* byte offsets; what lies between them is selected */
	int scroll;            /* pixels hidden on the left */
};

/* Replaces the whole text and selects it. */
void textfield_set(struct textfield *field, const char *text);

/* Inserts in place of the selection; control characters are left out, what does not fit is cut. */
void textfield_insert(struct textfield *field, const char *text);

/* Applies a key; false if the key means nothing here. */
bool textfield_key(
    struct textfield *field, struct keystroke stroke, const struct ui_clipboard *clipboard);

/* The widget; true when the text changed. hint is shown while it is empty. */
bool ui_field(
    struct ui *ui, uint32_t id, struct cv_rect r, struct textfield *field, const char *hint);

#endif
