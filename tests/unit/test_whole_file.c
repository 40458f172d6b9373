/* Files that are there whole or not at all. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "whole_file.h"

static char folder[40], path[64];

static void make_folder(void)
{
	snprintf(folder, sizeof folder, "/tmp/gcspy-whole-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/out", folder);
}

/* How many entries the folder has; removes them if `clear`. */
static int entries(bool clear)
{
	char name[400];
	int count = 0;
	DIR *listing = opendir(folder);
	const struct dirent *entry;
	while ((entry = readdir(listing)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		count++;
		snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
		if (clear)
			unlink(name);
	}
	closedir(listing);
	return count;
}

static void remove_folder(void)
{
	entries(true);
	cr_assert_eq(rmdir(folder), 0);
}

static void content_is(const char *expected)
{
	char text[20] = "";
	FILE *f = fopen(path, "r");
	cr_assert_not_null(f);
	cr_assert_eq(fread(text, 1, sizeof text - 1, f), strlen(expected));
	cr_assert_str_eq(text, expected);
	fclose(f);
}

static bool put(const char *text, bool good)
{
	struct whole_file file;
	FILE *f = whole_file_stream(&file, path, 0640);
	cr_assert_not_null(f);
	fputs(text, f);
	return whole_file_finish(&file, f, good);
}

TestSuite(whole_file, .init = make_folder, .fini = remove_folder);

Test(whole_file, takes_the_place_of_the_old_one)
{
	struct stat st;
	umask(022);
	cr_assert(put("first", true));
	content_is("first");
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(st.st_mode & 0777, 0640, "a new file");
	cr_assert_eq(chmod(path, 0604), 0);
	cr_assert(put("second", true));
	content_is("second");
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(st.st_mode & 0777, 0604, "an old one keeps its mode");
	cr_assert(put("third", false));
	content_is("second");
	cr_assert_eq(entries(false), 1);
}

Test(whole_file, keeps_links)
{
	char link[64];
	struct stat st;
	snprintf(link, sizeof link, "%s", path);
	cr_assert(put("first", true));
	snprintf(path, sizeof path, "%s/link", folder);
	cr_assert_eq(symlink(link, path), 0);
	cr_assert(put("second", true));
	cr_assert_eq(lstat(path, &st), 0);
	cr_assert(S_ISLNK(st.st_mode));
	content_is("second");
}

Test(whole_file, writes_to_what_is_no_file_as_it_is)
{
	snprintf(path, sizeof path, "/dev/null");
	cr_assert(put("first", true));
	cr_assert(put("second", false));
	cr_assert_eq(entries(false), 0);
}

Test(whole_file, says_what_is_wrong)
{
	struct whole_file file;
	snprintf(path, sizeof path, "%s/none/out", folder);
	errno = 0;
	cr_assert_eq(whole_file_open(&file, path, 0666), -1);
	cr_assert_eq(errno, ENOENT);
	cr_assert_eq(whole_file_open(&file, folder, 0666), -1);
	cr_assert_eq(errno, EISDIR);
	snprintf(path, sizeof path, "%s/out", folder);
	FILE *f = whole_file_stream(&file, path, 0666);
	cr_assert_eq(mkdir(path, 0700), 0);
	cr_assert_not(whole_file_finish(&file, f, true), "a folder came between");
	cr_assert_eq(errno, EISDIR);
	cr_assert_eq(rmdir(path), 0);
	cr_assert_eq(entries(false), 0);
}

Test(whole_file, several_at_a_time)
{
	struct whole_file files[WHOLE_FILES], more;
	FILE *streams[WHOLE_FILES];
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < WHOLE_FILES; i++) {
			streams[i] = whole_file_stream(&files[i], path, 0666);
			cr_assert_not_null(streams[i]);
		}
		cr_assert_eq(whole_file_open(&more, path, 0666), -1);
		cr_assert_eq(errno, EMFILE);
		for (int i = 0; i < WHOLE_FILES; i++)
			cr_assert(whole_file_finish(&files[i], streams[i], i % 2 == 0));
		cr_assert_eq(entries(false), 1);
	}
}

static void be_killed(void)
{
	struct whole_file file;
	whole_files_guard();
	cr_assert_neq(whole_file_open(&file, path, 0666), -1);
	raise(SIGTERM);
	_exit(0);
}

Test(whole_file, a_signal_removes_it)
{
	int status;
	pid_t child = fork();
	if (child == 0)
		be_killed();
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSIGNALED(status));
	cr_assert_eq(WTERMSIG(status), SIGTERM);
	cr_assert_eq(entries(false), 0);
}

Test(whole_file, exit_removes_it)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		struct whole_file file;
		whole_files_guard();
		cr_assert_neq(whole_file_open(&file, path, 0666), -1);
		exit(7);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(WEXITSTATUS(status), 7);
	cr_assert_eq(entries(false), 0);
}
