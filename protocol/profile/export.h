/*
 * Call sites for people and for other programs (rows S6, E2): a table, collapsed stacks, a flame
 * graph as SVG or HTML, a pprof profile, JSON, and a whole profile in a file.
 *
 * The writers pass their bytes to a sink in order, and stop when it refuses some. Names of classes,
 * methods and threads come from an untrusted program: each format stays well-formed and shows none
 * of their markup or terminal controls. docs/sites.md describes the formats.
 */
#ifndef GCSPY_PROFILE_EXPORT_H
#define GCSPY_PROFILE_EXPORT_H

#include "sink.h"
#include "sites.h"

GCS_BEGIN_DECLS

/* Identifier, name on the command line, suffixes of file names. */
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

/* The format for a file with this name; false without one. */
GCS_API bool gcs_export_guess(const char *path, enum gcs_export_format *format);

/* The format's name; "?" for an unknown one. */
GCS_API const char *gcs_export_word(enum gcs_export_format format);

struct gcs_export_options {
	const char *selection; /* the filter in words, for the head; NULL: none */
	bool of_a_place;       /* the profile has only what is there: it says nothing of the rest */
	bool icicle;           /* flame graphs have the root on top */
	/* Of pprof: a difference, from when its sampling began, without types of live objects; show those in
	 * use first. */
	bool allocations_only, in_use_first;
};

/*
 * Writes the sites; GCSPY writes their whole profile regardless of the selection. `options` may be
 * NULL. IO when the sink refuses, NOMEM, LIMIT for a profile too large for a file. Any thread.
 */
GCS_API enum gcs_status gcs_sites_export(const struct gcs_sites *sites,
    enum gcs_export_format format, const struct gcs_export_options *options,
    const struct gcs_sink *sink, struct gcs_error *err);

/* Writes the changes as TEXT, JSON or COLLAPSED (two numbers per stack: before, after);
 * UNSUPPORTED for other formats. `top` limits text to the largest growths and as many shrinkages;
 * 0: no limit. */
GCS_API enum gcs_status gcs_comparison_export(const struct gcs_comparison *comparison,
    enum gcs_export_format format, uint32_t top, const struct gcs_sink *sink,
    struct gcs_error *err);

/* The first bytes of a profile's file. */
#define GCS_PROFILE_MAGIC "GCSPROF1"

/* The profile in a file's bytes, or NULL: FOREIGN for another kind of file, else as
 * gcs_profile_decode. Any bytes are safe. */
GCS_API struct gcs_profile *gcs_profile_unpack(
    const void *bytes, size_t length, struct gcs_error *err);

/* The profile in a file, or NULL; IO when it cannot be read. */
GCS_API struct gcs_profile *gcs_profile_load(const char *path, struct gcs_error *err);

GCS_END_DECLS

#endif
