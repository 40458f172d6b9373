/*
 * The inside of a client, shared by client.c (opening, readers, commands), client_reader.c (the
 * reader thread), client_query.c (queries and answers) and client_trigger.c.
 *
 * The reader thread owns the socket and the decoder; `lock` guards the members after it.
 */
#ifndef GCSPY_CLIENT_CLIENT_INTERNAL_H
#define GCSPY_CLIENT_CLIENT_INTERNAL_H

#include <pthread.h>

#include <gcspy/client.h>

#include "client_dialect.h"
#include "decoder.h"
#include "net.h"
#include "upgrade.h"

/* A query: unanswered, partly answered, or with an answer to be taken. */
struct question {
	uint32_t id; /* 0: free */
	bool complete;
	enum gcs_status status;
	char *message;
	bool begun;     /* a part has been received */
	uint32_t total; /* size of the answer, by its first part */
	struct wr bytes;
};

enum { QUESTIONS = 2 * GCS_MAX_QUERIES };

struct gcs_client {
	struct gcs_client_options options;
	char *token, *name;
	struct net_address address;
	struct served_address *served; /* instead, for a target behind `gcspy serve` */
	const struct client_dialect *client_dialect; /* for the server's dialect */
	int wake[2];
	pthread_t thread;

	/* Owned by the reader thread. */
	int fd;
	struct decoder decoder;
	uint64_t heard_ns;
	uint64_t pinged_ns;

	pthread_mutex_t lock; /* the rest */
	pthread_cond_t changed;
	bool closing;
	enum gcs_client_state state;
	struct gcs_error error;
	struct gcs_model *model;
	struct gcs_snapshot *latest;
	struct gcs_snapshot **queue;
	uint32_t queue_first, queue_count;
	size_t queue_bytes;
	uint64_t overrun, overrun_before; /* all, and those before the last one taken */
	struct state_message run;
	struct inferred_state inferred_state;
	struct gcs_filter filters[GCS_MAX_EVENTS]; /* as sent to the server */
	struct gcs_position position;              /* events 0: a live server */
	char notice[GCS_MAX_TEXT + 1];
	uint32_t notice_number;
	struct question questions[QUESTIONS];
	uint32_t last_id; /* of a question */
	unsigned minor;   /* the server's version; while LIVE */
	struct wr out;    /* frames to send */
	uint64_t received;
};

/* Calls the owner's `changed`. Without the lock. */
void client_tell(struct gcs_client *c);

/* A command: between begin and end the lock is held and frames may be appended to `out`. False,
 * without the lock, unless the client is LIVE. */
bool client_begin(struct gcs_client *c);
enum gcs_status client_end(struct gcs_client *c);

/* The reader thread and its decoder's callbacks; the context of both is the client. */
void *client_read(void *context);
extern const struct decoder_events client_decoder_events;

/* Takes the oldest snapshot from the queue, which must not be empty. With the lock held. */
struct gcs_snapshot *client_take_first(struct gcs_client *c);

/* Sets the inferred state of a server of 2002. With the lock held. */
void client_set_run_state(struct gcs_client *c, enum gcs_run_state run);

/* Begins a query: client_begin, and a number. UNSUPPORTED for a server of a lower minor version. */
enum gcs_status client_ask(struct gcs_client *c, unsigned minor, uint32_t *id);

/* The decoder's callback for a part of an answer; on the reader thread. */
void client_on_answer(void *context, const struct answer_message *part);

/* Frees all queries and answers. */
void client_forget_questions(struct gcs_client *c);

#endif
