/* The table, and collapsed stacks. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "comparison.h"
#include "export_internal.h"
#include "live_profile.h"

/* JSON has whole stacks. */
enum { SHOWN_FRAMES = 12 };

/* Columns of the head. */
enum { COLUMNS = 100 };

static void put_frame(struct text *t, const struct gcs_frame *f)
{
	char line[1400];
	text_raw(t, "            ");
	text_line(t, gcs_frame_line(line, sizeof line, f));
	text_raw(t, "\n");
}

static void put_stack(struct text *t, const struct gcs_sites *sites, const struct gcs_site *site)
{
	uint32_t stack = site->stack;
	uint32_t count = 0;
	const struct gcs_frame *f;
	for (; (f = gcs_sites_caller(sites, &stack)) != NULL; count++)
		if (count < SHOWN_FRAMES)
			put_frame(t, f);
	if (count == 0)
		text_format(t, "            %s\n",
		    gcs_sites_by(sites) == GCS_SITES_BY_FRAME
			? gcs_profile_no_own_frame(gcs_sites_profile(sites))
			: "[no Java frames]");
	if (count > SHOWN_FRAMES)
		text_format(
		    t, "            and %u more callers\n", (unsigned)(count - SHOWN_FRAMES));
}

/* The class, and the frame to look at where the stack begins in a library. */
static void put_label(struct text *t, const struct gcs_sites *sites, const struct gcs_site *s)
{
	char own[1400];
	text_line(t, export_label(sites, s));
	if (export_own_frame(own, sizeof own, sites, s)[0] != '\0') {
		text_raw(t, "  from ");
		text_line(t, own);
	}
	text_raw(t, "\n");
}

static int age_width(const struct gcs_sites *sites)
{
	return gcs_profile_head(gcs_sites_profile(sites))->explicit_free ? 10 : 6;
}

/* In collections; without such, in bytes allocated meanwhile. */
static const char *put_age(
    char *text, size_t size, const struct gcs_sites *sites, const struct gcs_site *s)
{
	if (!gcs_profile_head(gcs_sites_profile(sites))->explicit_free)
		return export_mean(text, size, s->mean_age);
	return s->mean_lifetime < 0 ? "-" : text_size(text, size, s->mean_lifetime);
}

/* A column of totals. */
static bool shows_live(const struct gcs_sites *sites)
{
	const struct gcs_profile *profile = gcs_sites_profile(sites);
	return gcs_profile_head(profile)->kind == GCS_PROFILE_ALLOCATED &&
	       gcs_profile_knows_live(profile);
}

static void put_site(struct text *t, const struct gcs_sites *sites, uint32_t rank)
{
	const enum gcs_sites_by by = gcs_sites_by(sites);
	const struct gcs_site *s = gcs_sites_at(sites, rank);
	char bytes[32], error[32], share[32], objects[32], few[32], age[32], samples[32];
	text_format(t, "%5u  %10s %10s %7s %12s %10s %8s %*s  ", (unsigned)rank + 1,
	    text_size(bytes, sizeof bytes, s->bytes),
	    text_size(error, sizeof error, s->bytes_error),
	    export_share(share, sizeof share, s->bytes, gcs_sites_total(sites)->bytes),
	    text_count(objects, sizeof objects, s->objects),
	    text_count(few, sizeof few, s->objects_error),
	    text_count(samples, sizeof samples, (double)s->samples), age_width(sites),
	    put_age(age, sizeof age, sites, s));
	if (shows_live(sites))
		text_format(t, "%10s  ", text_size(bytes, sizeof bytes, s->live_bytes));
	if (gcs_sites_has_new(sites))
		text_format(t, "%10s  ", text_size(bytes, sizeof bytes, s->new_bytes));
	put_label(t, sites, s);
	if (by == GCS_SITES_BY_SITE || by == GCS_SITES_BY_FRAME)
		put_stack(t, sites, s);
	if (by == GCS_SITES_BY_SITE)
		text_format(t, "            [site %012" PRIx64 "]\n", gcs_site_number(sites, s));
}

static void put_head_line(struct text *t, const char *line)
{
	char row[COLUMNS + 1];
	while (*line != '\0') {
		size_t length = export_row(line, COLUMNS);
		memcpy(row, line, length);
		row[length] = '\0';
		text_line(t, row);
		text_raw(t, "\n");
		line += length;
		line += strspn(line, " ");
	}
}

static void put_columns(struct text *t, const struct gcs_sites *sites)
{
	static const char *const keys[] = {[GCS_SITES_BY_SITE] = "Class, call site",
	    [GCS_SITES_BY_CLASS] = "Class",
	    [GCS_SITES_BY_FRAME] = "Class, frame",
	    [GCS_SITES_BY_THREAD] = "Thread",
	    [GCS_SITES_BY_PACKAGE] = "Package"};
	/* The sign has two bytes and one column. */
	text_format(t, "\n%5s  %10s %11s %7s %12s %11s %8s %*s  ", "Rank", "Bytes", "\302\261",
	    "Share", "Objects", "\302\261", "Samples", age_width(sites),
	    gcs_profile_head(gcs_sites_profile(sites))->explicit_free ? "Lifetime" : "Age");
	if (shows_live(sites))
		text_format(t, "%10s  ", "Live");
	if (gcs_sites_has_new(sites))
		text_format(t, "%10s  ", "New");
	text_format(t, "%s\n", keys[gcs_sites_by(sites)]);
}

enum gcs_status export_text(const struct export *e)
{
	struct export_head head;
	export_head(e, &head);
	text_line(e->text, head.title);
	text_raw(e->text, "\n");
	for (uint32_t i = 0; i < head.count; i++)
		put_head_line(e->text, head.lines[i]);
	if (gcs_sites_count(e->sites) == 0) {
		text_raw(e->text, "\nNo samples.\n");
		return GCS_OK;
	}
	put_columns(e->text, e->sites);
	for (uint32_t i = 0; i < gcs_sites_count(e->sites); i++)
		put_site(e->text, e->sites, i);
	return GCS_OK;
}

/* As gcs_frame_text, but without a copy: there are many frames. */
static void put_folded_frame(struct text *t, const struct gcs_frame *f)
{
	char name[1024];
	if (f->kind != GCS_FRAME_JAVA || f->class_name[0] == '\0' || f->method[0] == '\0') {
		text_folded(t, gcs_frame_text(name, sizeof name, f));
		return;
	}
	text_folded(t, f->class_name);
	text_raw(t, ".");
	text_folded(t, f->method);
}

/* Writes the folded stack of a site, root first, with its class; returns its number of frames. */
static uint32_t put_folded_stack(
    struct text *t, const struct gcs_sites *sites, const struct gcs_site *site)
{
	enum { DEEPEST = 4096 };
	const struct gcs_frame *frames[DEEPEST];
	uint32_t stack = site->stack, count = 0;
	/* Deeper stacks, which no agent makes, lose their oldest callers. */
	while (count < DEEPEST && (frames[count] = gcs_sites_caller(sites, &stack)) != NULL)
		count++;
	for (uint32_t i = count; i-- != 0;) {
		put_folded_frame(t, frames[i]);
		text_raw(t, ";");
	}
	text_folded(t, export_label(sites, site));
	return count;
}

static void put_folded(const struct export *e, const struct gcs_site *s, double bytes)
{
	uint64_t weight = text_rounded(bytes);
	put_folded_stack(e->text, e->sites, s);
	text_format(e->text, " %llu\n", (unsigned long long)(weight == 0 ? 1 : weight));
}

enum gcs_status export_collapsed(const struct export *e)
{
	const bool live = gcs_profile_head(gcs_sites_profile(e->sites))->kind == GCS_PROFILE_LIVE;
	for (uint32_t i = 0; i < gcs_sites_count(e->sites); i++) {
		const struct gcs_site *s = gcs_sites_at(e->sites, i);
		if (s->bytes > 0 || s->new_bytes <= 0)
			put_folded(e, s, s->bytes);
		/* Below a root of their own, so that nothing adds them up. */
		if (live && s->new_bytes > 0) {
			text_raw(e->text, "[not_collected_yet];");
			put_folded(e, s, s->new_bytes);
		}
	}
	return GCS_OK;
}

/* "+12.5 MiB" */
static char *signed_size(char *buffer, size_t size, double bytes)
{
	char text[32];
	snprintf(buffer, size, "%s%s", bytes < 0 ? "-" : "+",
	    text_size(text, sizeof text, bytes < 0 ? -bytes : bytes));
	return buffer;
}

/* "+1.5 MiB/min", or "-" where the time is not known. */
static char *rate_text(char *buffer, size_t size, const struct gcs_comparison *c, double bytes)
{
	const double minutes = gcs_comparison_seconds(c) / 60;
	char text[32];
	if (minutes > 0)
		snprintf(buffer, size, "%s/min", signed_size(text, sizeof text, bytes / minutes));
	else
		snprintf(buffer, size, "-");
	return buffer;
}

static void put_change(struct text *t, const struct gcs_comparison *c, const struct gcs_change *one)
{
	const struct gcs_site *site = one->after == NULL ? one->before : one->after;
	const struct gcs_sites *in =
	    one->after == NULL ? gcs_comparison_before(c) : gcs_comparison_after(c);
	const enum gcs_sites_by by = gcs_sites_by(in);
	char change[32], error[32], rate[40], before[32], after[32];
	text_format(t, "%12s %10s %15s %10s %10s  ", signed_size(change, sizeof change, one->bytes),
	    text_size(error, sizeof error, one->bytes_error),
	    rate_text(rate, sizeof rate, c, one->bytes),
	    one->before == NULL ? "-" : text_size(before, sizeof before, one->before->bytes),
	    one->after == NULL ? "-" : text_size(after, sizeof after, one->after->bytes));
	put_label(t, in, site);
	if (by == GCS_SITES_BY_SITE || by == GCS_SITES_BY_FRAME)
		put_stack(t, in, site);
}

void comparison_text(struct text *t, const struct gcs_comparison *c, uint32_t top)
{
	const struct gcs_change *total = gcs_comparison_total(c);
	const struct gcs_profile_head *before =
	    gcs_profile_head(gcs_sites_profile(gcs_comparison_before(c)));
	const struct gcs_profile_head *after =
	    gcs_profile_head(gcs_sites_profile(gcs_comparison_after(c)));
	uint32_t count = gcs_comparison_count(c);
	char change[32], error[32], from[40], to[40], rate[40], least[40], most[40];
	text_format(t, "%s by %s, changes: ", gcs_profile_kind_title(after->kind),
	    export_keys[gcs_sites_by(gcs_comparison_after(c))]);
	text_line(t, after->server);
	text_format(t, "\nFrom %s to %s: ", text_time(from, sizeof from, before->wall_ns),
	    text_time(to, sizeof to, after->wall_ns));
	if (gcs_comparison_unknown(c)[0] != '\0') {
		text_raw(t, "not known: ");
		text_line(t, gcs_comparison_unknown(c));
		text_raw(t, "\n");
		return;
	}
	text_format(t, "%s \302\261 %s", signed_size(change, sizeof change, total->bytes),
	    text_size(error, sizeof error, total->bytes_error));
	const double minutes = gcs_comparison_seconds(c) / 60;
	if (minutes > 0)
		text_format(t, "\nA minute: %s (95 %%: %s to %s)",
		    signed_size(rate, sizeof rate, total->bytes / minutes),
		    signed_size(
			least, sizeof least, (total->bytes - 2 * total->bytes_error) / minutes),
		    signed_size(
			most, sizeof most, (total->bytes + 2 * total->bytes_error) / minutes));
	text_raw(t, "\nBytes are estimates from samples; \302\261 is the standard error of the "
		    "change\n");
	text_format(t, "\n%12s %11s %15s %10s %10s  %s\n", "Change", "\302\261", "Rate", "Before",
	    "After", "Class, call site");
	bool gap = false;
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_change *one = gcs_comparison_at(c, i);
		bool shown =
		    top == 0 || (one->bytes > 0 && i < top) || (one->bytes < 0 && count - i <= top);
		if (shown)
			put_change(t, c, one);
		else if (!gap)
			text_raw(t, "         ...\n");
		gap = gap || !shown;
	}
	if (count == 0)
		text_raw(t, "No samples.\n");
}

void comparison_collapsed(struct text *t, const struct gcs_comparison *c)
{
	for (uint32_t i = 0; i < gcs_comparison_count(c); i++) {
		const struct gcs_change *one = gcs_comparison_at(c, i);
		if (one->after != NULL)
			put_folded_stack(t, gcs_comparison_after(c), one->after);
		else
			put_folded_stack(t, gcs_comparison_before(c), one->before);
		text_format(t, " %llu %llu\n",
		    (unsigned long long)text_rounded(one->before == NULL ? 0 : one->before->bytes),
		    (unsigned long long)text_rounded(one->after == NULL ? 0 : one->after->bytes));
	}
}
