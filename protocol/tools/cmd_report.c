#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "output_file.h"
#include "profile_source.h"
#include "report.h"
#include "stats_page.h"

/* The file's name without its folder, which says more of a machine than a page should. */
static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

static int write_report(struct gcs_trace *trace, const struct cli_arguments *a, struct out *out)
{
	static struct target target;
	struct gcs_report_options options = {.name = name_of(a->address)};
	struct gcs_error err;
	uint64_t unreadable = 0;
	int code = stats_range(a, trace, &options.first, &options.last);
	if (code == CLI_DONE)
		code = target_open(&target, a->output, out);
	if (code != CLI_DONE)
		return code;
	struct gcs_sink sink = target_sink(&target);
	enum gcs_status status = gcs_report_write(trace, &options, &sink, &unreadable, &err);
	if (status != GCS_OK && target.out->error == 0)
		code = cli_fail("%s: %s", a->address, err.text);
	code = target_close(&target, status == GCS_OK, code);
	if (code == CLI_DONE && unreadable != 0)
		cli_warn("warning: %s is damaged: %" PRIu64
			 " events could not be read and are missing",
		    a->address, unreadable);
	return code;
}

int cmd_report(const struct cli_arguments *a, struct out *out)
{
	int code = CLI_DONE;
	if (a->output == NULL && isatty(STDOUT_FILENO) == 1)
		return cli_usage("report writes HTML, which is not for a terminal; -o FILE writes "
				 "to a file");
	struct gcs_trace *trace = trace_source_open(a->address, &code);
	if (trace == NULL)
		return code;
	code = write_report(trace, a, out);
	gcs_trace_close(trace);
	return code;
}
