#include "jvm_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jvm.h"

static const char archive[] = ".jar";

/* Whether `name` is the whole of the text, or all but an archive's suffix. */
static bool is_same(const char *name, const char *text)
{
	const size_t length = strlen(name);
	return strncmp(name, text, length) == 0 &&
	       (text[length] == '\0' || strcmp(text + length, archive) == 0);
}

bool jvm_name_fits(const char *name, const char *program)
{
	const char *file = strrchr(program, '/');
	file = file == NULL ? program : file + 1;
	if (name[0] == '\0')
		return false;
	if (strcmp(name, program) == 0 || is_same(name, file))
		return true;
	const size_t length = strlen(file), suffix = sizeof archive - 1;
	const char *dot = strrchr(file, '.');
	const bool is_archive = length > suffix && strcmp(file + length - suffix, archive) == 0;
	return dot != NULL && !is_archive && strcmp(name, dot + 1) == 0;
}

long jvm_named(const char *name, struct gcs_error *err)
{
	size_t count, found = 0, used = 0;
	long first = 0;
	char list[120] = "";
	struct jvm jvm;
	long *pids = jvm_processes(&count);
	for (size_t i = 0; pids != NULL && i < count; i++) {
		if ((jvm_look(pids[i], &jvm) != JVM_FOUND && jvm.announcement.count == 0) ||
		    !jvm_name_fits(name, jvm.program))
			continue;
		first = found++ == 0 ? jvm.pid : first;
		if (used < sizeof list)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%ld",
			    found == 1 ? "" : ", ", jvm.pid);
	}
	free(pids);
	if (found == 1)
		return first;
	if (found == 0)
		gcs_fail(err, GCS_UNREACHABLE,
		    "no running JVM has the program \"%.100s\"; `gcspy list` shows them", name);
	else
		gcs_fail(err, GCS_ARGUMENT,
		    "\"%.100s\" is the program of %zu running JVMs: %s%s; give the number of one",
		    name, found, list, used < sizeof list ? "" : "...");
	return 0;
}
