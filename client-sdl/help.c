/* The help overlay and docs/keys.md, both from the table of commands. */
#include "help.h"

#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"

static const char *const sections[] = {
    "Program", "Recording", "Spaces", "Tiles", "Output", "Call sites", "View", "Window"};

#define SECTIONS      ((int)(sizeof sections / sizeof *sections))
#define LEFT_SECTIONS 5 /* what stands in the left of the two columns */

/* Rows that sections take: title, commands with keys, a free one for each. */
static int rows_of(int first, int end)
{
	int n = 0;
	for (int s = first; s < end; s++) {
		n += 2;
		for (int i = 0; i < COMMAND_COUNT; i++) {
			const struct command *c = command_at((enum command_id)i);
			n += strcmp(c->section, sections[s]) == 0 && c->keys[0] != 0;
		}
	}
	return n;
}

static void paint_command(struct app *app, struct cv_rect row, const struct command *c)
{
	struct ui *ui = &app->ui;
	struct font *mono = ui->fonts->face[FONT_MONO];
	struct cv_rect keys = cut_left(&row, ui_px(ui, 160));
	const char *p = c->keys;
	while (*p != 0) {
		char one[32];
		size_t n = strcspn(p, " ");
		snprintf(one, sizeof one, "%.*s", (int)n, p);
		int w = text_width(mono, one) + ui_px(ui, 8);
		if (w > keys.w)
			break;
		struct cv_rect cap = cut_left(&keys, w);
		cut_left(&keys, ui_px(ui, 4));
		int h = font_height(mono) + ui_px(ui, 2);
		cap = rect_make(cap.x, cap.y + (cap.h - h) / 2, cap.w, h);
		cv_round(ui->cv, cap, ui_px(ui, 3), ui->theme->raised);
		text_in(ui->cv, mono, cap, TEXT_CENTRE, ui->theme->text, one);
		p += n;
		p += strspn(p, " ");
	}
	text_in(ui->cv, ui->fonts->face[FONT_SMALL], row, TEXT_LEFT, ui->theme->text, c->help);
}

static void paint_section(struct app *app, struct cv_rect *column, const char *section, int height)
{
	struct ui *ui = &app->ui;
	text_in(ui->cv, ui->fonts->face[FONT_BOLD], cut_top(column, height), TEXT_LEFT,
	    ui->theme->accent, section);
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *c = command_at((enum command_id)i);
		if (strcmp(c->section, section) == 0 && c->keys[0] != 0)
			paint_command(app, cut_top(column, height), c);
	}
	cut_top(column, height);
}

static void paint_columns(struct app *app, struct cv_rect r, int height)
{
	struct ui *ui = &app->ui;
	struct cv_rect left = r;
	struct cv_rect right = cut_right(&left, r.w / 2);
	cut_right(&left, ui_px(ui, 16));
	for (int i = 0; i < SECTIONS; i++)
		paint_section(app, i < LEFT_SECTIONS ? &left : &right, sections[i], height);
	const char *mouse =
	    "Wheel scrolls, Ctrl+wheel changes the tile size at the pointer. Click selects a tile, "
	    "right click deselects. Click a title to make its space active, a group to "
	    "collapse it.";
	text_paragraph(ui->cv, ui->fonts->face[FONT_SMALL], right, ui->theme->weak, mouse);
}

void help_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct cv_rect title = cut_top(&r, ui_px(ui, 28));
	ui_label(ui, title, TEXT_RIGHT, "Esc closes \xc2\xb7 Ctrl+K finds commands");
	cut_top(&r, ui_px(ui, 8));
	int left = rows_of(0, LEFT_SECTIONS);
	int right = rows_of(LEFT_SECTIONS, SECTIONS) + 3; /* and the paragraph about the mouse */
	int rows = left > right ? left : right;
	int least = font_height(ui->fonts->face[FONT_SMALL]) + ui_px(ui, 2);
	int height = clamp_int(r.h / rows, least, ui_px(ui, 22));
	int content = height * rows;
	ui_scroll_wheel(ui, r, content, r.h, height * 3, &app->modal_scroll);
	struct keystroke stroke;
	if (ui->ev != NULL && key_of_event(ui->ev, &stroke) &&
	    (stroke.key == KEY_UP || stroke.key == KEY_DOWN)) {
		app->modal_scroll += stroke.key == KEY_UP ? -height * 3 : height * 3;
		app->modal_scroll =
		    clamp_int(app->modal_scroll, 0, content > r.h ? content - r.h : 0);
		ui_take(ui);
	}
	if (!ui_paints(ui))
		return;
	text_in(ui->cv, ui->fonts->face[FONT_BOLD], title, TEXT_LEFT, ui->theme->text, "Keys");
	cv_push_clip(ui->cv, r);
	struct cv_rect page = rect_make(r.x, r.y - app->modal_scroll, r.w, content + r.h);
	paint_columns(app, page, height);
	cv_pop_clip(ui->cv);
}

static void put_keys(struct textbuf *out, const char *p)
{
	while (*p != 0) {
		size_t n = strcspn(p, " ");
		textbuf_printf(out, "`%.*s`%s", (int)n, p, p[n] != 0 ? " " : "");
		p += n;
		p += strspn(p, " ");
	}
}

void help_markdown(struct textbuf *out)
{
	textbuf_puts(out,
	    "# Keys and commands of gcspy-view\n\n"
	    "Made by `gcspy-view --list-keys`. Every command is also in the command palette\n"
	    "(`Ctrl+K`) and, with its name, a step of a script (`--script`). `[X]` is an argument\n"
	    "that may be left out.\n");
	for (int s = 0; s < SECTIONS; s++) {
		textbuf_printf(out,
		    "\n## %s\n\n| keys | command | what it does |\n| --- | --- | --- |\n",
		    sections[s]);
		for (int i = 0; i < COMMAND_COUNT; i++) {
			const struct command *c = command_at((enum command_id)i);
			if (strcmp(c->section, sections[s]) != 0)
				continue;
			textbuf_puts(out, "| ");
			put_keys(out, c->keys);
			textbuf_printf(out, " | `%s%s%s` | %s |\n", c->name,
			    *c->args != 0 ? " " : "", c->args, c->help);
		}
	}
}
