/* What the profile is, in words; declared in profiles.h. */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "sites_view.h"

#define DOT " \xc2\xb7 "

static void add(char *text, size_t size, const char *more)
{
	size_t used = strlen(text);
	snprintf(text + used, size - used, "%s%s", used > 0 ? DOT : "", more);
}

void profiles_where_text(const struct app *app, char *text, size_t size)
{
	const char *where = app->profiles.where;
	static const char range[] = "range=";
	text[0] = 0;
	if (app->profiles.kind != GCS_PROFILE_LIVE || where[0] == 0)
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

void profiles_head_text(const struct app *app, char *text, size_t size)
{
	const struct gcs_profile *profile = profiles_profile(app);
	char a[128], b[64], line[400];
	text[0] = 0;
	if (profile == NULL)
		return;
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	profiles_where_text(app, a, sizeof a);
	if (a[0] != 0) {
		snprintf(line, sizeof line, "Only objects %s; Esc shows all", a);
		add(text, size, line);
	}
	profiles_put_ages(app, a, sizeof a);
	if (a[0] != 0) {
		snprintf(line, sizeof line, "Only objects aged %s", a);
		add(text, size, line);
	}
	if (profiles_are_old(app))
		add(text, size, "Not connected, showing the last data");
	else if (app->profiles.data[app->profiles.kind].status == GCS_STATE)
		add(text, size, "Sampling is off (E turns it on), showing the last data");
	else if (app->profiles.data[app->profiles.kind].status != GCS_OK)
		add(text, size, "No response, showing the last data");
	if (app->profiles.live.text[0] != 0)
		add(text, size, app->profiles.live.text);
	else if (h->as_of[0] != 0)
		add(text, size, sites_put_name(a, sizeof a, h->as_of));
	snprintf(line, sizeof line, "as of %s", sites_put_time(a, sizeof a, h->wall_ns));
	add(text, size, line);
	snprintf(line, sizeof line, "sampled every %s since %s",
	    sites_put_bytes(a, sizeof a, (double)h->interval),
	    sites_put_time(b, sizeof b, h->since_wall_ns));
	add(text, size, h->interval > 0 ? line : "sampling is off");
	snprintf(line, sizeof line, "%s samples", sites_put_count(a, sizeof a, (double)h->samples));
	add(text, size, line);
	if (app->profiles.kind == GCS_PROFILE_RECENT || app->profiles.kind == GCS_PROFILE_FREQUENT)
		snprintf(line, sizeof line, "%s of %s dead samples kept",
		    sites_put_count(a, sizeof a, gcs_profile_entry_count(profile)),
		    sites_put_count(b, sizeof b, (double)h->garbage_seen));
	else
		snprintf(line, sizeof line, "%s tracked",
		    sites_put_count(a, sizeof a, (double)h->tracked));
	add(text, size, line);
}

void profiles_loss_text(const struct app *app, char *text, size_t size)
{
	const struct gcs_profile *profile = profiles_profile(app);
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
	    {h->elsewhere, "without call site (out of memory)"},
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

void profiles_change_text(const struct app *app, char *text, size_t size)
{
	const struct profiles *p = &app->profiles;
	char when[40], line[240];
	text[0] = 0;
	if (p->ends.asked.on) {
		snprintf(text, size, "%s",
		    p->ends.reading ? "Reading history \xe2\x80\xa6" : p->ends.message);
	} else if (profiles_before(app) != NULL) {
		const struct gcs_profile *base = shared_profile_get(p->base.profile);
		snprintf(text, size, "Compared with %s (as of %s); Esc ends", p->base.name,
		    sites_put_time(when, sizeof when, gcs_profile_head(base)->wall_ns));
	} else if (p->base.profile != NULL) {
		const struct gcs_profile *base = shared_profile_get(p->base.profile);
		snprintf(text, size, "Cannot compare: %s is a profile of kind %s", p->base.name,
		    gcs_profile_kind_word(gcs_profile_head(base)->kind));
	} else if (p->reading) {
		snprintf(text, size, "Reading the profile to compare with \xe2\x80\xa6");
	}
	if (profiles_before(app) == NULL)
		return;
	if (p->live.unknown[0] != 0)
		snprintf(line, sizeof line, "growth is not known: %s", p->live.unknown);
	else
		snprintf(line, sizeof line, "growth per minute, of survivors");
	if (p->live.unknown[0] != 0 || (profiles_are_rates(app) && p->kind == GCS_PROFILE_LIVE))
		add(text, size, line);
}

void profiles_copy_text(const struct app *app, const char *match, struct textbuf *out)
{
	char text[1200];
	profiles_change_text(app, text, sizeof text);
	if (text[0] != 0)
		textbuf_printf(out, "%s\n", text);
	profiles_head_text(app, text, sizeof text);
	if (text[0] != 0)
		textbuf_printf(out, "%s\n", text);
	profiles_loss_text(app, text, sizeof text);
	if (text[0] != 0)
		textbuf_printf(out, "%s\n", text);
	if (app->profiles.field.text[0] != 0)
		textbuf_printf(out, "filter\t%s\t%s\n", app->profiles.field.text, match);
}
