/* The answer of a search: its words and its chains. */
#ifndef GCSPY_AGENT_PATH_RESULT_H
#define GCSPY_AGENT_PATH_RESULT_H

#include "climb.h"
#include "path_targets.h"
#include "paths.h"

struct path_result {
	const struct path_question *question;
	const struct path_targets *targets; /* their nodes are those of `climb` */
	const struct climb *climb;
	uint64_t limit_ns; /* of a pause */
	bool late;         /* a pause was longer, and ended the search */
	const char *ended; /* why it ended early otherwise; NULL: it has not */
};

/* The tree of chains (gcs_plugin_free), and the message of protocol.md. */
enum gcs_status path_result_write(const struct path_result *result, void **bytes, size_t *length,
    char *message, size_t size, struct gcs_error *err);

/* "the limit of 500 ms, which max-pause=812 raises": what allows a pause. */
void path_limit_text(const struct path_question *question, uint64_t limit_ns, uint64_t pause_ns,
    char *text, size_t size);

#endif
