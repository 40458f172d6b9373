#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* Whether a signal has come, and the pipe to wake. */
static volatile sig_atomic_t signal_seen;
static volatile sig_atomic_t signal_pipe = -1;

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
static struct sigaction before[NUMBERS];
static bool caught;

static void on_signal(int number)
{
	(void)number;
	signal_seen = 1;
	ssize_t n = write(signal_pipe, "", 1);
	(void)n;
}

void signals_catch(int pipe_end)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigemptyset(&action.sa_mask);
	signal_pipe = pipe_end;
	for (int i = 0; i < NUMBERS; i++)
		sigaction(numbers[i], &action, caught ? NULL : &before[i]);
	caught = true;
}

void signals_release(void)
{
	signal_pipe = -1;
	for (int i = 0; caught && i < NUMBERS; i++)
		sigaction(numbers[i], &before[i], NULL);
	caught = false;
}

void signals_forget(void)
{
	signal_seen = 0;
}

bool signals_seen(void)
{
	return signal_seen != 0;
}
