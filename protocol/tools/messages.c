/* Lines on standard error. */

#include "progress.h"
#include "tool.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void print(const char *format, va_list list)
{
	/* One write per line, so that lines of several programs do not mix. */
	static struct out err;
	char text[1024];
	vsnprintf(text, sizeof text, format, list);
	flockfile(stderr); /* lines of several threads do not mix either */
	progress_clear();
	out_init(&err, STDERR_FILENO);
	out_raw(&err, "gcspy: ");
	out_text(&err, text, SIZE_MAX);
	out_raw(&err, "\n");
	out_flush(&err);
	funlockfile(stderr);
}

int cli_usage(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	print(format, list);
	va_end(list);
	return CLI_USAGE;
}

int cli_fail(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	print(format, list);
	va_end(list);
	return CLI_FAILED;
}

void cli_warn(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	print(format, list);
	va_end(list);
}

void cli_add_name(char *list, size_t size, const char *name)
{
	const size_t used = strlen(list);
	snprintf(list + used, size - used, "%s\"%s\"", used == 0 ? "" : ", ", name);
}

bool cli_ignores_pipes;

int cli_output_failed(const struct out *out)
{
	/* A reader that has what it wants is no error: end as programs do that do not look. */
	if (out->error == EPIPE && !cli_ignores_pipes) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return cli_fail("cannot write the output: %s", strerror(out->error));
}
