#include "jvm_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jvm.h"
#include "nearest.h"

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

enum { SHORT_NAME = 100 };

/* Compares what people call a program: its class without the package, or its archive. The best one is
 * kept. */
static void try_program(struct nearest *nearest, const char *program, char kept[SHORT_NAME])
{
	char name[SHORT_NAME];
	const char *file = strrchr(program, '/'), *dot = strrchr(program, '.');
	const bool is_class = file == NULL && dot != NULL && strcmp(dot, archive) != 0;
	snprintf(name, sizeof name, "%.99s",
	    file != NULL ? file + 1
	    : is_class   ? dot + 1
			 : program);
	char *suffix = strstr(name, archive);
	if (suffix != NULL)
		*suffix = '\0';
	nearest_try(nearest, name);
	if (nearest->meant == name)
		nearest->meant = strcpy(kept, name);
}

long jvm_named(const char *name, struct gcs_error *err)
{
	size_t count, found = 0, used = 0;
	long first = 0;
	char list[120] = "", kept[SHORT_NAME], meant[140];
	struct nearest nearest = nearest_begin(name);
	struct jvm jvm;
	long *pids = jvm_processes(&count);
	for (size_t i = 0; pids != NULL && i < count; i++) {
		if (jvm_look(pids[i], &jvm) != JVM_FOUND && jvm.announcement.count == 0)
			continue;
		if (!jvm_name_fits(name, jvm.program)) {
			try_program(&nearest, jvm.program, kept);
			continue;
		}
		first = found++ == 0 ? jvm.pid : first;
		if (used < sizeof list)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%ld",
			    found == 1 ? "" : ", ", jvm.pid);
	}
	free(pids);
	if (found == 1)
		return first;
	if (found == 0)
		gcs_fail(err, nearest.meant != NULL ? GCS_ARGUMENT : GCS_UNREACHABLE,
		    "no running JVM has the program \"%.100s\"%s; `gcspy list` shows them", name,
		    nearest_words(&nearest, meant, sizeof meant));
	else
		gcs_fail(err, GCS_ARGUMENT,
		    "\"%.100s\" is the program of %zu running JVMs: %s%s; give the number of one",
		    name, found, list, used < sizeof list ? "" : "...");
	return 0;
}
