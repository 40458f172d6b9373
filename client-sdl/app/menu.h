/*
 * Context menus: commands about what was clicked by the right button, or is selected, with their
 * keys. A view adds its entries (view.h, `menu`); entries that cannot run now are left out, so that
 * none is dead. An entry whose command needs an argument asks for it in a box. Window thread only.
 */
#ifndef GCSPY_CLIENT_MENU_H
#define GCSPY_CLIENT_MENU_H

#include "canvas.h"
#include "commands.h"

struct app;
struct textbuf;

#define MENU_ENTRIES 40

struct menu_entry {
	enum command_id id;
	uint32_t plugin; /* that COMMAND_ask asks; GCS_NONE: none, or a menu of them */
	char label[120];
	char note[160];     /* weaker, after the label */
	char argument[640]; /* "": none */
	bool apart;         /* a line above it */
};

struct menu {
	char title[160];
	struct menu_entry entry[MENU_ENTRIES];
	int count;
	bool apart; /* the next entry begins a section */
	/* The command whose argument is asked for, its title, and what precedes the argument. */
	enum command_id asked;
	char question[160], prefix[80];
};

/* Starts a menu without entries. */
void menu_begin(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a command with an argument (NULL: none); label NULL: its help. */
void menu_add(struct app *app, enum command_id id, const char *label, const char *argument);
void menu_add_plugin(struct app *app, uint32_t plugin, const char *label, const char *note);

/* The next entry has a line above it. */
void menu_section(struct app *app);

/* Opens it at a point (x < 0: in the middle); false without entries. */
bool menu_open(struct app *app, int x, int y);

/* The menu of what is under the pointer, or of what is selected. */
bool menu_open_context(struct app *app, bool pointed);

/* The dialog MODAL_MENU, its size in pixels, and the same as text. */
void menu_run(struct app *app, struct cv_rect r);
void menu_size(const struct app *app, int *w, int *h);
void menu_text(struct app *app, struct textbuf *out);

/* Runs a command as if chosen from a menu: asks for an argument that it needs. */
void menu_choose(struct app *app, enum command_id id, const char *argument);

/* argument_box.c: asks for the argument of a command, which gets `prefix` before it. */
void argument_ask(struct app *app, enum command_id id, const char *question, const char *prefix,
    const char *text);
void argument_run(struct app *app, struct cv_rect r);

#endif
