#include "sites_table.h"

#include "export_internal.h"
#include "live_profile.h"

/* Bars of the bytes by collections survived. */
static void put_spark(struct text *t, const struct gcs_site *s)
{
	enum { BAR = 7, HIGH = 16 };
	char size[32];
	double most = 0;
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
		most = s->survival[i] > most ? s->survival[i] : most;
	text_format(t, "<svg class=\"spark\" width=\"%u\" height=\"%d\"><title>",
	    GCS_SURVIVAL_BUCKETS * BAR, HIGH);
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
		text_format(t, "%s collections: %s\n", gcs_survival_text(i),
		    text_size(size, sizeof size, s->survival[i]));
	text_raw(t, "</title>");
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++) {
		double high = most > 0 ? s->survival[i] / most * HIGH : 0;
		high = high < 1 ? 1 : high;
		text_format(t, "<rect x=\"%u\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>", i * BAR,
		    HIGH - high, BAR - 1, high);
	}
	text_raw(t, "</svg>");
}

void sites_stack(struct text *t, const struct gcs_sites *sites, const struct gcs_site *s)
{
	uint32_t stack = s->stack;
	const struct gcs_frame *f = gcs_sites_caller(sites, &stack);
	char name[1024];
	if (f == NULL) {
		text_raw(t, "[no Java frames]");
		return;
	}
	text_raw(t, "<details><summary>");
	for (const char *end = "</summary><pre>"; f != NULL; end = "\n") {
		text_xml(t, gcs_frame_text(name, sizeof name, f));
		if (f->line != 0)
			text_format(t, ":%u", (unsigned)f->line);
		text_raw(t, end);
		f = gcs_sites_caller(sites, &stack);
	}
	text_raw(t, "</pre></details>");
	if (export_own_frame(name, sizeof name, sites, s)[0] != '\0') {
		text_raw(t, "from ");
		text_xml(t, name);
	}
}

static void put_number(struct text *t, double value, const char *words)
{
	text_format(t, "<td data-value=\"%.6g\">%s</td>", value, words);
}

static void put_row(struct text *t, const struct gcs_sites *sites, uint32_t rank)
{
	const struct gcs_site *s = gcs_sites_at(sites, rank);
	char words[32];
	double all = gcs_sites_total(sites)->bytes;
	put_number(t, rank + 1.0, text_count(words, sizeof words, rank + 1.0));
	text_raw(t, "<td class=\"words\">");
	text_xml(t, export_label(sites, s));
	text_raw(t, "</td><td class=\"words\">");
	sites_stack(t, sites, s);
	text_raw(t, "</td>");
	put_number(t, s->bytes, text_size(words, sizeof words, s->bytes));
	put_number(t, s->bytes_error, text_size(words, sizeof words, s->bytes_error));
	put_number(t, s->bytes, export_share(words, sizeof words, s->bytes, all));
	put_number(t, s->objects, text_count(words, sizeof words, s->objects));
	put_number(t, s->objects_error, text_count(words, sizeof words, s->objects_error));
	put_number(t, (double)s->samples, text_count(words, sizeof words, (double)s->samples));
	put_number(t, s->mean_age, export_mean(words, sizeof words, s->mean_age));
	put_number(t, s->mean_lifetime,
	    s->mean_lifetime < 0 ? "-" : text_size(words, sizeof words, s->mean_lifetime));
	const bool known = gcs_profile_knows_live(gcs_sites_profile(sites));
	put_number(t, known ? s->live_bytes : -1,
	    known ? text_size(words, sizeof words, s->live_bytes) : "-");
	if (gcs_sites_has_new(sites))
		put_number(t, s->new_bytes, text_size(words, sizeof words, s->new_bytes));
	text_format(t, "<td data-value=\"%.6g\">", s->mean_age);
	put_spark(t, s);
	text_raw(t, "</td></tr>\n");
}

void sites_table(struct text *t, const struct gcs_sites *sites, const char *id, uint32_t most)
{
	static const char *const heads[] = {"Bytes", "\302\261", "Share", "Objects", "\302\261",
	    "Samples", "Age", "Lifetime", "Live", "New", "Survival"};
	enum { NEW = 9 };
	uint32_t count = gcs_sites_count(sites);
	uint32_t shown = count < most ? count : most;
	if (shown < count)
		text_format(t, "<p>The largest %u of %u; JSON has all of them.</p>\n",
		    (unsigned)shown, (unsigned)count);
	text_format(t,
	    "<table class=\"sites\" id=\"%s\"><thead><tr><th>Rank</th><th "
	    "class=\"words\">Class</th>"
	    "<th class=\"words\">Call site</th>",
	    id);
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		if (i != NEW || gcs_sites_has_new(sites))
			text_format(t, "<th>%s</th>", heads[i]);
	text_raw(t, "</tr></thead>\n<tbody>\n");
	for (uint32_t i = 0; i < shown; i++) {
		text_raw(t, "<tr>");
		put_row(t, sites, i);
	}
	text_raw(t, "</tbody></table>\n");
}
