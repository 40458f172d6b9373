/* Paths of files with the process and the time in them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <time.h>

#include "path_pattern.h"

static void utc(void)
{
	setenv("TZ", "UTC", 1);
	tzset();
}

Test(path_pattern, names_a_file, .init = utc)
{
	char path[64];
	cr_assert(path_from_pattern(path, sizeof path, "a-%p-%t%%.x", 4711, 1000000000));
	cr_assert_str_eq(path, "a-4711-1970-01-01_00-00-01%.x");
	cr_assert_not(path_from_pattern(path, sizeof path, "a-%q", 4711, 0));
	cr_assert_not(path_from_pattern(path, sizeof path, "a-%", 4711, 0));
	cr_assert_not(path_from_pattern(path, 6, "a-%p", 4711, 0));
	cr_assert_not(path_from_pattern(path, sizeof path, "", 4711, 0));
}

Test(path_pattern, is_shown_with_what_is_known)
{
	char text[40];
	path_pattern_text(text, sizeof text, "night-%p.gcspy", 4711);
	cr_assert_str_eq(text, "night-4711.gcspy");
	path_pattern_text(text, sizeof text, "50%%-%p-%t.x", 4711);
	cr_assert_str_eq(text, "50%-4711-%t.x (%t: the time)");
	path_pattern_text(text, 8, "night-%p.gcspy", 4711);
	cr_assert_str_eq(text, "night-4");
	path_pattern_text(text, 8, "night-%t.gcspy", 4711);
	cr_assert_str_eq(text, "night-%");
}
