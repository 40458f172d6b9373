/*
 * The content of the window as text for other programs: as app_dump, or one part of it with all its
 * values. The window's thread only; bounded by the snapshot and the profile.
 */
#ifndef GCSPY_CLIENT_DUMP_H
#define GCSPY_CLIENT_DUMP_H

#include "export_text.h"

struct app;

/* Identifier and name. */
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

/* DUMP_KINDS if there is none with that name. */
enum dump_kind dump_find(const char *word);

/* True if everything to write is available; until then, requests what is missing. */
bool dump_ready(struct app *app, enum dump_kind kind);

/* False, with a toast, if there is nothing of that kind to write. */
bool dump_text(struct app *app, enum dump_kind kind, struct textbuf *out);

#endif
