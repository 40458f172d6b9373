/*
 * What the application knows of a recording that it shows - a file, or a server that replays one -
 * and the commands for it (F22). Belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_REPLAY_H
#define GCSPY_CLIENT_REPLAY_H

#include <gcspy/control.h>

#include "commands.h"
#include "overview.h"

#define REPLAY_SPEED_HELP                                                                          \
	"play_speed %s: expected 0.001 to 1000 (negative: backwards), original, fast, 1/s, every " \
	"250 ms (1 "                                                                               \
	"ms "                                                                                      \
	"to 60 s) or compensated"

struct app;

struct replay {
	bool on;             /* the source is a recording */
	uint64_t connection; /* that the rest is about */
	struct gcs_position at;
	char flaws[80]; /* what cannot be read of it */
	struct overview overview;
	bool whole; /* the overview and the flaws are all that can be known */
};

/* Takes what is new about the recording; before the snapshots of the same turn. */
void replay_poll(struct app *app);

/* A snapshot has come: what happened is known where the source does not tell by itself. */
void replay_note(struct app *app, const struct gcs_snapshot *snapshot);

/* Of a recording's profiles of live objects: the first with survivors that events after `place`
 * (from 1) show; the last one; NULL: there is none, or not known. */
const struct recorded_profile *replay_next_live(const struct app *app, uint64_t place);
const struct recorded_profile *replay_last_live(const struct app *app);

/* How to record more profiles, where they are too few to tell what grows; else "". */
const char *replay_profiles_cure(const struct app *app);

/* True when it goes on by itself. */
bool replay_plays(const struct app *app);

/* False for what is no command for a recording, or could not be done (a toast says why). */
bool replay_command(struct app *app, enum command_id id, const char *argument);

/* What play_speed is to be for a command that says it by its name; NULL for others. */
const char *replay_speed_of(enum command_id id);

/* By the clock, while it plays by a pace of its own (playback_rate.h). */
void replay_tick(struct app *app);
uint64_t replay_due_ms(const struct app *app);

/* Goes to the event at that time, without waiting for it. */
void replay_go_to(struct app *app, uint64_t time_ns);

/* Pauses a recording, at its end too: otherwise it plays on from the next event gone to. */
void replay_stop(struct app *app);

/* "Playing · run.gcspy · event 12 of 340 · 0:01.500 of 0:40.250 · 2x, backwards, loop" */
void replay_text(const struct app *app, char *text, size_t size);

/* What is missing from the recording, "" if nothing is known to be. */
void replay_loss_text(const struct app *app, char *text, size_t size);

/* "[H:]M:S", "S s" or "S ms" in seconds; a negative number if it is none of these. */
double replay_seconds(const char *text);

/* Of play_speed: a number within the limits, "original" or "fast"; else false. */
bool replay_parse_speed(const char *text, double *speed);

/* "2x, backwards"; returns text. */
char *replay_put_speed(char *text, size_t size, double speed);

/* A time since the beginning: "0:01.500", "1:02:03"; returns text. */
char *replay_put_time(char *text, size_t size, uint64_t ns);

#endif
