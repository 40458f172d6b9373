/* What a JVM uses of the machine (E3), and the container it runs in (E4), as /proc tells it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "container.h"
#include "process_usage.h"

static char name[USAGE_NAME];
static uint64_t ticks;

Test(process_usage, stat_of_a_thread)
{
	cr_assert(usage_parse(
	    "71 (GC Thread#3) S 1 70 70 0 -1 4194368 9 8 7 6 120 34 5 4 20 0 9 0", name, &ticks));
	cr_assert_str_eq(name, "GC Thread#3");
	cr_assert_eq(ticks, 154);
}

Test(process_usage, a_name_may_have_anything)
{
	cr_assert(usage_parse("7 (a) R 1 (b)) S 1 2 3 4 5 6 7 8 9 10 11 12 13\n", name, &ticks));
	cr_assert_str_eq(name, "a) R 1 (b)");
	cr_assert_eq(ticks, 11 + 12);
	cr_assert(usage_parse("7 (0123456789abcdefgh) S 1 2 3 4 5 6 7 8 9 10 1 2", name, &ticks));
	cr_assert_eq(strlen(name), USAGE_NAME - 1);
}

Test(process_usage, other_texts)
{
	static const char *const texts[] = {"", "7", "7 (a", "7 )a(", "7 (a)", "7 (a) S 1 2 3",
	    "7 (a) S 1 2 3 4 5 6 7 8 9 10 11", "7 (a) S 1 2 3 4 5 6 7 8 9 10 x y"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		cr_assert(!usage_parse(texts[i], name, &ticks), "\"%s\"", texts[i]);
}

Test(process_usage, when_it_began)
{
	cr_assert(usage_parse_start(
	    "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20", &ticks));
	cr_assert_eq(ticks, 4711);
	cr_assert(
	    !usage_parse_start("7 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18", &ticks));
	cr_assert(!usage_parse_start("7 (a", &ticks));
	const double age = process_age((long)getpid()), parent = process_age((long)getppid());
	cr_assert(age >= 0 && age < 3600 && parent >= age, "%g %g", age, parent);
	cr_assert_eq(process_age(-1), 0);
}

Test(process_usage, who_collects)
{
	static const char *const collect[] = {"GC Thread#0", "G1 Conc#1", "G1 Main Marker",
	    "ZWorkerYoung#0", "ZDriverMajor", "Shenandoah GC T"};
	static const char *const others[] = {
	    "java", "VM Thread", "C2 CompilerThre", "Zebra", "G1ant", "main", ""};
	for (size_t i = 0; i < sizeof collect / sizeof collect[0]; i++)
		cr_assert(usage_collects(collect[i], false), "%s", collect[i]);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		cr_assert(!usage_collects(others[i], false), "%s", others[i]);
	cr_assert(usage_collects("VM Thread", true));
}

Test(process_usage, of_this_process)
{
	static struct usage_threads threads;
	struct process_usage usage;
	process_usage_read((long)getpid(), false, &threads, &usage);
	cr_assert(usage.known);
	cr_assert_gt(usage.resident_bytes, 100000);
	cr_assert(!usage.gc_known && threads.count == 0, "it has no collector");
	process_usage_read(-1, false, &threads, &usage);
	cr_assert(!usage.known);
}

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char *container(const char *text)
{
	static char id[CONTAINER_ID];
	cr_assert_eq(container_parse(text, strlen(text), id), id[0] != '\0');
	return id;
}

Test(container, names_of_control_groups)
{
	cr_assert_str_eq(container("0::/system.slice/docker-" DIGITS ".scope\n"), DIGITS);
	cr_assert_str_eq(container("4:cpu:/docker/" DIGITS "\n0::/docker/" DIGITS "\n"), DIGITS);
	cr_assert_str_eq(container("0::/../cri-containerd-" DIGITS ".scope"), DIGITS);
	cr_assert_str_eq(container("0::/kubepods/besteffort/pod1b2c/" DIGITS), DIGITS);
}

Test(container, what_is_no_number)
{
	cr_assert_str_eq(container(""), "");
	cr_assert_str_eq(container("0::/user.slice/session-2.scope\n"), "");
	cr_assert_str_eq(container("0::/docker/" DIGITS "0\n"), "", "65 digits");
	cr_assert_str_eq(container("0::/docker/0"
				   "123456789abcdef\n"),
	    "");
	cr_assert_str_eq(container("0::/docker/ABCDEF" DIGITS "A"), DIGITS, "beside others");
}
