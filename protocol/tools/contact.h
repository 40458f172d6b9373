/*
 * A command's connection to its server: opened within the time limit or not at all, waited on
 * without ever waiting for ever, and every failure said in one line that names the address.
 *
 * The caller owns the struct; main thread. A pipe carries wake-ups from the client's reader thread
 * and from signal handlers, so that a command can wait for them and for its input at once.
 */
#ifndef GCSPY_TOOLS_CONTACT_H
#define GCSPY_TOOLS_CONTACT_H

#include <stdatomic.h>

#include <gcspy/client.h>

#include "resolve.h"
#include "tool.h"

struct contact {
	const char *address; /* as it was typed */
	struct resolved resolved;
	uint32_t timeout_ms;
	struct gcs_client *client;
	int wake[2];
	atomic_uint changes; /* what the server has told us of, so far */
	uint32_t notice;     /* number of the last of the server's notices that was said */
};

/* What a command wants of its server: the newest state, every snapshot, or only to resume. */
enum contact_purpose { CONTACT_LATEST, CONTACT_EVERY, CONTACT_RESUME };

/* Connects and waits for the description; CLI_DONE, or an exit code after a message. */
int contact_open(
    struct contact *contact, const struct cli_arguments *arguments, enum contact_purpose purpose);

/* Leaves the server. A contact that was not opened is fine. */
void contact_close(struct contact *contact);

/* Milliseconds on the monotonic clock. */
uint64_t contact_now_ms(void);

/* Waits until something has changed or `deadline_ms` has come; false in the second case. */
bool contact_wait(struct contact *contact, uint64_t deadline_ms);

/* Forgets the wake-ups so far, before the state is looked at. */
void contact_drain(struct contact *contact);

bool contact_is_lost(struct contact *contact);

/* Says why the connection was lost; returns the exit code. */
int contact_lost(struct contact *contact);

/*
 * The next snapshot, with a reference for the caller; NULL when there is none by `deadline_ms` or
 * the connection is lost.
 */
struct gcs_snapshot *contact_next(struct contact *contact, uint64_t deadline_ms);

/*
 * Waits until the server has said whether its program runs. A server says so right behind its
 * description; false when it has not by `deadline_ms` or the connection is lost.
 */
bool contact_knows_state(struct contact *contact, uint64_t deadline_ms);

/* Waits until the program is in that state; false as above. */
bool contact_wait_state(struct contact *contact, enum gcs_run_state state, uint64_t deadline_ms);

/*
 * Checks that the server has an event of that name (NULL: any) and asks it for no others. CLI_DONE,
 * or an exit code after a message that lists what there is.
 */
int contact_choose_event(struct contact *contact, const char *name);

/*
 * The next snapshot at an event of that name (NULL: any) by `deadline_ms`, as contact_next; ends
 * also when the reader of `out` has gone, which is then an error of `out`.
 */
struct gcs_snapshot *contact_next_at(
    struct contact *contact, const char *event, struct out *out, uint64_t deadline_ms);

/*
 * Waits for the answer to a query or setting that was asked with `status` and `id`; the caller
 * frees it. NULL after a message when it could not be asked, the server refused, was lost or did
 * not answer in time; `*code` is the exit code then.
 */
struct gcs_answer *contact_answer(
    struct contact *contact, enum gcs_status status, uint32_t id, int *code);

/* Says a new notice of the server on standard error. */
void contact_say_notice(struct contact *contact);

#endif
