/* The agent's announcement, read as `gcspy list` does: from the descriptors of the process (E4). */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "announce.h"

static char text[6000];
static char place[300];
static mode_t mode;

/* What the system is like. */
static int failure;
static unsigned unknown_flags;

/* In the place of the C library's. */
int memfd_create(const char *name, unsigned flags)
{
	errno = failure != 0 ? failure : EINVAL;
	if (failure != 0 || (flags & unknown_flags) != 0)
		return -1;
	return (int)syscall(SYS_memfd_create, name, flags);
}

/* The text of the announcement; returns how many there are. */
static unsigned look(void)
{
	unsigned count = 0;
	char path[300], target[300];
	DIR *listing = opendir("/proc/self/fd");
	const struct dirent *entry;
	text[0] = '\0';
	while ((entry = readdir(listing)) != NULL) {
		snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
		ssize_t n = readlink(path, target, sizeof target - 1);
		target[n > 0 ? n : 0] = '\0';
		if (strstr(target, "gcspy-announcement") == NULL)
			continue;
		count++;
		memcpy(place, target, sizeof place);
		struct stat st;
		cr_assert_eq(stat(path, &st), 0);
		mode = st.st_mode;
		FILE *file = fopen(path, "r");
		cr_assert_not_null(file);
		text[fread(text, 1, sizeof text - 1, file)] = '\0';
		fclose(file);
	}
	closedir(listing);
	return count;
}

Test(agent_announce, one_file_for_all_that_is_said)
{
	cr_assert_eq(look(), 0);
	announce_refusal("there is no option \"x\"; a line\nis one line");
	cr_assert_eq(look(), 1);
	cr_assert_str_eq(
	    text, "gcspy 1\nrefused there is no option \"x\"; a line is one line\nend\n");
	cr_assert_eq(mode & 07777, 0600, "nobody else may read it");
	announce_listening("127.0.0.1:3000", "");
	cr_assert_eq(look(), 1);
	cr_assert_str_eq(text, "gcspy 1\nlistening 127.0.0.1:3000\nend\n");
	char reason[2000];
	memset(reason, 'x', sizeof reason - 1);
	reason[sizeof reason - 1] = '\0';
	announce_refusal(reason);
	cr_assert_eq(look(), 1);
	cr_assert_str_eq(text + strlen(text) - 5, "\nend\n");
	announce_listening("", "/nowhere/s");
	cr_assert_eq(look(), 1);
	cr_assert_str_eq(text, "gcspy 1\nlistening unix:/nowhere/s\nend\n");
}

Test(agent_announce, paths_are_those_of_any_folder)
{
	char expected[5000], folder[4000];
	FILE *file = fopen("announced-socket", "w");
	cr_assert_not_null(file);
	fclose(file);
	announce_listening("[::1]:9", "announced-socket");
	cr_assert_eq(look(), 1);
	cr_assert_not_null(getcwd(folder, sizeof folder));
	snprintf(expected, sizeof expected,
	    "gcspy 1\nlistening [::1]:9\nlistening unix:%s/announced-socket\nend\n", folder);
	cr_assert_str_eq(text, expected);
	remove("announced-socket");
	announce_listening("1.2.3.4:5", "/a\nlistening evil:1");
	look();
	cr_assert_str_eq(text, "gcspy 1\nlistening 1.2.3.4:5\nend\n");
}

/* Linux before 6.3, and one that keeps memory files from the program. */
Test(agent_announce, goes_without_what_the_system_lacks)
{
	unknown_flags = ~(unsigned)MFD_CLOEXEC;
	announce_listening("1.2.3.4:5", "");
	cr_assert_eq(look(), 1);
	cr_assert_str_eq(place, "/memfd:gcspy-announcement (deleted)");
}

Test(agent_announce, falls_back_to_a_file_without_a_name)
{
	failure = ENOSYS;
	announce_refusal("x");
	announce_listening("1.2.3.4:5", "");
	cr_assert_eq(look(), 1);
	cr_assert_eq(strncmp(place, "/tmp/gcspy-announcement-", 24), 0, "%s", place);
	cr_assert_not_null(strstr(place, " (deleted)"), "nothing is left behind");
	cr_assert_str_eq(text, "gcspy 1\nlistening 1.2.3.4:5\nend\n");
	cr_assert_eq(mode & 07777, 0600);
}
