/*
 * Words that several commands share: units, presentations, events with their attributes,
 * whether the program runs.
 *
 * Each writes at most `size` bytes with the terminating NUL into `buffer`, cuts what does not fit,
 * and returns `buffer`. The result may hold the server's own text: print it with out_text.
 */
#ifndef GCSPY_TOOLS_SHOW_H
#define GCSPY_TOOLS_SHOW_H

#include <gcspy/client.h>
#include <gcspy/format.h>

#include "out.h"

/* "bytes", "ns", the stream's own suffix without blanks around it, or "". */
const char *show_unit(char *buffer, size_t size, const struct gcs_stream *stream);

/* "0 to 4 KiB", in the stream's number format. */
const char *show_range(
    char *buffer, size_t size, const struct gcs_stream *stream, int64_t least, int64_t largest);

/* "number and percentage of the largest", "one of Free, Eden, Old". */
const char *show_presentation(
    char *buffer, size_t size, const struct gcs_space *space, const struct gcs_stream *stream);

/* The names that JSON and text use for the enumerations of the model. */
const char *show_presentation_name(enum gcs_presentation presentation);
const char *show_maximum_name(enum gcs_maximum maximum);
const char *show_format_name(enum gcs_format format);
const char *show_type_name(enum gcs_type type);
const char *show_role_name(enum gcs_role role);
const char *show_summary_name(enum gcs_summary_kind kind);
const char *show_space_kind_name(enum gcs_space_kind kind);
const char *show_attribute_kind_name(enum gcs_attribute_kind kind);
const char *show_run_name(enum gcs_run_state state);

/* "2026-05-04 13:02:11.250 +0200", or the time of day alone; local time. */
const char *show_time(char *buffer, size_t size, int64_t wall_ns, bool date);

/* The event's name, or "present state" for a look from outside any event. */
const char *show_event(const struct gcs_snapshot *snapshot);

/* "kind young, heap 12 MiB -> 3 MiB, pause 2.1 ms"; "" without attributes. Texts of several lines are
 * left out: show_lines writes them. */
const char *show_attributes(char *buffer, size_t size, const struct gcs_snapshot *snapshot);

/* "running", "paused, held by 2 clients". */
const char *show_program(
    char *buffer, size_t size, enum gcs_run_state state, bool own, uint32_t others);

/* One line without its end: "#12  13:02:11.250  Young collection  kind young, …". */
void show_occurrence(struct out *out, const struct gcs_snapshot *snapshot);

/* The attributes that are texts of several lines, such as a stack: each line on one of its own. */
void show_lines(struct out *out, const struct gcs_snapshot *snapshot);

/* "1 client", "3 clients". */
const char *show_clients(char *buffer, size_t size, uint32_t count);

#endif
