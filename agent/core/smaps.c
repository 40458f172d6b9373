#include "smaps.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

enum { KIB = 1024 };

static const char *const lines[SMAPS_FIGURE_COUNT] = {
#define X(id, line) line,
    SMAPS_FIGURES(X)
#undef X
};

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static enum smaps_sort sort_of(const char *name, const char *program)
{
	if (name[0] == '\0')
		return SMAPS_ANONYMOUS;
	if (begins(name, "[heap]") || begins(name, "[anon: glibc: malloc"))
		return SMAPS_HEAP;
	if (begins(name, "[stack") || begins(name, "[anon: glibc: pthread stack"))
		return SMAPS_STACK;
	if (begins(name, "[anon"))
		return SMAPS_ANONYMOUS;
	if (begins(name, "/memfd:java_heap") || strstr(name, "/java_heap.") != NULL)
		return SMAPS_JAVA_HEAP;
	if (strstr(name, ".jsa") != NULL)
		return SMAPS_ARCHIVE;
	if (name[0] == '[' || strstr(name, ".so") != NULL || strcmp(name, program) == 0)
		return SMAPS_LIBRARY;
	return begins(name, "/dev/zero") ? SMAPS_ANONYMOUS : SMAPS_FILE;
}

/* "55d0-55f0 rw-p 00000000 00:00 0   [heap]" */
static bool parse_mapping(char *line, const char *program, struct smaps_mapping *m)
{
	char flags[8];
	unsigned long long start, end;
	int name = 0;
	if (sscanf(line, "%llx-%llx %7s %*s %*s %*s %n", &start, &end, flags, &name) != 3 ||
	    name == 0 || end <= start)
		return false;
	line[strcspn(line, "\n")] = '\0';
	*m = (struct smaps_mapping){.start = start,
	    .end = end,
	    .figures = {[SMAPS_RESERVED] = end - start},
	    .sort = sort_of(line + name, program),
	    .accessible = flags[0] == 'r',
	    .writable = flags[1] == 'w'};
	return true;
}

static void parse_figure(const char *line, struct smaps_mapping *m)
{
	for (int i = 0; i < SMAPS_RESERVED; i++)
		if (begins(line, lines[i]))
			m->figures[i] = strtoull(line + strlen(lines[i]), NULL, 10) * KIB;
}

static bool add(struct smaps *s, const struct smaps_mapping *m)
{
	if (s->count == s->capacity) {
		const uint32_t capacity = s->capacity == 0 ? 512 : s->capacity * 2;
		struct smaps_mapping *mappings =
		    gcs_realloc(s->mappings, capacity * sizeof *mappings);
		if (mappings == NULL)
			return false;
		s->mappings = mappings;
		s->capacity = capacity;
	}
	s->mappings[s->count++] = *m;
	return true;
}

/* The kernel gives the list in parts and lets it change between them: a mapping that has grown or merged
 * meanwhile may begin within, or before, those that were read. What was read last holds, so that no
 * address is there twice. */
static void drop_overlap(struct smaps *s, uint64_t start)
{
	while (s->count != 0 && s->mappings[s->count - 1].start >= start)
		s->count--;
	struct smaps_mapping *last = s->count == 0 ? NULL : &s->mappings[s->count - 1];
	if (last == NULL || last->end <= start)
		return;
	const double left = (double)(start - last->start) / (double)(last->end - last->start);
	for (int i = 0; i < SMAPS_FIGURE_COUNT; i++)
		last->figures[i] = (uint64_t)((double)last->figures[i] * left);
	last->end = start;
	last->figures[SMAPS_RESERVED] = last->end - last->start;
}

bool smaps_parse(struct smaps *s, FILE *file, const char *program)
{
	struct smaps_mapping m;
	s->count = 0;
	while (getline(&s->line, &s->line_bytes, file) > 0) {
		if (s->line[0] >= 'A' && s->line[0] <= 'Z') {
			if (s->count != 0)
				parse_figure(s->line, &s->mappings[s->count - 1]);
		} else if (parse_mapping(s->line, program, &m)) {
			drop_overlap(s, m.start);
			if (!add(s, &m))
				return false;
		}
	}
	return s->count != 0;
}

bool smaps_read(struct smaps *s)
{
	char program[PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	program[length > 0 ? length : 0] = '\0';
	FILE *file = fopen("/proc/self/smaps", "re");
	if (file == NULL)
		return false;
	const bool good = smaps_parse(s, file, program);
	(void)fclose(file);
	return good;
}

void smaps_free(struct smaps *s)
{
	gcs_free(s->mappings);
	free(s->line);
	*s = (struct smaps){0};
}
