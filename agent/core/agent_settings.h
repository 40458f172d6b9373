/* What clients may set: the interval of samples, the clock, the volume (docs/protocol.md, section 10). */
#ifndef GCSPY_AGENT_AGENT_SETTINGS_H
#define GCSPY_AGENT_AGENT_SETTINGS_H

#include "clock.h"
#include "sampler.h"
#include "volume.h"

struct settings_parts {
	struct gcs_server *server;
	struct sampler *sampler;
	struct clock *clock;
	struct volume *volume; /* NULL: the heap cannot be walked */
};

/* Sets it, or answers why not. As in struct gcs_server_options; on the I/O thread, without waiting. */
void settings_set(const struct settings_parts *parts, const struct gcs_setting *setting);

#endif
