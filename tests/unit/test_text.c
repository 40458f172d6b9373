/* Foreign text in each format: nothing steers a terminal or shows another name than it is. */
#include <criterion/criterion.h>

#include <string.h>

#include <gcspy/status.h>

#include "text.h"

/* ESC, C1, right-to-left override and mark, Arabic letter mark, isolate, byte order mark, a tag. */
#define FOUL                                                                                       \
	"\x1b[2J\xc2\x9b\xe2\x80\xae\xe2\x80\x8f\xd8\x9c\xe2\x81\xa6\xef\xbb\xbf\xf3\xa0\x81\x81"

static char written[1000];
static size_t length;

static bool write_it(void *context, const void *bytes, size_t count)
{
	(void)context;
	memcpy(written + length, bytes, count);
	length += count;
	written[length] = '\0';
	return true;
}

static const char *in(void (*format)(struct text *, const char *), const char *foreign)
{
	static const struct gcs_sink sink = {.write = write_it};
	static struct text text;
	length = 0;
	text_begin(&text, &sink);
	format(&text, foreign);
	cr_assert_eq(text_end(&text, NULL), GCS_OK);
	return written;
}

Test(text, json_escapes_and_means_the_same)
{
	cr_assert_str_eq(in(text_json, "a" FOUL "b"),
	    "\"a\\u001b[2J\\u009b\\u202e\\u200f\\u061c\\u2066\\ufeff\\udb40\\udc41b\"");
	cr_assert_str_eq(
	    in(text_json, "\xf0\x9f\x92\xa5\"\\\n"), "\"\xf0\x9f\x92\xa5\\\"\\\\\\u000a\"");
}

Test(text, other_formats_replace)
{
#define R "\xef\xbf\xbd"
	cr_assert_str_eq(in(text_line, "a" FOUL "b"), "a" R "[2J" R R R R R R R "b");
	cr_assert_str_eq(in(text_xml, "<" FOUL), "&lt;" R "[2J" R R R R R R R);
	cr_assert_str_eq(in(text_folded, "a;b c" FOUL), "a:b_c" R "[2J" R R R R R R R);
#undef R
}

Test(text, clean_in_place)
{
	char foreign[] = "tab\tline\nend\r" FOUL "\xff\xc2 \xef\xbf\xbd \xc3\xa9";
	cr_assert_str_eq(text_clean(foreign), "tab?line?end??[2J????????? \xef\xbf\xbd \xc3\xa9");
}

Test(text, messages_are_clean)
{
	struct gcs_error err;
	gcs_fail(&err, GCS_ARGUMENT, "%s", "a\nb" FOUL);
	cr_assert_str_eq(err.text, "a?b?[2J???????");
}
