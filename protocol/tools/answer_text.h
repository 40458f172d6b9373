/* Answers of plugins, as text or JSON. Their texts are the server's: out_text makes them safe. */
#ifndef GCSPY_TOOLS_ANSWER_TEXT_H
#define GCSPY_TOOLS_ANSWER_TEXT_H

#include <gcspy/plugin.h>

#include "json.h"
#include "out.h"

/* The names of kinds that JSON uses. */
const char *answer_kind_name(enum gcs_plugin_kind kind);
const char *answer_parameter_kind_name(enum gcs_parameter_kind kind);

/* Writes lines: text as it is, a table with its columns, a tree indented, memory as hexadecimal
 * digits after their marks. False, with the reason, for a body of another kind. */
bool answer_write_text(struct out *out, enum gcs_plugin_kind kind, const void *bytes, size_t length,
    struct gcs_error *err);

/* Writes keys of the open object, likewise. */
bool answer_write_json(struct json *json, enum gcs_plugin_kind kind, const void *bytes,
    size_t length, struct gcs_error *err);

#endif
