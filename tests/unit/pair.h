/*
 * A session and a decoder joined by bytes, without sockets: what a server would send, a client
 * understands. One thread.
 */
#ifndef GCSPY_TESTS_PAIR_H
#define GCSPY_TESTS_PAIR_H

#include "decoder.h"
#include "session.h"

struct pair {
	struct session session;
	struct decoder decoder;
	struct gcs_model *model;       /* the server's, the owner's reference is the test's */
	struct gcs_model *seen_model;  /* as the client knows it, with a reference */
	struct gcs_snapshot *received; /* the last one, with a reference */
	unsigned snapshots;
	unsigned models; /* described again */
	unsigned readies;
	struct state_message state;
	char notice[64];
	unsigned answers; /* parts */
	struct answer_message
	    answer; /* the last part; its message and bytes are freed, except these: */
	char answer_text[64], answer_bytes[64];
	uint64_t random; /* state of the portions' sizes; 0: everything at once */

	/* What the session asked for. */
	bool refuse;
	unsigned pauses, resumes, steps, filters, paces, acks, collapses;
	bool everyone;
	uint32_t event;
	struct gcs_filter filter;
	enum gcs_pace pace;
	uint32_t interval_ms;
	uint64_t acked;
	unsigned queries, sets, zooms;
	struct zoom_message zoom; /* the last one */
	uint32_t parameters;
	char topic[64], key[64], value[64]; /* of the last question and its last parameter */
};

void pair_init(struct pair *p, struct gcs_model *model);
void pair_fini(struct pair *p);

/* The client's preamble and HELLO, and the server's answer. */
void pair_greet(struct pair *p, uint32_t flags);

/* Carries what is in the session's output to the decoder. */
void pair_flow(struct pair *p);

/* Gives the session a whole command. */
void pair_command(struct pair *p, const struct wr *frames);

#endif
