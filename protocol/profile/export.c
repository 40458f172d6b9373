#include "export_internal.h"

#include <stdio.h>
#include <string.h>

#include "live_profile.h"

static const struct {
	const char *word;
	const char *suffixes; /* apart by spaces */
} formats[GCS_EXPORT_FORMAT_COUNT] = {
#define X(id, word, suffixes) {word, suffixes},
    GCS_EXPORT_FORMATS(X)
#undef X
};

static enum gcs_status (*const writers[GCS_EXPORT_FORMAT_COUNT])(const struct export *e) = {
    [GCS_EXPORT_TEXT] = export_text,
    [GCS_EXPORT_COLLAPSED] = export_collapsed,
    [GCS_EXPORT_SVG] = export_svg,
    [GCS_EXPORT_HTML] = export_html,
    [GCS_EXPORT_PPROF] = export_pprof,
    [GCS_EXPORT_JSON] = export_json,
    [GCS_EXPORT_GCSPY] = export_gcspy,
};

const char *gcs_export_word(enum gcs_export_format format)
{
	return (unsigned)format < GCS_EXPORT_FORMAT_COUNT ? formats[format].word : "?";
}

static bool has_suffix(const char *path, const char *suffixes)
{
	size_t length = strlen(path);
	while (*suffixes != '\0') {
		size_t n = strcspn(suffixes, " ");
		if (length > n && strncmp(path + length - n, suffixes, n) == 0)
			return true;
		suffixes += n;
		suffixes += strspn(suffixes, " ");
	}
	return false;
}

bool gcs_export_guess(const char *path, enum gcs_export_format *format)
{
	for (unsigned i = 0; i < GCS_EXPORT_FORMAT_COUNT; i++) {
		if (!has_suffix(path, formats[i].suffixes))
			continue;
		*format = (enum gcs_export_format)i;
		return true;
	}
	return false;
}

enum gcs_status gcs_sites_export(const struct gcs_sites *sites, enum gcs_export_format format,
    const struct gcs_export_options *options, const struct gcs_sink *sink, struct gcs_error *err)
{
	struct text text;
	struct export e = {.sites = sites, .text = &text, .err = err};
	if ((unsigned)format >= GCS_EXPORT_FORMAT_COUNT)
		return gcs_fail(err, GCS_ARGUMENT, "unknown export format");
	if (options != NULL)
		e.options = *options;
	if (e.options.selection == NULL)
		e.options.selection = "";
	text_begin(&text, sink);
	enum gcs_status status = writers[format](&e);
	return status == GCS_OK ? text_end(&text, err) : status;
}

size_t export_row(const char *line, size_t most)
{
	size_t length = strlen(line);
	if (length <= most)
		return length;
	for (size_t i = most; i > most / 2; i--)
		if (line[i] == ' ')
			return i;
	/* Not within a UTF-8 character. */
	size_t cut = most;
	while (cut > 1 && ((unsigned char)line[cut] & 0xc0) == 0x80)
		cut--;
	return cut;
}

const char *export_label(const struct gcs_sites *sites, const struct gcs_site *site)
{
	return gcs_sites_by(sites) == GCS_SITES_BY_THREAD ? site->thread : site->class_name;
}

char *export_own_frame(
    char *buffer, size_t size, const struct gcs_sites *sites, const struct gcs_site *site)
{
	uint32_t stack = site->stack;
	const struct gcs_frame *own = gcs_sites_own_frame(sites, site);
	buffer[0] = '\0';
	if (own != NULL && own != gcs_sites_caller(sites, &stack))
		gcs_frame_line(buffer, size, own);
	return buffer;
}

char *export_mean(char *buffer, size_t size, double mean)
{
	if (mean < 0)
		snprintf(buffer, size, "-");
	else
		snprintf(buffer, size, mean < 1000 ? "%.1f" : "%.0f", mean);
	return buffer;
}

char *export_share(char *buffer, size_t size, double part, double whole)
{
	double percent = whole > 0 ? 100 * part / whole : 0;
	snprintf(buffer, size, percent < 9.95 ? "%.1f %%" : "%.0f %%", percent);
	return buffer;
}

/* What is missing, in words, or "" for nothing. */
static void say_missing(char *line, const struct gcs_profile_head *h)
{
	char a[32], b[32], c[32];
	size_t used = 0;
	line[0] = '\0';
	if (h->dropped != 0)
		used += (size_t)snprintf(line, EXPORT_HEAD_TEXT,
		    "%s samples are not tracked, as room is limited; the others stand for them. ",
		    text_count(a, sizeof a, (double)h->dropped));
	if (h->lost != 0)
		used += (size_t)snprintf(line + used, EXPORT_HEAD_TEXT - used,
		    "%s samples were lost before they were recorded: sites are low by that "
		    "share. ",
		    text_count(b, sizeof b, (double)h->lost));
	if (h->elsewhere != 0)
		snprintf(line + used, EXPORT_HEAD_TEXT - used,
		    "%s samples have no call site for lack of memory.",
		    text_count(c, sizeof c, (double)h->elsewhere));
}

static void say_samples(char *line, const struct gcs_profile_head *h)
{
	char interval[32], samples[32], bytes[32], since[40];
	snprintf(line, EXPORT_HEAD_TEXT, "Interval %s; %s samples of about %s allocated%s%s",
	    h->interval == 0 ? "off" : text_size(interval, sizeof interval, (double)h->interval),
	    text_count(samples, sizeof samples, (double)h->samples),
	    text_size(bytes, sizeof bytes, h->allocated_bytes),
	    h->since_wall_ns == 0 ? "" : " since ",
	    text_time(since, sizeof since, h->since_wall_ns));
}

/* Sampling that begins within a cycle sees its end find deaths before the first whole collection. */
static const char *say_died(char *text, size_t size, const struct gcs_profile_head *h)
{
	char died[32], collections[32];
	text_count(died, sizeof died, (double)h->died);
	if (h->explicit_free)
		snprintf(text, size, "%s freed", died);
	else if (h->collections == 0)
		snprintf(text, size, "%s died, no whole collection yet", died);
	else
		snprintf(text, size, "%s died in %s collection%s", died,
		    text_count(collections, sizeof collections, (double)h->collections),
		    h->collections == 1 ? "" : "s");
	return text;
}

static void say_tracked(char *line, const struct gcs_profile *profile)
{
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	const bool known = gcs_profile_knows_live(profile);
	char tracked[32], died[80], dropped[32], lost[32], elsewhere[32];
	snprintf(line, EXPORT_HEAD_TEXT,
	    "Samples: %s tracked%s, %s%s, %s dropped, %s lost, %s without call site",
	    known ? text_count(tracked, sizeof tracked, (double)h->tracked) : "none",
	    known ? "" : " any more", say_died(died, sizeof died, h), known ? "" : " before",
	    text_count(dropped, sizeof dropped, (double)h->dropped),
	    text_count(lost, sizeof lost, (double)h->lost),
	    text_count(elsewhere, sizeof elsewhere, (double)h->elsewhere));
}

const char *const export_keys[] = {"call site", "class", "frame", "thread", "package"};

static bool is_exact(const struct export *e)
{
	const struct gcs_site *total = gcs_sites_total(e->sites);
	return gcs_profile_is_exact(gcs_sites_profile(e->sites)) && total->bytes > 0 &&
	       total->bytes_error == 0;
}

/* The selection and its totals. */
static void say_selected(char *line, const struct export *e)
{
	const struct gcs_site *total = gcs_sites_total(e->sites);
	const char *selection = e->options.selection;
	uint32_t shown = gcs_sites_count(e->sites), all = shown + gcs_sites_omitted(e->sites);
	const char *key = export_keys[gcs_sites_by(e->sites)];
	char bytes[32], error[32], objects[32], sites[32], of[48] = "", count[32];
	if (shown != all)
		snprintf(of, sizeof of, "the largest %s of ",
		    text_count(count, sizeof count, (double)shown));
	char of_error[48] = "";
	if (!is_exact(e))
		snprintf(of_error, sizeof of_error, " \302\261 %s",
		    text_size(error, sizeof error, total->bytes_error));
	snprintf(line, EXPORT_HEAD_TEXT, "%s%s%s%s%s in %s%s object%s, %s%s %s%s",
	    selection[0] == '\0' ? "" : "Selected by ", selection, selection[0] == '\0' ? "" : ": ",
	    text_size(bytes, sizeof bytes, total->bytes), of_error, is_exact(e) ? "" : "about ",
	    text_count(objects, sizeof objects, total->objects),
	    is_exact(e) && total->objects == 1 ? "" : "s", of,
	    text_count(sites, sizeof sites, (double)all), key,
	    all == 1                         ? ""
	    : key[0] == 'c' && key[1] == 'l' ? "es"
					     : "s");
}

/* Apart from the totals of live objects, to which new ones are never added. */
static void say_new(char *line, const struct export *e)
{
	const struct gcs_site *total = gcs_sites_total(e->sites);
	const bool totals =
	    gcs_profile_head(gcs_sites_profile(e->sites))->kind == GCS_PROFILE_ALLOCATED;
	char live[32], bytes[32], error[40] = "", objects[32], size[32];
	if (total->new_bytes_error >= 0)
		snprintf(error, sizeof error, " \302\261 %s",
		    text_size(size, sizeof size, total->new_bytes_error));
	snprintf(line, EXPORT_HEAD_TEXT, "%s%s%s%s%s %s (new), in about %s object%s",
	    totals ? "Of that " : "", totals ? text_size(live, sizeof live, total->live_bytes) : "",
	    totals ? " are live, and " : "Also ", text_size(bytes, sizeof bytes, total->new_bytes),
	    error, gcs_profile_new_text(gcs_sites_profile(e->sites)),
	    text_count(objects, sizeof objects, total->new_objects),
	    strcmp(objects, "1") == 0 ? "" : "s");
}

void export_head(const struct export *e, struct export_head *head)
{
	const struct gcs_profile *profile = gcs_sites_profile(e->sites);
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	char time[40];
	text_time(time, sizeof time, h->wall_ns);
	snprintf(head->title, EXPORT_HEAD_TEXT, "%s by %s: %.400s", gcs_profile_kind_title(h->kind),
	    export_keys[gcs_sites_by(e->sites)], h->server);
	head->count = 0;
	snprintf(head->lines[head->count++], EXPORT_HEAD_TEXT, "%s%s%.400s", time,
	    time[0] != '\0' && h->as_of[0] != '\0' ? ": " : "", h->as_of);
	gcs_profile_judged_text(head->lines[head->count], EXPORT_HEAD_TEXT, profile);
	head->count += head->lines[head->count][0] != '\0';
	say_selected(head->lines[head->count++], e);
	if (gcs_sites_has_new(e->sites))
		say_new(head->lines[head->count++], e);
	if (!e->options.of_a_place)
		gcs_profile_coverage_text(head->lines[head->count], EXPORT_HEAD_TEXT, profile);
	head->count += !e->options.of_a_place && head->lines[head->count][0] != '\0';
	say_samples(head->lines[head->count++], h);
	say_tracked(head->lines[head->count++], profile);
	say_missing(head->lines[head->count], h);
	head->count += head->lines[head->count][0] != '\0';
	snprintf(head->lines[head->count++], EXPORT_HEAD_TEXT,
	    is_exact(e) && h->as_of[0] != '\0'
		? "Every one of these allocations was sampled: bytes and objects are exact"
	    : is_exact(e)
		? "Every allocation was sampled: bytes and objects are exact"
		: "Bytes and objects are estimates from samples; \302\261 is their standard "
		  "error");
}
