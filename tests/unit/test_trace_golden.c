/*
 * Trace files of all versions so far, kept in tests/golden/traces: each says for ever what the text
 * beside it says (F21, Q2). make-golden-traces makes those of a new version.
 */
#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit.h"
#include "kit_trace.h"
#include "trace_text.h"

/* Compares a file with its text; `name` ends with ".gcspy". */
static void compare(const char *name)
{
	char path[600], beside[600];
	struct gcs_error err;
	char *text = NULL;
	size_t length = 0, wanted;
	snprintf(path, sizeof path, "%s/%s", GOLDEN_TRACES, name);
	snprintf(beside, sizeof beside, "%.*s.txt", (int)(strlen(path) - 6), path);
	struct gcs_trace *t = gcs_trace_open(path, &err);
	cr_assert_not_null(t, "%s", err.text);
	FILE *file = open_memstream(&text, &length);
	cr_assert_not_null(file);
	trace_print(file, t);
	fclose(file);
	unsigned char *kept = kit_trace_bytes(beside, &wanted);
	cr_assert(length == wanted && memcmp(text, kept, length) == 0,
	    "%s does not say any more what %s says", path, beside);
	const bool damaged = strstr(name, "damaged") != NULL;
	cr_assert_eq(gcs_trace_check(t) != 0, damaged, "%s", name);
	kit_trace_free(kept);
	free(text);
	gcs_trace_close(t);
}

Test(trace_golden, each_file_says_what_it_said)
{
	unsigned count = 0;
	kit_count_memory(0);
	DIR *folder = opendir(GOLDEN_TRACES);
	cr_assert_not_null(folder, "%s", GOLDEN_TRACES);
	for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		const char *end = strrchr(entry->d_name, '.');
		if (end == NULL || strcmp(end, ".gcspy") != 0)
			continue;
		compare(entry->d_name);
		count++;
	}
	closedir(folder);
	cr_assert_geq(count, 3);
	cr_assert_eq(kit_live_blocks(), 0);
}
