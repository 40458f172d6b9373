/* What other views and dialogs need of the plugins: the menu, and buttons for a tile. */
#ifndef GCSPY_CLIENT_PLUGINS_MENU_H
#define GCSPY_CLIENT_PLUGINS_MENU_H

#include <gcspy/trigger.h>

#include "app.h"

/* The number of plugins of the program that is shown. */
uint32_t plugins_count(const struct app *app);
const char *plugins_title(const struct app *app, uint32_t plugin);

/* Opens the menu of plugins; false, with a toast, without any. */
bool plugins_menu_open(struct app *app);

/* Adds them, or only those about a tile, to a context menu. */
void plugins_menu_add(struct app *app, bool of_tile);

/* Runs a chosen entry. */
void plugins_menu_choose(struct app *app, uint32_t plugin);

/* In the side panel: a button for each plugin about the selected tile; nothing without any. */
void plugins_side(struct app *app, struct cv_rect *column, uint32_t first_id);

/* Shows the answer of a plugin that a trigger has asked at the shown event; false if there is none, and
 * then the reason is shown. */
bool plugins_show_fired(struct app *app, const struct gcs_fired *fired);

#endif
