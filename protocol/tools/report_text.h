/*
 * What `info` and `dump` write, gathered before anything is written, and its writers.
 */
#ifndef GCSPY_TOOLS_REPORT_TEXT_H
#define GCSPY_TOOLS_REPORT_TEXT_H

#include "contact.h"
#include "json.h"

/* Version of the JSON documents; it grows when a key changes its meaning (docs/dump-format.md). */
enum { REPORT_FORMAT = 1 };

/* All pointers are borrowed. */
struct report {
	const char *address;
	const struct gcs_model *model;
	const struct gcs_snapshot *snapshot; /* NULL only for info, when none came */
	enum gcs_run_state run;
	bool own;
	uint32_t others;
	uint64_t received;
	bool of_2002;      /* the server's protocol */
	const char *space; /* only spaces of that name, or NULL */
	uint32_t zoom;     /* only this space, or GCS_NONE */
	bool values;
};

/* Fills all but `space`, `zoom` and `values`; `model` and `snapshot` remain the caller's. Waits
 * briefly for a program that is about to pause. */
void report_init(struct report *report, struct contact *contact, const struct gcs_model *model,
    const struct gcs_snapshot *snapshot);

/* True if the report is to show that space. */
bool report_shows(const struct report *report, uint32_t space);

/* A key for the name at `index` of several: the name, or "name (2)" if an earlier one is the same.
 */
const char *report_key(char *buffer, size_t size, const char *(*name)(const void *, uint32_t),
    const void *list, uint32_t index);

/* Keys of the JSON documents that `info` and `dump` have in common. */
void report_json_head(struct json *json, const struct report *report);
void report_json_counters(struct json *json, const struct report *report);
void report_json_event(struct json *json, const struct gcs_snapshot *snapshot);
void report_json_space(struct json *json, const struct gcs_model *model, uint32_t space);
void report_json_stream(
    struct json *json, const struct gcs_space *space, const struct gcs_stream *stream);

void info_write_text(struct out *out, const struct report *report);
void info_write_json(struct out *out, const struct report *report);
void dump_write_text(struct out *out, const struct report *report);
void dump_write_json(struct out *out, const struct report *report);

#endif
