/* What `sites` and `export --what sites` write of a profile: checked options, sites, changes. */
#include "sites_write.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "operand.h"
#include "output_file.h"
#include "profile_source.h"

/* Default number of sites in text. */
enum { TOP_OF_TEXT = 20 };

static bool is_filtered(const struct gcs_site_filter *f)
{
	return f->class_pattern != NULL || f->thread_pattern != NULL || f->min_age != 0 ||
	       f->top != 0 || f->all_frames || f->min_size != 0 || f->with_new ||
	       f->by != GCS_SITES_BY_SITE;
}

int sites_settle(struct cli_arguments *a)
{
	(void)output_settle(a, ~0u);
	bool binary = a->format == GCS_EXPORT_PPROF || a->format == GCS_EXPORT_GCSPY;
	if (a->kind == GCS_PROFILE_ALLOCATED && a->filter.min_age != 0)
		return cli_usage("--min-age with --allocated: the ages of single objects are not "
				 "kept; --format json has the bytes that died at each age");
	if (a->format == GCS_EXPORT_GCSPY && is_filtered(&a->filter))
		return cli_usage("--format gcspy keeps the whole profile: --class, --thread, "
				 "--min-age, --min-size, --with-new, --by, --top and --all-frames "
				 "are for reading it");
	if (a->base != NULL && a->filter.with_new)
		return cli_usage("--with-new with --base: only what survived is compared");
	if (a->base != NULL && a->format != GCS_EXPORT_TEXT && a->format != GCS_EXPORT_JSON &&
	    a->format != GCS_EXPORT_COLLAPSED)
		return cli_usage("--base with --format %s: expected text, collapsed or json",
		    gcs_export_word(a->format));
	if (binary && a->output == NULL && isatty(STDOUT_FILENO) == 1)
		return cli_usage("--format %s is not for a terminal; -o FILE writes to a file",
		    gcs_export_word(a->format));
	if (a->format == GCS_EXPORT_TEXT && a->filter.top == 0)
		a->filter.top = TOP_OF_TEXT;
	a->filter.libraries = a->libraries;
	/* Its samples have their thread as a label. */
	a->filter.by_thread = a->format == GCS_EXPORT_PPROF;
	return CLI_DONE;
}

/* The selection in words, for the head of what is written. */
static void describe(
    const struct cli_arguments *a, const struct gcs_profile *profile, char *words, size_t size)
{
	const struct gcs_site_filter *f = &a->filter;
	size_t used = 0;
	const bool rounded = gcs_profile_head(profile)->kind == GCS_PROFILE_ALLOCATED &&
			     gcs_size_range(f->min_size) != f->min_size;
	char size_text[32];
	words[0] = '\0';
	if (f->min_size != 0)
		used += (size_t)snprintf(words, size, "objects of %s or more%s, ",
		    text_size(size_text, sizeof size_text,
			(double)(rounded ? gcs_size_range(f->min_size) : f->min_size)),
		    rounded ? " (rounded down: totals keep sizes by powers of two from 1 KiB)"
			    : "");
	if (a->where != NULL)
		used += (size_t)snprintf(words + used, size - used, "place %.40s, ", a->where);
	if (f->class_pattern != NULL)
		used += (size_t)snprintf(
		    words + used, size - used, "class ~ %.80s, ", f->class_pattern);
	if (f->thread_pattern != NULL)
		used += (size_t)snprintf(
		    words + used, size - used, "thread ~ %.80s, ", f->thread_pattern);
	if (f->min_age != 0)
		used += (size_t)snprintf(
		    words + used, size - used, "age of %u or more, ", (unsigned)f->min_age);
	if (used >= 2)
		words[used - 2] = '\0';
}

static struct gcs_sites *gather(
    const struct cli_arguments *a, const struct gcs_profile *profile, int *code)
{
	struct gcs_error err;
	struct gcs_site_filter filter = a->filter;
	/* Changes are chosen from all sites of both, and only of what survived. */
	if (a->base != NULL)
		filter.top = 0;
	if (a->base != NULL && gcs_profile_head(profile)->kind == GCS_PROFILE_LIVE &&
	    filter.min_age == 0)
		filter.min_age = 1;
	struct gcs_sites *sites = gcs_sites_create(profile, &filter, &err);
	if (sites == NULL && (err.status == GCS_ARGUMENT || err.status == GCS_UNSUPPORTED))
		*code = cli_usage("--%s", err.text);
	else if (sites == NULL)
		*code = cli_fail("%s", err.text);
	return sites;
}

/* Ends the output; a failed sink is reported by the target. */
static int finish(struct target *target, enum gcs_status status, const struct gcs_error *err)
{
	int code = CLI_DONE;
	if (status != GCS_OK && status != GCS_IO)
		code = cli_fail("%s", err->text);
	return target_close(target, status == GCS_OK, code);
}

static int write_sites(
    const struct cli_arguments *a, const struct gcs_profile *profile, struct out *out)
{
	static struct target target;
	char selection[420];
	struct gcs_error err;
	struct gcs_export_options options = {
	    .selection = selection, .of_a_place = a->where != NULL};
	int code = CLI_DONE;
	describe(a, profile, selection, sizeof selection);
	struct gcs_sites *sites = gather(a, profile, &code);
	if (sites == NULL)
		return code;
	code = target_open(&target, a->output, out);
	if (code == CLI_DONE) {
		struct gcs_sink sink = target_sink(&target);
		code = finish(
		    &target, gcs_sites_export(sites, a->format, &options, &sink, &err), &err);
	}
	gcs_sites_free(sites);
	return code;
}

static int write_changes(const struct cli_arguments *a, const struct gcs_sites *before,
    const struct gcs_sites *after, struct out *out)
{
	static struct target target;
	struct gcs_error err;
	struct gcs_comparison *changes = gcs_sites_compare(before, after, &err);
	if (changes == NULL)
		return cli_fail("%s", err.text);
	int code = target_open(&target, a->output, out);
	if (code == CLI_DONE) {
		struct gcs_sink sink = target_sink(&target);
		code = finish(&target,
		    gcs_comparison_export(changes, a->format, a->filter.top, &sink, &err), &err);
	}
	gcs_comparison_free(changes);
	return code;
}

static int compare(
    const struct cli_arguments *a, const struct gcs_profile *profile, struct out *out)
{
	int code = CLI_DONE;
	struct gcs_profile *base = profile_load_base(a, profile, &code);
	if (base == NULL)
		return code;
	if (!source_is_same_program(
		gcs_profile_head(base)->server, gcs_profile_head(profile)->server))
		cli_warn("--base is a profile of another program: \"%s\", not \"%s\"",
		    gcs_profile_head(base)->server, gcs_profile_head(profile)->server);
	struct gcs_sites *before = gather(a, base, &code);
	struct gcs_sites *after = before == NULL ? NULL : gather(a, profile, &code);
	if (after != NULL)
		code = write_changes(a, before, after, out);
	gcs_sites_free(before);
	gcs_sites_free(after);
	gcs_profile_free(base);
	return code;
}

int sites_check_patterns(const struct cli_arguments *a)
{
	static const struct gcs_profile_head nothing = {.server = "", .as_of = ""};
	int code = CLI_DONE;
	struct gcs_profile *empty = gcs_profile_create(&nothing);
	if (empty == NULL)
		return cli_fail("out of memory");
	gcs_sites_free(gather(a, empty, &code));
	gcs_profile_free(empty);
	return code;
}

int sites_write(const struct cli_arguments *a, const struct gcs_profile *profile, struct out *out)
{
	return a->base != NULL ? compare(a, profile, out) : write_sites(a, profile, out);
}
