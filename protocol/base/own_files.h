/*
 * Descriptors in a program that knows nothing of GCspy: the numbers are the program's. bash closes the
 * ends of its pipes twice, and daemons close all that are open; what is opened next gets the number.
 * Therefore
 *
 * - each of GCspy's threads has a table of descriptors of its own (CLONE_FILES). There the program
 *   closes nothing, and what a thread opens takes no number of the program's;
 * - what stays in the program's table has a high number, and is checked before each use to be still
 *   what it was.
 *
 * In force once gcs_keep_files_apart has been called. Before that, and where the system refuses such
 * tables, each descriptor is in the process's one table.
 */
#ifndef GCSPY_BASE_OWN_FILES_H
#define GCSPY_BASE_OWN_FILES_H

#include <stdbool.h>

/* What has been opened for GCspy: returns its number, which may be another one. -1 stays -1. */
int own_files_add(int fd);

/* True if the number still is what was added; on GCspy's threads, and if not in force, always. */
bool own_files_has(int fd);

/* Closes it if it is still what was added. -1 has no effect. Returns what close returns. */
int own_files_close(int fd);

/* The threads that use it have it: closes it in the program's table. */
void own_files_leave(int fd);

/* At the beginning of each of GCspy's threads, whose table has what has been added so far. Whoever starts
 * it waits for that before it leaves anything. */
void own_files_enter(void);

/* Whether gcs_keep_files_apart has been called; and whether what a thread opens is in the process's table
 * all the same. */
bool own_files_apart(void);
bool own_files_shared(void);

/* How long a thread may wait in poll, -1 or milliseconds: a wake by one of the program's threads is lost once
 * the program has closed its descriptor. */
int own_files_wait_ms(int ms);

#endif
