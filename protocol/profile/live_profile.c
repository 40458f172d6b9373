#include "live_profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

/* Below this share, name the command that counts the rest. */
#define LOW_COVER 0.75

bool gcs_profile_is_new(const struct gcs_profile *profile, const struct gcs_profile_entry *e)
{
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	return h->kind == GCS_PROFILE_LIVE && !h->live_includes_new && e->age == 0;
}

bool gcs_profile_knows_live(const struct gcs_profile *profile)
{
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	return h->kind != GCS_PROFILE_ALLOCATED || h->interval != 0 || h->tracked != 0 ||
	       h->explicit_free;
}

struct gcs_live_sum gcs_profile_live_sum(const struct gcs_profile *profile)
{
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	const double used = (double)h->used_bytes;
	struct gcs_live_sum sum = {.factor = 1, .exact_factor = 1};
	double exact = 0;
	for (uint32_t i = 0; i < gcs_profile_entry_count(profile); i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(profile, i);
		const bool live = h->kind == GCS_PROFILE_LIVE && !gcs_profile_is_new(profile, e);
		sum.bytes += live ? e->bytes : e->live_bytes;
		sum.bytes_error += live ? e->bytes_variance : 0;
		exact += live && !(e->bytes_variance > 0) ? e->bytes : 0;
	}
	sum.bytes_error = sqrt(sum.bytes_error);
	sum.reduced_bytes = sum.bytes;
	if (h->live_includes_new || h->used_bytes == 0 || sum.bytes <= used)
		return sum;
	sum.reduced_bytes = used;
	if (exact < used)
		sum.factor = (used - exact) / (sum.bytes - exact);
	else
		sum.factor = sum.exact_factor = used / sum.bytes;
	return sum;
}

/* "12:03:11", or with the date if it is not that of the profile. */
static char *clock_text(
    char *buffer, size_t size, const struct gcs_profile_head *h, int64_t wall_ns)
{
	enum { DATE = 11, CLOCK = 8 };
	char now[40], then[40];
	text_time(now, sizeof now, h->wall_ns);
	text_time(then, sizeof then, wall_ns);
	const bool today = strncmp(now, then, DATE) == 0 && then[0] != '\0';
	snprintf(buffer, size, "%.*s", today ? CLOCK : (int)sizeof then, then + (today ? DATE : 0));
	return buffer;
}

/* "young collection 41 at 12:03:11" */
static char *judge_text(
    char *buffer, size_t size, const struct gcs_profile_head *h, const struct gcs_profile_judge *j)
{
	char clock[40], kind[40];
	/* Agents of JVMs that do not tell which pause of a cycle it was. */
	if (strcmp(j->kind, "Pause") == 0) {
		snprintf(buffer, size, "six pauses or more until %s",
		    clock_text(clock, sizeof clock, h, j->wall_ns));
		return buffer;
	}
	snprintf(kind, sizeof kind, "%.30s%s", j->kind, j->kind[0] == '\0' ? "" : " ");
	if (kind[0] >= 'A' && kind[0] <= 'Z')
		kind[0] = (char)(kind[0] - 'A' + 'a');
	snprintf(buffer, size, "%scollection %" PRIu64 " at %s", kind, j->number,
	    clock_text(clock, sizeof clock, h, j->wall_ns));
	return buffer;
}

char *gcs_profile_judged_text(char *buffer, size_t size, const struct gcs_profile *profile)
{
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	char last[120], old[120];
	buffer[0] = '\0';
	if (h->kind != GCS_PROFILE_LIVE && h->kind != GCS_PROFILE_ALLOCATED)
		return buffer;
	if (!gcs_profile_knows_live(profile))
		snprintf(buffer, size,
		    "Live: not known, sampling is off, and objects are tracked only while it is "
		    "on");
	else if (h->explicit_free)
		snprintf(buffer, size, "Live: not freed at %s",
		    clock_text(last, sizeof last, h, h->wall_ns));
	else if (h->live_includes_new)
		snprintf(buffer, size,
		    "Live includes what was allocated since the last collection: this server does "
		    "not tell it apart");
	else if (h->judged.number == 0)
		snprintf(buffer, size,
		    "Live: nothing yet, no collection has judged a sample since sampling began");
	else if (h->judged_old.number == h->judged.number &&
		 h->judged_old.wall_ns == h->judged.wall_ns)
		snprintf(buffer, size, "Live: survived %s",
		    judge_text(last, sizeof last, h, &h->judged));
	else
		snprintf(buffer, size, "Live: survived %s; old objects %s%s",
		    judge_text(last, sizeof last, h, &h->judged),
		    h->judged_old.number == 0 ? "not judged since sampling began" : "judged by ",
		    h->judged_old.number == 0 ? ""
					      : judge_text(old, sizeof old, h, &h->judged_old));
	return buffer;
}

const char *gcs_profile_new_text(const struct gcs_profile *profile)
{
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	const bool unjudged = h->judged.number == 0
				  ? h->collections > 0
				  : strcmp(h->judged.kind, "Old relocate start") == 0;
	return unjudged ? "not judged yet" : "not collected yet";
}

bool gcs_profile_is_exact(const struct gcs_profile *profile)
{
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	return h->interval == 1 && h->explicit_free && h->lost == 0 && h->dropped == 0;
}

/* Of a native heap, whose samples are of what the program asked for. What else is not among them, `as_of` says. */
static const char *native_rest(const struct gcs_profile *profile, const struct gcs_live_sum *sum)
{
	const bool all = gcs_profile_head(profile)->as_of[0] == '\0';
	if (gcs_profile_is_exact(profile) && !(sum->bytes_error > 0))
		return all ? "; the rest is headers and rounding"
			   : "; the rest is headers, rounding and the blocks that were not sampled";
	return all ? "; the rest is headers, rounding and chance"
		   : "; the rest is headers, rounding, chance and what was not sampled";
}

char *gcs_profile_coverage_text(char *buffer, size_t size, const struct gcs_profile *profile)
{
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	const struct gcs_live_sum sum = gcs_profile_live_sum(profile);
	const double used = (double)h->used_bytes, share = used > 0 ? sum.bytes / used : 0;
	char live[32], error[32], all[32], since[40];
	buffer[0] = '\0';
	if (h->kind != GCS_PROFILE_LIVE || h->live_includes_new || h->used_bytes == 0)
		return buffer;
	text_size(live, sizeof live, sum.bytes);
	text_size(all, sizeof all, used);
	if (sum.factor < 1)
		snprintf(buffer, size,
		    "Samples say %s \302\261 %s, more than the %s used: figures of live objects "
		    "are "
		    "reduced to that",
		    live, text_size(error, sizeof error, sum.bytes_error), all);
	else if (h->explicit_free)
		snprintf(buffer, size, "Samples cover %s of %s used (%.0f %%)%s", live, all,
		    100 * share, share < 1 ? native_rest(profile, &sum) : "");
	else
		/* Where no collection came before it, sampling saw nearly all. */
		snprintf(buffer, size,
		    h->judged.number <= h->collections
			? "Samples cover %s of %s used (%.0f %%); the rest is what had not been "
			  "collected yet, was allocated before the sampling (since %s), or chance%s"
			: "Samples cover %s of %s used (%.0f %%); objects older than the sampling "
			  "(since %s) are not seen%s",
		    live, all, 100 * share, clock_text(since, sizeof since, h, h->since_wall_ns),
		    share >= LOW_COVER ? ""
		    : h->judged.number <= h->collections
			? "; gcspy histogram counts all"
			: "; gcspy histogram counts all, interval= at start samples from the "
			  "beginning");
	return buffer;
}

bool gcs_profiles_tell_growth(
    const struct gcs_profile *before, const struct gcs_profile *after, char *why, size_t size)
{
	const struct gcs_profile_head *b = gcs_profile_head(before), *a = gcs_profile_head(after);
	char judge[120];
	why[0] = '\0';
	if (b->kind != GCS_PROFILE_LIVE || b->live_includes_new || a->live_includes_new ||
	    a->explicit_free)
		return true;
	if (a->judged.number == 0 || b->judged.number == 0)
		snprintf(why, size, "no collection between: none had judged the %s profile",
		    b->judged.number == 0 ? "first" : "last");
	else if (a->judged.number == b->judged.number && a->judged.wall_ns == b->judged.wall_ns)
		snprintf(why, size, "no collection between: %s judged both",
		    judge_text(judge, sizeof judge, a, &a->judged));
	return why[0] == '\0';
}

static int64_t judged_at(const struct gcs_profile_head *h)
{
	return h->kind == GCS_PROFILE_LIVE && h->judged.number != 0 ? h->judged.wall_ns
								    : h->wall_ns;
}

double gcs_profiles_seconds(const struct gcs_profile *before, const struct gcs_profile *after)
{
	enum { NS_PER_SECOND = 1000000000 };
	const struct gcs_profile_head *b = gcs_profile_head(before), *a = gcs_profile_head(after);
	if (a->since_wall_ns != b->since_wall_ns)
		return 0;
	return ((double)judged_at(a) - (double)judged_at(b)) / NS_PER_SECOND;
}
