/*
 * A command's connection to its server. Every wait has a limit, and every failure is one line that
 * names the address.
 *
 * The caller owns the struct; main thread. A pipe carries wake-ups from the client's reader thread
 * and from signal handlers, so that a command can wait for them and for its input at once.
 */
#ifndef GCSPY_TOOLS_CONTACT_H
#define GCSPY_TOOLS_CONTACT_H

#include <stdatomic.h>

#include <gcspy/client.h>

#include "json.h"
#include "now.h"
#include "resolve.h"
#include "tool.h"

struct contact {
	const char *address; /* as it was typed */
	struct resolved resolved;
	uint32_t timeout_ms;
	struct gcs_client *client;
	int wake[2];
	atomic_uint changes; /* reported by the server so far */
	bool asks_samples;   /* the last query needs sampling */
	uint32_t notice;     /* the server's last notice that was printed */
	/* Of CONTACT_EVERY: snapshots that came before an answer, for contact_next. */
	bool every, discards;
	struct gcs_snapshot **kept;
	uint32_t kept_first, kept_count;
	size_t kept_bytes; /* of those and of the taken ones before them */
};

/* What a command needs: the newest state, every snapshot, every event but no tiles, or only to resume. */
enum contact_purpose { CONTACT_LATEST, CONTACT_EVERY, CONTACT_EVENTS, CONTACT_RESUME };

/* Connects and waits for the description; CLI_DONE, or an exit code after a message. */
int contact_open(
    struct contact *contact, const struct cli_arguments *arguments, enum contact_purpose purpose);

/* Connects, calls `work` and disconnects; returns the exit code of the step that failed, or of
 * `work`. */
int contact_run(const struct cli_arguments *arguments, enum contact_purpose purpose,
    int (*work)(struct contact *, const struct cli_arguments *, struct out *), struct out *out);

/* Disconnects. Fine for a contact that was not opened. */
void contact_close(struct contact *contact);

/* Waits for a change; false if there is none by `deadline_ms`. */
bool contact_wait(struct contact *contact, uint64_t deadline_ms);

/* Discards the wake-ups so far; to be called before reading the state. */
void contact_drain(struct contact *contact);

bool contact_is_lost(struct contact *contact);

/* An answer comes behind the snapshots that were sent before it, and a client that wants them all reads no
 * further while many wait. The functions that wait for an answer therefore keep them for contact_next; from
 * contact_discard on, they free them. contact_take_in is for a loop of the caller's own. */
void contact_discard(struct contact *contact);
void contact_take_in(struct contact *contact);

/* Prints why the connection was lost; returns the exit code. */
int contact_lost(struct contact *contact);

/*
 * The next snapshot, with a reference for the caller; NULL when there is none by `deadline_ms` or
 * the connection is lost.
 */
struct gcs_snapshot *contact_next(struct contact *contact, uint64_t deadline_ms);

/*
 * Waits until the server has reported whether its program runs, which it does right after its
 * description; false if it has not by `deadline_ms` or the connection is lost.
 */
bool contact_knows_state(struct contact *contact, uint64_t deadline_ms);

/* Whether a client is known to hold the program: the server says so some time after its description. Then what is
 * asked of the program has no answer, and the words say why: "; it is paused, …". "" otherwise. */
bool contact_is_paused(struct contact *contact);
struct contact_words {
	char text[320];
};
struct contact_words contact_paused_words(struct contact *contact);

/* Ticks of the agent's clock come while the program is paused as well, and it is never paused at one: they
 * are not sent any more, and the snapshots of those that were are not where it is paused. */
void contact_leave_out_ticks(struct contact *contact);
bool contact_may_hold(const struct gcs_snapshot *snapshot);

/* Waits until the program is in that state; false as above. */
bool contact_wait_state(struct contact *contact, enum gcs_run_state state, uint64_t deadline_ms);

/*
 * Checks that the server has this event (NULL: any) and turns the others off. CLI_DONE, or an exit
 * code after a message that lists the events.
 */
int contact_choose_event(struct contact *contact, const char *name);

/*
 * As contact_next, for an event of that name (NULL: any). Also returns when the reader of `out` is
 * gone, which is then an error of `out`.
 */
struct gcs_snapshot *contact_next_at(
    struct contact *contact, const char *event, struct out *out, uint64_t deadline_ms);

/*
 * Waits for the answer to a query or setting that was sent with the result `status` and `id`; the
 * caller frees it. NULL after a message when it was not sent, was refused or not answered in time,
 * or the server was lost; `*code` is then the exit code.
 */
struct gcs_answer *contact_answer(
    struct contact *contact, enum gcs_status status, uint32_t id, int *code);

/* Sends a query and waits for the answer that is OK; the caller frees it. NULL with the reason, without a
 * message; a signal that is caught ends the wait. */
struct gcs_answer *contact_ask(struct contact *contact, const char *topic, uint32_t count,
    const struct gcs_info *parameters, struct gcs_error *err);

/* The two halves of it: waiting, which a signal that is caught ends and which is NULL without an answer;
 * and what the answer, or NULL, means. contact_complete_answer waits after a signal, too. */
struct gcs_answer *contact_wait_answer(struct contact *contact, uint32_t id);
struct gcs_answer *contact_complete_answer(struct contact *contact, uint32_t id);
struct gcs_answer *contact_judge(
    struct contact *contact, enum gcs_status status, struct gcs_answer *answer, int *code);

/* Sends a query and waits for its answer, likewise. */
struct gcs_answer *contact_query(struct contact *contact, const char *topic, uint32_t count,
    const struct gcs_info *parameters, int *code);

/* Writes an answer's body of text, such as interval=524288, line by line. */
void contact_write_lines(struct out *out, const struct gcs_answer *answer);

/* Writes the lines KEY=VALUE as members of the open object. */
void contact_json_lines(struct json *json, const struct gcs_answer *answer);

/* Prints a new notice of the server on standard error. */
void contact_say_notice(struct contact *contact);

#endif
