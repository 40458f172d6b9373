/*
 * The program of feel_world.h in a process of its own, so that its memory and time are not those of
 * the visualiser: a session there, a decoder here, bytes through a pipe between them. Events and
 * profiles come when they are asked for. Ends the test program on errors.
 */
#ifndef GCSPY_TESTS_FEEL_PROGRAM_H
#define GCSPY_TESTS_FEEL_PROGRAM_H

#include <gcspy/profile.h>
#include <gcspy/snapshot.h>

void feel_program_start(void);
void feel_program_end(void);

/* The next event as a client receives it; valid until the next call. */
struct gcs_snapshot *feel_program_event(void);

/* A profile as in an answer; the bytes are the caller's, to be freed. */
void *feel_program_profile(enum gcs_profile_kind kind, uint32_t sites, size_t *length);

#endif
