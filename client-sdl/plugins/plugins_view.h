/*
 * Shared by the files of the view of plugins (F18, V10): what a target announces, a page for each
 * plugin with its parameters and its last answer (plugin_answer.h), the form (plugins_form.c), the
 * menu (plugins_menu.c), the commands (plugins_commands.c). The window's thread only.
 */
#ifndef GCSPY_CLIENT_PLUGINS_VIEW_H
#define GCSPY_CLIENT_PLUGINS_VIEW_H

#include "plugin_answer.h"

#define PLUGINS_FILL_MOST 65536u /* bytes that are filled in as the length of a tile's range */

enum plugins_widget {
	PLUGINS_ASK = 1,
	PLUGINS_TAKE,
	PLUGINS_FLAME,
	PLUGINS_LIST = 100,
	PLUGINS_FIELD = 200,
	PLUGINS_ANSWER = 300
};

struct plugin_page {
	uint32_t serial; /* identifies it in answers */
	uint32_t plugin; /* in the model */
	char name[GCS_MAX_NAME + 1];
	uint32_t fields;
	struct textfield *field; /* values of the parameters; "": the initial one */
	bool filled;             /* from the selected tile, or by the user */
	bool pending;
	uint64_t connection; /* of the question */
	struct plugin_answer answer;
};

struct plugins_view {
	const struct gcs_model *model; /* that the pages are about; only compared */
	struct plugin_page *page;      /* one for each plugin, in the model's order */
	uint32_t pages, serial;
	struct table list; /* its selected row is the page shown */
};

/* The plugin of a page, or NULL. */
const struct gcs_plugin *plugins_plugin(const struct app *app, const struct plugin_page *page);

/* The page shown, or NULL without plugins. */
struct plugin_page *plugins_page(struct plugins_view *view);

/* Brings the pages up to date with the model. */
void plugins_sync(struct plugins_view *view, struct app *app);

/* Fills in space, tile, address and length from the selected tile. False if it has none of them. */
bool plugins_fill(struct app *app, struct plugin_page *page);

/* Sends the question of a page; false, with a message in place of the answer. */
bool plugins_ask(struct plugins_view *view, struct app *app, struct plugin_page *page);

/* Shows a page, filled in, and asks if nothing is missing. */
bool plugins_open(struct app *app, uint32_t plugin);

/* plugins_form.c: the parameters. Height of the form at a width; the widgets. */
int plugins_form_height(const struct app *app, const struct plugin_page *page, int width);
/* True if it is to be asked. */
bool plugins_form_run(struct app *app, struct plugin_page *page, struct cv_rect r);
/* The first required parameter without a value, or GCS_NONE. */
uint32_t plugins_form_missing(const struct app *app, const struct plugin_page *page);

/* plugins_commands.c: `ask`, and the keys in the view. */
bool plugins_command(void *self, struct app *app, enum command_id id, const char *argument);
bool plugins_ask_command(struct app *app, const char *argument);

/* plugins_menu.c: the menu MODAL_PLUGINS; declared for overlay.c in plugins_menu.h. In the side
 * panel, buttons for the plugins that are about the selected tile. */
bool plugins_is_of_tile(const struct gcs_plugin *plugin);

#endif
