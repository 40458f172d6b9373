/*
 * Widgets: immediate calls inside retained panels.
 *
 * A panel's function lists its widgets. It runs in two kinds of passes over the same code: the
 * event pass (ui->ev set, nothing is painted) in which widgets report that they were used, and the
 * paint pass (ui->ev NULL), which runs only when the panel has to be painted. A widget is known by
 * an id that is unique in the window. Everything belongs to the thread of the window.
 */
#ifndef GCSPY_CLIENT_UI_H
#define GCSPY_CLIENT_UI_H

#include "canvas.h"
#include "font.h"
#include "input.h"
#include "theme.h"

#define UI_PANELS       8
#define UI_FOCUS_ITEMS  512
#define UI_TIP_TEXT     2048
#define UI_ID(panel, n) ((uint32_t)(panel) << 16 | (uint32_t)(n))

struct ui_focus_list {
	uint32_t id[UI_FOCUS_ITEMS];
	int count;
};

/* Access to the clipboard of the window system; tests bring their own. */
struct ui_clipboard {
	void (*put)(void *context, const char *text);
	/* Copies at most size bytes with the NUL. */
	void (*get)(void *context, char *text, size_t size);
	void *context;
};

struct ui {
	struct cv *cv;
	const struct theme *theme;
	struct fonts *fonts;
	int scale; /* percent */
	const struct ui_event *ev;
	bool used;  /* the event has been taken by a widget */
	bool dirty; /* the panel that just ran has to be painted */
	int panel;  /* the panel that runs */
	int mouse_x, mouse_y;
	uint32_t hot, active, focus; /* under the pointer, pressed, with the keyboard; 0: none */
	bool focus_shown;            /* the keyboard was used last: draw the ring */
	int drag_offset;             /* where in the active widget the pointer went down */
	struct ui_focus_list items[UI_PANELS];
	struct ui_clipboard clipboard;
	/* Told of each area that takes the pointer, in event passes; NULL outside of tests. */
	void (*area)(void *context, uint32_t id, struct cv_rect r);
	void *area_context;
	char tip[UI_TIP_TEXT]; /* text of the tooltip that a widget asks for, "" for none */
	struct cv_rect tip_at; /* what it is about */
};

/* Pixels for n pixels at scale 1. */
int ui_px(const struct ui *ui, int n);

/* Starts a pass for a panel. With an event: the event pass. */
void ui_begin(struct ui *ui, int panel, const struct ui_event *ev);

/* True while the pass paints. */
bool ui_paints(const struct ui *ui);

/* Marks the event as taken and the panel as changed. */
void ui_take(struct ui *ui);

/* Moves the focus to the next (dir 1) or previous (dir -1) widget of panels first..last. */
void ui_focus_move(struct ui *ui, int dir, int first, int last);

/* Building blocks for widgets: hot and pressed state of an area; true when it was clicked. */
bool ui_area(struct ui *ui, uint32_t id, struct cv_rect r);

/* The same with a place in the tab order and Enter and Space as a click. */
bool ui_control(struct ui *ui, uint32_t id, struct cv_rect r);

/* Paints the focus ring when id has the focus. */
void ui_ring(struct ui *ui, uint32_t id, struct cv_rect r);

/* Asks for a tooltip about r while the pointer is on the widget. */
void ui_tip(struct ui *ui, uint32_t id, struct cv_rect r, const char *text);

#define BUTTON_OFF     1u /* shown but without effect */
#define BUTTON_PRIMARY 2u /* in the accent colour */
#define BUTTON_FLAT    4u /* no ground until hovered */

enum ui_icon {
	ICON_NONE,
	ICON_PAUSE,
	ICON_PLAY,
	ICON_STEP,
	ICON_RECORD,
	ICON_STOP,
	ICON_MINUS,
	ICON_PLUS
};

bool ui_button(struct ui *ui, uint32_t id, struct cv_rect r, enum ui_icon icon, const char *label,
    unsigned flags);

/* Width that a button needs for its label. */
int ui_button_width(const struct ui *ui, enum ui_icon icon, const char *label);

/* A check box with a label; true when it was toggled (*on is changed already). */
bool ui_toggle(struct ui *ui, uint32_t id, struct cv_rect r, const char *label, bool *on);

/* One that is shown but without effect. It takes the pointer, for a tip, and not the keyboard. */
void ui_toggle_off(struct ui *ui, uint32_t id, struct cv_rect r, const char *label);

/* A vertical scroll bar; true when *at changed. Also limits *at to what is allowed. */
bool ui_scroll_bar(struct ui *ui, uint32_t id, struct cv_rect r, int content, int page, int *at);

/* Scrolls by the wheel anywhere in r; true when *at changed. Where all is seen, the wheel is left to
 * what is around. */
bool ui_scroll_wheel(struct ui *ui, struct cv_rect r, int content, int page, int line, int *at);

/* A horizontal slider with `steps` positions; true when *at changed. Left, Right, Home and End move
 * it by the keyboard, the wheel by one step. */
bool ui_slider(struct ui *ui, uint32_t id, struct cv_rect r, int steps, int *at);

/* A vertical bar to drag; *at is the width of what lies to its right. True when it changed. */
bool ui_split(struct ui *ui, uint32_t id, struct cv_rect r, int low, int high, int *at);

void ui_icon(struct ui *ui, enum ui_icon icon, struct cv_rect r, uint32_t colour);

/* A label in the small face and weak colour, or a value in the main face. */
void ui_label(struct ui *ui, struct cv_rect r, enum text_align align, const char *text);
void ui_value(struct ui *ui, struct cv_rect r, enum text_align align, const char *text);

#endif
