/*
 * Input, independent of any window system: the shell translates SDL's events, scripts and tests
 * make their own. Printable keys arrive as EV_TEXT (so that '?' is '?' on every keyboard layout),
 * all others and those with Ctrl or Alt as EV_KEY.
 */
#ifndef GCSPY_CLIENT_INPUT_H
#define GCSPY_CLIENT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOD_CTRL  1u
#define MOD_SHIFT 2u
#define MOD_ALT   4u

/* A key is the Unicode code point of its (upper-case) character, or one of these. */
#define KEY_LIST(X)                                                                                \
	X(LEFT, "Left")                                                                            \
	X(RIGHT, "Right")                                                                          \
	X(UP, "Up")                                                                                \
	X(DOWN, "Down")                                                                            \
	X(HOME, "Home")                                                                            \
	X(END, "End")                                                                              \
	X(PAGE_UP, "PageUp")                                                                       \
	X(PAGE_DOWN, "PageDown")                                                                   \
	X(ENTER, "Enter")                                                                          \
	X(ESCAPE, "Escape")                                                                        \
	X(TAB, "Tab")                                                                              \
	X(BACKSPACE, "Backspace")                                                                  \
	X(DELETE, "Delete")                                                                        \
	X(F1, "F1")                                                                                \
	X(F2, "F2")                                                                                \
	X(F3, "F3")                                                                                \
	X(F4, "F4")                                                                                \
	X(F5, "F5")                                                                                \
	X(F6, "F6")                                                                                \
	X(F7, "F7")                                                                                \
	X(F8, "F8")                                                                                \
	X(F9, "F9")                                                                                \
	X(F10, "F10")                                                                              \
	X(F11, "F11")                                                                              \
	X(F12, "F12")

enum {
	KEY_BASE = 0x110000, /* above Unicode */
#define X(name, text) KEY_##name,
	KEY_LIST(X)
#undef X
	    KEY_LIMIT
};

struct keystroke {
	uint32_t key;
	unsigned mods;
};

enum ui_event_kind {
	EV_MOVE,  /* pointer at x, y */
	EV_LEAVE, /* pointer left the window */
	EV_DOWN,
	EV_UP,
	EV_WHEEL, /* wheel > 0: away from the user */
	EV_KEY,
	EV_TEXT
};

enum { BUTTON_BACK = 4, BUTTON_FORWARD = 5 }; /* as SDL numbers them */

struct ui_event {
	enum ui_event_kind kind;
	int x, y;   /* canvas pixels; of keys: the pointer */
	int button; /* 1 left, 2 middle, 3 right, BUTTON_BACK and BUTTON_FORWARD at the side */
	int wheel;
	unsigned mods;
	uint32_t key;
	char text[64]; /* UTF-8 of EV_TEXT */
};

/* Parses "Ctrl+Shift+P", "F9", "?", "Space", n bytes. False if it is not a key. */
bool key_parse(const char *text, size_t n, struct keystroke *stroke);

/* The keystroke of an EV_KEY or EV_TEXT event; false for other events and longer texts. */
bool key_of_event(const struct ui_event *ev, struct keystroke *stroke);

/* The event of a keystroke. */
struct ui_event key_event(struct keystroke stroke);

#endif
