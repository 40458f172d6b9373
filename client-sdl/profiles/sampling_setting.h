/*
 * Whether the program samples allocations, as its settings say: so that a view without samples
 * offers what helps. Asked once for each connection, by the views that need it, and again after the
 * window has changed it. The window's thread only.
 */
#ifndef GCSPY_CLIENT_SAMPLING_SETTING_H
#define GCSPY_CLIENT_SAMPLING_SETTING_H

#include <stdbool.h>
#include <stdint.h>

struct app;

enum sampling_state {
	SAMPLING_ASKED,  /* the answer has not arrived */
	SAMPLING_UNTOLD, /* the program does not tell, as an older server; or there is none */
	SAMPLING_OFF,
	SAMPLING_ON
};

struct sampling {
	uint64_t connection; /* that this belongs to; 0: ask again */
	enum sampling_state state;
	uint64_t interval; /* bytes, while it is on */
};

/* Asks if that is due: called by tick of the views that need it. */
void sampling_tick(struct app *app);

/* The setting may have changed. */
void sampling_ask_again(struct app *app);

/* *interval is set while sampling is on. */
enum sampling_state sampling_state(const struct app *app, uint64_t *interval);

#endif
