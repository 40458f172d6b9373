#include "paranoid.h"

void paranoid_snapshot(const struct gcs_snapshot *snapshot)
{
	(void)snapshot;
}
