/* A writer per format, and what they share. */
#ifndef GCSPY_PROFILE_EXPORT_INTERNAL_H
#define GCSPY_PROFILE_EXPORT_INTERNAL_H

#include "export.h"
#include "text.h"

struct export
{
	const struct gcs_sites *sites;
	struct gcs_export_options options; /* `selection` is not NULL */
	struct text *text;
	struct gcs_error *err;
};

/* Each returns its own failures; the caller checks the sink's. */
enum gcs_status export_text(const struct export *e);
enum gcs_status export_collapsed(const struct export *e);
enum gcs_status export_svg(const struct export *e);
enum gcs_status export_html(const struct export *e);
enum gcs_status export_pprof(const struct export *e);
enum gcs_status export_json(const struct export *e);
enum gcs_status export_gcspy(const struct export *e);

/* Lines of the head. They contain texts of the server and are not escaped. */
enum { EXPORT_HEAD_LINES = 9, EXPORT_HEAD_TEXT = 1024 };

struct export_head {
	char title[EXPORT_HEAD_TEXT];
	uint32_t count;
	char lines[EXPORT_HEAD_LINES][EXPORT_HEAD_TEXT];
};

void export_head(const struct export *e, struct export_head *head);

/* Length of a line's first row: at most `most` bytes, broken at a blank if possible. The blanks
 * that follow belong to no row. */
size_t export_row(const char *line, size_t most);

/* "3.2", or "-" for a negative mean; "12.5 %". */
char *export_mean(char *buffer, size_t size, double mean);
char *export_share(char *buffer, size_t size, double part, double whole);

/* Writes the bytes deflated, in gzip's or zlib's format. OK or NOMEM. */
enum gcs_status export_deflated(
    struct text *t, const void *bytes, size_t length, bool gzip, struct gcs_error *err);

/* By enum gcs_sites_by: "call site". */
extern const char *const export_keys[];

/* What a row is called: the class, or the thread. */
const char *export_label(const struct gcs_sites *sites, const struct gcs_site *site);

/* "Shop.visit (Shop.java:55)", the first frame outside the JDK and libraries where the stack begins
 * inside them; else "". */
char *export_own_frame(
    char *buffer, size_t size, const struct gcs_sites *sites, const struct gcs_site *site);

#endif
