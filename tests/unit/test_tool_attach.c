/* Answers of the JVM, and the agent's announcement (H1, Q2). */
#include <criterion/criterion.h>
#include <string.h>

#include "announcement.h"
#include "attach.h"

static char why[80];
static int result;

static bool answer(const char *text)
{
	result = 4711;
	return attach_parse_answer(text, &result, why, sizeof why);
}

/* As recorded from JDK 17 and 25. */
Test(attach, answers_of_jvms)
{
	cr_assert(answer("0\nreturn code: 0\n"));
	cr_assert_eq(result, 0);
	cr_assert(answer("0\nreturn code: -1\n"));
	cr_assert_eq(result, -1);
	cr_assert_not(answer("-1\nDynamic agent loading is not enabled. Use "
			     "-XX:+EnableDynamicAgentLoading to launch target VM."));
	cr_assert_str_eq(why, "Dynamic agent loading is not enabled. Use "
			      "-XX:+EnableDynamicAgentLoading to lau");
	cr_assert_not(answer("0\n/n.so was not loaded.\n/n.so: cannot open shared object\n"));
	cr_assert_str_eq(why, "/n.so was not loaded. /n.so: cannot open shared object");
	cr_assert_not(answer("101\n"));
	cr_assert_str_eq(why, "it answered with status 101");
}

Test(attach, answers_that_are_none)
{
	static const char *const texts[] = {"", "\n", "hello", "0", "0\n", "-\nreturn code: 0\n",
	    "x\nreturn code: 0\n", "0x\nreturn code: 0\n", "99999999999\nreturn code: 0\n",
	    "0\nreturn code: \n", "0\nreturn code: 1x\n", "0\nreturn code: 99999999999\n",
	    "-1\nreturn code: 0\n", "0\n return code: 0\n", "2147483648\n"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		cr_assert_not(answer(texts[i]), "%s", texts[i]);
		cr_assert_eq(result, 4711);
		cr_assert_gt(strlen(why), 0, "%s", texts[i]);
	}
	char longest[3000];
	memset(longest, 'x', sizeof longest);
	memcpy(longest, "0\n", 2);
	for (size_t i = 100; i < sizeof longest; i += 100)
		longest[i] = '\n';
	longest[sizeof longest - 1] = '\0';
	cr_assert_not(answer(longest));
	cr_assert_eq(strlen(why), sizeof why - 1);
	cr_assert_null(strchr(why, '\n'), "one line");
}

static struct announcement found;

static bool announced(const char *text)
{
	return announcement_parse(text, strlen(text), &found);
}

Test(attach, announcements)
{
	cr_assert(announced("gcspy 1\nlistening 127.0.0.1:3000\nend\n"));
	cr_assert_eq(found.count, 1);
	cr_assert_str_eq(found.addresses[0], "127.0.0.1:3000");
	cr_assert_str_eq(found.refusal, "");
	cr_assert(announced("gcspy 1\nlistening [::1]:9\nlistening unix:/a b/s\nend\nrest of old"));
	cr_assert_eq(found.count, 2);
	cr_assert_str_eq(found.addresses[1], "unix:/a b/s");
	cr_assert(announced("gcspy 1\nrefused there is no option \"x\"\nend\n"));
	cr_assert_eq(found.count, 0);
	cr_assert_str_eq(found.refusal, "there is no option \"x\"");
	cr_assert(announced("gcspy 1\nsomething new\nlistening 1\nend\n"), "lines to come");
	cr_assert_eq(found.count, 1);
	cr_assert_not(found.native);
	cr_assert(announced("gcspy 1\nnative heap\nlistening 1\nend\n"));
	cr_assert(found.native);
}

Test(attach, announcements_of_a_detached_agent)
{
	cr_assert(announced("gcspy 1\nrefused detached by gcspy\nend\n"));
	cr_assert(announcement_is_detached(&found));
	cr_assert(announced("gcspy 1\nrefused it is not detached\nend\n"));
	cr_assert_not(announcement_is_detached(&found));
	cr_assert(announced("gcspy 1\nlistening 1\nrefused detached\nend\n"));
	cr_assert_not(announcement_is_detached(&found));
}

Test(attach, announcements_that_are_none)
{
	static const char *const texts[] = {"", "\n", "end\n", "gcspy 1", "gcspy 1\n",
	    "gcspy 2\nend\n", "gcspy 1\nlistening 3000\n", "gcspy 1\nlistening 3000\nend",
	    "x\ngcspy 1\nend\n"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		cr_assert_not(announced(texts[i]), "%s", texts[i]);
		cr_assert_eq(found.count, 0);
	}
	cr_assert(announced("gcspy 1\nlistening \nlistening\nlistening 1\nlistening 2\n"
			    "listening 3\nend\n"));
	cr_assert_eq(found.count, 2, "no more than there is room for, and no empty one");
	char text[ANNOUNCEMENT_BYTES + 1];
	memset(text, 'x', sizeof text);
	memcpy(text, "gcspy 1\nlistening ", 18);
	memcpy(text + 2000, "\nend\n", 5);
	cr_assert(announcement_parse(text, 4000, &found));
	cr_assert_lt(strlen(found.addresses[0]), sizeof found.addresses[0]);
	cr_assert_not(announcement_parse(text, sizeof text, &found));
}

Test(attach, announcements_among_descriptors)
{
	cr_assert(announcement_is_at("/memfd:gcspy-announcement (deleted)"));
	cr_assert(announcement_is_at("/tmp/gcspy-announcement-Ab12Cd (deleted)"));
	static const char *const others[] = {"", " (deleted)", "/memfd:gcspy-announcement",
	    "/memfd:gcspy-announcement2 (deleted)", "/memfd:gcspy (deleted)", "socket:[12]",
	    "/tmp/gcspy-announcement-Ab12Cd", "/home/gcspy-announcement-Ab12Cd (deleted)",
	    "/memfd: (deleted)", "/tmp/ (deleted)", "/memfd:"};
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		cr_assert_not(announcement_is_at(others[i]), "%s", others[i]);
}
