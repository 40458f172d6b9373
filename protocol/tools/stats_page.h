/*
 * What `stats` and `diff` share: loading the figures of a trace, and writing them as a page or as
 * JSON (docs/stats.md).
 */
#ifndef GCSPY_TOOLS_STATS_PAGE_H
#define GCSPY_TOOLS_STATS_PAGE_H

#include "stats.h"

#include "json.h"
#include "tool.h"

/* Version of the JSON documents; it grows when a key changes its meaning. */
enum { STATS_FORMAT = 2 };

/* Call sites written of each list. */
enum { STATS_SITES = 10 };

/* The events that --from and --to select; CLI_DONE, or an exit code after a message. */
int stats_range(const struct cli_arguments *arguments, struct gcs_trace *trace, uint64_t *first,
    uint64_t *last);

/* The event that an option's text selects: the first from there on for "from", else the last up to
 * there. CLI_DONE, or an exit code after a message. */
int stats_place(struct gcs_trace *trace, const char *option, const char *text, uint64_t *place);

/* The figures of the selected events; NULL with an exit code after a message. */
struct gcs_stats *stats_load(const struct cli_arguments *arguments, const char *path, int *code);

/* `source` is the file or address. */
void stats_write_text(struct out *out, const struct gcs_stats *stats, const char *source);
void stats_write_json(struct out *out, const struct gcs_stats *stats, const char *source);

/* The same document as a member of an object. */
void stats_put_json(
    struct json *json, const char *key, const struct gcs_stats *stats, const char *source);

/* The word of a unit in JSON: "bytes", "ns", "share" … */
const char *stats_unit_word(enum gcs_unit unit);

/* An empty line, and the title of what follows, in bold where the output is colored. */
void stats_title(struct out *out, const char *title);

/* Columns of a name, with its indent, and of a figure. */
enum { STATS_NAME = 30, STATS_CELL = 12 };

/* A figure in words, for the rest of an expression: stats_figure(…).text. */
struct stats_words {
	char text[64];
};
struct stats_words stats_figure(double value, enum gcs_unit unit);

/* "1 h 12 min 3 s", "12.3 s" */
void stats_duration(struct out *out, double ns);

/* A name, indented, in as many columns altogether. */
void stats_name(struct out *out, size_t indent, const char *name, size_t columns);

/* The page's head, what was recorded, what is missing of it, and the triggers that fired. */
void stats_recording_text(struct out *out, const struct gcs_stats *stats, const char *source);

/* Our own text, right-aligned in `columns`. */
void stats_right(struct out *out, const char *text, size_t columns);

/* A figure, right-aligned. */
void stats_cell(struct out *out, double value, enum gcs_unit unit, size_t columns);

/* Call sites: the largest, and those that changed most in either direction. */
void stats_sites_text(struct out *out, const struct gcs_sites *sites);
void stats_sites_json(struct json *json, const char *key, const struct gcs_sites *sites);

/* What differs most, a line for each: pauses, allocation and heap; and call sites, `why` where there
 * is no comparison. */
void diff_verdict(struct out *out, const struct gcs_stats *before, const struct gcs_stats *after);
void diff_verdict_sites(struct out *out, const char *title, const struct gcs_comparison *comparison,
    enum gcs_unit unit, const char *why);

/* Frames of the program that hold ever more, or why there are none. */
void stats_suspects_text(struct out *out, const struct gcs_stats *stats);
void stats_suspects_json(struct json *json, const struct gcs_stats *stats);

/* What changed; `seconds` between the two, for rates, or 0: none. */
void stats_changes_text(struct out *out, const struct gcs_comparison *changes, double seconds);
void stats_changes_json(
    struct json *json, const char *key, const struct gcs_comparison *changes, double seconds);

#endif
