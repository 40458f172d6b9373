/* The header above the data: kinds, filter, description of the profile. Declared in profiles.h. */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"
#include "side.h"
#include "sites_view.h"

static void paint_tab(struct ui *ui, uint32_t id, struct cv_rect r, const char *title, bool chosen)
{
	const struct theme *th = ui->theme;
	if (ui->hot == id && !chosen)
		cv_round(ui->cv, rect_inset(r, ui_px(ui, 3)), ui_px(ui, 4), th->raised);
	struct cv_rect text = r;
	cut_left(&text, ui_px(ui, 6));
	cut_right(&text, ui_px(ui, 6));
	text_in(ui->cv, ui->fonts->face[chosen ? FONT_BOLD : FONT_UI], text, TEXT_CENTRE,
	    chosen ? th->text : th->weak, title);
	int line = ui_px(ui, 2);
	if (chosen)
		cv_fill(ui->cv, rect_make(text.x, r.y + r.h - line, text.w, line), th->accent);
	ui_ring(ui, id, rect_inset(r, ui_px(ui, 3)));
}

/* The first word of a kind's title, for narrow windows, or all of it. */
static const char *tab_title(int kind, bool brief, char *text, size_t size)
{
	const char *title = gcs_profile_kind_title((enum gcs_profile_kind)kind);
	size_t n = brief ? strcspn(title, " ") : strlen(title);
	snprintf(text, size, "%.*s", (int)n, title);
	return text;
}

static int tab_width(const struct ui *ui, int kind, bool brief)
{
	char title[64];
	tab_title(kind, brief, title, sizeof title);
	return text_width(ui->fonts->face[FONT_BOLD], title) + ui_px(ui, 24);
}

static void run_tabs(struct app *app, struct cv_rect *row)
{
	struct ui *ui = &app->ui;
	int all = 0;
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++)
		all += tab_width(ui, i, false);
	bool brief = all > row->w;
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++) {
		char title[64];
		int most = row->w - (GCS_PROFILE_KIND_COUNT - 1 - i) * ui_px(ui, 40);
		struct cv_rect tab = cut_left(row, clamp_int(tab_width(ui, i, brief), 0, most));
		uint32_t id = UI_ID(PANEL_VIEW, PROFILES_TAB + i);
		if (ui_control(ui, id, tab))
			profiles_choose_kind(app, (enum gcs_profile_kind)i);
		if (ui_paints(ui))
			paint_tab(ui, id, tab, tab_title(i, brief, title, sizeof title),
			    app->profiles.kind == (enum gcs_profile_kind)i);
	}
}

/* The dialog says what it does; a toast and the tooltip show the result. */
static void run_collect(struct app *app, struct cv_rect *row)
{
	struct ui *ui = &app->ui;
	const uint32_t id = UI_ID(PANEL_VIEW, PROFILES_COLLECT);
	const char *label = "Collect", *refusal = collect_refusal(app);
	const char *result = app->collect.result;
	const bool off = refusal != NULL || collect_is_awaited(app);
	char tip[500];
	if (row->w < ui_button_width(ui, ICON_NONE, label))
		return;
	struct cv_rect box = cut_right(row, ui_button_width(ui, ICON_NONE, label));
	cut_right(row, ui_px(ui, 8));
	if (ui_button(ui, id, box, ICON_NONE, label, off ? BUTTON_OFF : 0))
		app_command(app, COMMAND_collect, NULL);
	snprintf(tip, sizeof tip, "Collect garbage, which pauses the program\nKey\tCtrl+G%s%s%s%s",
	    refusal != NULL ? "\nNot possible\t" : "", refusal != NULL ? refusal : "",
	    result[0] != 0 ? "\n" : "", result);
	ui_tip(ui, id, box, tip);
}

/* The buttons on the right, as far as there is room. */
static void run_refresh(struct app *app, struct cv_rect row)
{
	struct ui *ui = &app->ui;
	const bool file = app->source.ops != NULL && app->source.ops->file;
	bool can = app->state == SOURCE_LIVE && app->source.ops->query != NULL && !file;
	const char *label = "Refresh";
	int w = ui_button_width(ui, ICON_NONE, label);
	int gap = ui_px(ui, 8);
	int automatic = text_width(ui->fonts->face[FONT_UI], "every 3 s") + ui_px(ui, 34);
	uint32_t id = UI_ID(PANEL_VIEW, PROFILES_REFRESH);
	row.y += ui_px(ui, 6);
	row.h -= ui_px(ui, 12);
	if (row.w < w + gap)
		return;
	struct cv_rect button = cut_right(&row, w);
	if (ui_button(ui, id, button, ICON_NONE, label, can ? 0 : BUTTON_OFF))
		app_command(app, COMMAND_sites_refresh, NULL);
	ui_tip(ui, id, button, file ? PROFILES_OF_RECORDING : "Refresh the samples now\nKey\tR");
	cut_right(&row, gap);
	run_collect(app, &row);
	if (row.w < automatic + gap)
		return;
	struct cv_rect box = cut_right(&row, automatic);
	id = UI_ID(PANEL_VIEW, PROFILES_AUTO);
	if (file)
		ui_toggle_off(ui, id, box, "every 3 s");
	else if (ui_toggle(ui, id, box, "every 3 s", &app->profiles.automatic))
		app_dirty(app, PANEL_VIEW);
	ui_tip(ui, id, box,
	    file ? PROFILES_OF_RECORDING : "Refresh the samples every 3 seconds\nKey\tShift+A");
}

static void run_filter(struct app *app, const char *words, struct cv_rect row)
{
	struct ui *ui = &app->ui;
	row.h = ui_px(ui, 30);
	const char *label = "Runtime frames";
	int toggle = text_width(ui->fonts->face[FONT_UI], label) + ui_px(ui, 34);
	if (row.w > toggle + ui_px(ui, 240)) {
		struct cv_rect box = cut_right(&row, toggle);
		uint32_t id = UI_ID(PANEL_VIEW, PROFILES_RUNTIME_FRAMES);
		if (ui_toggle(ui, id, box, label, &app->profiles.runtime_frame))
			profiles_changed(app);
		ui_tip(
		    ui, id, box, "Show frames of method handles, reflection and the JVM\nKey\tH");
		cut_right(&row, ui_px(ui, 12));
	}
	int used = text_width(ui->fonts->face[FONT_UI], words) + ui_px(ui, 16);
	int room = row.w - ui_px(ui, 140);
	struct cv_rect said = cut_right(&row, clamp_int(used, 0, room));
	if (ui_paints(ui) && (said.w == used || said.w > ui_px(ui, 100)))
		text_in(ui->cv, ui->fonts->face[FONT_UI], said, TEXT_RIGHT,
		    app->profiles.filter.error[0] != 0 ? ui->theme->bad : ui->theme->text, words);
	if (ui_field(ui, UI_ID(PANEL_VIEW, PROFILES_FILTER), row, &app->profiles.field,
		"Filter by class, method or thread; /regex")) {
		sites_filter_fini(&app->profiles.filter);
		sites_filter_init(&app->profiles.filter, app->profiles.field.text);
		profiles_filtered(app);
	}
}

/* Two lines; the rest is in the tooltip, and in the general information. */
static void run_lines(struct app *app, struct cv_rect r, int lines)
{
	struct ui *ui = &app->ui;
	struct font *font = ui->fonts->face[FONT_SMALL];
	const uint32_t id = UI_ID(PANEL_VIEW, PROFILES_WORDS);
	char text[900];
	bool warn;
	ui_area(ui, id, r);
	if (ui->hot == id && ui->ev != NULL) {
		struct textbuf out = {0};
		textbuf_puts(&out, "About these samples\n");
		profiles_facts(app, &out);
		snprintf(text, sizeof text, "%s", textbuf_text(&out));
		text[strlen(text) - 1] = 0;
		ui_tip(ui, id, r, text);
		textbuf_fini(&out);
	}
	if (!ui_paints(ui) || lines == 0)
		return;
	profiles_head_text(app, text, sizeof text, &warn);
	text_in(ui->cv, font, cut_top(&r, font_height(font)), TEXT_LEFT,
	    warn ? ui->theme->warn : ui->theme->text, text);
	if (lines == 1)
		return;
	profiles_loss_text(app, text, sizeof text);
	text_in(
	    ui->cv, font, cut_right(&r, text_width(font, text)), TEXT_RIGHT, ui->theme->warn, text);
	cut_right(&r, text[0] != 0 ? ui_px(ui, 12) : 0);
	profiles_cover_text(app, text, sizeof text);
	text_in(ui->cv, font, r, TEXT_LEFT, ui->theme->weak, text);
}

void profiles_head_run(struct app *app, const char *match, struct cv_rect *r)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	char change[400];
	profiles_change_text(app, change, sizeof change);
	struct cv_rect in = *r;
	cut_left(&in, ui_px(ui, 12));
	cut_right(&in, ui_px(ui, 12));
	bool any = profiles_shown(app) != NULL; /* else there is nothing to filter */
	int tabs = ui_px(ui, 40), filter = any ? ui_px(ui, 44) : 0, gap = ui_px(ui, 8);
	const int line = font_height(ui->fonts->face[FONT_SMALL]);
	/* In a low window rows matter more than the description; copied text has both. */
	const bool low = r->h - tabs - filter - 2 * line < ui_px(ui, 120);
	const int lines = any && !low ? 2 : change[0] != 0;
	struct cv_rect head = cut_top(r, tabs + filter + lines * line + gap);
	if (ui_paints(ui)) {
		cv_fill(ui->cv, head, th->ground);
		cv_hline(ui->cv, head.x, head.y + tabs - 1, head.w, th->line);
		cv_touch(ui->cv, head);
	}
	struct cv_rect row = cut_top(&in, tabs);
	row.x -= ui_px(ui, 6); /* aligns the tabs' titles with the data below */
	row.w += ui_px(ui, 6);
	run_tabs(app, &row);
	run_refresh(app, row);
	row = cut_top(&in, filter);
	row.y += gap;
	if (any)
		run_filter(app, match, row);
	run_lines(app, cut_top(&in, lines * line), lines);
}

int profiles_buttons_run(struct app *app, const struct profiles_button *buttons, int count,
    uint32_t first_id, struct cv_rect *row)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	int used = -1;
	for (int i = 0; i < count; i++) {
		const struct profiles_button *b = &buttons[i];
		uint32_t id = first_id + (uint32_t)i;
		int w = ui_button_width(ui, ICON_NONE, b->label);
		if (row->w < w)
			break; /* each is a command as well */
		struct cv_rect box = cut_left(row, w);
		cut_left(row, ui_px(ui, 6));
		if (ui_button(ui, id, box, ICON_NONE, b->label, b->off ? BUTTON_OFF : 0))
			used = i;
		ui_tip(ui, id, box, b->tip);
		if (ui_paints(ui) && b->on)
			cv_fill(ui->cv,
			    rect_make(box.x + ui_px(ui, 6), box.y + box.h - ui_px(ui, 3),
				box.w - 2 * ui_px(ui, 6), ui_px(ui, 2)),
			    th->accent);
	}
	return used;
}

bool profiles_side_title(
    struct app *app, struct cv_rect *column, const char *name, const char *hint)
{
	struct ui *ui = &app->ui;
	const bool any = name != NULL;
	char text[600];
	sites_put_name(text, sizeof text, !any ? hint : name[0] != 0 ? name : "?");
	struct cv_rect title = rect_make(column->x, column->y, column->w, 0);
	title.h = text_paragraph(ui_paints(ui) ? ui->cv : NULL,
	    ui->fonts->face[any ? FONT_MONO : FONT_SMALL], title,
	    any ? ui->theme->text : ui->theme->weak, text);
	cut_top(column, title.h + ui_px(ui, 4));
	return any;
}

void profiles_side_rows(struct app *app, struct cv_rect *column, const char *figures)
{
	char name[64], value[200];
	while (*figures != 0) {
		size_t n = strcspn(figures, "\n"), tab = strcspn(figures, "\t");
		tab = tab < n ? tab : n;
		snprintf(name, sizeof name, "%.*s", (int)tab, figures);
		snprintf(value, sizeof value, "%.*s", (int)(n - tab - (tab < n)),
		    figures + tab + (tab < n));
		side_row(app, column, name, value, false);
		figures += n + (figures[n] != 0);
	}
}
