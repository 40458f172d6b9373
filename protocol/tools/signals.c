#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* Whether a signal has come, and the pipe to wake. */
static volatile sig_atomic_t signal_seen;
static volatile sig_atomic_t signal_pipe = -1;

static void on_signal(int number)
{
	(void)number;
	signal_seen = 1;
	ssize_t n = write(signal_pipe, "", 1);
	(void)n;
}

void signals_catch(int pipe_end)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal};
	sigemptyset(&action.sa_mask);
	signal_pipe = pipe_end;
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		sigaction(numbers[i], &action, NULL);
}

bool signals_seen(void)
{
	return signal_seen != 0;
}
