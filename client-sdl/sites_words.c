/* The call sites in words; declared in sites_view.h. */
#include <gcspy/format.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sites_view.h"
#include "utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define DOT      " \xc2\xb7 "

static int64_t whole(double value)
{
	return value < 9e18 ? (int64_t)(value + 0.5) : INT64_MAX;
}

char *sites_put_bytes(char *text, size_t size, double bytes)
{
	return gcs_format_number(text, size, whole(bytes), GCS_BYTES);
}

char *sites_put_count(char *text, size_t size, double count)
{
	/* Beyond that a count is a matter of belief, and fits no column. */
	if (count >= 1e12)
		snprintf(text, size, "%.2e", count);
	else
		gcs_format_number(text, size, whole(count), GCS_DECIMAL);
	return text;
}

char *sites_put_share(char *text, size_t size, double part, double all)
{
	double percent = all > 0 ? part / all * 100 : 0;
	if (percent > 0 && percent < 0.1)
		snprintf(text, size, "< 0.1 %%");
	else
		snprintf(text, size, "%.1f %%", percent);
	return text;
}

char *sites_put_name(char *text, size_t size, const char *name)
{
	size_t used = 0;
	while (*name != 0) {
		const char *start = name;
		uint32_t code = utf8_next(&name);
		size_t n = (size_t)(name - start);
		if (code < 32 || code == 127) {
			start = "?";
			n = 1;
		}
		if (used + n + sizeof ELLIPSIS > size) {
			snprintf(text + used, size - used, "%s", ELLIPSIS);
			return text;
		}
		memcpy(text + used, start, n);
		used += n;
	}
	text[used] = 0;
	return text;
}

/* Where the simple name begins: behind the last point of the package. What a hidden class has
 * behind a slash belongs to its name. */
static size_t simple_at(const char *name)
{
	size_t end = strcspn(name, "/");
	for (size_t i = end; i > 0; i--) {
		if (name[i - 1] == '.')
			return i;
	}
	return 0;
}

char *sites_put_simple(char *text, size_t size, const char *name)
{
	return sites_put_name(text, size, name + simple_at(name));
}

char *sites_put_package(char *text, size_t size, const char *name)
{
	char package[200];
	size_t n = simple_at(name);
	if (n > 0)
		n--;
	if (n >= sizeof package)
		n = sizeof package - 1;
	memcpy(package, name, n);
	package[n] = 0;
	return sites_put_name(text, size, package);
}

char *sites_put_frame(char *text, size_t size, const struct gcs_frame *frame)
{
	char name[240], method[240];
	bool bare = frame->kind != GCS_FRAME_JAVA && frame->kind != GCS_FRAME_NATIVE_METHOD;
	sites_put_simple(name, sizeof name, frame->class_name);
	sites_put_name(method, sizeof method, frame->method);
	if (bare || name[0] == 0 || method[0] == 0)
		snprintf(text, size, "%s", method[0] != 0 ? method : name);
	else
		snprintf(text, size, "%s.%s", name, method);
	return text;
}

char *sites_put_place(char *text, size_t size, const struct gcs_frame *frame)
{
	char file[200];
	const char *library = strrchr(frame->class_name, '/');
	sites_put_name(file, sizeof file, frame->file);
	text[0] = 0;
	switch (frame->kind) {
	case GCS_FRAME_NATIVE_METHOD:
		snprintf(text, size, "native method");
		break;
	case GCS_FRAME_NATIVE:
		sites_put_name(text, size, library != NULL ? library + 1 : frame->class_name);
		break;
	case GCS_FRAME_VM:
		snprintf(text, size, "in the JVM");
		break;
	case GCS_FRAME_NOTE:
	case GCS_FRAME_KIND_COUNT:
		break;
	case GCS_FRAME_JAVA:
		if (file[0] == 0)
			snprintf(text, size, "source not known");
		else if (frame->line == 0)
			snprintf(text, size, "%s", file);
		else
			snprintf(text, size, "%s:%" PRIu32, file, frame->line);
		break;
	}
	return text;
}

char *sites_put_time(char *text, size_t size, int64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / 1000000000);
	struct tm local;
	if (wall_ns <= 0 || localtime_r(&seconds, &local) == NULL ||
	    strftime(text, size, "%H:%M:%S", &local) == 0)
		snprintf(text, size, "-");
	return text;
}

static void add(char *text, size_t size, const char *more)
{
	size_t used = strlen(text);
	snprintf(text + used, size - used, "%s%s", used > 0 ? DOT : "", more);
}

void sites_where_words(const struct sites_view *view, char *text, size_t size)
{
	const char *where = view->where;
	static const char range[] = "range=";
	text[0] = 0;
	if (view->kind != GCS_PROFILE_LIVE || where[0] == 0)
		return;
	if (strncmp(where, range, sizeof range - 1) == 0) {
		where += sizeof range - 1;
		size_t first = strcspn(where, "-");
		snprintf(text, size, "in %.*s\xe2\x80\x93%s", (int)first, where,
		    where + first + (where[first] != 0));
	} else {
		snprintf(text, size, "in %s", where);
	}
}

void sites_head_words(const struct sites_view *view, const struct app *app, char *text, size_t size)
{
	const struct gcs_profile *profile = view->data[view->kind].profile;
	char a[128], b[64], line[400];
	text[0] = 0;
	if (profile == NULL)
		return;
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	sites_where_words(view, a, sizeof a);
	if (a[0] != 0) {
		snprintf(line, sizeof line, "Only what lies %s, Esc shows all", a);
		add(text, size, line);
	}
	if (sites_is_old(view, app))
		add(text, size, "Last data, not connected");
	else if (view->data[view->kind].status == GCS_STATE)
		add(text, size, "Last data, sampling is off, E turns it on");
	else if (view->data[view->kind].status != GCS_OK)
		add(text, size, "Last data, no answer since");
	if (h->as_of[0] != 0)
		add(text, size, sites_put_name(a, sizeof a, h->as_of));
	snprintf(line, sizeof line, "as of %s", sites_put_time(a, sizeof a, h->wall_ns));
	add(text, size, line);
	snprintf(line, sizeof line, "sampled every %s since %s",
	    sites_put_bytes(a, sizeof a, (double)h->interval),
	    sites_put_time(b, sizeof b, h->since_wall_ns));
	add(text, size, h->interval > 0 ? line : "sampling is off");
	snprintf(line, sizeof line, "%s samples", sites_put_count(a, sizeof a, (double)h->samples));
	add(text, size, line);
	if (view->kind == GCS_PROFILE_RECENT || view->kind == GCS_PROFILE_FREQUENT)
		snprintf(line, sizeof line, "%s of %s dead ones kept",
		    sites_put_count(a, sizeof a, gcs_profile_entry_count(profile)),
		    sites_put_count(b, sizeof b, (double)h->garbage_seen));
	else
		snprintf(line, sizeof line, "%s watched",
		    sites_put_count(a, sizeof a, (double)h->tracked));
	add(text, size, line);
}

void sites_loss_words(const struct sites_view *view, char *text, size_t size)
{
	const struct gcs_profile *profile = view->data[view->kind].profile;
	text[0] = 0;
	if (profile == NULL)
		return;
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	const struct {
		uint64_t count;
		const char *what;
	} losses[] = {
	    {h->dropped, "dropped (memory budget)"},
	    {h->lost, "lost (buffer full)"},
	    {h->elsewhere, "without their call site (no memory)"},
	};
	char number[64], line[160];
	for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
		if (losses[i].count == 0)
			continue;
		snprintf(line, sizeof line, "%s %s",
		    sites_put_count(number, sizeof number, (double)losses[i].count),
		    losses[i].what);
		add(text, size, line);
	}
}

void sites_match_words(const struct sites_view *view, char *text, size_t size)
{
	char count[64], share[64];
	text[0] = 0;
	if (view->filter.error[0] != 0) {
		snprintf(text, size, "%s", view->filter.error);
		return;
	}
	if (view->data[view->kind].profile == NULL)
		return;
	sites_put_count(count, sizeof count, view->sites.count);
	const char *sites = view->sites.count == 1 ? "site" : "sites";
	if (sites_filter_is_open(&view->filter))
		snprintf(text, size, "%s %s", count, sites);
	else
		snprintf(text, size, "%s %s" DOT "%s of the bytes", count, sites,
		    sites_put_share(share, sizeof share, view->sites.bytes, view->sites.all_bytes));
}
