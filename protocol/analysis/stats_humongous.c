/* Humongous objects: how much of the heap they take, and who allocates them. */

#include <string.h>

#include "stats.h"

double gcs_stats_humongous_share(const struct gcs_stats *s)
{
	for (uint32_t i = 0; i < s->space_count; i++)
		for (uint32_t k = 0; k < s->spaces[i].stream_count; k++) {
			const struct gcs_stats_stream *stream = &s->spaces[i].streams[k];
			double all = 0, large = -1;
			if (strcmp(stream->stream->name, "Type") != 0)
				continue;
			for (uint32_t n = 0; n < stream->summary_count; n++) {
				const struct gcs_stats_summary *m = &stream->summary[n];
				if (strncmp(m->name, "Humongous", 9) == 0)
					large = (large < 0 ? 0 : large) + m->series.mean;
				if (n != 0)
					all += m->series.mean;
			}
			if (large >= 0)
				return all > 0 ? large / all : 0;
		}
	return -1;
}

struct gcs_sites *gcs_stats_humongous_sites(
    const struct gcs_sites *allocated, const char *const *libraries)
{
	const struct gcs_site_filter filter = {
	    .where = "humongous", .libraries = libraries, .top = 1};
	return allocated == NULL ? NULL
				 : gcs_sites_create(gcs_sites_profile(allocated), &filter, NULL);
}
