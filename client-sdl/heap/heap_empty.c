/* The start screen: programs on this machine, how to attach, and recent connections (D31). Declared
 * in app.h. */
#include <stdio.h>
#include <string.h>

#include "heap_view.h"
#include "layout.h"
#include "recents.h"

enum { COPY_START = 900, COPY_ATTACH, ATTACH, OPEN, SAMPLE, RECENT = 910, SCROLL = 950 };

enum { START_ROW = 30, START_ROWS = 6, FEW_ROWS = 3 };

#define RECENTS_SHOWN 8u

static void start_line(const struct app *app, char *text, size_t size)
{
	snprintf(text, size, "java -agentpath:%s=port=3000 -jar app.jar",
	    app->agent_path != NULL ? app->agent_path : "libgcspyagent.so");
}

static const char attach_line[] = "gcspy attach PID port=3000";

static void headline(const struct app *app, char *title, size_t title_size, char *text, size_t size)
{
	switch (app->state) {
	case SOURCE_CONNECTING:
		if (app->source.ops->file) {
			snprintf(title, title_size, "Opening %.360s \xe2\x80\xa6", app->address);
			snprintf(text, size, "The heap appears as soon as the file has been read.");
			return;
		}
		if (app->retries) /* keeps showing the last failure */
			break;
		snprintf(title, title_size, "Connecting to %.360s \xe2\x80\xa6", app->address);
		snprintf(text, size, "The heap appears as soon as the program responds.");
		return;
	case SOURCE_LIVE:
		if (app->snapshot != NULL)
			break;
		snprintf(title, title_size, "Connected to %.360s", app->address);
		snprintf(text, size, "Waiting for the first snapshot.");
		return;
	case SOURCE_LOST:
		if (app->source.ops->file) {
			snprintf(title, title_size, "Cannot read %.360s", app->address);
			snprintf(text, size, "%s.", app->why.text);
			return;
		}
		break;
	case SOURCE_NONE:
		break;
	}
	if (app->snapshot != NULL && !(app->state == SOURCE_NONE && source_is_file(app->address))) {
		snprintf(title, title_size, "%s %.360s",
		    app->state == SOURCE_LIVE ? "Connected to" : "Last connected to", app->address);
		snprintf(text, size, "Esc or a tab goes back to its heap.");
		return;
	}
	if (app->state != SOURCE_NONE) {
		snprintf(title, title_size, "Cannot connect to %.360s", app->address);
		snprintf(text, size, "%s%s.", app->why.text,
		    app->auto_retry ? " \xc2\xb7 retrying every 2 seconds" : "");
		return;
	}
	snprintf(title, title_size, "No program connected");
	snprintf(text, size,
	    "GCspy shows the heap of a running Java program. Drop a recording here to open it.");
}

static void code_box(struct app *app, struct cv_rect r, uint32_t id, const char *line)
{
	struct ui *ui = &app->ui;
	struct cv_rect button = cut_right(&r, ui_px(ui, 72));
	cut_right(&r, ui_px(ui, 8));
	if (ui_paints(ui)) {
		cv_round(ui->cv, r, ui_px(ui, 4), ui->theme->panel);
		cv_round_frame(ui->cv, r, ui_px(ui, 4), ui_px(ui, 1), ui->theme->line);
		struct cv_rect in = rect_inset(r, ui_px(ui, 4));
		cut_left(&in, ui_px(ui, 6));
		text_in(ui->cv, ui->fonts->face[FONT_MONO], in, TEXT_LEFT, ui->theme->text, line);
	}
	if (ui_button(ui, id, button, ICON_NONE, "Copy", 0)) {
		ui->clipboard.put(ui->clipboard.context, line);
		app_toast(app, "Copied: %.200s", line);
	}
}

/* What the list above says about the process; NULL: nothing. */
static const char *program_of(const struct app *app, const struct recent *e)
{
	const struct local_jvms *l = &app->local_jvms;
	char address[40];
	for (uint32_t i = 0; i < l->count; i++) {
		snprintf(address, sizeof address, "pid:%ld", l->at[i].pid);
		if (strcmp(address, e->text) == 0)
			return l->at[i].program;
	}
	return NULL;
}

static void run_recent(struct app *app, struct cv_rect row, uint32_t id, const struct recent *e)
{
	struct ui *ui = &app->ui;
	bool clicked = ui_control(ui, id, row);
	ui_tip(ui, id, row, e->text);
	if (ui_paints(ui)) {
		bool hot = ui->hot == id;
		if (hot)
			cv_round(ui->cv, row, ui_px(ui, 4), ui->theme->raised);
		struct cv_rect in = row;
		cut_left(&in, ui_px(ui, 8));
		cut_right(&in, ui_px(ui, 8));
		ui_label(ui, cut_left(&in, ui_px(ui, 56)), TEXT_LEFT, e->file ? "file" : "server");
		char when[24];
		snprintf(when, sizeof when, "%.10s", e->stamp);
		ui_label(ui, cut_right(&in, ui_px(ui, 84)), TEXT_RIGHT, when);
		char shown[RECENTS_TEXT + 300];
		recents_shown(ui, e, in.w, shown, sizeof shown);
		const char *program = program_of(app, e);
		if (program != NULL)
			append_clause(shown, sizeof shown, "%s", program);
		text_in(ui->cv, ui->fonts->face[FONT_UI], in, TEXT_LEFT, ui->theme->accent, shown);
		ui_ring(ui, id, rect_inset(row, ui_px(ui, 2)));
	}
	if (clicked)
		app_connect(app, e->text);
}

static void run_recents(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct recent entries[RECENTS_SHOWN + 32];
	uint32_t n = recents_known(app, false, entries, RECENTS_SHOWN + 32);
	int height = ui_px(ui, 24);
	if (n == 0 || r.h < 3 * height)
		return;
	cut_top(&r, ui_px(ui, 12));
	char text[80] = "Recent";
	uint32_t room = (uint32_t)((r.h - ui_px(ui, 20)) / height);
	uint32_t shown = n < RECENTS_SHOWN ? n : RECENTS_SHOWN;
	shown = shown < room ? shown : room;
	if (n > shown)
		snprintf(text, sizeof text, "Recent \xc2\xb7 %u more: Ctrl+L", n - shown);
	ui_label(ui, cut_top(&r, ui_px(ui, 20)), TEXT_LEFT, text);
	for (uint32_t i = 0; i < shown; i++)
		run_recent(
		    app, cut_top(&r, height), UI_ID(PANEL_VIEW, RECENT + (int)i), &entries[i]);
}

static void run_jvm(struct app *app, struct cv_rect row, uint32_t id, const struct local_jvm *jvm)
{
	struct ui *ui = &app->ui;
	const struct local_jvms *l = &app->local_jvms;
	const bool now = l->attaching == jvm->pid;
	const bool off = jvm->ended || (!jvm->listens && (jvm->refuses || l->attaching != 0));
	const char *label = jvm->ended     ? "Ended"
			    : now          ? "Attaching \xe2\x80\xa6"
			    : jvm->listens ? "Connect"
					   : "Attach";
	char text[300], tip[700];
	/* Beside the list: below, it would cover the buttons of other rows. */
	const struct cv_rect whole = row;
	struct cv_rect button = cut_right(&row, ui_px(ui, 104));
	cut_right(&row, ui_px(ui, 8));
	local_jvms_put(jvm, text, sizeof text);
	snprintf(tip, sizeof tip, "%s\n%s\n%s", jvm->program, text,
	    jvm->ended     ? "It has ended"
	    : jvm->listens ? "An agent listens there"
	    : jvm->refuses ? "It was started with -XX:+DisableAttachMechanism"
			   : "Loads the agent into it, without a restart");
	ui_area(ui, id + LOCAL_JVMS_MOST, row);
	ui_tip(ui, id + LOCAL_JVMS_MOST, whole, tip);
	if (off) /* the button takes no pointer then, and has a tip all the same */
		ui_area(ui, id, button);
	if (ui_paints(ui)) {
		struct font *small = ui->fonts->face[FONT_SMALL];
		struct cv_rect facts =
		    cut_right(&row, clamp_int(text_width(small, text), 0, row.w * 2 / 3));
		ui_label(ui, facts, TEXT_RIGHT, text);
		cut_right(&row, ui_px(ui, 12));
		text_in(ui->cv, ui->fonts->face[FONT_UI], row, TEXT_LEFT,
		    jvm->ended ? ui->theme->weak : ui->theme->text, jvm->program);
	}
	struct cv_rect box = rect_inset(button, ui_px(ui, 2));
	const bool clicked = ui_button(ui, id, box, ICON_NONE, label, off ? BUTTON_OFF : 0);
	ui_tip(ui, id, whole, tip);
	if (clicked)
		local_jvms_open(app, jvm);
}

/* Up and Down go from row to row, also to those out of sight. */
static void run_arrows(struct app *app, int shown)
{
	struct ui *ui = &app->ui;
	struct local_jvms *l = &app->local_jvms;
	struct keystroke stroke;
	const uint32_t first = UI_ID(PANEL_VIEW, LOCAL_JVMS_WIDGET);
	if (ui->ev == NULL || ui->used || ui->focus < first || ui->focus >= first + l->count ||
	    !key_of_event(ui->ev, &stroke) || stroke.mods != 0 ||
	    (stroke.key != KEY_UP && stroke.key != KEY_DOWN))
		return;
	const int row = ui_px(ui, START_ROW), by = stroke.key == KEY_UP ? -1 : 1;
	const int at = clamp_int((int)(ui->focus - first) + by, 0, (int)l->count - 1);
	ui->focus = first + (uint32_t)at;
	l->scroll = clamp_int(l->scroll, (at + 1 - shown) * row, at * row);
	ui_take(ui);
}

/* The rows that are in sight, of which the first is at the top. */
static void run_rows(struct app *app, struct cv_rect r, int shown)
{
	struct ui *ui = &app->ui;
	struct local_jvms *l = &app->local_jvms;
	const int row = ui_px(ui, START_ROW), content = (int)l->count * row;
	l->place = r;
	run_arrows(app, shown);
	if (ui_scroll_wheel(ui, r, content, r.h, row, &l->scroll))
		ui->tip[0] = 0; /* another row is under the pointer now */
	if (content > r.h)
		ui_scroll_bar(ui, UI_ID(PANEL_VIEW, SCROLL), cut_right(&r, ui_px(ui, 12)), content,
		    r.h, &l->scroll);
	const int first = clamp_int((l->scroll + row / 2) / row, 0, (int)l->count - shown);
	for (int i = first; i < first + shown; i++)
		run_jvm(app, cut_top(&r, row), UI_ID(PANEL_VIEW, LOCAL_JVMS_WIDGET + (uint32_t)i),
		    &l->at[i]);
}

/* The programs on this machine, as far as there is room. */
static void run_jvms(struct app *app, struct cv_rect *box, int most)
{
	struct ui *ui = &app->ui;
	struct local_jvms *l = &app->local_jvms;
	char text[120] = "Programs on this machine";
	const int shown = (int)l->count < most ? (int)l->count : most;
	l->place = rect_make(0, 0, 0, 0);
	if (!local_jvms_are_shown(app) || most < 1)
		return;
	const uint32_t below = l->count - (uint32_t)shown;
	if (below > 0)
		append_clause(
		    text, sizeof text, "%d of %u shown: scroll for more", shown, l->count);
	if (l->more > 0)
		append_clause(text, sizeof text, "%u more: gcspy list", l->more);
	if (l->count == 0)
		snprintf(text, sizeof text, "%s",
		    l->known ? "No Java program of yours is running on this machine; one that "
			       "starts appears here"
			     : "Looking for programs on this machine \xe2\x80\xa6");
	ui_label(ui, cut_top(box, ui_px(ui, 20)), TEXT_LEFT, text);
	run_rows(app, cut_top(box, shown * ui_px(ui, START_ROW)), shown);
	cut_top(box, ui_px(ui, 12));
}

static void run_buttons(struct app *app, struct cv_rect row)
{
	struct ui *ui = &app->ui;
	const char *label = app->at_start          ? "Back to the heap"
			    : app->address[0] != 0 ? "Retry now"
						   : "Connect to 127.0.0.1:3000";
	struct cv_rect button =
	    cut_left(&row, ui_button_width(ui, ICON_NONE, label) + ui_px(ui, 8));
	bool busy =
	    !app->at_start && (app->state == SOURCE_CONNECTING || app->state == SOURCE_LIVE);
	if (ui_button(ui, UI_ID(PANEL_VIEW, ATTACH), button, ICON_NONE, label,
		busy ? BUTTON_OFF : BUTTON_PRIMARY)) {
		if (app->at_start)
			app_show_start(app, false);
		else
			app_connect(app, app->address[0] != 0 ? app->address : "127.0.0.1:3000");
		return;
	}
	cut_left(&row, ui_px(ui, 8));
	label = "Open a recording \xe2\x80\xa6";
	button = cut_left(&row, ui_button_width(ui, ICON_NONE, label));
	if (ui_button(ui, UI_ID(PANEL_VIEW, OPEN), button, ICON_NONE, label, 0)) {
		app_command(app, COMMAND_open, NULL);
		return;
	}
	label = "Open a sample";
	if (app->sample_path != NULL && row.w > ui_button_width(ui, ICON_NONE, label)) {
		cut_left(&row, ui_px(ui, 8));
		button = cut_left(&row, ui_button_width(ui, ICON_NONE, label));
		if (ui_button(ui, UI_ID(PANEL_VIEW, SAMPLE), button, ICON_NONE, label, 0)) {
			app_command(app, COMMAND_open_sample, NULL);
			return;
		}
		ui_tip(ui, UI_ID(PANEL_VIEW, SAMPLE), button,
		    "A recording of a program with a memory leak");
	}
	cut_left(&row, ui_px(ui, 12));
	label = "Ctrl+L: connect to another address \xc2\xb7 ?: all keys";
	if (row.w >= text_width(ui->fonts->face[FONT_SMALL], label))
		ui_label(ui, row, TEXT_LEFT, label);
}

/* How many programs have room. All, or a few, come before the recent addresses, and then before the commands,
 * which their buttons do as well. */
static int program_rows(struct app *app, int height, bool *commands)
{
	static const int below[] = {
	    230, 160, 60}; /* pixels of what is below: all, the commands, neither */
	const int count = local_jvms_are_shown(app) ? (int)app->local_jvms.count : 0;
	int rows = 0, i = 0;
	do
		rows = (height - ui_px(&app->ui, 32 + below[i])) / ui_px(&app->ui, START_ROW);
	while (rows < count && rows < FEW_ROWS && ++i < 3);
	*commands = i < 2 || count == 0;
	return rows;
}

void heap_empty(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	/* A low window has smaller gaps and less explanation. */
	bool low = r.h < ui_px(ui, 290);
	int gap = ui_px(ui, low ? 4 : 12), line = ui_px(ui, low ? 26 : 32);
	const int jvms = local_jvms_are_shown(app) ? ui_px(ui, 32 + START_ROW * START_ROWS) : 0;
	int height = ui_px(ui, 500) + jvms, most = r.h - ui_px(ui, low ? 8 : 24);
	height = height < most ? height : most;
	struct cv_rect box = centred(r, ui_px(ui, 680), height);
	box = centred(box, r.w < ui_px(ui, 712) ? r.w - ui_px(ui, 32) : box.w, box.h);
	char title[400], text[700], start[1200];
	headline(app, title, sizeof title, text, sizeof text);
	start_line(app, start, sizeof start);
	struct cv_rect row = cut_top(&box, ui_px(ui, low ? 22 : 28));
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], row, TEXT_LEFT, ui->theme->text, title);
	row = cut_top(&box, ui_px(ui, low ? 20 : 40));
	if (ui_paints(ui) && low)
		text_in(ui->cv, ui->fonts->face[FONT_UI], row, TEXT_LEFT, ui->theme->weak, text);
	else if (ui_paints(ui))
		text_paragraph(ui->cv, ui->fonts->face[FONT_UI], row, ui->theme->weak, text);
	cut_top(&box, gap);
	bool commands;
	run_jvms(app, &box, program_rows(app, box.h, &commands));
	if (commands) {
		ui_label(ui, cut_top(&box, ui_px(ui, 20)), TEXT_LEFT,
		    "1.  Start the program with the agent, or attach to a running one "
		    "(Ctrl+C copies both)");
		code_box(app, cut_top(&box, line), UI_ID(PANEL_VIEW, COPY_START), start);
		cut_top(&box, ui_px(ui, 6));
		code_box(app, cut_top(&box, line), UI_ID(PANEL_VIEW, COPY_ATTACH), attach_line);
		cut_top(&box, gap);
	}
	ui_label(ui, cut_top(&box, ui_px(ui, 20)), TEXT_LEFT,
	    commands ? "2.  Connect to its port, or open a recording"
		     : "Or connect to a port, or open a recording");
	run_buttons(app, cut_top(&box, line));
	run_recents(app, box);
}

void heap_empty_text(const struct app *app, struct textbuf *out)
{
	struct recent entries[RECENTS_SHOWN + 32];
	uint32_t n = recents_known(app, false, entries, RECENTS_SHOWN + 32);
	char title[400], text[700], start[1200];
	headline(app, title, sizeof title, text, sizeof text);
	start_line(app, start, sizeof start);
	textbuf_printf(out, "no snapshot\n%s\n%s\n%s\n%s\n", title, text, start, attach_line);
	local_jvms_text(app, out);
	for (uint32_t i = 0; i < n; i++) {
		const char *program = program_of(app, &entries[i]);
		textbuf_printf(out, "recent\t%s\t%s\t%s\t%s\n", entries[i].file ? "file" : "server",
		    entries[i].text, entries[i].stamp, program != NULL ? program : "");
	}
}
