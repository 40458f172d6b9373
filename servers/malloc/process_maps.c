#include "process_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "own_memory.h"

enum { BUFFER = 16384 };

/* Lines of a file, without stdio, which calls malloc. */
struct reader {
	int fd;
	uint32_t at, end;
	char bytes[BUFFER];
};

/* The next line, cut in the buffer's place; NULL at the end. A line that is longer than the buffer is
 * cut into several. */
static char *next_line(struct reader *r)
{
	for (;;) {
		char *line = r->bytes + r->at;
		char *newline = memchr(line, '\n', r->end - r->at);
		if (newline != NULL) {
			*newline = '\0';
			r->at = (uint32_t)(newline + 1 - r->bytes);
			return line;
		}
		memmove(r->bytes, line, r->end - r->at);
		r->end -= r->at;
		r->at = 0;
		if (r->end == BUFFER - 1) {
			r->bytes[r->end] = '\0';
			r->at = r->end = 0;
			return r->bytes;
		}
		ssize_t got;
		do
			got = read(r->fd, r->bytes + r->end, BUFFER - 1 - r->end);
		while (got == -1 && errno == EINTR);
		if (got <= 0)
			return NULL;
		r->end += (uint32_t)got;
	}
}

static struct mapping *add(struct process_maps *maps)
{
	if (maps->count == maps->room) {
		const uint32_t more = maps->room == 0 ? 128 : maps->room * 2;
		struct mapping *larger = gcs_realloc(maps->mappings, more * sizeof *larger);
		if (larger == NULL)
			return NULL;
		maps->mappings = larger;
		maps->room = more;
	}
	return &maps->mappings[maps->count++];
}

/* "55d0-55f0 rw-p 00000000 00:00 0   [heap]" */
static bool parse(const char *line, struct mapping *m)
{
	char *at;
	*m = (struct mapping){.start = strtoull(line, &at, 16)};
	if (at == line || *at != '-')
		return false;
	m->end = strtoull(at + 1, &at, 16);
	/* The kernel's page at the end of the address space is no memory of the process. */
	if (*at != ' ' || strlen(at) < 5 || m->start >= m->end || m->end > INT64_MAX)
		return false;
	m->accessible = at[1] == 'r';
	m->writable = at[2] == 'w';
	m->executable = at[3] == 'x';
	for (int words = 0; words < 4; words++) { /* flags, offset, device, inode */
		at += strspn(at, " ");
		at += strcspn(at, " ");
	}
	at += strspn(at, " ");
	snprintf(m->name, sizeof m->name, "%s", at);
	return true;
}

bool process_maps_read(struct process_maps *maps, bool with_resident)
{
	const int fd =
	    open(with_resident ? "/proc/self/smaps" : "/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return false;
	struct reader *r = gcs_alloc(sizeof *r);
	struct mapping m, *last = NULL;
	char *line;
	bool good = r != NULL;
	maps->count = 0;
	if (good) {
		r->fd = fd;
		r->at = r->end = 0;
	}
	while (good && (line = next_line(r)) != NULL) {
		if (with_resident && strncmp(line, "Rss:", 4) == 0 && last != NULL)
			last->resident = strtoull(line + 4, NULL, 10) * 1024;
		if (strchr("0123456789abcdef", line[0]) == NULL || !parse(line, &m))
			continue;
		last = NULL;
		if (own_memory_within(m.start, m.end) == m.end - m.start)
			continue;
		last = add(maps);
		good = last != NULL;
		if (good)
			*last = m;
	}
	gcs_free(r);
	close(fd);
	return good;
}

bool mapping_is_heap(const struct mapping *m)
{
	return m->writable && (m->name[0] == '\0' || strcmp(m->name, "[heap]") == 0 ||
				  strncmp(m->name, "[anon:", 6) == 0);
}
