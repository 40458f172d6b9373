/*
 * The triggers that the user has set in this window (F17): kept by name, sent again after a lost
 * connection to the same program, and saved with it. Those of an earlier run are off until they are
 * switched on, because a trigger may pause the program. The window's thread only.
 */
#ifndef GCSPY_CLIENT_TRIGGERS_SET_H
#define GCSPY_CLIENT_TRIGGERS_SET_H

#include <gcspy/client.h>
#include <gcspy/trigger.h>
#include <stdbool.h>
#include <stdint.h>

#define TRIGGERS_NAME      64  /* bytes of the name of one of this window's triggers */
#define TRIGGERS_CONDITION 256 /* likewise, as a text field has */

struct app;

struct own_trigger {
	char name[TRIGGERS_NAME];
	char condition[TRIGGERS_CONDITION];
	char plugin[TRIGGERS_NAME]; /* "": none */
	uint32_t actions;           /* of enum gcs_trigger_action */
	uint64_t nth, most;
	bool on;
	uint64_t changed_ns; /* fires up to then are of another condition */
	char wrong[256];     /* what the server says against it, or "" */
};

struct triggers_set {
	uint64_t sent_to; /* the connection that has those that are on */
	uint32_t count;
	struct own_trigger at[GCS_MAX_TRIGGERS];
};

/* Why triggers cannot be set, a sentence; NULL if they can. */
const char *triggers_refusal(const struct app *app);

/* Sends what is on to a new connection. */
void triggers_set_meet(struct triggers_set *set, struct app *app);

/* The trigger with that name, or NULL. */
struct own_trigger *triggers_set_find(struct triggers_set *set, const char *name);

/* Sets or replaces a trigger, and sends it if it is on. What has fired with another condition no
 * longer counts. False with a toast. */
bool triggers_set_put(struct triggers_set *set, struct app *app, const struct own_trigger *trigger);

/* A trigger that was set anew may still have fired with its old condition; true if it did. */
bool triggers_set_note(struct triggers_set *set, const struct gcs_snapshot *snapshot);

bool triggers_set_switch(struct triggers_set *set, struct app *app, const char *name, bool on);

/* Also another client's that is kept. */
bool triggers_set_remove(struct triggers_set *set, struct app *app, const char *name);

/* "name=N do=pause,record nth=3 most=10 plugin=P on=no when=CONDITION": all but `when` may be left
 * out, and `when` is the last. False with a line that says what is expected. */
bool triggers_set_parse(const struct triggers_set *set, const char *text, struct own_trigger *t,
    char *wrong, size_t size);
void triggers_set_write(const struct own_trigger *t, char *text, size_t size);

/* "pause, save the ring, ask backtrace; every 3rd time, at most 10 times". */
void triggers_then_text(
    uint32_t actions, uint64_t nth, uint64_t most, const char *plugin, char *text, size_t size);

#endif
