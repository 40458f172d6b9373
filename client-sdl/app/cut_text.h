/*
 * Texts that do not fit where they are painted. Once the pointer has rested for CUT_TEXT_MS, the
 * panel under it is painted again with an eye on what text is there; if that is cut, the tooltip
 * begins with the whole of it. Nothing is kept of texts that the pointer is not on, and no view has
 * to know of it. The window's thread only.
 */
#ifndef GCSPY_CLIENT_CUT_TEXT_H
#define GCSPY_CLIENT_CUT_TEXT_H

#include "ui.h"

struct app;

#define CUT_TEXT_MS 400

struct cut_text {
	uint64_t due_ms;   /* when the pointer will have rested; 0: it has, or is not there */
	bool rests;        /* what is painted under the pointer is noted */
	struct cv_rect at; /* of the cut text under the pointer; empty: none */
	char text[UI_TIP_TEXT];
	/* While painting: the last text at the pointer. */
	bool noted, noted_cut;
	struct cv_rect noted_at;
	char noted_text[UI_TIP_TEXT];
};

/* After an event. */
void cut_text_event(struct app *app, const struct ui_event *ev);

void cut_text_tick(struct app *app);
uint64_t cut_text_due_ms(const struct app *app);

/* Around painting the panels, or the dialog that is above them. whole: what is under the pointer is
 * painted anew, not in part. */
void cut_text_begin(struct app *app);
void cut_text_end(struct app *app, bool whole);

/* What the tooltip says, in UI_TIP_TEXT bytes, and what it is about; "" for none. */
struct cv_rect cut_text_tip(const struct app *app, char *text);

#endif
