/* The description of the shown profile; declared in profiles.h. */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "live_profile.h"
#include "sites_view.h"

static void add(char *text, size_t size, const char *clause)
{
	if (*clause != 0)
		append_clause(text, size, "%s", clause);
}

const char *profiles_where(const struct app *app)
{
	const struct profiles *p = &app->profiles;
	return p->kind == GCS_PROFILE_LIVE && p->ends.to == NULL ? p->where : "";
}

void profiles_where_text(const struct app *app, char *text, size_t size)
{
	const char *where = profiles_where(app);
	static const char range[] = "range=";
	text[0] = 0;
	if (where[0] == 0)
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

/* Why the data is not current; "" if it is. */
static const char *age_text(const struct app *app)
{
	const struct gcs_profile *profile = profiles_profile(app);
	if (profiles_are_old(app))
		return "Not connected, showing the last data";
	if (profile != NULL && gcs_profile_head(profile)->interval == 0)
		return "Sampling is off: nothing after it was turned off is counted";
	if (app->profiles.data[app->profiles.kind].status != GCS_OK)
		return "No response, showing the last data";
	return "";
}

/* Which of the objects are shown; "" for all. */
static void selection_text(const struct app *app, char *text, size_t size)
{
	char where[128], ages[64];
	profiles_where_text(app, where, sizeof where);
	profiles_put_ages(app, ages, sizeof ages);
	text[0] = 0;
	if (where[0] != 0 || ages[0] != 0)
		snprintf(text, size, "Only objects %s%s%s%s", where,
		    where[0] != 0 ? "; Esc shows all" : "",
		    ages[0] == 0    ? ""
		    : where[0] != 0 ? "; only those aged "
				    : "aged ",
		    ages);
}

void profiles_head_text(const struct app *app, char *text, size_t size, bool *warn)
{
	const struct gcs_profile *profile = profiles_profile(app);
	char line[400];
	text[0] = 0;
	*warn = false;
	profiles_change_text(app, line, sizeof line);
	add(text, size, line);
	if (profile == NULL)
		return;
	*warn = age_text(app)[0] != 0;
	add(text, size, age_text(app));
	selection_text(app, line, sizeof line);
	add(text, size, line);
	if (app->profiles.live.judged[0] != 0 && app->profiles.kind == GCS_PROFILE_LIVE)
		add(text, size, app->profiles.live.judged);
	else
		add(text, size,
		    sites_put_name(line, sizeof line, gcs_profile_head(profile)->as_of));
}

static void put_sampled(const struct gcs_profile_head *h, char *text, size_t size)
{
	char a[64], b[64];
	snprintf(text, size, "off");
	if (h->interval > 0)
		snprintf(text, size, "every %s since %s",
		    sites_put_bytes(a, sizeof a, (double)h->interval),
		    sites_put_time(b, sizeof b, h->since_wall_ns));
}

void profiles_cover_text(const struct app *app, char *text, size_t size)
{
	const struct gcs_profile *profile = profiles_profile(app);
	char a[64], line[400];
	text[0] = 0;
	if (profile == NULL)
		return;
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	const char *cover = app->profiles.live.cover;
	snprintf(line, sizeof line, "%.*s", (int)strcspn(cover, ";:"), cover);
	add(text, size, line);
	snprintf(line, sizeof line, "%s samples", sites_put_count(a, sizeof a, (double)h->samples));
	add(text, size, line);
	put_sampled(h, line, sizeof line);
	append_clause(text, size, h->interval > 0 ? "sampled %s" : "sampling is %s", line);
}

void profiles_loss_text(const struct app *app, char *text, size_t size)
{
	const struct gcs_profile *profile = profiles_profile(app);
	char number[64];
	text[0] = 0;
	if (profile == NULL)
		return;
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	const double lost = (double)h->dropped + (double)h->lost + (double)h->elsewhere;
	if (lost > 0)
		snprintf(
		    text, size, "%s samples missing", sites_put_count(number, sizeof number, lost));
}

static void put_fact(struct textbuf *out, const char *name, const char *value)
{
	if (*value != 0)
		textbuf_printf(out, "%s\t%s\n", name, value);
}

/* A clause a line: the text is too long for a tooltip. */
static void put_clauses(struct textbuf *out, const char *name, const char *value)
{
	for (const char *end; (end = strstr(value, "; ")) != NULL; value = end + 2, name = "")
		textbuf_printf(out, "%s\t%.*s\n", name, (int)(end - value), value);
	put_fact(out, name, value);
}

static void put_count(struct textbuf *out, const char *name, uint64_t count, const char *what)
{
	char number[64];
	if (count != 0 || *what == 0)
		textbuf_printf(out, "%s\t%s%s\n", name,
		    sites_put_count(number, sizeof number, (double)count), what);
}

void profiles_facts(const struct app *app, struct textbuf *out)
{
	const struct gcs_profile *profile = profiles_profile(app);
	const struct profiles_live *live = &app->profiles.live;
	char text[400], number[64];
	profiles_change_text(app, text, sizeof text);
	put_fact(out, "Comparison", text);
	if (profile == NULL)
		return;
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	const bool dead = h->kind == GCS_PROFILE_RECENT || h->kind == GCS_PROFILE_FREQUENT;
	put_fact(out, "State", age_text(app));
	selection_text(app, text, sizeof text);
	put_fact(out, "Selection", text);
	put_fact(out, "Live", live->judged + (strncmp(live->judged, "Live: ", 6) == 0 ? 6 : 0));
	put_fact(out, "Taken", h->as_of);
	put_clauses(out, "Coverage", live->cover);
	if (live->new_bytes[0] != '\0')
		textbuf_printf(out, "New\t%s %s\n", live->new_bytes, gcs_profile_new_text(profile));
	put_fact(out, "As of", sites_put_time(text, sizeof text, h->wall_ns));
	put_sampled(h, text, sizeof text);
	put_fact(out, "Sampling", text);
	put_count(out, "Samples", h->samples, "");
	if (dead)
		textbuf_printf(out, "Kept\t%s of %s dead samples\n",
		    sites_put_count(text, sizeof text, gcs_profile_entry_count(profile)),
		    sites_put_count(number, sizeof number, (double)h->garbage_seen));
	else
		put_count(out, "Tracked", h->tracked, "");
	put_count(out, "Missing", h->dropped, " dropped (memory budget)");
	put_count(out, "Missing", h->lost, " lost (buffer full)");
	put_count(out, "Missing", h->elsewhere, " without call site (out of memory)");
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
	profiles_facts(app, out);
	if (app->profiles.field.text[0] != 0)
		textbuf_printf(out, "filter\t%s\t%s\n", app->profiles.field.text, match);
}
