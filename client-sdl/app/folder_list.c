#include "folder_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gcspy/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *folder_file_flaw(int at, const char *path)
{
	static const char magic[] = GCS_TRACE_MAGIC;
	char head[sizeof magic - 1];
	struct stat st;
	int fd = openat(at, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return strerror(errno);
	bool plain = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	bool same = plain && read(fd, head, sizeof head) == (ssize_t)sizeof head &&
		    memcmp(head, magic, sizeof head) == 0;
	close(fd);
	return same ? NULL : plain ? "not a GCspy recording (*.gcspy)" : "not a file";
}

char *folder_put_time(char *text, size_t size, int64_t time_ns)
{
	time_t seconds = (time_t)(time_ns / 1000000000);
	struct tm local;
	if (localtime_r(&seconds, &local) == NULL ||
	    strftime(text, size, "%Y-%m-%d %H:%M", &local) == 0)
		snprintf(text, size, "-");
	return text;
}

/* On the reader's thread. */

struct folder_reading {
	struct folder_list *list;
	uint32_t room, peeks;
	int fd;
};

static bool is_named_recording(const char *name)
{
	static const char ending[] = ".gcspy";
	size_t n = strlen(name), m = strlen(ending);
	return n > m && strcmp(name + n - m, ending) == 0;
}

/* False if it is neither a folder nor a recording. What is neither does not become an error of the
 * list: it may have gone in the meantime, or be a link that leads nowhere. */
static bool examine(struct folder_reading *r, const char *name, struct folder_entry *e)
{
	struct stat st;
	size_t n = strlen(name);
	if (name[0] == '.' || n >= sizeof e->name || fstatat(r->fd, name, &st, 0) != 0)
		return false;
	*e = (struct folder_entry){.folder = S_ISDIR(st.st_mode),
	    .bytes = (int64_t)st.st_size,
	    .time_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec};
	memcpy(e->name, name, n + 1);
	if (e->folder)
		return true;
	const bool named = is_named_recording(name);
	if (!S_ISREG(st.st_mode) || (!named && r->peeks++ >= FOLDER_PEEKS))
		return false;
	const char *flaw = folder_file_flaw(r->fd, name);
	if (flaw != NULL)
		snprintf(e->flaw, sizeof e->flaw, "%s",
		    strncmp(flaw, "not a GCspy", 11) == 0 ? "not a recording" : flaw);
	return flaw == NULL || named;
}

static bool keep_entry(struct folder_reading *r, const struct folder_entry *e)
{
	struct folder_list *list = r->list;
	if (list->count == r->room) {
		const uint32_t room = r->room == 0 ? 64 : r->room * 2;
		struct folder_entry *more = realloc(list->entry, room * sizeof *more);
		if (more == NULL)
			return false;
		list->entry = more;
		r->room = room;
	}
	list->entry[list->count++] = *e;
	return true;
}

/* Folders by name, then files, the newest first. */
static int by_kind(const void *left, const void *right)
{
	const struct folder_entry *a = left, *b = right;
	if (a->folder != b->folder)
		return a->folder ? -1 : 1;
	if (!a->folder && a->time_ns != b->time_ns)
		return a->time_ns > b->time_ns ? -1 : 1;
	const int same = strcasecmp(a->name, b->name);
	return same != 0 ? same : strcmp(a->name, b->name);
}

/* Sorts the list and keeps the first of each kind. */
static void settle(struct folder_list *list)
{
	if (list->count > 0)
		qsort(list->entry, list->count, sizeof *list->entry, by_kind);
	uint32_t folders = 0;
	while (folders < list->count && list->entry[folders].folder)
		folders++;
	uint32_t files = list->count - folders;
	list->folders = folders < FOLDER_MOST ? folders : FOLDER_MOST;
	list->more_folders = folders - list->folders;
	list->more_files = files > FOLDER_MOST ? files - FOLDER_MOST : 0;
	files -= list->more_files;
	if (list->more_folders > 0)
		memmove(list->entry + list->folders, list->entry + folders,
		    files * sizeof *list->entry);
	list->count = list->folders + files;
}

static void read_folder(struct work *work)
{
	struct folder_list *list = (struct folder_list *)work;
	struct folder_reading r = {.list = list};
	DIR *folder = opendir(list->path);
	if (folder == NULL) {
		list->error = errno;
		return;
	}
	r.fd = dirfd(folder);
	for (uint32_t seen = 0; seen < FOLDER_ENTRIES && list->error == 0; seen++) {
		struct folder_entry e;
		errno = 0;
		struct dirent *entry = readdir(folder);
		if (entry == NULL) {
			list->all = errno == 0;
			list->error = errno;
			break;
		}
		if (examine(&r, entry->d_name, &e) && !keep_entry(&r, &e))
			list->error = ENOMEM;
	}
	closedir(folder);
	settle(list);
}

static void drop_list(struct work *work)
{
	folder_list_free((struct folder_list *)work);
}

struct folder_list *folder_list_new(const char *path)
{
	struct folder_list *list = calloc(1, sizeof *list);
	if (list == NULL)
		return NULL;
	list->work = (struct work){.run = read_folder, .drop = drop_list};
	snprintf(list->path, sizeof list->path, "%s", path);
	return list;
}

void folder_list_free(struct folder_list *list)
{
	if (list == NULL)
		return;
	free(list->entry);
	free(list);
}

bool folder_list_same(const struct folder_list *a, const struct folder_list *b)
{
	bool same = strcmp(a->path, b->path) == 0 && a->count == b->count &&
		    a->folders == b->folders && a->more_folders == b->more_folders &&
		    a->more_files == b->more_files && a->all == b->all && a->error == b->error;
	for (uint32_t i = 0; same && i < a->count; i++) {
		const struct folder_entry *p = &a->entry[i], *q = &b->entry[i];
		same = p->folder == q->folder && strcmp(p->name, q->name) == 0 &&
		       p->bytes == q->bytes && p->time_ns == q->time_ns &&
		       strcmp(p->flaw, q->flaw) == 0;
	}
	return same;
}
