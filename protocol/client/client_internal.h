/*
 * The inside of a client, shared by client.c (opening, readers, commands), client_reader.c (the
 * reader thread) and client_query.c (questions and their answers).
 *
 * Threads: the reader thread owns the socket and the decoder; everything behind `lock` in the
 * struct is read and written with it held.
 */
#ifndef GCSPY_CLIENT_CLIENT_INTERNAL_H
#define GCSPY_CLIENT_CLIENT_INTERNAL_H

#include <pthread.h>

#include <gcspy/client.h>

#include "client_dialect.h"
#include "decoder.h"
#include "net.h"

/* A question of this client: unanswered, partly answered, or waiting to be taken. */
struct question {
	uint32_t id; /* 0: free */
	bool complete;
	enum gcs_status status;
	char *words;
	bool begun;     /* a part has come */
	uint32_t total; /* bytes that its first part promised */
	struct wr bytes;
};

enum { QUESTIONS = 2 * GCS_MAX_QUERIES };

struct gcs_client {
	struct gcs_client_options options;
	char *token, *name;
	struct net_address address;
	const struct client_dialect *client_dialect; /* of the server's dialect */
	int wake[2];
	pthread_t thread;

	/* The reader thread's own. */
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
	uint64_t overrun;
	struct state_message run;
	struct inferred_state inferred_state;
	struct gcs_filter filters[GCS_MAX_EVENTS]; /* as the server was told */
	struct gcs_position position;              /* events 0: the server is live */
	char notice[GCS_MAX_TEXT + 1];
	uint32_t notice_number;
	struct question questions[QUESTIONS];
	uint32_t last_id; /* of a question */
	unsigned minor;   /* the server's version; while LIVE */
	struct wr out;    /* frames to send */
	uint64_t received;
};

/* Calls the embedding code's `changed`. Without the lock. */
void client_tell(struct gcs_client *c);

/*
 * Commands: between begin and end the lock is held and frames may be put into `out`. False, and no
 * lock, unless the client is LIVE.
 */
bool client_begin(struct gcs_client *c);
enum gcs_status client_end(struct gcs_client *c);

/* The reader thread, and what its decoder tells; the context of both is the client. */
void *client_read(void *context);
extern const struct decoder_events client_decoder_events;

/* The snapshot that waits longest, with its reference. With the lock held, and only if one
 * waits. */
struct gcs_snapshot *client_take_first(struct gcs_client *c);

/* What a server that does not tell its state is believed to do. With the lock held. */
void client_believe(struct gcs_client *c, enum gcs_run_state run);

/* A part of an answer has come: the decoder's event, on the reader thread. */
void client_on_answer(void *context, const struct answer_message *part);

/* Frees what the questions hold. */
void client_forget_questions(struct gcs_client *c);

#endif
