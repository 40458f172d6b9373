/*
 * Where a command's result goes: standard output, or a file that is written whole or not at all.
 *
 * The caller owns the struct; main thread.
 */
#ifndef GCSPY_TOOLS_OUTPUT_FILE_H
#define GCSPY_TOOLS_OUTPUT_FILE_H

#include "export.h"

#include "tool.h"
#include "whole_file.h"

/* False after a message, with its exit code, if a recording must not be written there: the file exists and `force` is
 * not given, or it is none. A path of NULL is free. */
bool output_is_free(const char *path, bool force, int *code);

/* Settles `format`: by the file's name unless given, else text. `formats` are those that the command writes,
 * as bits; CLI_DONE, or an exit code after a message if the name is of another one. */
int output_settle(struct cli_arguments *arguments, unsigned formats);

struct target {
	struct out *out; /* what is written to */
	struct out file;
	const char *path; /* as given; NULL: standard output */
	struct whole_file whole;
};

/* Opens the file, or takes `standard` without a path; CLI_DONE, or an exit code after a message. */
int target_open(struct target *target, const char *path, struct out *standard);

/* The sink for the library's writers. */
struct gcs_sink target_sink(struct target *target);

/* Puts the file in its place, or keeps the old one if `good` is false or something fails; returns
 * `code`, or another exit code after a message. */
int target_close(struct target *target, bool good, int code);

#endif
