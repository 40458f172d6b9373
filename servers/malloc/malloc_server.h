/*
 * The server in the program: its description, its updates, and what a child of fork has.
 */
#ifndef GCSPYMALLOC_MALLOC_SERVER_H
#define GCSPYMALLOC_MALLOC_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "malloc_options.h"

/* Starts it, once; false with a line in `why`. The calling thread's allocations must be ignored
 * (malloc_thread.h). */
bool malloc_server_start(const struct malloc_options *options, char *why, size_t why_bytes);

/* Waits until a client is attached. */
void malloc_server_wait(void);

/* One line for users: "listening on unix:/tmp/.gcspy_4711". */
void malloc_server_explain(char *line, size_t bytes);

/* Where it listens, and its token: address() of gcspy/native_table.h. */
bool malloc_server_address(char *text, size_t bytes, char *token, size_t token_bytes);

/* Removes the socket's file. Any thread, also in a signal handler. */
void malloc_server_unlink(void);

/* At the end of the process: a last update, and clients know that the program has ended. */
void malloc_server_end(void);

#endif
