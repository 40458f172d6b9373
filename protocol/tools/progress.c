#include "progress.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "now.h"
#include "out.h"
#include "thread.h"

enum { FIRST_MS = 2000, NEXT_MS = 250, COLUMNS = 79 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static struct {
	unsigned depth; /* begins without their ends */
	bool running, shown;
	char what[200], text[200];
	uint64_t begin_ms;
	pthread_t thread;
} now_doing;

/* With the lock. */
static void show(void)
{
	char line[420];
	struct out err;
	if (now_doing.text[0] != '\0')
		snprintf(line, sizeof line, "%s: %s", now_doing.what, now_doing.text);
	else
		snprintf(line, sizeof line, "%s: %" PRIu64 " s", now_doing.what,
		    (now_ms() - now_doing.begin_ms) / 1000);
	out_init(&err, STDERR_FILENO);
	out_raw(&err, "\r\33[K");
	out_text(&err, line, COLUMNS);
	out_flush(&err);
	now_doing.shown = true;
}

static void clear(void)
{
	if (now_doing.shown && write(STDERR_FILENO, "\r\33[K", 4) < 0)
		now_doing.running = false;
	now_doing.shown = false;
}

/* False when it has ended meanwhile. With the lock. */
static bool wait_for(uint64_t ms)
{
	const uint64_t until = now_ns() + ms * 1000000;
	while (now_doing.running && thread_cond_until(&changed, &lock, until))
		continue;
	return now_doing.running;
}

static void *run(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	for (uint64_t ms = FIRST_MS; wait_for(ms); ms = NEXT_MS)
		show();
	pthread_mutex_unlock(&lock);
	return NULL;
}

void progress_begin(const char *what)
{
	if (now_doing.depth++ != 0 || isatty(STDERR_FILENO) != 1)
		return;
	snprintf(now_doing.what, sizeof now_doing.what, "%s", what);
	now_doing.text[0] = '\0';
	now_doing.begin_ms = now_ms();
	now_doing.shown = false;
	now_doing.running = true;
	now_doing.running =
	    thread_cond_init(&changed) && thread_start(&now_doing.thread, "progress", run, NULL);
}

void progress_say(const char *text)
{
	pthread_mutex_lock(&lock);
	snprintf(now_doing.text, sizeof now_doing.text, "%s", text);
	pthread_mutex_unlock(&lock);
}

void progress_clear(void)
{
	pthread_mutex_lock(&lock);
	clear();
	pthread_mutex_unlock(&lock);
}

void progress_end(void)
{
	if (--now_doing.depth != 0)
		return;
	pthread_mutex_lock(&lock);
	const bool running = now_doing.running;
	clear();
	now_doing.running = false;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	if (running)
		pthread_join(now_doing.thread, NULL);
}
