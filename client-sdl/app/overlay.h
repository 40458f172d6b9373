/*
 * Painted over the panels: the open dialog, the tooltip, the toast, the frame overlay. Called by
 * app_frame in this order; each saves the pixels under it in its layer.
 */
#ifndef GCSPY_CLIENT_OVERLAY_H
#define GCSPY_CLIENT_OVERLAY_H

#include "canvas.h"

struct app;

/* The content of the open dialog, in either pass. */
void overlay_dialog(struct app *app, struct cv_rect r);

void overlay_modal(struct app *app);
void overlay_tip(struct app *app);
void overlay_toast(struct app *app);
void overlay_stats(struct app *app);

#endif
