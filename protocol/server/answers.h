/*
 * The queries of one client: unanswered ones and answers in transmission, together at most
 * GCS_MAX_QUERIES.
 *
 * Used under the server's lock, except for the parts from answers_next: their bytes are valid until
 * the I/O thread calls answers_sent.
 */
#ifndef GCSPY_SERVER_ANSWERS_H
#define GCSPY_SERVER_ANSWERS_H

#include "codec.h"

struct answer_slot {
	uint64_t ticket; /* 0: free */
	uint32_t id;     /* the client's number */
	bool answered;
	bool lists_settings; /* the topic is `settings` */
	enum gcs_status status;
	char *message; /* NULL: none */
	uint8_t *bytes;
	size_t length;
	size_t sent;
	uint64_t after_model; /* serial of a model to be sent before; 0: none */
};

struct answers {
	struct answer_slot slots[GCS_MAX_QUERIES];
};

/* A zeroed struct is empty. */
void answers_fini(struct answers *a);

/* Adds a query with its ticket, which is not 0; false if there are too many. */
bool answers_ask(struct answers *a, uint64_t ticket, uint32_t id);

/* The unanswered query with that ticket, or NULL. */
struct answer_slot *answers_find(struct answers *a, uint64_t ticket);

/* The next part of the oldest answer, with its slot; false if there is none. */
bool answers_next(struct answers *a, struct answer_slot **slot, struct answer_message *part);

/* The part has been encoded. */
void answers_sent(struct answer_slot *slot, const struct answer_message *part);

#endif
