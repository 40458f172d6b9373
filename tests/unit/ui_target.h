/*
 * A made-up target with plugins, in sample-driven mode, behind the window of ui_world.h. Its answers are there at
 * once.
 */
#ifndef GCSPY_TESTS_UI_TARGET_H
#define GCSPY_TESTS_UI_TARGET_H

#include "ui_world.h"

enum { TARGET_BACKTRACE, TARGET_MEMORY, TARGET_FRAGMENTATION, TARGET_NOTES, TARGET_PLUGINS };

enum { TARGET_UPDATE = 2 }; /* the event after those of the world */

#define TARGET_TRIGGERS 4

struct target {
	unsigned lists, set, removed; /* triggers: asked for, set, removed */
	struct target_trigger {
		char name[64], condition[256], plugin[64];
		uint32_t actions;
		uint64_t nth, most, times;
	} trigger[TARGET_TRIGGERS];
	uint32_t triggers;
	bool fires;         /* all of them, at the next event */
	unsigned asked;     /* for its settings */
	unsigned sets;      /* of the interval */
	unsigned update_ms; /* its interval */
	char refusal[64];   /* of a new interval, or of a plugin; "" */
	unsigned questions; /* to plugins */
	char question[200]; /* the last one: "memory address=0x… length=64" */
};

extern struct target target;

/* A window that shows n events of the target. */
void target_open(struct world *w, int width, int height, unsigned n);

/* One more event, with that many updates so far. */
void target_event(struct world *w, uint64_t updates);

#endif
