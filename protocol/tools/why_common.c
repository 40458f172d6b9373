/* What both questions say in the same words. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "export_internal.h"
#include "why.h"

struct why_figure why_figure(double value, enum gcs_unit unit)
{
	struct why_figure f;
	gcs_format_figure(f.text, sizeof f.text, value, unit);
	return f;
}

static struct why_figure in_words(uint64_t ns)
{
	const uint64_t seconds = ns / 1000000000;
	struct why_figure f;
	if (seconds < 10)
		return why_figure((double)ns, GCS_UNIT_NANOSECONDS);
	if (seconds < 120)
		snprintf(f.text, sizeof f.text, "%" PRIu64 " s", seconds);
	else if (seconds < 7200)
		snprintf(f.text, sizeof f.text, "%" PRIu64 " min", seconds / 60);
	else
		snprintf(f.text, sizeof f.text, "%" PRIu64 " h %" PRIu64 " min", seconds / 3600,
		    seconds / 60 % 60);
	return f;
}

struct why_figure why_time(const struct gcs_stats *s)
{
	return in_words(s->wall_ns);
}

struct why_figure why_seconds(double seconds)
{
	return in_words(seconds > 0 && seconds < 1e9 ? (uint64_t)(seconds * 1e9) : 0);
}

struct why_figure why_watched(const struct why *w)
{
	return in_words(w->followed_ns > w->stats->wall_ns ? w->followed_ns : w->stats->wall_ns);
}

const char *why_info(const struct gcs_stats *s, const char *key)
{
	for (uint32_t i = 0; i < s->info_count; i++)
		if (strcmp(s->info[i].key, key) == 0)
			return s->info[i].value;
	return "";
}

char *why_site(char *text, size_t size, const struct gcs_sites *sites, const struct gcs_site *site)
{
	char line[1400];
	uint32_t stack = site->stack;
	export_own_frame(line, sizeof line, sites, site);
	const struct gcs_frame *f = gcs_sites_caller(sites, &stack);
	if (line[0] == '\0' && f != NULL)
		gcs_frame_line(line, sizeof line, f);
	snprintf(text, size, "%.120s at %.200s", export_label(sites, site),
	    line[0] == '\0' ? "no frame of Java" : line);
	return text;
}

void why_gaps(struct why *w)
{
	const struct gcs_stats *s = w->stats;
	const uint64_t events = s->missed + s->unreadable;
	if (s->lost_profiles != 0)
		why_not_seen(w,
		    "%s profiles of samples that are damaged: the figures are from others",
		    why_figure((double)s->lost_profiles, GCS_UNIT_NUMBER).text);
	if (events != 0 || s->gaps != 0 || s->restarts != 0)
		why_not_seen(w,
		    "%s events that were missed or damaged, %s gaps in what arrived, %s restarts",
		    why_figure((double)events, GCS_UNIT_NUMBER).text,
		    why_figure((double)s->gaps, GCS_UNIT_NUMBER).text,
		    why_figure((double)s->restarts, GCS_UNIT_NUMBER).text);
}

void why_humongous(struct why *w)
{
	const double share = gcs_stats_humongous_share(w->stats);
	char site[WHY_TEXT] = "";
	if (share < GCS_STATS_HUMONGOUS)
		return;
	struct gcs_sites *sites =
	    gcs_stats_humongous_sites(w->stats->allocated_since, w->arguments->libraries);
	const struct gcs_site *most = sites == NULL ? NULL : gcs_sites_at(sites, 0);
	if (most != NULL)
		why_site(site, sizeof site, sites, most);
	why_line(w, "Humongous",
	    "%s of the regions in use hold objects of half a region or more%s%.300s",
	    why_figure(share, GCS_UNIT_SHARE).text,
	    most == NULL ? "" : "; most allocated meanwhile, dead ones included: ", site);
	if (most == NULL)
		why_not_seen(w, "who allocates humongous objects (%.150s)",
		    w->stats->allocated_since != NULL ? "no sample of one in that time"
						      : w->stats->no_allocated_since.text);
	gcs_sites_free(sites);
}
