/*
 * Painted over the panels: the open dialog, the tooltip, the toast, the frame overlay. Called by
 * app_frame in this order; each saves the pixels under it in its layer.
 */
#ifndef GCSPY_CLIENT_OVERLAY_H
#define GCSPY_CLIENT_OVERLAY_H

struct app;

void overlay_modal(struct app *app);
void overlay_tip(struct app *app);
void overlay_toast(struct app *app);
void overlay_stats(struct app *app);

#endif
