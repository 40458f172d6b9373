/* The settings file: parsing it defensively, changing lines, replacing it atomically. */
#define _DEFAULT_SOURCE     /* flock. NOLINT(bugprone-reserved-identifier) */
#define _XOPEN_SOURCE   700 /* realpath. NOLINT(bugprone-reserved-identifier) */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings.h"
#include "thread.h"
#include "whole_file.h"

#define LOCK_TRIES 100 /* of 10 ms each */

void settings_table_fini(struct settings_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		free(table->line[i]);
	free(table->line);
	*table = (struct settings_table){0};
}

/* Neither empty, nor a comment, nor key = value. */
static bool is_odd(const char *line)
{
	line += strspn(line, " \t");
	size_t n = strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789_.-");
	const char *rest = line + n + strspn(line + n, " \t");
	return *line != 0 && *line != '#' && (n == 0 || n > SETTINGS_KEY || *rest != '=');
}

const char *settings_value(const char *line, const char *key)
{
	size_t n = strlen(key);
	line += strspn(line, " \t");
	if (strncmp(line, key, n) != 0)
		return NULL;
	line += n;
	line += strspn(line, " \t");
	if (*line != '=')
		return NULL;
	line++;
	return line + strspn(line, " \t");
}

static bool insert(struct settings_table *table, uint32_t at, char *line)
{
	if (table->line == NULL)
		table->line = malloc(SETTINGS_LINES * sizeof *table->line);
	if (line == NULL || table->line == NULL || table->count == SETTINGS_LINES) {
		free(line);
		return false;
	}
	memmove(&table->line[at + 1], &table->line[at], (table->count - at) * sizeof *table->line);
	table->line[at] = line;
	table->count++;
	return true;
}

static void drop(struct settings_table *table, uint32_t at)
{
	free(table->line[at]);
	table->count--;
	memmove(&table->line[at], &table->line[at + 1], (table->count - at) * sizeof *table->line);
}

/* The item in the value of a list's line; *n is its length. */
static const char *item_of(const char *value, size_t *n)
{
	value += strcspn(value, " ");
	value += *value == ' ';
	*n = strcspn(value, "\t");
	return value;
}

bool settings_concerns(const struct settings_change *change, const char *value)
{
	size_t n, m;
	const char *item = item_of(value, &n), *changed = item_of(change->value, &m);
	return change->kind == SETTINGS_PUT || (n == m && memcmp(item, changed, n) == 0);
}

void settings_apply(struct settings_table *table, const struct settings_change *change)
{
	uint32_t first = UINT32_MAX, left = 0;
	for (uint32_t i = 0; i < table->count; i++) {
		const char *value = settings_value(table->line[i], change->key);
		if (value == NULL)
			continue;
		first = first == UINT32_MAX ? i : first;
		left++;
		bool over = change->kind == SETTINGS_ITEM && left >= change->limit + 1;
		if (settings_concerns(change, value) || over) {
			drop(table, i--);
			left--;
		}
	}
	if (change->kind == SETTINGS_REMOVE)
		return;
	/* Makes room for the new line in a full list. */
	for (uint32_t i = table->count; left >= change->limit && left > 0 && i-- > 0;) {
		if (change->kind == SETTINGS_ITEM &&
		    settings_value(table->line[i], change->key) != NULL) {
			drop(table, i);
			left--;
		}
	}
	size_t size = strlen(change->key) + strlen(change->value) + 4;
	char *line = malloc(size);
	if (line != NULL)
		snprintf(line, size, "%s = %s", change->key, change->value);
	insert(table, first < table->count ? first : table->count, line);
}

/* Without control characters other than the tab of lists. */
static bool is_plain(const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (((unsigned char)line[i] < 32 && line[i] != '\t') || line[i] == 127)
			return false;
	}
	return n <= SETTINGS_VALUE + SETTINGS_KEY + 3;
}

static bool take_lines(struct settings_table *table, const char *text, size_t size,
    const char *path, struct gcs_error *err)
{
	uint32_t number = 0, odd = 0, first = 0;
	for (size_t at = 0; at < size;) {
		const char *line = text + at;
		const char *end = memchr(line, '\n', size - at);
		size_t n = end != NULL ? (size_t)(end - line) : size - at;
		at += n + 1;
		number++;
		size_t bare = n > 0 && line[n - 1] == '\r' ? n - 1 : n;
		bool ok = is_plain(line, bare);
		char *copy = ok ? strndup(line, bare) : NULL;
		ok = ok && copy != NULL && !is_odd(copy);
		/* A malformed line stays in the file, unless it is not text. */
		if (copy != NULL && !insert(table, table->count, copy))
			ok = false;
		if (!ok) {
			odd++;
			first = first == 0 ? number : first;
		}
	}
	if (odd > 0)
		gcs_fail(err, GCS_MALFORMED, "%s:%u: expected KEY = VALUE; %u line%s ignored", path,
		    first, odd, odd == 1 ? "" : "s");
	return odd == 0;
}

bool settings_read(struct settings_table *table, const char *path, struct gcs_error *err)
{
	*table = (struct settings_table){0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		if (errno != ENOENT)
			gcs_fail(err, GCS_IO, "%s: %s", path, strerror(errno));
		return errno == ENOENT;
	}
	struct stat st;
	char *text = malloc(SETTINGS_BYTES + 1);
	size_t used = 0;
	ssize_t n = 0;
	bool file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	while (file && text != NULL && used <= SETTINGS_BYTES &&
	       (n = read(fd, text + used, SETTINGS_BYTES + 1 - used)) > 0)
		used += (size_t)n;
	close(fd);
	bool ok = file && text != NULL && n >= 0 && used <= SETTINGS_BYTES;
	if (!ok)
		gcs_fail(err, GCS_IO, "%s: expected a text file of at most 1 MiB", path);
	else
		ok = take_lines(table, text, used, path, err);
	free(text);
	return ok;
}

/* Makes the folders above a file. */
static void make_folders(char *path)
{
	for (char *p = strchr(path + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
		*p = 0;
		mkdir(path, 0700);
		*p = '/';
	}
}

/* Serializes read, change and replace between windows. */
static int lock_folder(const char *path)
{
	char folder[PATH_MAX];
	snprintf(folder, sizeof folder, "%s", path);
	char *slash = strrchr(folder, '/');
	if (slash != NULL)
		slash[slash == folder] = 0;
	int fd = open(slash != NULL ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; fd >= 0 && i < LOCK_TRIES && flock(fd, LOCK_EX | LOCK_NB) != 0; i++)
		thread_sleep_us(10000);
	return fd;
}

static bool write_lines(const struct settings_table *table, FILE *f)
{
	bool ok = true;
	for (uint32_t i = 0; i < table->count && ok; i++)
		ok = fprintf(f, "%s\n", table->line[i]) >= 0;
	return ok && fflush(f) == 0 && fsync(fileno(f)) == 0;
}

static bool replace(const char *path, const struct settings_table *table, struct gcs_error *err)
{
	struct whole_file file;
	FILE *f = whole_file_stream(&file, path, 0600);
	bool ok = f != NULL && write_lines(table, f);
	if (f != NULL)
		ok = whole_file_finish(&file, f, ok) && ok;
	if (!ok)
		gcs_fail(err, GCS_IO, "%s: %s; settings will not be saved", path, strerror(errno));
	return ok;
}

bool settings_write(
    const char *path, const struct settings_change *change, uint32_t changes, struct gcs_error *err)
{
	char target[PATH_MAX];
	struct settings_table table;
	struct gcs_error odd = {.status = GCS_OK};
	/* A symbolic link stays one. */
	if (realpath(path, target) == NULL)
		snprintf(target, sizeof target, "%s", path);
	make_folders(target);
	int lock = lock_folder(target);
	bool ok = settings_read(&table, target, &odd) || odd.status == GCS_MALFORMED;
	if (!ok)
		gcs_fail(err, GCS_IO, "%.300s; settings will not be saved", odd.text);
	for (uint32_t i = 0; i < changes; i++)
		settings_apply(&table, &change[i]);
	ok = ok && replace(target, &table, err);
	settings_table_fini(&table);
	if (lock >= 0)
		close(lock);
	return ok;
}
