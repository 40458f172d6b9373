/* Two traces, figure by figure: what each has, and by how much they differ. */

#include "operand.h"
#include "stats_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "arena.h"

/* A figure of one of the recordings. */
struct side {
	struct gcs_figure figure;
	unsigned of;   /* 0: before, 1: after */
	size_t number; /* in the order of coming; those of the first recording come first */
};

/* A figure in one or both of them; NULL: not in this one. */
struct pair {
	const struct side *sides[2];
	size_t section, number; /* the order in which pairs are written; sections are 0 at first */
};

struct figures {
	struct arena texts;
	struct side *sides;
	struct pair *pairs;
	size_t count, capacity, pair_count;
	unsigned reading; /* the recording that is being read */
	bool failed;
};

static const char *copy_of(struct figures *f, const char *text)
{
	const char *copy = arena_text(&f->texts, text, strlen(text));
	f->failed = f->failed || copy == NULL;
	return copy;
}

static bool take(void *context, const struct gcs_figure *figure)
{
	struct figures *f = context;
	if (f->count == f->capacity) {
		const size_t capacity = f->capacity == 0 ? 512 : f->capacity * 2;
		struct side *sides = gcs_realloc(f->sides, capacity * sizeof *sides);
		f->failed = sides == NULL;
		if (f->failed)
			return false;
		f->sides = sides;
		f->capacity = capacity;
	}
	struct side *side = &f->sides[f->count];
	*side = (struct side){.figure = *figure, .of = f->reading, .number = f->count++};
	side->figure.subject = copy_of(f, figure->subject);
	side->figure.why = copy_of(f, figure->why);
	return !f->failed;
}

static int by_key(const struct side *x, const struct side *y)
{
	int order = strcmp(x->figure.section, y->figure.section);
	if (order == 0)
		order = strcmp(x->figure.subject, y->figure.subject);
	return order != 0 ? order : strcmp(x->figure.name, y->figure.name);
}

static int by_key_and_number(const void *a, const void *b)
{
	const struct side *x = a, *y = b;
	const int order = by_key(x, y);
	return order != 0 ? order : (x->number < y->number ? -1 : x->number > y->number);
}

static int by_section(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Pairs the figures of one key: spaces that are listed several times are taken in their order. */
static void pair_up(struct figures *f, const struct side *first, const struct side *end)
{
	const struct side *after = first;
	while (after != end && after->of == 0)
		after++;
	for (const struct side *before = first, *middle = after;
	     before != middle || after != end;) {
		struct pair *pair = &f->pairs[f->pair_count++];
		*pair = (struct pair){.number = before != middle ? before->number : after->number};
		pair->sides[0] = before != middle ? before++ : NULL;
		pair->sides[1] = after != end ? after++ : NULL;
	}
}

static const struct gcs_figure *figure_of(const struct pair *p)
{
	return &p->sides[p->sides[0] == NULL]->figure;
}

/* Figures that only the second recording has join their section. */
static void order(struct figures *f)
{
	enum { MOST = 64 };
	const char *sections[MOST];
	size_t count = 0;
	qsort(f->pairs, f->pair_count, sizeof *f->pairs, by_section);
	for (size_t i = 0; i < f->pair_count; i++) {
		const char *section = figure_of(&f->pairs[i])->section;
		size_t rank = 0;
		while (rank < count && strcmp(sections[rank], section) != 0)
			rank++;
		if (rank == count && count < MOST)
			sections[count++] = section;
		f->pairs[i].section = rank;
	}
	qsort(f->pairs, f->pair_count, sizeof *f->pairs, by_section);
}

static bool gather(struct figures *f, const struct gcs_stats *before, const struct gcs_stats *after)
{
	gcs_stats_figures(before, take, f);
	f->reading = 1;
	if (!f->failed)
		gcs_stats_figures(after, take, f);
	f->pairs = f->failed ? NULL : gcs_alloc((f->count + 1) * sizeof *f->pairs);
	if (f->pairs == NULL)
		return false;
	qsort(f->sides, f->count, sizeof *f->sides, by_key_and_number);
	for (size_t i = 0, end; i < f->count; i = end) {
		for (end = i + 1; end < f->count && by_key(&f->sides[i], &f->sides[end]) == 0;)
			end++;
		pair_up(f, f->sides + i, f->sides + end);
	}
	order(f);
	return true;
}

static void figures_fini(struct figures *f)
{
	arena_fini(&f->texts);
	gcs_free(f->sides);
	gcs_free(f->pairs);
}

static bool is_known(const struct pair *p, unsigned side)
{
	return p->sides[side] != NULL && p->sides[side]->figure.known;
}

static double value_of(const struct pair *p, unsigned side)
{
	return p->sides[side]->figure.value;
}

static bool differs(const struct pair *p)
{
	if (!is_known(p, 0) || !is_known(p, 1))
		return is_known(p, 0) != is_known(p, 1);
	return value_of(p, 0) < value_of(p, 1) || value_of(p, 0) > value_of(p, 1);
}

/* What changed, and that over the size of what was there; NAN where that is nothing or not known.
 */
static double change_of(const struct pair *p, double *relative)
{
	*relative = NAN;
	if (!is_known(p, 0) || !is_known(p, 1))
		return NAN;
	const double change = value_of(p, 1) - value_of(p, 0), size = fabs(value_of(p, 0));
	if (size > 0)
		*relative = change / size;
	return change;
}

static void put_row(struct out *out, const struct pair *p)
{
	static const char *const words[2] = {"before", "after"};
	char text[64], cell[80] = "-", line[260];
	double relative;
	const double change = change_of(p, &relative);
	out_raw(out, "    ");
	out_padded(out, figure_of(p)->name, 26);
	for (unsigned side = 0; side < 2; side++)
		if (is_known(p, side))
			stats_cell(out, value_of(p, side), figure_of(p)->unit, 14);
		else
			stats_right(out, "-", 14);
	if (!isnan(change)) {
		gcs_format_figure(text, sizeof text, change, figure_of(p)->unit);
		snprintf(line, sizeof line, "%s%s", change > 0 ? "+" : "", text);
		stats_right(out, line, 14);
		if (!isnan(relative))
			snprintf(cell, sizeof cell, "%+.1f %%", relative * 100);
		stats_right(out, cell, 12);
	}
	out_raw(out, "\n");
	for (unsigned side = 0; side < 2; side++) {
		if (p->sides[side] == NULL || is_known(p, side))
			continue;
		snprintf(line, sizeof line, "%s: not known: %s", words[side],
		    p->sides[side]->figure.why);
		out_spaces(out, 6);
		out_wrapped(out, 6, 8, line);
	}
}

static void put_title(struct out *out, const char *section)
{
	const char first =
	    section[0] >= 'a' && section[0] <= 'z' ? (char)(section[0] - 'a' + 'A') : section[0];
	out_format(out, "\n%c%s\n", first, section + 1);
}

static void put_text(struct out *out, const struct figures *f)
{
	const struct gcs_figure *last = NULL;
	for (size_t i = 0; i < f->pair_count; i++) {
		const struct gcs_figure *one = figure_of(&f->pairs[i]);
		if (!differs(&f->pairs[i]))
			continue;
		if (last == NULL || strcmp(last->section, one->section) != 0) {
			put_title(out, one->section);
			last = NULL;
		}
		if (one->subject[0] != '\0' &&
		    (last == NULL || strcmp(last->subject, one->subject) != 0)) {
			out_raw(out, "  ");
			out_text(out, one->subject, out_width(out) - 2);
			out_raw(out, "\n");
		}
		put_row(out, &f->pairs[i]);
		last = one;
	}
}

static void put_json(struct json *json, const struct figures *f)
{
	static const char *const words[2] = {"before", "after"};
	static const char *const reasons[2] = {"before_not_recorded", "after_not_recorded"};
	json_array(json, "figures");
	for (size_t i = 0; i < f->pair_count; i++) {
		const struct pair *p = &f->pairs[i];
		double relative;
		json_object(json, NULL);
		json_text(json, "section", figure_of(p)->section);
		json_text(json, "subject", figure_of(p)->subject);
		json_text(json, "name", figure_of(p)->name);
		json_text(json, "unit", stats_unit_word(figure_of(p)->unit));
		for (unsigned side = 0; side < 2; side++) {
			json_number(json, words[side], is_known(p, side) ? value_of(p, side) : NAN);
			if (!is_known(p, side))
				json_text(json, reasons[side],
				    p->sides[side] != NULL ? p->sides[side]->figure.why
							   : "nothing of that name");
		}
		json_number(json, "change", change_of(p, &relative));
		json_number(json, "relative", relative);
		json_end(json);
	}
	json_end(json);
}

/* A list of call sites that changed, or why there is none. */
struct changes {
	const char *key, *title;
	const struct gcs_sites *before, *after;
	const struct gcs_stats_reason *why[2];
	struct gcs_comparison *comparison;
};

static void changes_text(struct out *out, const struct changes *c)
{
	out_format(out, "\n%s, by call site\n", c->title);
	if (c->comparison != NULL) {
		stats_changes_text(out, c->comparison, 0);
		return;
	}
	for (unsigned side = 0; side < 2; side++)
		if (c->why[side]->text[0] != '\0')
			out_format(out, "  %s: not known: %s\n", side == 0 ? "before" : "after",
			    c->why[side]->text);
}

static void changes_json(struct json *json, const struct changes *c)
{
	if (c->comparison != NULL) {
		stats_changes_json(json, c->key, c->comparison, 0);
		return;
	}
	json_object(json, c->key);
	json_text(
	    json, "not_recorded", c->why[0]->text[0] != '\0' ? c->why[0]->text : c->why[1]->text);
	json_end(json);
}

/* Most of what no collection has judged is garbage: with it, sums of live objects do not compare. */
static const struct gcs_stats_reason with_new = {
    "live includes what was allocated since the last collection: the recording does not tell it "
    "apart"};

static void leave_out_unjudged(const struct gcs_sites **sites, const struct gcs_stats_reason **why)
{
	const struct gcs_profile_head *h =
	    *sites == NULL ? NULL : gcs_profile_head(gcs_sites_profile(*sites));
	if (h == NULL || h->kind != GCS_PROFILE_LIVE || !h->live_includes_new)
		return;
	*sites = NULL;
	*why = &with_new;
}

static bool compare(struct changes *c)
{
	leave_out_unjudged(&c->before, &c->why[0]);
	leave_out_unjudged(&c->after, &c->why[1]);
	if (c->before != NULL && c->after != NULL)
		c->comparison = gcs_sites_compare(c->before, c->after, NULL);
	return c->before == NULL || c->after == NULL || c->comparison != NULL;
}

static void verdict_sites(
    struct out *out, const char *title, const struct changes *c, enum gcs_unit unit)
{
	diff_verdict_sites(out, title, c->comparison, unit,
	    c->why[0]->text[0] != '\0' ? c->why[0]->text : c->why[1]->text);
}

static void write_text(struct out *out, const struct cli_arguments *a, const struct figures *f,
    const struct changes lists[2], const struct gcs_stats *before, const struct gcs_stats *after)
{
	out_raw(out, "Before: ");
	out_text(out, a->address, out_width(out) - 8);
	out_raw(out, "\nAfter:  ");
	out_text(out, a->other, out_width(out) - 8);
	out_raw(out, "\n\n");
	diff_verdict(out, before, after);
	verdict_sites(out, "Live", &lists[0], GCS_UNIT_BYTES);
	verdict_sites(out, "Allocated", &lists[1], GCS_UNIT_BYTES_PER_SECOND);
	if (!a->all)
		return;
	out_format(out, "\n%30s%14s%14s%14s%12s\n", "", "Before", "After", "Change", "Relative");
	put_text(out, f);
	for (unsigned i = 0; i < 2; i++)
		changes_text(out, &lists[i]);
}

static void write_json(struct out *out, const struct cli_arguments *a, const struct figures *f,
    const struct changes lists[2])
{
	struct json json = {.text = &out->text};
	json_object(&json, NULL);
	json_integer(&json, "format", STATS_FORMAT);
	json_text(&json, "before", a->address);
	json_text(&json, "after", a->other);
	put_json(&json, f);
	json_object(&json, "call_sites");
	for (unsigned i = 0; i < 2; i++)
		changes_json(&json, &lists[i]);
	json_end(&json);
	json_end(&json);
	out_raw(out, "\n");
}

static int write_diff(const struct cli_arguments *a, struct out *out,
    const struct gcs_stats *before, const struct gcs_stats *after)
{
	struct figures figures = {.count = 0};
	struct changes lists[2] = {
	    {"live", "Live objects at the end", before->live, after->live,
		{&before->no_live, &after->no_live}, NULL},
	    {"allocated", "Allocated by the end", before->allocated, after->allocated,
		{&before->no_allocated, &after->no_allocated}, NULL},
	};
	int code = CLI_DONE;
	if (!gather(&figures, before, after) || !compare(&lists[0]) || !compare(&lists[1]))
		code = cli_fail("out of memory");
	else if (a->json)
		write_json(out, a, &figures, lists);
	else
		write_text(out, a, &figures, lists, before, after);
	gcs_comparison_free(lists[0].comparison);
	gcs_comparison_free(lists[1].comparison);
	figures_fini(&figures);
	return code;
}

int cmd_diff(const struct cli_arguments *a, struct out *out)
{
	int code = CLI_DONE;
	struct gcs_stats *before = stats_load(a, a->address, &code);
	struct gcs_stats *after = before == NULL ? NULL : stats_load(a, a->other, &code);
	if (after != NULL && !source_is_same_program(before->server, after->server))
		cli_warn("%s is of another program: \"%s\", not \"%s\"", a->other, after->server,
		    before->server);
	if (after != NULL)
		code = write_diff(a, out, before, after);
	gcs_stats_free(before);
	gcs_stats_free(after);
	return code;
}
