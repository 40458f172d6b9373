#include <criterion/criterion.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct plain_test *tests;
static bool failed;

void plain_add(struct plain_test *test)
{
	test->next = tests;
	tests = test;
}

void plain_failed(
    bool fatal, const char *file, int line, const char *condition, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fprintf(stderr, "%s:%d: not true: %s\n", file, line, condition);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	failed = true;
	/* At once, without handlers of exit: other threads of the test may still run. */
	if (fatal)
		_exit(1);
}

static void run_here(const struct plain_test *test)
{
	alarm(test->options.timeout == 0 ? 240 : (unsigned)test->options.timeout + 1);
	if (test->options.init != NULL)
		test->options.init();
	test->run();
	if (test->options.fini != NULL)
		test->options.fini();
	exit(failed ? 1 : 0);
}

int main(void)
{
	unsigned run = 0, bad = 0;
	for (struct plain_test *test = tests; test != NULL; test = test->next) {
		if (test->options.disabled)
			continue;
		fflush(NULL);
		int status = -1;
		pid_t pid = fork();
		if (pid == 0)
			run_here(test);
		if (pid == -1 || waitpid(pid, &status, 0) != pid || status != 0) {
			fprintf(
			    stderr, "FAILED %s.%s (status %d)\n", test->suite, test->name, status);
			bad++;
		}
		run++;
	}
	fprintf(stderr, "%u tests, %u failed\n", run, bad);
	return bad != 0 || run == 0;
}
