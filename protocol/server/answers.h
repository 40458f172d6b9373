/*
 * The questions of one client of a server: those that wait for the target's answer, and answers
 * that are being sent. At most GCS_MAX_QUERIES together.
 *
 * Under the server's lock, but for the parts that answers_next hands out: their bytes stay until
 * the I/O thread, which alone sends, has called answers_sent.
 */
#ifndef GCSPY_SERVER_ANSWERS_H
#define GCSPY_SERVER_ANSWERS_H

#include "codec.h"

struct answer_slot {
	uint64_t ticket; /* 0: free */
	uint32_t id;     /* the client's number */
	bool answered;
	enum gcs_status status;
	char *words; /* NULL: none */
	uint8_t *bytes;
	size_t length;
	size_t sent;
	uint64_t behind; /* serial of a model that the client is to know before; 0: none */
};

struct answers {
	struct answer_slot slots[GCS_MAX_QUERIES];
};

/* A zeroed struct has no questions. */
void answers_fini(struct answers *a);

/* Notes a question under its ticket, which is not 0; false when there are too many. */
bool answers_ask(struct answers *a, uint64_t ticket, uint32_t id);

/* The question with that ticket if it waits for its answer, or NULL. */
struct answer_slot *answers_find(struct answers *a, uint64_t ticket);

/* The next part to send, of the oldest answered question, with its slot; false when there is none.
 */
bool answers_next(struct answers *a, struct answer_slot **slot, struct answer_message *part);

/* That part is on its way. */
void answers_sent(struct answer_slot *slot, const struct answer_message *part);

#endif
