#undef NDEBUG
#include "paranoid.h"

#include <assert.h>

void paranoid_snapshot(const struct gcs_snapshot *snapshot)
{
	struct gcs_error err = {.status = GCS_OK};
	assert(gcs_snapshot_check(snapshot, &err) == GCS_OK);
}
