/* What a row of the table of call sites is, and the trees they are joined to; declared in
 * sites_view.h. */
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "layout.h"
#include "sites_view.h"

enum { ROWS = GCS_SITES_BY_PACKAGE + 1, GROUPS = ROWS + CALLS_FORMS };

static const struct grouping {
	const char *name, *title, *many, *tip;
} groupings[GROUPS] = {
    [GCS_SITES_BY_SITE] = {"site", "Site", "site", "A row for each class and stack\nKey\tShift+T"},
    [GCS_SITES_BY_CLASS] = {"class", "Class", "class", "A row for each class\nKey\tShift+T"},
    [GCS_SITES_BY_FRAME] = {"frame", "Frame", "frame",
	"A row for each first frame outside the JDK and libraries\nKey\tShift+T"},
    [GCS_SITES_BY_THREAD] = {"thread", "Thread", "thread",
	"A row for each thread that allocated\nKey\tShift+T"},
    [GCS_SITES_BY_PACKAGE] = {"package", "Package", "package",
	"A row for each package of the first frames outside the JDK and libraries\nKey\tShift+T"},
    [ROWS + CALLTREE_DOWN] = {"top-down", "Top-down", "",
	"A tree from the root down to the callees\nKey\tShift+T"},
    [ROWS + CALLTREE_UP] = {"bottom-up", "Bottom-up", "",
	"A tree from the allocated classes up to the callers\nKey\tShift+T"},
    [ROWS + CALLTREE_SANDWICH] = {"sandwich", "Sandwich", "",
	"Callers and callees of the selected method\nKey\tShift+T"},
};

const char *sites_group_name(enum gcs_sites_by by)
{
	return groupings[by].many;
}

const char *sites_group_title(enum gcs_sites_by by)
{
	return groupings[by].title;
}

static int shown_group(const struct app *app)
{
	const struct calls_view *calls = app->views[VIEW_CALLS];
	const struct sites_view *sites = app->views[VIEW_SITES];
	return app->view_id == VIEW_CALLS ? ROWS + (int)calls->form : (int)sites->wanted;
}

static void choose_group(struct app *app, int group, const char *method)
{
	struct calls_view *calls = app->views[VIEW_CALLS];
	struct sites_view *sites = app->views[VIEW_SITES];
	if (group < ROWS) {
		app_set_view(app, VIEW_SITES);
		sites->wanted = (enum gcs_sites_by)group;
	} else {
		app_set_view(app, VIEW_CALLS);
		calls_choose(calls, app, (enum calltree_form)(group - ROWS));
		if (method != NULL)
			snprintf(calls->method, sizeof calls->method, "%s", method);
	}
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

bool sites_group_command(struct app *app, const char *argument)
{
	if (argument == NULL) {
		choose_group(app, (shown_group(app) + 1) % GROUPS, NULL);
		return true;
	}
	for (int i = 0; i < GROUPS; i++) {
		const size_t n = strlen(groupings[i].name);
		if (strncmp(argument, groupings[i].name, n) != 0)
			continue;
		const bool method = i == ROWS + CALLTREE_SANDWICH && argument[n] == ' ';
		if (argument[n] != 0 && !method)
			continue;
		choose_group(app, i, method ? argument + n + 1 : NULL);
		return true;
	}
	app_toast(app,
	    "%s: expected site, class, frame, thread, package, top-down, bottom-up or sandwich "
	    "[METHOD]",
	    argument);
	return false;
}

/* Where the buttons have no room, one of them opens a menu of all. */
static void open_menu(struct app *app)
{
	menu_begin(app, "Rows of the table");
	for (int i = 0; i < GROUPS; i++) {
		if (i == ROWS)
			menu_section(app);
		menu_add(app, COMMAND_sites_group, groupings[i].title, groupings[i].name);
	}
	menu_open(app, app->ui.mouse_x, app->ui.mouse_y);
}

void sites_groups_run(struct app *app, const bool *collapse, struct cv_rect *r)
{
	struct ui *ui = &app->ui;
	struct profiles_button buttons[GROUPS];
	const int shown = shown_group(app);
	int width = ui_px(ui, 230); /* of the other buttons */
	char label[60];
	/* In a low window rows matter more. */
	if (collapse == NULL && r->h < ui_px(ui, 120))
		return;
	for (int i = 0; i < GROUPS; i++) {
		buttons[i] = (struct profiles_button){
		    groupings[i].title, groupings[i].tip, i == shown, false};
		width += ui_button_width(ui, ICON_NONE, groupings[i].title) + ui_px(ui, 6);
	}
	const bool brief = width > r->w;
	snprintf(label, sizeof label, "Rows: %s \xe2\x80\xa6", groupings[shown].title);
	if (brief)
		buttons[0] = (struct profiles_button){
		    label, "What a row is, and trees\nKey\tShift+T", false, false};
	const int used = calltree_buttons_run(
	    app, buttons, brief ? 1 : GROUPS, collapse, UI_ID(PANEL_VIEW, SITES_GROUP), r);
	if (used >= 0 && brief)
		open_menu(app);
	else if (used >= 0)
		choose_group(app, used, NULL);
}

char *sites_put_group(char *text, size_t size, const struct sites_view *view, uint32_t row)
{
	const struct gcs_sites *sites;
	const struct gcs_site *site = sites_of_row(view, row, &sites);
	const struct gcs_frame *own = gcs_sites_own_frame(sites, site);
	if (view->by == GCS_SITES_BY_THREAD)
		return sites_put_name(
		    text, size, site->thread[0] != 0 ? site->thread : "[thread not known]");
	if (view->by == GCS_SITES_BY_FRAME && own != NULL)
		return gcs_frame_text(text, size, own);
	return sites_put_name(text, size, site->class_name);
}

char *sites_put_method(char *text, size_t size, const struct sites_view *view)
{
	const struct gcs_sites *sites;
	const struct gcs_site *site = sites_of_row(view, view->table.selected, &sites);
	const struct gcs_frame *own = site != NULL ? gcs_sites_own_frame(sites, site) : NULL;
	text[0] = 0;
	return own != NULL ? gcs_frame_text(text, size, own) : text;
}

bool sites_open_group(struct sites_view *view, struct app *app)
{
	static const char *const fields[ROWS] = {[GCS_SITES_BY_CLASS] = "class:",
	    [GCS_SITES_BY_FRAME] = "method:",
	    [GCS_SITES_BY_THREAD] = "thread:",
	    [GCS_SITES_BY_PACKAGE] = "method:"};
	const uint32_t row = view->table.selected;
	char name[600], filter[700];
	if (row >= view->rows || view->by == GCS_SITES_BY_SITE)
		return false;
	sites_put_group(name, sizeof name, view, row);
	if (name[0] == '[') {
		app_toast(app, "No filter selects these call sites");
		return true;
	}
	snprintf(filter, sizeof filter, "%s%s", fields[view->by], name);
	profiles_set_filter(app, filter);
	choose_group(app, GCS_SITES_BY_SITE, NULL);
	return true;
}
