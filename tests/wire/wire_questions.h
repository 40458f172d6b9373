/*
 * What the wire server answers: the topics and the setting of docs/protocol.md, section 10, with
 * profiles that are always the same, and for the tests x-long (a body of QUESTIONS_LONG bytes that
 * count up modulo 251), x-later (answered by questions_late) and x-never.
 */
#ifndef GCSPY_TESTS_WIRE_QUESTIONS_H
#define GCSPY_TESTS_WIRE_QUESTIONS_H

#include <gcspy/server.h>

enum { QUESTIONS_LONG = 1000000 };

/* For struct gcs_server_options, whose context is a pointer to the pointer to the server. */
void questions_query(void *context, const struct gcs_query *query);
void questions_set(void *context, const struct gcs_setting *setting);

/* Answers what waits for it; the program's thread. */
void questions_late(struct gcs_server *server);

#endif
