#include "jvm.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata.h"

/* Limits on what is read of a file: processes are not trusted. */
enum { MOST_BYTES = 1 << 20, MOST_LINE = 8192 };

/* Linux cuts thread names to this length. */
enum { MOST_NAME = 15 };

struct text {
	char *bytes; /* ended by a NUL byte that is not counted, or NULL */
	size_t length;
};

/* A regular file's descriptor, or -1. A pipe or device in its place is not opened. */
static int open_regular(const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = ENOENT;
		return -1;
	}
	return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* The beginning of a file; on failure no bytes and errno. */
static struct text read_file(const char *path)
{
	struct text text = {0};
	int fd = open_regular(path);
	if (fd == -1)
		return text;
	text.bytes = malloc(MOST_BYTES + 1);
	ssize_t n = 1;
	while (text.bytes != NULL && n > 0 && text.length < MOST_BYTES) {
		n = read(fd, text.bytes + text.length, MOST_BYTES - text.length);
		text.length += n > 0 ? (size_t)n : 0;
	}
	int error = errno;
	close(fd);
	if (n < 0) {
		free(text.bytes);
		text = (struct text){0};
	}
	if (text.bytes != NULL)
		text.bytes[text.length] = '\0';
	errno = error;
	return text;
}

static struct text read_of(long pid, const char *name)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
	return read_file(path);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

/* 0, or errno. */
static int read_libraries(long pid, struct process_libraries *libraries)
{
	char path[64], line[MOST_LINE];
	snprintf(path, sizeof path, "/proc/%ld/maps", pid);
	*libraries = (struct process_libraries){0};
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return errno;
	while (fgets(line, sizeof line, file) != NULL)
		process_take_map(line, libraries);
	int error = ferror(file) ? errno : 0;
	fclose(file);
	return error;
}

/* Maps show paths as seen from here; in a chroot the process has other paths. */
static void strip_root(long pid, struct process_libraries *libraries)
{
	char link[64], root[PATH_MAX];
	snprintf(link, sizeof link, "/proc/%ld/root", pid);
	ssize_t n = readlink(link, root, sizeof root);
	/* "/" also stands for the root of another mount namespace. */
	if (n <= 1 || (size_t)n == sizeof root)
		return;
	size_t length = (size_t)n;
	for (unsigned i = 0; i <= libraries->agent_count; i++) {
		char *path = i == 0 ? libraries->jvm : libraries->agents[i - 1];
		if (strncmp(path, root, length) == 0 && path[length] == '/')
			memmove(path, path + length, strlen(path + length) + 1);
	}
}

/* The base name of the first word of its command line. While a process begins to run a program it has no command
 * line, and its thread the name from before: then that of the program. A kernel's thread has neither. */
static void read_name(long pid, char *name, size_t size)
{
	char link[40], program[PATH_MAX];
	struct text words = read_of(pid, "cmdline");
	struct text comm = read_of(pid, "comm");
	snprintf(link, sizeof link, "/proc/%ld/exe", pid);
	const ssize_t n = readlink(link, program, sizeof program - 1);
	program[n > 0 ? n : 0] = '\0';
	const char *base = words.bytes != NULL ? base_of(words.bytes) : "";
	/* With a blank it is a title, such as "nginx: master process /usr/sbin/nginx". */
	if (base[0] == '\0' || (strchr(words.bytes, ' ') != NULL && program[0] != '\0'))
		base = base_of(program);
	if (comm.bytes != NULL)
		comm.bytes[strcspn(comm.bytes, "\n")] = '\0';
	/* The main thread of a program may have renamed itself; the first word is clearer. */
	snprintf(name, size, "%.*s", (int)size - 1,
	    base[0] != '\0' || comm.bytes == NULL ? base : comm.bytes);
	free(words.bytes);
	free(comm.bytes);
}

/* The folder of PerfData is named after a user that only the container may know. */
static struct text read_perfdata(const struct jvm *jvm)
{
	struct text none = {0};
	char folder[64], path[400];
	struct stat st;
	snprintf(folder, sizeof folder, "/proc/%ld/root/tmp", jvm->pid);
	DIR *listing = opendir(folder);
	if (listing == NULL)
		return none;
	const struct dirent *entry;
	while ((entry = readdir(listing)) != NULL) {
		if (strncmp(entry->d_name, "hsperfdata_", 11) != 0)
			continue;
		snprintf(
		    path, sizeof path, "%s/%s/%ld", folder, entry->d_name, jvm->status.inner_pid);
		/* Another user could have created a file of that name. */
		if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		    (long)st.st_uid == jvm->status.user) {
			closedir(listing);
			return read_file(path);
		}
	}
	closedir(listing);
	return none;
}

/* What the generations' spaces hold, as the JVM last counted them: at collections. */
static void take_heap(struct jvm *jvm, const uint8_t *bytes, size_t length)
{
	enum { GENERATIONS = 2, SPACES = 3 };
	char name[64];
	int64_t n;
	for (int i = 0; i < GENERATIONS; i++) {
		snprintf(name, sizeof name, "sun.gc.generation.%d.capacity", i);
		if (!perfdata_number(bytes, length, name, &n) || n < 0 || n > INT64_MAX / 8)
			continue;
		jvm->heap_committed = (jvm->heap_committed < 0 ? 0 : jvm->heap_committed) + n;
		for (int k = 0; k < SPACES; k++) {
			snprintf(name, sizeof name, "sun.gc.generation.%d.space.%d.used", i, k);
			if (perfdata_number(bytes, length, name, &n) && n >= 0 &&
			    n <= INT64_MAX / 8)
				jvm->heap_used = (jvm->heap_used < 0 ? 0 : jvm->heap_used) + n;
		}
	}
	/* "G1 young collection pauses" */
	perfdata_text(
	    bytes, length, "sun.gc.collector.0.name", jvm->collector, sizeof jvm->collector);
	jvm->collector[strcspn(jvm->collector, " ")] = '\0';
}

/* Reads PerfData; false without any. */
static bool take_perfdata(struct jvm *jvm)
{
	enum { MOST_FLAGS = 65536 };
	char *flags = malloc(MOST_FLAGS);
	struct text perf = flags != NULL ? read_perfdata(jvm) : (struct text){0};
	if (perf.bytes == NULL) {
		free(flags);
		return false;
	}
	const uint8_t *bytes = (const uint8_t *)perf.bytes;
	jvm->has_perfdata = true;
	jvm->is_live = perfdata_is_live(bytes, perf.length);
	if (perfdata_text(bytes, perf.length, "sun.rt.javaCommand", flags, MOST_FLAGS)) {
		struct text w = read_of(jvm->pid, "cmdline");
		process_command(flags, w.bytes, w.length, jvm->program, sizeof jvm->program);
		free(w.bytes);
	}
	perfdata_text(
	    bytes, perf.length, "java.property.java.version", jvm->version, sizeof jvm->version);
	static const char *const sources[] = {"java.rt.vmFlags", "java.rt.vmArgs"};
	bool known = false;
	for (int i = 0; i < 2; i++) {
		known = perfdata_text(bytes, perf.length, sources[i], flags, MOST_FLAGS) || known;
		jvm->no_attach =
		    process_flag(flags, strlen(flags), "DisableAttachMechanism", jvm->no_attach);
	}
	take_heap(jvm, bytes, perf.length);
	free(perf.bytes);
	free(flags);
	return known;
}

/* Flags come from the command line and, before and after it, from environment variables. */
static void take_flags(struct jvm *jvm, const struct text *words)
{
	struct text variables = read_of(jvm->pid, "environ");
	static const char *const names[] = {
	    "JAVA_TOOL_OPTIONS=", "JDK_JAVA_OPTIONS=", NULL, "_JAVA_OPTIONS="};
	for (int i = 0; i < 4; i++) {
		if (names[i] == NULL)
			jvm->no_attach = process_flag(
			    words->bytes, words->length, "DisableAttachMechanism", jvm->no_attach);
		size_t length = names[i] == NULL ? 0 : strlen(names[i]);
		for (size_t at = 0; length != 0 && at < variables.length;
		     at += strlen(variables.bytes + at) + 1)
			if (strncmp(variables.bytes + at, names[i], length) == 0)
				jvm->no_attach =
				    process_flag(variables.bytes + at, strlen(variables.bytes + at),
					"DisableAttachMechanism", jvm->no_attach);
	}
	free(variables.bytes);
}

static void take_command_line(struct jvm *jvm, bool flags)
{
	struct text words = read_of(jvm->pid, "cmdline");
	if (words.bytes != NULL && jvm->program[0] == '\0' && strcmp(jvm->name, "java") == 0)
		process_program(words.bytes, words.length, jvm->program, sizeof jvm->program);
	if (words.bytes != NULL && flags)
		take_flags(jvm, &words);
	free(words.bytes);
	if (jvm->program[0] == '\0')
		snprintf(jvm->program, sizeof jvm->program, "%s", jvm->name);
}

/* libjvm.so is in lib/server of a JDK, in jre/lib/ARCHITECTURE/server of an old one. */
static void take_release(struct jvm *jvm)
{
	char home[sizeof jvm->libraries.jvm], path[sizeof home + 64];
	snprintf(home, sizeof home, "%s", jvm->libraries.jvm);
	for (int up = 1; up <= 5 && jvm->version[0] == '\0'; up++) {
		char *slash = strrchr(home, '/');
		if (slash == NULL)
			return;
		*slash = '\0';
		if (up < 3)
			continue;
		snprintf(path, sizeof path, "/proc/%ld/root%s/release", jvm->pid, home);
		struct text release = read_file(path);
		if (release.bytes != NULL)
			process_release_version(release.bytes, jvm->version, sizeof jvm->version);
		free(release.bytes);
	}
}

bool jvm_has_thread(long pid, const char *name)
{
	char folder[40], path[PATH_MAX];
	bool found = false;
	snprintf(folder, sizeof folder, "/proc/%ld/task", pid);
	DIR *listing = opendir(folder);
	const struct dirent *entry;
	while (listing != NULL && !found && (entry = readdir(listing)) != NULL) {
		snprintf(path, sizeof path, "%s/%s/comm", folder, entry->d_name);
		struct text comm = read_file(path);
		if (comm.bytes != NULL)
			comm.bytes[strcspn(comm.bytes, "\n")] = '\0';
		found = comm.bytes != NULL && strncmp(comm.bytes, name, MOST_NAME) == 0;
		free(comm.bytes);
	}
	if (listing != NULL)
		closedir(listing);
	return found;
}

bool jvm_is_path(const char *address)
{
	return strncmp(address, "unix:", 5) == 0;
}

/* Rewrites paths in another root or mount namespace to go through /proc. */
static void reach_from_here(long pid, struct announcement *announcement)
{
	struct stat here, there;
	for (unsigned i = 0; i < announcement->count; i++) {
		char *address = announcement->addresses[i];
		char path[sizeof announcement->addresses[0] + 32];
		if (!jvm_is_path(address) || address[5] != '/')
			continue;
		snprintf(path, sizeof path, "/proc/%ld/root%s", pid, address + 5);
		if (stat(path, &there) != 0 || strlen(path) + 6 > sizeof announcement->addresses[0])
			continue;
		if (stat(address + 5, &here) != 0 || here.st_dev != there.st_dev ||
		    here.st_ino != there.st_ino)
			snprintf(address, sizeof announcement->addresses[0], "unix:%.580s", path);
	}
}

/* Of two agents, one that listens is preferred. The native heap of a JVM is seen through the agent. */
static void take_announcement(struct jvm *jvm)
{
	char folder[40], path[PATH_MAX], link[PATH_MAX];
	snprintf(folder, sizeof folder, "/proc/%ld/fd", jvm->pid);
	DIR *listing = opendir(folder);
	if (listing == NULL)
		return;
	const struct dirent *entry;
	while ((entry = readdir(listing)) != NULL && jvm->announcement.count == 0) {
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		ssize_t n = readlink(path, link, sizeof link - 1);
		link[n > 0 ? n : 0] = '\0';
		if (!announcement_is_at(link))
			continue;
		struct announcement found;
		struct text text = read_file(path);
		if (text.bytes != NULL && announcement_parse(text.bytes, text.length, &found)) {
			if (found.native && jvm->libraries.jvm[0] != '\0')
				jvm->has_native_heap = true;
			else
				jvm->announcement = found;
		}
		free(text.bytes);
	}
	closedir(listing);
	reach_from_here(jvm->pid, &jvm->announcement);
}

enum jvm_finding jvm_look(long pid, struct jvm *jvm)
{
	*jvm = (struct jvm){.pid = pid, .heap_used = -1, .heap_committed = -1};
	struct text status = read_of(pid, "status");
	bool there = status.bytes != NULL && process_parse_status(status.bytes, pid, &jvm->status);
	free(status.bytes);
	if (!there)
		return JVM_ABSENT;
	read_name(pid, jvm->name, sizeof jvm->name);
	if (jvm->status.state == 'Z' || jvm->status.state == 'X')
		return JVM_DEAD;
	int error = read_libraries(pid, &jvm->libraries);
	if (error != 0)
		return error == EACCES || error == EPERM ? JVM_FOREIGN : JVM_ABSENT;
	strip_root(pid, &jvm->libraries);
	if (jvm->libraries.openj9)
		return JVM_OPENJ9;
	if (jvm->libraries.jvm[0] == '\0') {
		snprintf(jvm->program, sizeof jvm->program, "%s", jvm->name);
		take_announcement(jvm); /* of a native heap */
		return strcmp(jvm->name, "java") == 0 ? JVM_STARTING : JVM_NONE;
	}
	bool known = take_perfdata(jvm);
	take_command_line(jvm, !known);
	take_release(jvm);
	take_announcement(jvm);
	if (!jvm->has_perfdata)
		/* Since JDK 14 the last thread that a JVM begins for itself. */
		jvm->is_live = jvm_has_thread(pid, "Notification Thread");
	return JVM_FOUND;
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;
	return (x > y) - (x < y);
}

long *jvm_processes(size_t *count)
{
	DIR *listing = opendir("/proc");
	size_t room = 1024;
	long *pids = listing == NULL ? NULL : malloc(room * sizeof *pids);
	const struct dirent *entry;
	*count = 0;
	while (pids != NULL && (entry = readdir(listing)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		if (*count == room) {
			long *more = realloc(pids, (room *= 2) * sizeof *pids);
			if (more == NULL)
				break;
			pids = more;
		}
		pids[(*count)++] = strtol(entry->d_name, NULL, 10);
	}
	if (listing != NULL)
		closedir(listing);
	if (pids != NULL)
		qsort(pids, *count, sizeof *pids, compare);
	return pids;
}

bool jvm_has_own_network(long pid)
{
	char path[64];
	struct stat ours, theirs;
	snprintf(path, sizeof path, "/proc/%ld/ns/net", pid);
	return stat("/proc/self/ns/net", &ours) == 0 && stat(path, &theirs) == 0 &&
	       (ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev);
}
