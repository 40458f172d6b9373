/* The options of gcspy-train, "--name value", "--name=value" or "name=value": one table drives parsing and
 * the help. */
#ifndef TRAIN_OPTIONS_H
#define TRAIN_OPTIONS_H

#include "figure.h"
#include "mutator.h"

struct program_options {
	const struct mutator *mutator;
	uint64_t size, steps, seed;
	struct train_options heap;
	const char *host, *socket_path, *record, *output;
	uint64_t figure; /* to be drawn; 0: none */
	int64_t port;
	uint64_t pace; /* events per second */
	bool wait, quiet, help;
};

/* The defaults of the mutator named in `argv`, then its options. False with one line in `why`. Texts are
 * those of `argv`. */
bool program_options_parse(
    struct program_options *options, int argc, char *const argv[], char *why, size_t why_bytes);

/* The same for a part of a figure: its options, then those of `argv`. */
bool program_options_for_figure(struct program_options *options, const struct figure_part *part,
    int argc, char *const argv[], char *why, size_t why_bytes);

/* Writes the help to standard output, with these values as defaults. */
void program_options_help(const struct program_options *defaults);

/* What the help consists of, for the manual page. */
struct program_option {
	const char *name, *value, *help; /* `value` is NULL for a flag */
};
const struct program_option *program_option_at(size_t i); /* NULL after the last one */
extern const char program_options_about[], program_options_exit[];

#endif
