/* Declared in making.h. */
#include "making.h"

#include <stdio.h>
#include <stdlib.h>

#include <gcspy/memory.h>

static struct gcs_trace_writer *writer;

void must(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "making a trace: %s\n", what);
		exit(1);
	}
}

void making_begin(const char *path)
{
	struct gcs_error err;
	writer = gcs_trace_create(&(struct gcs_trace_options){.path = path, .replace = true}, &err);
	must(writer != NULL, err.text);
}

void making_end(void)
{
	struct gcs_error err;
	must(gcs_trace_finish(writer, &err) == GCS_OK, err.text);
}

void making_give(void *context, const struct gcs_snapshot *snapshot, uint64_t place)
{
	struct gcs_error err;
	(void)context;
	(void)place;
	must(gcs_trace_write(writer, snapshot, &err) == GCS_OK, err.text);
}

void making_profile(struct gcs_profile *profile)
{
	void *bytes;
	size_t length;
	struct gcs_error err;
	must(gcs_profile_encode(profile, &bytes, &length, &err) == GCS_OK &&
		 gcs_trace_write_profile(writer, bytes, length, &err) == GCS_OK,
	    err.text);
	gcs_free(bytes);
	gcs_profile_free(profile);
}
