#include "process_usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "now.h"

/* Threads of collectors seldom come, and hardly ever end. */
enum { LIST_MS = 60000 };

/* Fields of proc(5), counted after the name, which may have blanks and parentheses. */
enum { USER = 11, SYSTEM = 12, START = 19 };

static bool read_field(const char *text, int field, uint64_t *value)
{
	const char *at = strrchr(text, ')');
	char *next;
	if (at == NULL)
		return false;
	for (at++; field > 0; field--) {
		at += strspn(at, " ");
		at += strcspn(at, " ");
	}
	*value = strtoull(at, &next, 10);
	return next != at;
}

bool usage_parse_start(const char *text, uint64_t *ticks)
{
	return read_field(text, START, ticks);
}

bool usage_parse(const char *text, char name[USAGE_NAME], uint64_t *ticks)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t user, system;
	*ticks = 0;
	name[0] = '\0';
	if (open == NULL || close == NULL || close < open)
		return false;
	snprintf(name, USAGE_NAME, "%.*s", (int)(close - open - 1), open + 1);
	if (!read_field(text, USER, &user) || !read_field(text, SYSTEM, &system))
		return false;
	*ticks = user + system;
	return true;
}

/* HotSpot's names of the threads that collect, of JDK 11 to 26, as far as the kernel keeps them. */
bool usage_collects(const char *name, bool vm_thread)
{
	static const char *const beginnings[] = {"GC Thread#", "G1 Conc#", "G1 Main Marker",
	    "G1 Refine#", "G1 Service", "G1 Young RemSet", "ZWorker", "ZDriver", "ZDirector",
	    "ZStat", "ZUnmapper", "ZUncommitter", "XWorker", "XDriver", "XDirector", "XStat",
	    "XUnmapper", "XUncommitter", "RuntimeWorker", "Shenandoah"};
	for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return vm_thread && strcmp(name, "VM Thread") == 0;
}

/* The file's text, or false. */
static bool read_small(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd == -1 ? -1 : read(fd, text, size - 1);
	if (fd != -1)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

double process_age(long pid)
{
	char path[48], text[1024];
	uint64_t ticks;
	struct timespec now;
	snprintf(path, sizeof path, "/proc/%ld/stat", pid);
	if (!read_small(path, text, sizeof text) || !usage_parse_start(text, &ticks) ||
	    clock_gettime(CLOCK_BOOTTIME, &now) != 0)
		return 0;
	const double age = (double)now.tv_sec + (double)now.tv_nsec / 1e9 -
			   (double)ticks / (double)sysconf(_SC_CLK_TCK);
	return age > 0 ? age : 0;
}

/* The name of a thread and its processor time. */
static bool read_thread(long pid, long id, char name[USAGE_NAME], double *seconds)
{
	char path[64], text[1024];
	uint64_t ticks;
	snprintf(path, sizeof path, "/proc/%ld/task/%ld/stat", pid, id);
	if (!read_small(path, text, sizeof text) || !usage_parse(text, name, &ticks))
		return false;
	*seconds = (double)ticks / (double)sysconf(_SC_CLK_TCK);
	return true;
}

static bool is_listed(const struct usage_threads *t, long id)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (t->items[i].id == id)
			return true;
	return false;
}

static void list_threads(long pid, bool vm_thread, struct usage_threads *t)
{
	char path[48], name[USAGE_NAME];
	double seconds;
	snprintf(path, sizeof path, "/proc/%ld/task", pid);
	DIR *folder = opendir(path);
	for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
		const long id = strtol(e->d_name, NULL, 10);
		if (id <= 0 || is_listed(t, id) || !read_thread(pid, id, name, &seconds) ||
		    !usage_collects(name, vm_thread))
			continue;
		if (t->count == USAGE_THREADS)
			t->too_many = true;
		else
			t->items[t->count++] = (struct usage_thread){.id = id};
	}
	if (folder != NULL)
		closedir(folder);
}

/* Their sum never falls: what a thread had when it was last seen stays in it. */
static double sum_threads(long pid, bool vm_thread, struct usage_threads *t)
{
	char name[USAGE_NAME];
	double sum = 0, seconds;
	for (uint32_t i = 0; i < t->count;) {
		struct usage_thread *thread = &t->items[i];
		if (!read_thread(pid, thread->id, name, &seconds) ||
		    !usage_collects(name, vm_thread)) {
			t->ended_s += thread->seconds;
			*thread = t->items[--t->count];
			continue;
		}
		thread->seconds = seconds > thread->seconds ? seconds : thread->seconds;
		sum += thread->seconds;
		i++;
	}
	return sum + t->ended_s;
}

void process_usage_read(
    long pid, bool vm_thread, struct usage_threads *threads, struct process_usage *usage)
{
	char path[48], text[1024], name[USAGE_NAME];
	uint64_t ticks, pages;
	char *next;
	snprintf(path, sizeof path, "/proc/%ld/stat", pid);
	usage->known = read_small(path, text, sizeof text) && usage_parse(text, name, &ticks);
	if (!usage->known)
		return;
	usage->cpu_s = (double)ticks / (double)sysconf(_SC_CLK_TCK);
	snprintf(path, sizeof path, "/proc/%ld/statm", pid);
	read_small(path, text, sizeof text);
	strtoull(text, &next, 10);
	pages = strtoull(next, NULL, 10);
	usage->resident_bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	if (now_ms() >= threads->again_ms) {
		list_threads(pid, vm_thread, threads);
		threads->again_ms = now_ms() + LIST_MS;
	}
	usage->gc_cpu_s = sum_threads(pid, vm_thread, threads);
	usage->gc_known = !threads->too_many && (threads->count != 0 || threads->ended_s > 0);
}
