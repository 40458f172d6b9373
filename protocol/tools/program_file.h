/* Whether a library can be preloaded into a program, from the program's file. */
#ifndef GCSPY_TOOLS_PROGRAM_FILE_H
#define GCSPY_TOOLS_PROGRAM_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The file that execvp would execute; false if there is none, with errno. */
bool program_find(const char *name, char path[PATH_MAX]);

/* True if the dynamic loader would preload the library, also for a script's interpreter; else why not in one
 * line, without the program's name. What cannot be read is left to the loader. */
bool program_takes_preload(const char *path, const char *library, char *why, size_t bytes);

#endif
