/*
 * Criterion runs each test in a process of its own. The process that waits for them tests nothing,
 * but what watches the time limits there forgets a request when they differ (boxfort's timeout.c),
 * and the leak sanitizer would fail a run in which every test passed. This suppression is for that
 * process only: below a test all stacks lead through Criterion too.
 */
#include <stdlib.h>

__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	/* boxfort's mark of a process that runs one test. */
	return getenv("BXFI_MAP") ? "" : "leak:libcriterion.so\n";
}
