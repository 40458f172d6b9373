#include "marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marks_file.h"
#include "utf8.h"

uint32_t marks_find(const struct marks *marks, uint64_t time_ns)
{
	uint32_t i = 0;
	while (i < marks->count && marks->at[i].time_ns != time_ns)
		i++;
	return i;
}

/* Removes control characters and cuts between characters. */
static void clean(char *to, size_t size, const char *from)
{
	size_t used = 0;
	while (*from != 0) {
		const char *start = from;
		const uint32_t code = utf8_next(&from);
		const size_t n = (size_t)(from - start);
		if (used + n >= size)
			break;
		const bool plain = code >= 32 && code != 127;
		memcpy(to + used, plain ? start : " ", plain ? n : 1);
		used += plain ? n : 1;
	}
	to[used] = 0;
}

bool marks_set(struct marks *marks, uint64_t time_ns, const char *note)
{
	uint32_t i = marks_find(marks, time_ns);
	if (i == marks->count) {
		if (marks->count == MARKS_MOST)
			return false;
		for (i = marks->count++; i > 0 && marks->at[i - 1].time_ns > time_ns; i--)
			marks->at[i] = marks->at[i - 1];
	}
	marks->at[i].time_ns = time_ns;
	clean(marks->at[i].note, sizeof marks->at[i].note, note);
	marks->dirty = true;
	return true;
}

void marks_remove(struct marks *marks, uint32_t i)
{
	marks->count--;
	memmove(&marks->at[i], &marks->at[i + 1], (marks->count - i) * sizeof marks->at[i]);
	marks->dirty = true;
}

uint32_t marks_next(const struct marks *marks, uint64_t time_ns, int way)
{
	if (way > 0) {
		uint32_t i = 0;
		while (i < marks->count && marks->at[i].time_ns <= time_ns)
			i++;
		return i;
	}
	uint32_t i = marks->count;
	while (i > 0 && marks->at[i - 1].time_ns >= time_ns)
		i--;
	return i > 0 ? i - 1 : marks->count;
}

/* The file: a comment, then a line per bookmark: nanoseconds, tab, note. */

char *marks_text(const struct marks *marks)
{
	static const char head[] =
	    "# Bookmarks of GCspy: time in ns of the program's clock, note\n";
	const size_t size = sizeof head + marks->count * (MARKS_NOTE + 24);
	char *text = malloc(size);
	if (text == NULL)
		return NULL;
	size_t n = (size_t)snprintf(text, size, "%s", head);
	for (uint32_t i = 0; i < marks->count; i++)
		n += (size_t)snprintf(text + n, size - n, "%" PRIu64 "\t%s\n", marks->at[i].time_ns,
		    marks->at[i].note);
	return text;
}

void marks_take_text(struct marks *marks, const char *text)
{
	while (*text != 0) {
		char line[MARKS_NOTE + 64], *end;
		const size_t n = strcspn(text, "\n");
		snprintf(
		    line, sizeof line, "%.*s", (int)(n < sizeof line ? n : sizeof line - 1), text);
		text += n + (text[n] == '\n');
		const unsigned long long time_ns = strtoull(line, &end, 10);
		if (line[0] >= '0' && line[0] <= '9' && (*end == '\t' || *end == 0))
			marks_set(marks, time_ns, *end != 0 ? end + 1 : end);
	}
}

void marks_open(struct marks *marks, const char *path, void (*wake)(void *context), void *context)
{
	marks_fini(marks);
	marks->wake = wake;
	marks->context = context;
	marks->read = path == NULL;
	if (path == NULL)
		return;
	if ((size_t)snprintf(marks->path, sizeof marks->path, "%s.marks", path) >=
	    sizeof marks->path)
		marks->path[0] = 0;
	else
		marks->job = marks_job_start(marks->path, NULL, wake, context);
}

static bool turn(struct marks *marks, bool wait, bool *news, struct gcs_error *err)
{
	bool ok = true;
	*news = false;
	if (marks->job != NULL) {
		char *text = NULL;
		if (!marks_job_end(marks->job, wait, &text, err))
			return true; /* in progress */
		marks->job = NULL;
		ok = err->status == GCS_OK;
		if (text != NULL && !marks->read) {
			const bool dirty = marks->dirty; /* bookmarks set meanwhile */
			marks_take_text(marks, text);
			marks->dirty = dirty;
			*news = true;
		}
		marks->read = true;
		free(text);
		if (!ok)
			marks->path[0] =
			    0; /* reported once; the bookmarks last as long as the window */
	}
	if (!marks->dirty || marks->path[0] == 0)
		return ok;
	marks->dirty = false;
	char *text = marks_text(marks);
	if (text != NULL)
		marks->job = marks_job_start(marks->path, text, marks->wake, marks->context);
	return ok;
}

bool marks_poll(struct marks *marks, bool *news, struct gcs_error *err)
{
	return turn(marks, false, news, err);
}

void marks_fini(struct marks *marks)
{
	struct gcs_error err = {.status = GCS_OK};
	bool news;
	while (marks->job != NULL || (marks->dirty && marks->path[0] != 0))
		turn(marks, true, &news, &err);
	memset(marks, 0, sizeof *marks);
}
