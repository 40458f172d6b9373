#include "kit_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "kit.h"
#include "kit_profile.h"

static void must(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "kit_trace: %s\n", what);
		abort();
	}
}

/* Another description: more information, a space more, or withdrawn, or described again. */
static struct gcs_model *other_model(struct gcs_model *model, uint64_t *state)
{
	struct gcs_model *m = gcs_model_copy(model);
	struct gcs_error err;
	gcs_model_unref(model);
	must(m != NULL, "no memory");
	const uint32_t space = kit_below(state, m->space_count);
	switch (kit_below(state, 4)) {
	case 0:
		must(gcs_model_set_info(m, "changed", "yes", &err) == GCS_OK, err.text);
		break;
	case 1:
		if (m->space_count < 8)
			must(gcs_model_add_space(m, &kit_spaces[kit_below(state, KIT_SPACES)], NULL,
				 &err) == GCS_OK,
			    err.text);
		break;
	case 2:
		if (!m->spaces[space].gone)
			must(gcs_model_remove_space(m, space, &err) == GCS_OK, err.text);
		break;
	default:
		must(gcs_model_set_space(
			 m, space, &kit_spaces[kit_below(state, KIT_SPACES)], &err) == GCS_OK,
		    err.text);
		break;
	}
	return m;
}

static void write_profile(struct gcs_trace_writer *w, uint32_t number)
{
	struct gcs_profile *p =
	    kit_profile((enum gcs_profile_kind)(number % GCS_PROFILE_KIND_COUNT));
	void *bytes;
	size_t length;
	must(gcs_profile_encode(p, &bytes, &length, NULL) == GCS_OK, "no profile");
	must(gcs_trace_write_profile(w, bytes, length, NULL) == GCS_OK, "profile not written");
	gcs_profile_free(p);
	gcs_free(bytes);
}

static struct gcs_trace_writer *record(
    struct kit_trace *t, uint32_t count, uint32_t profile_every, uint64_t *state)
{
	const char *folder = getenv("TMPDIR");
	struct gcs_error err;
	snprintf(t->path, sizeof t->path, "%s/gcspy-trace-%ld-%u", folder == NULL ? "/tmp" : folder,
	    (long)getpid(), (unsigned)kit_below(state, 1000000));
	t->count = count;
	struct gcs_trace_writer *w = gcs_trace_create(
	    &(struct gcs_trace_options){.path = t->path, .flush_ms = 3600000}, &err);
	must(w != NULL, err.text);
	struct gcs_model *model = kit_model();
	struct gcs_snapshot *last = NULL;
	for (uint32_t i = 0; i < count; i++) {
		if (i % 97 == 96)
			model = other_model(model, state);
		struct gcs_snapshot *s = gcs_snapshot_begin(model, last);
		struct gcs_occurrence o = {.sequence = i * 2 + 1,
		    .event = i == 0 ? GCS_NONE : kit_below(state, KIT_EVENTS),
		    .time_ns = 1000000000u + i * 1000000u,
		    .wall_ns = 1700000000000000000 + (int64_t)i * 1000000,
		    .cost_ns = i * 100u,
		    .missed = i / 50};
		gcs_snapshot_set_occurrence(s, &o);
		kit_change(s, state);
		must(gcs_trace_write(w, s, &err) == GCS_OK, err.text);
		/* Small chunks, so that segments have many. */
		if (kit_below(state, 5) == 0)
			gcs_trace_flush(w, true, NULL);
		if (profile_every != 0 && i % profile_every == 0)
			write_profile(w, i / profile_every);
		t->snapshots[i] = last = s;
	}
	gcs_model_unref(model);
	return w;
}

void kit_trace_record(struct kit_trace *t, uint32_t count, uint32_t profile_every, uint64_t *state)
{
	struct gcs_error err;
	struct gcs_trace_writer *w = record(t, count, profile_every, state);
	must(gcs_trace_finish(w, &err) == GCS_OK, err.text);
}

void kit_trace_record_killed(struct kit_trace *t, uint32_t count, uint64_t *state)
{
	struct gcs_trace_writer *w = record(t, count, 0, state);
	must(gcs_trace_flush(w, true, NULL) == GCS_OK, "not flushed");
	size_t length;
	unsigned char *bytes = kit_trace_bytes(t->path, &length);
	must(gcs_trace_finish(w, NULL) == GCS_OK, "not finished");
	kit_trace_put(t->path, bytes, length);
	kit_trace_free(bytes);
}

void kit_trace_fini(struct kit_trace *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		gcs_snapshot_unref(t->snapshots[i]);
	t->count = 0;
	unlink(t->path);
}

const char *kit_trace_difference(struct gcs_trace *trace, const struct kit_trace *t, uint32_t place)
{
	static char words[400];
	struct gcs_error err;
	struct gcs_snapshot *s = gcs_trace_at(trace, place, &err);
	if (s == NULL) {
		snprintf(words, sizeof words, "%s", err.text);
		return words;
	}
	const struct gcs_occurrence *a = gcs_snapshot_occurrence(s);
	const struct gcs_occurrence *b = gcs_snapshot_occurrence(t->snapshots[place]);
	const char *difference =
	    kit_model_difference(gcs_snapshot_model(s), gcs_snapshot_model(t->snapshots[place]));
	if (difference == NULL)
		difference = kit_difference(s, t->snapshots[place], UINT64_MAX);
	if (difference == NULL && (a->sequence != b->sequence || a->time_ns != b->time_ns ||
				      a->wall_ns != b->wall_ns || a->missed != b->missed))
		difference = "the occurrence";
	if (difference == NULL && place != 0 && a->elapsed_ns != 1000000)
		difference = "the elapsed time";
	gcs_snapshot_unref(s);
	return difference;
}

unsigned char *kit_trace_bytes(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	must(file != NULL, path);
	fseek(file, 0, SEEK_END);
	*length = (size_t)ftell(file);
	rewind(file);
	unsigned char *bytes = malloc(*length + 1);
	must(bytes != NULL && fread(bytes, 1, *length, file) == *length, path);
	fclose(file);
	return bytes;
}

void kit_trace_put(const char *path, const unsigned char *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");
	must(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0, path);
}

void kit_trace_free(unsigned char *bytes)
{
	free(bytes);
}
