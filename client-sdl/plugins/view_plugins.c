/* The view of plugins: what a target can be asked, and its answers (F18, V10). */
#include <gcspy/format.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap_view.h"
#include "layout.h"
#include "plugins_view.h"
#include "profiles.h"
#include "related.h"
#include "text.h"

static void page_fini(struct plugin_page *page)
{
	plugin_answer_clear(&page->answer);
	free(page->field);
}

static void *plugins_view_open(struct app *app)
{
	(void)app;
	struct plugins_view *view = calloc(1, sizeof *view);
	if (view != NULL)
		table_init(&view->list, -1, false);
	return view;
}

static void forget_pages(struct plugins_view *view)
{
	for (uint32_t i = 0; i < view->pages; i++)
		page_fini(&view->page[i]);
	free(view->page);
	view->page = NULL;
	view->pages = 0;
}

static void plugins_view_close(void *self)
{
	forget_pages(self);
	free(self);
}

const struct gcs_plugin *plugins_plugin(const struct app *app, const struct plugin_page *page)
{
	return &app_model(app)->plugins[page->plugin];
}

struct plugin_page *plugins_page(struct plugins_view *view)
{
	return view->list.selected < view->pages ? &view->page[view->list.selected] : NULL;
}

/* A page of the same name and as many parameters goes on. */
static void make_page(struct plugins_view *view, struct plugin_page *page, uint32_t i,
    const struct gcs_plugin *plugin, struct plugin_page *old, uint32_t olds)
{
	for (uint32_t k = 0; k < olds; k++) {
		if (strcmp(old[k].name, plugin->name) != 0 ||
		    old[k].fields != plugin->parameter_count)
			continue;
		*page = old[k];
		old[k] = (struct plugin_page){0};
		page->plugin = i;
		return;
	}
	*page = (struct plugin_page){.serial = ++view->serial, .plugin = i};
	snprintf(page->name, sizeof page->name, "%s", plugin->name);
	page->field = calloc(plugin->parameter_count + 1, sizeof *page->field);
	page->fields = page->field != NULL ? plugin->parameter_count : 0;
}

void plugins_sync(struct plugins_view *view, struct app *app)
{
	const struct gcs_model *model = app_model(app);
	if (model == view->model || model == NULL)
		return;
	struct plugin_page *page = calloc(model->plugin_count + 1, sizeof *page);
	if (page == NULL)
		return;
	for (uint32_t i = 0; i < model->plugin_count; i++)
		make_page(view, &page[i], i, &model->plugins[i], view->page, view->pages);
	forget_pages(view);
	view->page = page;
	view->pages = model->plugin_count;
	view->model = model;
	if (view->list.selected >= view->pages)
		view->list.selected = view->pages > 0 ? 0 : TABLE_NONE;
}

static void plugins_described(void *self, struct app *app)
{
	plugins_sync(self, app);
}

const struct gcs_table *plugins_table(const struct app *app, const char *plugin)
{
	const struct plugins_view *view = app->views[VIEW_PLUGINS];
	for (uint32_t i = 0; i < view->pages; i++)
		if (strcmp(view->page[i].name, plugin) == 0 && view->page[i].answer.shown)
			return view->page[i].answer.grid;
	return NULL;
}

bool plugins_fill(struct app *app, struct plugin_page *page)
{
	const struct gcs_plugin *plugin = plugins_plugin(app, page);
	const bool tile = app->selected.space != GCS_NONE;
	const uint32_t space = tile ? app->selected.space : app->active_space;
	uint64_t start = 0, end = 0;
	const bool range =
	    tile && related_range(app->snapshot, space, app->selected.tile, &start, &end);
	bool any = false;
	for (uint32_t i = 0; i < page->fields; i++) {
		const enum gcs_parameter_kind kind = plugin->parameters[i].kind;
		char text[40] = "";
		if (kind == GCS_PARAMETER_SPACE && space != GCS_NONE)
			snprintf(text, sizeof text, "%u", space);
		else if (kind == GCS_PARAMETER_TILE && tile)
			snprintf(text, sizeof text, "%u", app->selected.tile);
		else if (kind == GCS_PARAMETER_ADDRESS && range)
			snprintf(text, sizeof text, "0x%" PRIx64, start);
		else if (kind == GCS_PARAMETER_LENGTH && range)
			snprintf(text, sizeof text, "%" PRIu64,
			    end - start < PLUGINS_FILL_MOST ? end - start : PLUGINS_FILL_MOST);
		if (text[0] != 0)
			textfield_set(&page->field[i], text);
		any = any || text[0] != 0;
	}
	page->filled = page->filled || any;
	app_dirty(app, PANEL_VIEW);
	return any;
}

/* Where an answer comes from. */
static void put_about(struct app *app, struct plugin_answer *a, const char *message)
{
	char number[40];
	gcs_format_count(number, sizeof number, event_history_shown_number(app));
	plugin_answer_tell(a, number, message);
}

static void take_plugin(struct app *app, uint32_t tag, const struct gcs_answer *answer)
{
	struct plugins_view *view = app->views[VIEW_PLUGINS];
	for (uint32_t i = 0; i < view->pages; i++) {
		struct plugin_page *page = &view->page[i];
		if (page->serial != tag)
			continue;
		page->pending = false;
		if (answer->status != GCS_OK)
			plugin_answer_fail(&page->answer, "%s", requests_text(answer));
		else if (plugin_answer_take(&page->answer, plugins_plugin(app, page)->kind,
			     answer->bytes, answer->length))
			put_about(app, &page->answer, answer->message);
	}
	app_dirty(app, PANEL_VIEW);
}

bool plugins_ask(struct plugins_view *view, struct app *app, struct plugin_page *page)
{
	const struct gcs_plugin *plugin = plugins_plugin(app, page);
	struct gcs_info parameters[GCS_MAX_PARAMETERS];
	uint32_t n = 0;
	(void)view;
	const uint32_t missing = plugins_form_missing(app, page);
	const char *why = requests_refusal(app);
	app_dirty(app, PANEL_VIEW);
	if (missing != GCS_NONE) {
		plugin_answer_fail(&page->answer, "%s is required: %s",
		    plugin->parameters[missing].name, plugin->parameters[missing].description);
		app->ui.focus = UI_ID(PANEL_VIEW, PLUGINS_FIELD + missing);
		app->ui.focus_shown = true;
		return false;
	}
	for (uint32_t i = 0; i < page->fields && n < GCS_MAX_PARAMETERS; i++)
		if (page->field[i].text[0] != 0)
			parameters[n++] =
			    (struct gcs_info){plugin->parameters[i].name, page->field[i].text};
	enum gcs_status status = GCS_OK;
	if (why == NULL && !page->pending)
		status =
		    requests_query(app, plugin->name, n, parameters, take_plugin, page->serial);
	if (why != NULL || status != GCS_OK) {
		app_toast(app, "%s", why != NULL ? why : gcs_status_text(status));
		return false;
	}
	page->pending = true;
	page->connection = app->connection;
	return true;
}

bool plugins_open(struct app *app, uint32_t plugin)
{
	struct plugins_view *view = app->views[VIEW_PLUGINS];
	plugins_sync(view, app);
	if (plugin >= view->pages)
		return false;
	view->list.selected = plugin;
	struct plugin_page *page = &view->page[plugin];
	plugins_fill(app, page);
	app_set_view(app, VIEW_PLUGINS);
	return plugins_ask(view, app, page);
}

/* The list at the left, or above in a narrow window; form and answer. */
struct plugins_places {
	struct cv_rect list, head, text, form, title, answer;
};

static struct plugins_places places_of(
    struct plugins_view *view, const struct app *app, struct cv_rect r)
{
	const struct ui *ui = &app->ui;
	struct plugins_places p = {.list = {0}};
	const struct plugin_page *page = plugins_page(view);
	const int row = table_row_height(ui);
	if (r.w >= ui_px(ui, 640)) {
		p.list = cut_left(&r, ui_px(ui, 190));
	} else {
		const int most = r.h / 6 > row ? r.h / 6 : row;
		p.list = cut_top(
		    &r, clamp_int(ui_px(ui, 28) + (int)view->pages * row, 0, ui_px(ui, 26) + most));
	}
	if (page == NULL)
		return p;
	struct cv_rect inner = r;
	cut_left(&inner, ui_px(ui, 12));
	cut_right(&inner, ui_px(ui, 12));
	cut_top(&inner, ui_px(ui, 6));
	p.head = cut_top(&inner, ui_px(ui, 24));
	const char *text = plugins_plugin(app, page)->description;
	const int high = text_paragraph(NULL, ui->fonts->face[FONT_SMALL], inner, 0, text);
	const int lines = 3 * font_height(ui->fonts->face[FONT_SMALL]);
	p.text = cut_top(&inner, r.h > ui_px(ui, 240) ? clamp_int(high, 0, lines) : 0);
	cut_top(&inner, ui_px(ui, 6));
	p.form = cut_top(&inner, plugins_form_height(app, page, inner.w));
	/* A long one leaves room for the rows. */
	const int title = plugin_answer_head(&page->answer, &app->ui, inner, false);
	p.title = cut_top(&inner, clamp_int(title, 0, inner.h / 2));
	p.answer = rect_make(r.x, inner.y, r.w, inner.h);
	return p;
}

static void name_cell(void *context, uint32_t row, int column, char *text, size_t size)
{
	const struct app *app = context;
	const struct gcs_model *model = app_model(app);
	(void)column;
	snprintf(text, size, "%s", row < model->plugin_count ? model->plugins[row].title : "");
	text_clean(text);
}

static bool has_answer(void *context, uint32_t row)
{
	const struct app *app = context;
	const struct plugins_view *view = app->views[VIEW_PLUGINS];
	return row < view->pages && view->page[row].answer.shown;
}

static struct table_rows list_rows(const struct plugins_view *view, struct app *app)
{
	static const struct table_column column = {"plugin", "Plugin", TEXT_LEFT, 80, 1, 0, true};
	return (struct table_rows){.column = &column,
	    .columns = 1,
	    .count = view->pages,
	    .cell = name_cell,
	    .marked = has_answer,
	    .context = app};
}

static void no_plugins(struct app *app, struct profiles_empty *empty)
{
	const bool file = app->source.ops != NULL && app->source.ops->file;
	*empty = (struct profiles_empty){.offer = PROFILES_OFFER_NOTHING};
	snprintf(empty->title, sizeof empty->title, "No plugins");
	snprintf(empty->text, sizeof empty->text,
	    "A plugin is a question that the program can answer: the backtrace of a thread, the "
	    "memory of a tile, how fragmented a space is. %s announces none.",
	    file ? "This recording" : "This program");
}

/* Both passes. */
static void run_plugins(struct plugins_view *view, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct profiles_empty empty;
	plugins_sync(view, app);
	if (view->pages == 0) {
		no_plugins(app, &empty);
		profiles_empty_run(app, &empty, r);
		return;
	}
	struct plugins_places p = places_of(view, app, r);
	struct table_rows rows = list_rows(view, app);
	const uint32_t before = view->list.selected;
	ui_table(ui, UI_ID(PANEL_VIEW, PLUGINS_LIST), p.list, &view->list, &rows, ui_paints(ui));
	if (view->list.selected >= view->pages)
		view->list.selected = before;
	if (view->list.selected != before) {
		app_dirty(app, PANEL_VIEW);
		return; /* its places are others */
	}
	struct plugin_page *page = plugins_page(view);
	const struct gcs_plugin *plugin = plugins_plugin(app, page);
	if (ui_paints(ui)) {
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], p.head, TEXT_LEFT, ui->theme->text,
		    plugin->title);
		cv_push_clip(ui->cv, p.text);
		text_paragraph(ui->cv, ui->fonts->face[FONT_SMALL], p.text, ui->theme->weak,
		    plugin->description);
		cv_pop_clip(ui->cv);
		cv_push_clip(ui->cv, p.title);
		plugin_answer_head(&page->answer, ui, p.title, true);
		cv_pop_clip(ui->cv);
	}
	if (plugins_form_run(app, page, p.form))
		plugins_ask(view, app, page);
	plugin_answer_run(&page->answer, app, UI_ID(PANEL_VIEW, PLUGINS_ANSWER), p.answer);
}

static void plugins_draw(void *self, struct app *app, struct cv_rect r, bool all)
{
	struct ui *ui = &app->ui;
	(void)all;
	app->stats.tiles = 0;
	cv_fill(ui->cv, r, ui->theme->ground);
	cv_touch(ui->cv, r);
	run_plugins(self, app, r);
}

static void plugins_event(void *self, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const bool pressed = ui->ev->kind == EV_DOWN;
	run_plugins(self, app, r);
	if (pressed && !ui->used)
		ui->focus = 0;
}

static void plugins_copy(void *self, struct app *app, struct textbuf *out)
{
	struct plugins_view *view = self;
	if (app->snapshot == NULL) {
		heap_view.copy_text(app->views[VIEW_HEAP], app, out);
		return;
	}
	plugins_sync(view, app);
	struct plugin_page *page = plugins_page(view);
	for (uint32_t i = 0; i < view->pages; i++)
		textbuf_printf(out, "plugin\t%s\t%s\t%s\n", view->page[i].name,
		    plugins_plugin(app, &view->page[i])->title,
		    plugins_plugin(app, &view->page[i])->description);
	if (page == NULL) {
		textbuf_puts(out, "No plugins\n");
		return;
	}
	textbuf_printf(out, "shown\t%s\n", page->name);
	for (uint32_t i = 0; i < page->fields; i++)
		textbuf_printf(out, "parameter\t%s\t%s\n",
		    plugins_plugin(app, page)->parameters[i].name, page->field[i].text);
	if (page->pending)
		textbuf_puts(out, "asking\n");
	plugin_answer_text(&page->answer, out);
}

static bool plugins_has_side(void *self, struct app *app)
{
	(void)self;
	(void)app;
	return false;
}

static void plugins_side_none(void *self, struct app *app, struct cv_rect *column)
{
	(void)self;
	(void)app;
	(void)column;
}

static void plugins_side_text(void *self, struct app *app, struct textbuf *out)
{
	(void)self;
	(void)app;
	(void)out;
}

/* Questions are not kept: the next run of a program has other addresses. */
static void plugins_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out)
{
	(void)self;
	(void)app;
	(void)scope;
	(void)out;
}

/* What was asked of a lost connection is not answered any more. */
static void plugins_poll(void *self, struct app *app)
{
	struct plugins_view *view = self;
	for (uint32_t i = 0; i < view->pages; i++) {
		struct plugin_page *page = &view->page[i];
		if (!page->pending ||
		    (page->connection == app->connection && app->state != SOURCE_LOST))
			continue;
		page->pending = false;
		app_dirty(app, PANEL_VIEW);
	}
}

static bool plugins_settled(void *self, struct app *app)
{
	const struct plugins_view *view = self;
	(void)app;
	for (uint32_t i = 0; i < view->pages; i++)
		if (view->page[i].pending)
			return false;
	return true;
}

const struct view plugins_view = {
    .name = "plugins",
    .title = "Plugins",
    .show = COMMAND_plugins,
    .open = plugins_view_open,
    .close = plugins_view_close,
    .draw = plugins_draw,
    .event = plugins_event,
    .command = plugins_command,
    .copy_text = plugins_copy,
    .has_side = plugins_has_side,
    .side = plugins_side_none,
    .side_text = plugins_side_text,
    .state = plugins_state,
    .described = plugins_described,
    .poll = plugins_poll,
    .settled = plugins_settled,
};
