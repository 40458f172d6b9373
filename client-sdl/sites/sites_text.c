/* Names and figures of call sites as text; declared in sites_view.h. */
#include <gcspy/format.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sites_view.h"
#include "text.h"
#include "utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"

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
	/* A larger estimate means nothing, and fits no column. */
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

char *sites_put_change(char *text, size_t size, char *(*put)(char *, size_t, double), double change)
{
	char number[60];
	put(number, sizeof number, change < 0 ? -change : change);
	bool none = number[0] == '0' && (number[1] == 0 || number[1] == ' ');
	snprintf(text, size, "%s%s", none ? "" : change < 0 ? "\xe2\x80\x93" : "+", number);
	return text;
}

char *sites_put_value(char *text, size_t size, bool change, char *(*put)(char *, size_t, double),
    double value, double before)
{
	return change ? sites_put_change(text, size, put, value - before) : put(text, size, value);
}

char *sites_put_growth(char *text, size_t size, double now, double before)
{
	double percent = before > 0 ? (now - before) / before * 100 : 0;
	if (before <= 0)
		snprintf(text, size, now > 0 ? "new" : "-");
	else if (now <= 0)
		snprintf(text, size, "gone");
	else if (percent > 9999)
		snprintf(text, size, "> +9999 %%");
	else if (percent < 0.05 && percent > -0.05)
		snprintf(text, size, "0.0 %%");
	else
		snprintf(
		    text, size, "%s%.1f %%", percent < 0 ? "\xe2\x80\x93" : "+", fabs(percent));
	return text;
}

char *sites_put_name(char *text, size_t size, const char *name)
{
	size_t used = 0;
	while (*name != 0) {
		const char *start = name;
		uint32_t code = utf8_next(&name);
		size_t n = (size_t)(name - start);
		if (text_is_hidden(code) && code != 0xfffd) {
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

/* Where the simple name begins: after the last dot of the package. The suffix of a hidden class,
 * after a slash, belongs to its name. */
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

const char *sites_own_title(const struct profiles_libraries *libraries)
{
	return libraries->prefix[0] == NULL ? "Outside the JDK" : "Outside libraries";
}

void sites_put_title(char *text, size_t size, const struct gcs_sites *sites,
    const struct gcs_site *site, const char *between)
{
	char class_name[128], frame[160] = "";
	const struct gcs_frame *top = sites_top(sites, site);
	sites_put_simple(class_name, sizeof class_name, site->class_name);
	if (top != NULL)
		sites_put_frame(frame, sizeof frame, top);
	snprintf(text, size, "%s%s%s", class_name, frame[0] != 0 ? between : "", frame);
}

char *sites_put_own(
    char *text, size_t size, const struct gcs_sites *sites, const struct gcs_site *site)
{
	const struct gcs_frame *own = gcs_sites_own_frame(sites, site);
	char frame[300], place[200];
	text[0] = 0;
	if (own != NULL)
		snprintf(text, size, "%s  %s", sites_put_frame(frame, sizeof frame, own),
		    sites_put_place(place, sizeof place, own));
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
			snprintf(text, size, "unknown source");
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

void sites_match_text(const struct sites_view *view, const struct app *app, char *text, size_t size)
{
	const struct sites_filter *filter = &app->profiles.filter;
	char count[64], share[64];
	text[0] = 0;
	if (filter->error[0] != 0) {
		snprintf(text, size, "%s", filter->error);
		return;
	}
	if (view->now.all == NULL || view->now.shown == NULL)
		return;
	sites_put_count(count, sizeof count, view->rows);
	const char *name = sites_group_name(view->by);
	const char *plural = view->rows == 1 ? "" : view->by == GCS_SITES_BY_CLASS ? "es" : "s";
	if (sites_filter_is_open(filter))
		snprintf(text, size, "%s %s%s", count, name, plural);
	else
		snprintf(text, size, "%s %s%s \xc2\xb7 %s of bytes", count, name, plural,
		    sites_put_share(share, sizeof share, gcs_sites_total(view->now.shown)->bytes,
			gcs_sites_total(view->now.all)->bytes));
}
