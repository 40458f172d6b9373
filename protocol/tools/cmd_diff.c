/* Two traces, figure by figure: what each has, and by how much they differ. */

#include "stats_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

/* A figure in one or both of the recordings. */
struct pair {
	const char *section, *name;
	char *subject;
	enum gcs_unit unit;
	bool in[2], known[2];
	double value[2];
	char *why[2];
	size_t number; /* in the order of coming */
	size_t section_rank;
};

struct pairs {
	struct pair *items;
	size_t count, capacity;
	struct pair **sorted; /* those of the first recording, to find them */
	size_t sorted_count;
	unsigned side; /* 0: the first one is being read */
	bool failed;
};

static int by_key(const struct pair *x, const struct pair *y)
{
	int order = strcmp(x->section, y->section);
	if (order == 0)
		order = strcmp(x->subject, y->subject);
	return order != 0 ? order : strcmp(x->name, y->name);
}

static int by_key_and_number(const void *a, const void *b)
{
	const struct pair *x = *(struct pair *const *)a, *y = *(struct pair *const *)b;
	const int order = by_key(x, y);
	return order != 0 ? order : (x->number < y->number ? -1 : x->number > y->number);
}

/* Where the figure stands in the first recording, NULL if it has none: spaces that are listed
 * several times are taken in their order. */
static struct pair *find(const struct pairs *p, const struct pair *wanted)
{
	size_t low = 0, high = p->sorted_count;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (by_key(p->sorted[middle], wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < p->sorted_count && by_key(p->sorted[low], wanted) == 0; low++)
		if (!p->sorted[low]->in[1])
			return p->sorted[low];
	return NULL;
}

static struct pair *append(struct pairs *p)
{
	if (p->count == p->capacity) {
		const size_t capacity = p->capacity == 0 ? 512 : p->capacity * 2;
		struct pair *items = gcs_realloc(p->items, capacity * sizeof *items);
		if (items == NULL)
			return NULL;
		p->items = items;
		p->capacity = capacity;
	}
	return &p->items[p->count];
}

static struct pair *place(struct pairs *p, const struct gcs_figure *f)
{
	const struct pair key = {
	    .section = f->section, .subject = (char *)f->subject, .name = f->name};
	struct pair *found = p->side == 0 ? NULL : find(p, &key);
	if (found != NULL)
		return found;
	found = append(p);
	char *subject = found == NULL ? NULL : gcs_strdup(f->subject);
	if (subject == NULL)
		return NULL;
	*found = (struct pair){.section = f->section,
	    .name = f->name,
	    .subject = subject,
	    .unit = f->unit,
	    .number = p->count++};
	return found;
}

static bool take(void *context, const struct gcs_figure *f)
{
	struct pairs *p = context;
	struct pair *pair = place(p, f);
	if (pair != NULL) {
		pair->in[p->side] = true;
		pair->known[p->side] = f->known;
		pair->value[p->side] = f->value;
		pair->why[p->side] = f->known ? NULL : gcs_strdup(f->why);
	}
	p->failed = pair == NULL || (!f->known && pair->why[p->side] == NULL);
	return !p->failed;
}

/* The array of the first recording's figures grows no more while `sorted` points into it. */
static bool sort_first(struct pairs *p, size_t more)
{
	struct pair *items = gcs_realloc(p->items, (p->count + more + 1) * sizeof *items);
	p->sorted = gcs_alloc((p->count + 1) * sizeof *p->sorted);
	if (items != NULL) {
		p->items = items;
		p->capacity = p->count + more + 1;
	}
	if (items == NULL || p->sorted == NULL)
		return false;
	for (size_t i = 0; i < p->count; i++)
		p->sorted[i] = &p->items[i];
	p->sorted_count = p->count;
	qsort(p->sorted, p->sorted_count, sizeof *p->sorted, by_key_and_number);
	return true;
}

static bool count_one(void *context, const struct gcs_figure *f)
{
	(void)f;
	++*(size_t *)context;
	return true;
}

static int by_section(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->section_rank != y->section_rank)
		return x->section_rank < y->section_rank ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Figures that only the second recording has join their section. */
static void order(struct pairs *p)
{
	enum { MOST = 64 };
	const char *sections[MOST];
	size_t count = 0;
	for (size_t i = 0; i < p->count; i++) {
		size_t rank = 0;
		while (rank < count && strcmp(sections[rank], p->items[i].section) != 0)
			rank++;
		if (rank == count && count < MOST)
			sections[count++] = p->items[i].section;
		p->items[i].section_rank = rank;
	}
	qsort(p->items, p->count, sizeof *p->items, by_section);
}

static bool gather(struct pairs *p, const struct gcs_stats *before, const struct gcs_stats *after)
{
	size_t more = 0;
	gcs_stats_figures(before, take, p);
	gcs_stats_figures(after, count_one, &more);
	if (p->failed || !sort_first(p, more))
		return false;
	p->side = 1;
	gcs_stats_figures(after, take, p);
	if (!p->failed)
		order(p);
	return !p->failed;
}

static void pairs_fini(struct pairs *p)
{
	for (size_t i = 0; i < p->count; i++) {
		gcs_free(p->items[i].subject);
		gcs_free(p->items[i].why[0]);
		gcs_free(p->items[i].why[1]);
	}
	gcs_free(p->items);
	gcs_free(p->sorted);
}

static bool differs(const struct pair *p)
{
	return p->known[0] != p->known[1] ||
	       (p->known[0] && (p->value[0] < p->value[1] || p->value[0] > p->value[1]));
}

static void put_side(struct out *out, const struct pair *p, unsigned side)
{
	if (p->known[side])
		stats_cell(out, p->value[side], p->unit, 14);
	else
		stats_right(out, "-", 14);
}

/* "+12.5 MiB", and how much of what was there. */
static void put_change(struct out *out, const struct pair *p)
{
	char text[64], cell[80];
	if (!p->known[0] || !p->known[1])
		return;
	const double change = p->value[1] - p->value[0];
	snprintf(cell, sizeof cell, "%s%s", change > 0 ? "+" : "",
	    gcs_format_figure(text, sizeof text, change, p->unit));
	stats_right(out, cell, 14);
	const double size = p->value[0] < 0 ? -p->value[0] : p->value[0];
	if (size > 0)
		snprintf(cell, sizeof cell, "%+.1f %%", change / size * 100);
	stats_right(out, size > 0 ? cell : "-", 12);
}

static void put_row(struct out *out, const struct pair *p)
{
	out_raw(out, "    ");
	out_padded(out, p->name, 26);
	put_side(out, p, 0);
	put_side(out, p, 1);
	put_change(out, p);
	out_raw(out, "\n");
	for (unsigned side = 0; side < 2; side++) {
		if (p->why[side] == NULL || p->why[side][0] == '\0' || p->known[side])
			continue;
		char line[260];
		snprintf(line, sizeof line, "%s: not recorded: %s", side == 0 ? "before" : "after",
		    p->why[side]);
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

static void put_text(struct out *out, const struct pairs *p)
{
	const struct pair *last = NULL;
	for (size_t i = 0; i < p->count; i++) {
		const struct pair *one = &p->items[i];
		if (!differs(one))
			continue;
		if (last == NULL || strcmp(last->section, one->section) != 0) {
			put_title(out, one->section);
			last = NULL;
		}
		if (one->subject[0] != '\0' &&
		    (last == NULL || strcmp(last->subject, one->subject) != 0)) {
			out_raw(out, "  ");
			out_text(out, one->subject, OUT_COLUMNS - 2);
			out_raw(out, "\n");
		}
		put_row(out, one);
		last = one;
	}
}

static void put_json_side(struct json *json, const struct pair *p, unsigned side)
{
	static const char *const words[2] = {"before", "after"};
	static const char *const reasons[2] = {"before_not_recorded", "after_not_recorded"};
	if (p->known[side])
		json_number(json, words[side], p->value[side]);
	else
		json_null(json, words[side]);
	if (!p->known[side])
		json_text(json, reasons[side],
		    p->why[side] != NULL ? p->why[side] : "nothing of that name");
}

static void put_json(struct json *json, const struct pairs *p)
{
	json_array(json, "figures");
	for (size_t i = 0; i < p->count; i++) {
		const struct pair *one = &p->items[i];
		const bool both = one->known[0] && one->known[1];
		json_object(json, NULL);
		json_text(json, "section", one->section);
		json_text(json, "subject", one->subject);
		json_text(json, "name", one->name);
		json_text(json, "unit", stats_unit_word(one->unit));
		put_json_side(json, one, 0);
		put_json_side(json, one, 1);
		if (both)
			json_number(json, "change", one->value[1] - one->value[0]);
		else
			json_null(json, "change");
		if (both && (one->value[0] > 0 || one->value[0] < 0))
			json_number(json, "relative",
			    (one->value[1] - one->value[0]) /
				(one->value[0] < 0 ? -one->value[0] : one->value[0]));
		else
			json_null(json, "relative");
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
			out_format(out, "  %s: not recorded: %s\n", side == 0 ? "before" : "after",
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

static bool compare(struct changes *c)
{
	if (c->before != NULL && c->after != NULL)
		c->comparison = gcs_sites_compare(c->before, c->after, NULL);
	return c->before == NULL || c->after == NULL || c->comparison != NULL;
}

static void write_text(struct out *out, const struct cli_arguments *a, const struct pairs *p,
    const struct changes lists[2])
{
	out_raw(out, "Before: ");
	out_text(out, a->address, OUT_COLUMNS - 8);
	out_raw(out, "\nAfter:  ");
	out_text(out, a->other, OUT_COLUMNS - 8);
	out_format(out, "\n\n%30s%14s%14s%14s%12s\n", "", "Before", "After", "Change", "Relative");
	put_text(out, p);
	for (unsigned i = 0; i < 2; i++)
		changes_text(out, &lists[i]);
}

static void write_json(struct out *out, const struct cli_arguments *a, const struct pairs *p,
    const struct changes lists[2])
{
	struct json json = {.text = &out->text};
	json_object(&json, NULL);
	json_integer(&json, "format", STATS_FORMAT);
	json_text(&json, "before", a->address);
	json_text(&json, "after", a->other);
	put_json(&json, p);
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
	struct pairs pairs = {0};
	struct changes lists[2] = {
	    {"live", "Live objects at the end", before->live, after->live,
		{&before->no_live, &after->no_live}, NULL},
	    {"allocated", "Allocated by the end", before->allocated, after->allocated,
		{&before->no_allocated, &after->no_allocated}, NULL},
	};
	int code = CLI_DONE;
	if (!gather(&pairs, before, after) || !compare(&lists[0]) || !compare(&lists[1]))
		code = cli_fail("out of memory");
	else if (a->json)
		write_json(out, a, &pairs, lists);
	else
		write_text(out, a, &pairs, lists);
	gcs_comparison_free(lists[0].comparison);
	gcs_comparison_free(lists[1].comparison);
	pairs_fini(&pairs);
	return code;
}

int cmd_diff(const struct cli_arguments *a, struct out *out)
{
	int code = CLI_DONE;
	struct gcs_stats *before = stats_load(a, a->address, &code);
	struct gcs_stats *after = before == NULL ? NULL : stats_load(a, a->other, &code);
	if (after != NULL)
		code = write_diff(a, out, before, after);
	gcs_stats_free(before);
	gcs_stats_free(after);
	return code;
}
