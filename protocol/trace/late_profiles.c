#include "late_profiles.h"

#include <gcspy/memory.h>

static enum gcs_status write_one(
    struct late_profile *p, struct gcs_trace_writer *writer, struct gcs_error *err)
{
	const enum gcs_status status =
	    p->bytes == NULL ? GCS_OK : gcs_trace_write_profile(writer, p->bytes, p->length, err);
	gcs_free(p->bytes);
	p->bytes = NULL;
	return status;
}

enum gcs_status late_profiles_put(struct late_profiles *late, struct gcs_trace_writer *writer,
    void **bytes, size_t length, struct gcs_error *err)
{
	const uint8_t kind = ((const uint8_t *)*bytes)[1];
	struct late_profile *p = &late->of[kind];
	int64_t judged_ns;
	const int64_t wall_ns = trace_profile_ns(*bytes, length, &judged_ns);
	if (judged_ns != 0 && judged_ns == late->judged_ns[kind])
		return GCS_OK;
	const enum gcs_status status = write_one(p, writer, err);
	if (status != GCS_OK)
		return status;
	late->judged_ns[kind] = judged_ns;
	*p = (struct late_profile){*bytes, length, wall_ns};
	*bytes = NULL;
	/* Of events without a wall clock none will be later. */
	return p->wall_ns < late->newest_ns || late->newest_ns == 0 ? write_one(p, writer, err)
								    : GCS_OK;
}

enum gcs_status late_profiles_event(struct late_profiles *late, struct gcs_trace_writer *writer,
    const struct gcs_snapshot *snapshot, struct gcs_error *err)
{
	enum gcs_status status = gcs_trace_write(writer, snapshot, err);
	late->newest_ns = gcs_snapshot_occurrence(snapshot)->wall_ns;
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT && status == GCS_OK; i++)
		if (late->of[i].wall_ns < late->newest_ns)
			status = write_one(&late->of[i], writer, err);
	return status;
}

enum gcs_status late_profiles_flush(
    struct late_profiles *late, struct gcs_trace_writer *writer, struct gcs_error *err)
{
	enum gcs_status status = GCS_OK;
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT && status == GCS_OK; i++)
		status = write_one(&late->of[i], writer, err);
	return status == GCS_OK ? gcs_trace_flush(writer, true, err) : status;
}

void late_profiles_fini(struct late_profiles *late)
{
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++)
		gcs_free(late->of[i].bytes);
	*late = (struct late_profiles){.newest_ns = 0};
}
