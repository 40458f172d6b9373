/*
 * What the window holds as text for other programs: the same as app_dump, or one part of it with all
 * its values. The window's thread only; bounded by the picture and the profile.
 */
#ifndef GCSPY_CLIENT_DUMP_H
#define GCSPY_CLIENT_DUMP_H

#include "export_text.h"

struct app;

/* Identifier and word. */
#define DUMPS(X)                                                                                   \
	X(ALL, "view")                                                                             \
	X(SUMMARY, "summary")                                                                      \
	X(TILES, "tiles")                                                                          \
	X(STACKS, "stacks")

enum dump_kind {
#define X(id, word) DUMP_##id,
	DUMPS(X)
#undef X
	    DUMP_KINDS
};

/* DUMP_KINDS if there is none of that name. */
enum dump_kind dump_find(const char *word);

/* True when all is there that will be written; until then it asks for what is missing. */
bool dump_ready(struct app *app, enum dump_kind kind);

/* False, with a line in the toast, if there is nothing of that kind to be written. */
bool dump_text(struct app *app, enum dump_kind kind, struct textbuf *out);

#endif
