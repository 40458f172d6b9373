#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "native_names.h"
#include "whole_file.h"

/*
 * The next file or socket would take the number of a standard descriptor that the caller has closed,
 * and our output would go there. Open it so that its use fails. A program that we execute finds it closed.
 */
static void keep_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
			(void)open("/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

/* https://no-color.org: a variable that is set and not empty. */
static bool is_colored(uint32_t choice, int fd)
{
	enum { AUTO, ALWAYS };
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
	if (choice != AUTO)
		return choice == ALWAYS;
	return isatty(fd) == 1 && (no == NULL || no[0] == '\0') && terminal != NULL &&
	       terminal[0] != '\0' && strcmp(terminal, "dumb") != 0;
}

static int run(const struct cli_command *command, int count, char **words, struct out *out)
{
	struct cli_arguments arguments;
	bool wants_help;
	if (!cli_parse(command, count, words, &arguments, &wants_help))
		return CLI_USAGE;
	if (wants_help) {
		cli_help(command, out);
		return CLI_DONE;
	}
	out->colored = is_colored(arguments.color, out->fd);
	return command->run(&arguments, out);
}

int main(int count, char **words)
{
	static struct out out;
	keep_standard_descriptors();
	/* A closed pipe and a file size limit are errors of write. */
	cli_ignores_pipes = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
	signal(SIGXFSZ, SIG_IGN);
	whole_files_guard();
	native_names_use();
	out_init(&out, STDOUT_FILENO);
	if (count < 2) {
		cli_help_jobs(&out);
		return out_flush(&out) ? cli_usage("missing command; `gcspy help` lists them")
				       : cli_output_failed(&out);
	}
	const char *name = words[1];
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		name = "help";
	else if (strcmp(name, "--version") == 0)
		name = "version";
	const struct cli_command *command = cli_find_command(name);
	if (command == NULL)
		return cli_unknown_command(name);
	int code = run(command, count - 2, words + 2, &out);
	bool reported = out.error != 0 && code != CLI_DONE;
	if (!out_flush(&out) && !reported)
		return cli_output_failed(&out);
	return code;
}
