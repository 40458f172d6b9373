/*
 * The folders and recordings in a folder, for the dialog to open one (browser.h). A thread reads
 * the folder (worker.h): folder_list_new makes the work, which is the list once it is done.
 */
#ifndef GCSPY_CLIENT_FOLDER_LIST_H
#define GCSPY_CLIENT_FOLDER_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "worker.h"

#define FOLDER_PATH    1024   /* bytes of a path with the NUL, as of an address */
#define FOLDER_MOST    1000u  /* folders, and as many recordings, that are kept */
#define FOLDER_ENTRIES 20000u /* entries of a folder that are examined */
#define FOLDER_PEEKS   1000u  /* files of any name whose beginning is read */

struct folder_entry {
	char name[256]; /* as the file system has it: any bytes */
	bool folder;
	int64_t bytes, time_ns; /* of the last change, since 1970 */
	char flaw[48];          /* why a *.gcspy is none, or "" */
};

struct folder_list {
	struct work work;
	char path[FOLDER_PATH];
	/* The first `folders` are folders by name; recordings follow, the newest first. */
	struct folder_entry *entry;
	uint32_t count, folders;
	uint32_t more_folders, more_files; /* found, and not kept */
	bool all;                          /* all entries have been examined */
	int error;                         /* errno of what failed, or 0 */
};

/* NULL without memory. Hidden files are left out, links are followed. */
struct folder_list *folder_list_new(const char *path);
void folder_list_free(struct folder_list *list);

/* True if they show the same. */
bool folder_list_same(const struct folder_list *a, const struct folder_list *b);

/* Whether a file begins like a recording: NULL, or why not. Never waits for a pipe. `at` is a
 * folder or AT_FDCWD. Any thread. */
const char *folder_file_flaw(int at, const char *path);

/* "2026-11-21 08:30", local time. */
char *folder_put_time(char *text, size_t size, int64_t time_ns);

#endif
