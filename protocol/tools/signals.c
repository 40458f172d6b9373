#include "signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "now.h"

/* Signals that come within this time are one: timeout(1) sends its signal to the command and then to the
 * group that it is in. */
enum { ONE_MS = 1000 };

/* Whether a signal has come, and the pipe to wake. */
static volatile sig_atomic_t signal_seen;
static volatile sig_atomic_t signal_pipe = -1;

/* When the last one came that was not the same as one before; 0: none did. */
static atomic_uint_least64_t signal_ms;

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
static struct sigaction before[NUMBERS];
static bool caught;

static void on_signal(int number)
{
	(void)number;
	const uint64_t now = now_ms();
	const uint64_t last = atomic_load(&signal_ms);
	if (last != 0 && now - last < ONE_MS)
		return;
	atomic_store(&signal_ms, now);
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
