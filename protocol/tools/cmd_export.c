/* `gcspy export` and `gcspy report`: a trace in other formats. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output_file.h"
#include "profile_source.h"
#include "report.h"
#include "sites_write.h"
#include "stats_page.h"
#include "trace_export.h"

/* Whether the name ends with one of the suffixes, which are apart by spaces. */
static bool ends_with(const char *name, const char *suffixes)
{
	const char *dot = strrchr(name, '.');
	for (const char *at = dot == NULL ? NULL : strstr(suffixes, dot); at != NULL;
	     at = strstr(at + 1, dot))
		if (at[strlen(dot)] == ' ' || at[strlen(dot)] == '\0')
			return true;
	return false;
}

/* The suffix of another format than the one that is written is an error; one of none says nothing. */
static int check_suffix(const struct cli_arguments *a)
{
	static const char others[] =
	    ".csv .tsv .txt .json .html .htm .svg .png .pprof .gz .collapsed "
	    ".folded .sites .gcspy .gcst";
	const bool events = a->what == CLI_WHAT_EVENTS;
	if (a->output == NULL || ends_with(a->output, events ? ".json" : ".tsv .txt") ||
	    !ends_with(a->output, others))
		return CLI_DONE;
	return cli_usage("-o %s: --what %s writes %s", a->output,
	    events                       ? "events"
	    : a->what == CLI_WHAT_STREAM ? "stream"
					 : "summary",
	    events ? "Perfetto's JSON (.json); --what summary writes a table (.tsv)"
		   : "a table with tabs between its cells (.tsv, .txt); --what events writes "
		     "Perfetto's JSON (.json)");
}

/* An option for another --what is an error. */
static int check_options(const struct cli_arguments *a)
{
	const bool sites = a->what == CLI_WHAT_SITES, stream = a->what == CLI_WHAT_STREAM;
	const struct gcs_site_filter *f = &a->filter;
	if (a->what == CLI_WHAT_COUNT)
		return cli_usage("export needs --what: summary, stream, events or sites");
	if (stream && (a->space == NULL || a->stream == NULL))
		return cli_usage("--what stream needs --space NAME and --stream NAME");
	if (!stream && (a->space != NULL || a->stream != NULL))
		return cli_usage("--space and --stream are for --what stream");
	if (sites && (a->from != NULL || a->to != NULL))
		return cli_usage("--from and --to are not for --what sites: choose a profile with "
				 "--at, and compare with --base");
	if (!sites && (a->kind_given || a->at != NULL || a->format != GCS_EXPORT_FORMAT_COUNT ||
			  a->base != NULL || f->top != 0 || f->class_pattern != NULL ||
			  f->thread_pattern != NULL || f->min_age != 0 || f->all_frames ||
			  f->min_size != 0 || f->with_new || f->by != GCS_SITES_BY_SITE ||
			  a->where != NULL || a->libraries[0] != NULL))
		return cli_usage("--kind, --at, --format, --base and the choice of sites are for "
				 "--what sites");
	return sites ? CLI_DONE : check_suffix(a);
}

/* CLI_DONE if the trace has the stream at its beginning; else the message lists the streams. */
static int check_stream(struct gcs_trace *trace, const struct cli_arguments *a)
{
	char list[700] = "";
	if (a->what != CLI_WHAT_STREAM)
		return CLI_DONE;
	struct gcs_model *m = gcs_trace_model(trace);
	uint32_t space = gcs_model_find_space(m, a->space);
	bool found =
	    space != GCS_NONE && gcs_space_find_stream(&m->spaces[space], a->stream) != GCS_NONE;
	uint32_t count = space == GCS_NONE ? m->space_count : m->spaces[space].stream_count;
	for (uint32_t i = 0; !found && i < count; i++)
		cli_add_name(list, sizeof list,
		    space == GCS_NONE ? m->spaces[i].name : m->spaces[space].streams[i].name);
	gcs_model_unref(m);
	if (found)
		return CLI_DONE;
	if (space == GCS_NONE)
		return cli_usage("--space \"%s\": the trace has %s", a->space,
		    list[0] == '\0' ? "no spaces" : list);
	return cli_usage(
	    "--stream \"%s\": the space has %s", a->stream, list[0] == '\0' ? "no streams" : list);
}

static enum gcs_status write_trace(struct gcs_trace *trace, const struct cli_arguments *a,
    struct gcs_trace_range *range, const struct gcs_sink *sink, struct gcs_error *err)
{
	switch (a->what) {
	case CLI_WHAT_STREAM:
		return gcs_trace_export_stream(trace, a->space, a->stream, range, sink, err);
	case CLI_WHAT_EVENTS:
		return gcs_trace_export_events(trace, range, sink, err);
	default:
		return gcs_trace_export_summary(trace, range, sink, err);
	}
}

static int export_trace(struct gcs_trace *trace, const struct cli_arguments *a,
    enum gcs_status (*write)(struct gcs_trace *, const struct cli_arguments *,
	struct gcs_trace_range *, const struct gcs_sink *, struct gcs_error *),
    struct out *out)
{
	static struct target target;
	struct gcs_trace_range range = {.first = 0};
	struct gcs_error err;
	int code = stats_range(a, trace, &range.first, &range.last);
	if (code == CLI_DONE)
		code = check_stream(trace, a);
	if (code == CLI_DONE)
		code = target_open(&target, a->output, out);
	if (code != CLI_DONE)
		return code;
	struct gcs_sink sink = target_sink(&target);
	enum gcs_status status = write(trace, a, &range, &sink, &err);
	if (status != GCS_OK && target.out->error == 0)
		code = cli_fail("%s: %s", a->address, err.text);
	code = target_close(&target, status == GCS_OK, code);
	if (code == CLI_DONE && range.unreadable != 0)
		cli_warn("warning: %s is damaged: %" PRIu64 " of %" PRIu64
			 " events could not be read and are missing",
		    a->address, range.unreadable, range.unreadable + range.written);
	return code;
}

static int export_sites(const struct cli_arguments *arguments, struct out *out)
{
	struct cli_arguments a = *arguments;
	int code = CLI_DONE;
	/* Only a trace is accepted here. */
	gcs_trace_close(trace_source_open(a.address, &code));
	return code == CLI_DONE ? cmd_sites(&a, out) : code;
}

int cmd_export(const struct cli_arguments *a, struct out *out)
{
	int code = check_options(a);
	if (code != CLI_DONE || a->what == CLI_WHAT_SITES)
		return code == CLI_DONE ? export_sites(a, out) : code;
	struct gcs_trace *trace = trace_source_open(a->address, &code);
	if (trace != NULL)
		code = export_trace(trace, a, write_trace, out);
	gcs_trace_close(trace);
	return code;
}

static enum gcs_status write_report(struct gcs_trace *trace, const struct cli_arguments *a,
    struct gcs_trace_range *range, const struct gcs_sink *sink, struct gcs_error *err)
{
	/* The folder would say more of a machine than a page should. */
	const char *slash = strrchr(a->address, '/');
	const struct gcs_report_options options = {.name = slash == NULL ? a->address : slash + 1,
	    .libraries = a->libraries,
	    .first = range->first,
	    .last = range->last};
	enum gcs_status status = gcs_report_write(trace, &options, sink, &range->unreadable, err);
	range->written = range->last - range->first + 1 - range->unreadable;
	return status;
}

int cmd_report(const struct cli_arguments *a, struct out *out)
{
	int code;
	if (a->output == NULL && isatty(STDOUT_FILENO) == 1)
		return cli_usage("report writes HTML, which is not for a terminal; -o FILE writes "
				 "to a file");
	struct gcs_trace *trace = trace_source_open(a->address, &code);
	if (trace != NULL)
		code = export_trace(trace, a, write_report, out);
	gcs_trace_close(trace);
	return code;
}
