/* The options of a flight ring. */
#include <unistd.h>

#include "path_pattern.h"
#include "reserved.h"
#include "server_ring.h"

enum { DEFAULT_AFTER = 5, DEFAULT_BYTES = 16 << 20, DEFAULT_FILES = 10 };

enum gcs_status ring_options_check(const struct gcs_ring_options *o, struct gcs_error *err)
{
	char path[RING_PATH];
	if (RESERVED_CHECK("the options of a ring", o, err) != GCS_OK)
		return GCS_ARGUMENT;
	if (o->seconds == 0 || o->seconds > GCS_MAX_RING_SECONDS)
		return gcs_fail(err, GCS_ARGUMENT, "a ring of %u seconds: expected 1 to %u",
		    o->seconds, GCS_MAX_RING_SECONDS);
	if (o->after_seconds > o->seconds)
		return gcs_fail(err, GCS_ARGUMENT,
		    "%u seconds after a ring of %u: expected at most as many", o->after_seconds,
		    o->seconds);
	if (o->path == NULL || !path_from_pattern(path, sizeof path, o->path, (long)getpid(), 0))
		return gcs_fail(err, GCS_ARGUMENT,
		    "the ring's path \"%.200s\": expected the path of a file, with %%p, %%t and "
		    "%%%%",
		    o->path == NULL ? "" : o->path);
	return GCS_OK;
}

void ring_options_fill(struct gcs_ring_options *o)
{
	if (o->after_seconds == 0)
		o->after_seconds = o->seconds < DEFAULT_AFTER ? o->seconds : DEFAULT_AFTER;
	if (o->bytes == 0)
		o->bytes = DEFAULT_BYTES;
	if (o->files == 0)
		o->files = DEFAULT_FILES;
}
