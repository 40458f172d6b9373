/*
 * Preloaded into a JVM: turns abort(), which the C library calls when it finds its heap corrupted,
 * into a fault, of which HotSpot writes a report with the stacks of all threads (hs_err_pid….log).
 * HotSpot itself ends with abort() after its report.
 */
#include <signal.h>
#include <stddef.h>

static int *volatile nowhere;

static void fault(int number)
{
	(void)signal(number, SIG_DFL);
	*nowhere = 1;
}

/* The library's DT_INIT (CMakeLists.txt). */
void abort_begin(void);

void abort_begin(void)
{
	(void)signal(SIGABRT, fault);
}
