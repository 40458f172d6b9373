/*
 * Call sites written for other programs and for people (rows S6, E2): a table, collapsed stacks, a
 * flame graph as SVG or HTML, pprof's profile, JSON, and a profile kept whole in a file.
 *
 * The writers give their bytes to a sink in order, and stop when it refuses some. Names of classes,
 * methods and threads come from a program that is not trusted: whatever they hold, each format
 * stays well-formed and shows no markup or terminal control of theirs. docs/sites.md describes the
 * formats.
 */
#ifndef GCSPY_PROFILE_EXPORT_H
#define GCSPY_PROFILE_EXPORT_H

#include "sink.h"
#include "sites.h"

GCS_BEGIN_DECLS

/* Identifier, the word that names it, ends of files' names that ask for it. */
#define GCS_EXPORT_FORMATS(X)                                                                      \
	X(TEXT, "text", ".txt")                                                                    \
	X(COLLAPSED, "collapsed", ".collapsed .folded")                                            \
	X(SVG, "svg", ".svg")                                                                      \
	X(HTML, "html", ".html .htm")                                                              \
	X(PPROF, "pprof", ".pprof .pb.gz")                                                         \
	X(JSON, "json", ".json")                                                                   \
	X(GCSPY, "gcspy", ".sites")

enum gcs_export_format {
#define X(id, word, suffixes) GCS_EXPORT_##id,
	GCS_EXPORT_FORMATS(X)
#undef X
	    GCS_EXPORT_FORMAT_COUNT
};

/* The format of that word, or of a file with that name; false when there is none. */
GCS_API bool gcs_export_find(const char *word, enum gcs_export_format *format);
GCS_API bool gcs_export_guess(const char *path, enum gcs_export_format *format);

/* The format's word; "?" for a number that is none. */
GCS_API const char *gcs_export_word(enum gcs_export_format format);

struct gcs_export_options {
	const char *selection; /* the filter in words, for the head; NULL: none */
	bool icicle;           /* flame graphs begin with the root on top */
};

/*
 * Writes the sites; GCSPY writes their whole profile, whatever was selected. `options` may be NULL.
 * IO when the sink refuses, NOMEM, LIMIT for a profile that is too large for a file. Any thread.
 */
GCS_API enum gcs_status gcs_sites_export(const struct gcs_sites *sites,
    enum gcs_export_format format, const struct gcs_export_options *options,
    const struct gcs_sink *sink, struct gcs_error *err);

/* Writes what changed, as TEXT, JSON or COLLAPSED (two numbers behind each stack: before, after);
 * UNSUPPORTED for other formats. `top` limits text to so many that grew and as many that shrank;
 * 0: no limit. */
GCS_API enum gcs_status gcs_comparison_export(const struct gcs_comparison *comparison,
    enum gcs_export_format format, uint32_t top, const struct gcs_sink *sink,
    struct gcs_error *err);

/* The bytes that a profile's file begins with. */
#define GCS_PROFILE_MAGIC "GCSPROF1"

/* The profile in a file's bytes, or NULL: FOREIGN when it is no such file, else as
 * gcs_profile_decode. Total: any bytes are safe. */
GCS_API struct gcs_profile *gcs_profile_unpack(
    const void *bytes, size_t length, struct gcs_error *err);

/* The profile in a file, or NULL; IO when it cannot be read. */
GCS_API struct gcs_profile *gcs_profile_load(const char *path, struct gcs_error *err);

GCS_END_DECLS

#endif
