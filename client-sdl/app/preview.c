#include "preview.h"

#include <errno.h>
#include <fcntl.h>
#include <gcspy/format.h>
#include <gcspy/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "replay.h"
#include "sites_view.h"
#include "trace_input.h"

/* On the reader's thread. */

static char *add_preview_row(struct preview *p, const char *label)
{
	struct preview_row *row = &p->row[p->rows];
	row->label = label;
	p->rows += p->rows + 1 < PREVIEW_ROWS;
	return row->value;
}

static void add_preview_text(struct preview *p, const char *label, const char *foreign)
{
	char *value = add_preview_row(p, label);
	if (foreign == NULL || *foreign == 0)
		snprintf(value, sizeof p->row->value, "not in the recording");
	else
		sites_put_name(value, sizeof p->row->value, foreign);
}

static const char *info_of(const struct gcs_model *model, const char *key)
{
	for (uint32_t i = 0; i < model->info_count; i++)
		if (strcmp(model->info[i].key, key) == 0)
			return model->info[i].value;
	return NULL;
}

static void describe(struct preview *p, struct gcs_trace *trace)
{
	const size_t size = sizeof p->row->value;
	struct gcs_trace_info info;
	struct gcs_trace_damage damage;
	gcs_trace_get_info(trace, &info);
	struct gcs_model *model = gcs_trace_model(trace);
	if (model != NULL) {
		add_preview_text(p, "Program", model->server_name);
		add_preview_text(p, "Collector", info_of(model, "Collector"));
		add_preview_text(p, "JDK", info_of(model, "Version"));
	}
	gcs_model_unref(model);
	folder_put_time(add_preview_row(p, "Recorded"), size, info.created_wall_ns);
	replay_put_time(add_preview_row(p, "Length"), size, info.last_time_ns - info.first_time_ns);
	gcs_format_count(add_preview_row(p, "Events"), size, info.events);
	if (!info.complete)
		snprintf(p->note, sizeof p->note,
		    "Not closed properly: it is still being recorded, or its writer was stopped. "
		    "Length and events are those of what can be read.");
	else if (gcs_trace_get_damage(trace, 0, &damage))
		snprintf(p->note, sizeof p->note, "Damaged: %s.", damage.message);
}

/* Whether the file ends with an index, without which gcs_trace_open reads all of it. */
static bool has_index(const char *path)
{
	struct trace_input in;
	struct gcs_error err;
	struct trace_chunk chunk;
	uint8_t mark[TRACE_END_MARK];
	uint64_t offset;
	if (!trace_input_open(&in, path, &err))
		return false;
	const bool has = in.bytes >= TRACE_FILE_HEAD + sizeof mark &&
			 trace_read(&in, in.bytes - sizeof mark, mark, sizeof mark) == GCS_OK &&
			 trace_get_end(mark, &offset) &&
			 trace_read_chunk(&in, offset, &chunk) == GCS_OK &&
			 chunk.kind == TRACE_INDEX;
	trace_input_close(&in);
	return has;
}

/* The message of an error without the path that it begins with. */
static void note_error(struct preview *p, const struct gcs_error *err)
{
	char text[sizeof err->text];
	size_t n = strlen(p->path);
	n = n < 200 ? n : 200; /* as much of it as such messages have */
	const char *rest = strncmp(err->text, p->path, n) == 0 ? err->text + n : err->text;
	sites_put_name(text, sizeof text, rest + (strncmp(rest, ": ", 2) == 0 ? 2 : 0));
	snprintf(p->note, sizeof p->note, "%s%s", text[0] == ' ' ? "It" : "", text);
}

static void read_recording(struct preview *p, int64_t bytes)
{
	struct gcs_error err = {.text = ""};
	if (bytes > PREVIEW_SCAN && !has_index(p->path)) {
		snprintf(p->note, sizeof p->note,
		    "Program, length and events are not known: it was not closed properly, and is "
		    "too large to be read whole for a preview.");
		return;
	}
	struct gcs_trace *trace = gcs_trace_open(p->path, &err);
	if (trace == NULL)
		note_error(p, &err);
	else
		describe(p, trace);
	gcs_trace_close(trace);
}

static void read_preview(struct work *work)
{
	struct preview *p = (struct preview *)work;
	struct stat st;
	const char *flaw;
	/* Opening a pipe would wait for its other end. */
	if (stat(p->path, &st) != 0)
		flaw = strerror(errno);
	else if (!S_ISREG(st.st_mode))
		flaw = S_ISDIR(st.st_mode) ? "a folder" : "not a file";
	else
		flaw = folder_file_flaw(AT_FDCWD, p->path);
	if (flaw != NULL) {
		snprintf(p->note, sizeof p->note, "Cannot be opened: %s", flaw);
		return;
	}
	read_recording(p, (int64_t)st.st_size);
	sites_put_bytes(add_preview_row(p, "Size"), sizeof p->row->value, (double)st.st_size);
}

static void drop_preview(struct work *work)
{
	free(work);
}

struct preview *preview_new(const char *path)
{
	struct preview *p = calloc(1, sizeof *p);
	if (p == NULL)
		return NULL;
	p->work = (struct work){.run = read_preview, .drop = drop_preview};
	snprintf(p->path, sizeof p->path, "%s", path);
	return p;
}
