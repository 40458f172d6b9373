#include "recordings.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/memory.h>
#include <gcspy/trace.h>

#include "json.h"
#include "net.h"
#include "now.h"
#include "recordings_internal.h"

/* SIGTERM makes `gcspy record` finish its file; one that does not is killed. */
enum { RECORDINGS_FILES = 1000, BEGIN_MS = 5000, END_MS = 4000, END_TURN_MS = 20 };

/* A file of the folder. */
struct kept {
	char name[RECORDING_NAME];
	uint64_t bytes;
	int64_t seconds; /* of its last change, since 1970 */
	bool runs;
};

/* Less than this part of what one may take, or of the disk, is too little. */
enum { LITTLE_OF_EACH = 4, LITTLE_OF_DISK = 8 };

static bool is_name(const char *name)
{
	static const char ending[] = ".gcspy";
	const size_t length = strlen(name), tail = sizeof ending - 1;
	for (const char *c = name; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c) && strchr("-_.", *c) == NULL)
			return false;
	return length > tail && length < RECORDING_NAME && name[0] != '.' &&
	       strcmp(name + length - tail, ending) == 0;
}

static void path_of(const struct recordings *r, const char *name, char path[PATH_MAX])
{
	/* Names are short, and the folder's was measured. */
	const size_t length = strlen(r->folder);
	memcpy(path, r->folder, length);
	path[length] = '/';
	memcpy(path + length + 1, name, strlen(name) + 1);
}

/* Lock held: the running one with this name, or NULL. */
static struct running *find_running(struct recordings *r, const char *name)
{
	for (int i = 0; i < RECORDINGS_AT_ONCE; i++)
		if (r->running[i].child != 0 && strcmp(r->running[i].name, name) == 0)
			return &r->running[i];
	return NULL;
}

static int compare_kept(const void *a, const void *b)
{
	const struct kept *one = a, *other = b;
	return one->seconds != other->seconds
		   ? (one->seconds > other->seconds) - (one->seconds < other->seconds)
		   : strcmp(one->name, other->name);
}

/* Lock held: the folder's recordings, the oldest first; gcs_free. NULL without memory. */
static struct kept *list_kept(struct recordings *r, size_t *count)
{
	struct kept *all = gcs_zalloc(RECORDINGS_FILES * sizeof *all);
	DIR *folder = all == NULL ? NULL : opendir(r->folder);
	*count = 0;
	for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
		char path[PATH_MAX];
		struct stat st;
		if (!is_name(e->d_name) || *count == RECORDINGS_FILES)
			continue;
		path_of(r, e->d_name, path);
		if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
			continue;
		struct kept *k = &all[(*count)++];
		memcpy(k->name, e->d_name, strlen(e->d_name) + 1);
		k->bytes = (uint64_t)st.st_size;
		k->seconds = (int64_t)st.st_mtime;
		k->runs = find_running(r, k->name) != NULL;
	}
	if (folder != NULL)
		closedir(folder);
	if (all != NULL)
		qsort(all, *count, sizeof *all, compare_kept);
	return all;
}

/* Lock held. */
static bool is_disk_full(const struct recordings *r)
{
	struct statvfs disk;
	if (statvfs(r->folder, &disk) != 0)
		return false;
	const uint64_t each = r->bytes / RECORDINGS_AT_ONCE, all = disk.f_blocks * disk.f_frsize;
	const uint64_t little = each / LITTLE_OF_EACH < all / LITTLE_OF_DISK ? each / LITTLE_OF_EACH
									     : all / LITTLE_OF_DISK;
	return disk.f_bavail * disk.f_frsize < little;
}

/* Lock held: removes the oldest complete ones until `more` new ones fit, and those that run can go on. */
static bool make_room(struct recordings *r, uint32_t more)
{
	const uint64_t each = r->bytes / RECORDINGS_AT_ONCE;
	uint64_t used = more * each;
	size_t count, i = 0;
	struct kept *all = list_kept(r, &count);
	for (int n = 0; n < RECORDINGS_AT_ONCE; n++)
		used += r->running[n].child != 0 ? each : 0;
	for (size_t n = 0; all != NULL && n < count; n++)
		used += all[n].runs ? 0 : all[n].bytes;
	for (; all != NULL && i < count &&
	       (used > r->bytes || count - i >= RECORDINGS_FILES || is_disk_full(r));
	     i++) {
		char path[PATH_MAX];
		path_of(r, all[i].name, path);
		if (!all[i].runs && unlink(path) == 0)
			used -= all[i].bytes;
	}
	const bool fits = all != NULL && used <= r->bytes;
	gcs_free(all);
	return fits;
}

struct recordings *recordings_open(const char *folder, uint64_t bytes,
    const struct targets_options *options, struct gcs_error *err)
{
	struct stat st;
	struct recordings *r = gcs_zalloc(sizeof *r);
	if (r == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory");
		return NULL;
	}
	r->bytes = bytes;
	r->program = options->program;
	snprintf(r->folder, sizeof r->folder, "%s", folder);
	if (strlen(folder) + RECORDING_NAME + 2 > sizeof r->folder)
		gcs_fail(err, GCS_ARGUMENT, "--recordings: the path is too long");
	else if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
		gcs_fail(err, GCS_ARGUMENT, "--recordings %.200s: %s", folder, strerror(ENOTDIR));
	else if (access(folder, R_OK | W_OK | X_OK) != 0)
		gcs_fail(err, GCS_ARGUMENT, "--recordings %.200s: %s", folder, strerror(errno));
	else {
		pthread_mutex_init(&r->lock, NULL);
		return r;
	}
	gcs_free(r);
	return NULL;
}

/* The program's name as part of a file's, the process number and the time. */
static void name_recording(struct recordings *r, const struct target *target, char *name)
{
	char program[48], when[24] = "";
	struct tm tm;
	const time_t now = time(NULL);
	const char *slash = strrchr(target->is.program, '/');
	snprintf(program, sizeof program, "%.40s", slash == NULL ? target->is.program : slash + 1);
	for (char *c = program; *c != '\0'; c++)
		*c = isalnum((unsigned char)*c) ? *c : '_';
	if (gmtime_r(&now, &tm) != NULL)
		strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &tm);
	snprintf(name, RECORDING_NAME, "%s-%ld-%s-%llu.gcspy", program, target->is.pid, when,
	    (unsigned long long)++r->started);
}

/* Says in the target what its pauses are in. */
static void mark_target(
    struct targets *t, struct target *target, const char *name, int64_t until_ns)
{
	pthread_mutex_lock(&t->lock);
	const uint32_t number = target->mark.number + 1;
	target->mark = (struct running_mark){number, now_wall_ns(), until_ns};
	memcpy(target->recording, name, strlen(name) + 1);
	pthread_mutex_unlock(&t->lock);
}

/* The same once it has ended, perhaps earlier than was asked for. */
static void end_mark(struct targets *t, uint64_t number, const char *name, int64_t until_ns)
{
	struct target *target = targets_numbered(t, number);
	if (target == NULL)
		return;
	pthread_mutex_lock(&t->lock);
	if (strcmp(target->recording, name) == 0 && until_ns < target->mark.until_ns)
		target->mark.until_ns = until_ns;
	pthread_mutex_unlock(&t->lock);
	target_release(t, target);
}

/* A recorder connects before it creates its file; one that does not get so far has none. False with the
 * reason. */
static bool has_begun(
    struct recordings *r, struct targets *targets, const char *name, struct gcs_error *err)
{
	const uint64_t deadline = now_ms() + BEGIN_MS;
	bool runs = true;
	do {
		uint64_t size = 0;
		const int fd = recordings_file(r, name, &size);
		net_close(fd);
		if (size != 0)
			return true;
		poll(NULL, 0, END_TURN_MS);
		recordings_look(r, targets);
		pthread_mutex_lock(&r->lock);
		runs = find_running(r, name) != NULL;
		const char *error = runs ? "" : recording_error(r, name);
		gcs_fail(
		    err, GCS_IO, "%s", error[0] == '\0' ? "the recording has not begun" : error);
		pthread_mutex_unlock(&r->lock);
	} while (runs && now_ms() < deadline);
	return false;
}

/* Takes a place and begins; false with the reason. */
static bool begin(struct recordings *r, const struct target *target, const char *address,
    uint64_t seconds, char name[RECORDING_NAME], struct gcs_error *err)
{
	char path[PATH_MAX];
	struct running *place = NULL;
	pthread_mutex_lock(&r->lock);
	for (int i = 0; i < RECORDINGS_AT_ONCE && place == NULL; i++)
		place = r->running[i].child == 0 ? &r->running[i] : NULL;
	const bool fits = place != NULL && make_room(r, 1);
	if (fits) {
		name_recording(r, target, name);
		path_of(r, name, path);
		*place = (struct running){.target = target->is.number};
		memcpy(place->name, name, RECORDING_NAME);
		recording_begin(r, place, address, seconds, path);
	}
	const bool runs = fits && place->child != 0;
	pthread_mutex_unlock(&r->lock);
	if (!fits)
		gcs_fail(err, GCS_LIMIT, "%d recordings run, as many as there may be",
		    RECORDINGS_AT_ONCE);
	else if (!runs)
		gcs_fail(err, GCS_IO, "cannot execute %s", r->program);
	return runs;
}

bool recordings_start(struct recordings *r, struct targets *targets, struct target *target,
    uint64_t seconds, char name[RECORDING_NAME], struct gcs_error *err)
{
	char address[sizeof target->address] = "";
	const int64_t until_ns = now_wall_ns() + (int64_t)seconds * 1000000000;
	pthread_mutex_lock(&targets->lock);
	if (target->state == TARGET_LIVE)
		memcpy(address, target->address, sizeof address);
	pthread_mutex_unlock(&targets->lock);
	if (address[0] == '\0')
		return gcs_fail(err, GCS_STATE, "the JVM is not connected"), false;
	if (!begin(r, target, address, seconds, name, err))
		return false;
	if (!has_begun(r, targets, name, err))
		return false;
	mark_target(targets, target, name, until_ns);
	return true;
}

/* At most `most` bytes; false if there are more, or on an error. */
static bool copy_file(int from, int to, uint64_t most)
{
	uint8_t bytes[16384];
	uint64_t sum = 0;
	ssize_t n;
	while ((n = read(from, bytes, sizeof bytes)) > 0) {
		ssize_t done = 0;
		sum += (uint64_t)n;
		while (done < n) {
			const ssize_t written = write(to, bytes + done, (size_t)(n - done));
			if (written <= 0 || sum > most)
				return false;
			done += written;
		}
	}
	return n == 0 && sum != 0;
}

bool recordings_keep(struct recordings *r, const struct target *target, int source,
    char name[RECORDING_NAME], struct gcs_error *err)
{
	char path[PATH_MAX];
	bool good = false;
	pthread_mutex_lock(&r->lock);
	if (make_room(r, 1)) {
		name_recording(r, target, name);
		path_of(r, name, path);
		const int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		errno = 0;
		good = to != -1 && copy_file(source, to, r->bytes / RECORDINGS_AT_ONCE);
		const int code = errno;
		if (to != -1)
			good = close(to) == 0 && good && gcs_trace_is(path);
		if (to != -1 && !good)
			unlink(path);
		if (!good)
			gcs_fail(err, GCS_IO, "the flight recording cannot be copied%s%s",
			    code == ENOSPC ? ": " : "", code == ENOSPC ? strerror(code) : "");
	} else {
		gcs_fail(err, GCS_LIMIT, "%d recordings run, as many as there may be",
		    RECORDINGS_AT_ONCE);
	}
	pthread_mutex_unlock(&r->lock);
	return good;
}

void recordings_look(struct recordings *r, struct targets *targets)
{
	for (int i = 0; r != NULL && i < RECORDINGS_AT_ONCE; i++) {
		char path[PATH_MAX];
		struct running ended = {.child = 0};
		struct stat st;
		pthread_mutex_lock(&r->lock);
		struct running *one = &r->running[i];
		if (one->child != 0 && recording_has_ended(r, one)) {
			ended = *one;
			one->child = 0;
		} else if (one->child != 0 && is_disk_full(r)) {
			make_room(r, 0);
		}
		pthread_mutex_unlock(&r->lock);
		if (ended.child == 0)
			continue;
		path_of(r, ended.name, path);
		const bool there = stat(path, &st) == 0;
		end_mark(targets, ended.target, ended.name,
		    there ? (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec : 0);
	}
}

void recordings_close(struct recordings *r)
{
	const uint64_t deadline = now_ms() + END_MS;
	if (r == NULL)
		return;
	for (int i = 0; i < RECORDINGS_AT_ONCE; i++)
		if (r->running[i].child != 0)
			kill(r->running[i].child, SIGTERM);
	for (int i = 0; i < RECORDINGS_AT_ONCE; i++) {
		struct running *one = &r->running[i];
		while (one->child != 0 && !recording_has_ended(r, one)) {
			if (now_ms() >= deadline)
				kill(one->child, SIGKILL);
			poll(NULL, 0, END_TURN_MS);
		}
	}
	pthread_mutex_destroy(&r->lock);
	gcs_free(r);
}

bool recordings_write_json(struct recordings *r, struct text *text)
{
	enum { FORMAT = 1 };
	struct json json = {.text = text};
	size_t count;
	pthread_mutex_lock(&r->lock);
	struct kept *all = list_kept(r, &count);
	json_object(&json, NULL);
	json_integer(&json, "format", FORMAT);
	json_array(&json, "recordings");
	for (size_t i = 0; all != NULL && i < count; i++) {
		json_object(&json, NULL);
		json_text(&json, "name", all[i].name);
		json_bool(&json, "runs", all[i].runs);
		json_unsigned(&json, "bytes", all[i].bytes);
		json_integer(&json, "changed", all[i].seconds);
		json_text(&json, "error", recording_error(r, all[i].name));
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
	pthread_mutex_unlock(&r->lock);
	text_raw(text, "\n");
	gcs_free(all);
	return all != NULL;
}

int recordings_file(struct recordings *r, const char *name, uint64_t *size)
{
	char path[PATH_MAX];
	struct stat st;
	if (!is_name(name))
		return -1;
	path_of(r, name, path);
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd != -1 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*size = (uint64_t)st.st_size;
		return fd;
	}
	if (fd != -1)
		close(fd);
	return -1;
}
