/* Names, figures and searches of call trees; declared in calltree_view.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "calltree_view.h"
#include "flame_graph.h"
#include "layout.h"
#include "sites_view.h"

char *calltree_put_name(char *text, size_t size, const struct gcs_node *node)
{
	return sites_put_name(text, size, node->name[0] != 0 ? node->name : "?");
}

char *calltree_put_short(char *text, size_t size, const struct gcs_node *node)
{
	const char *name = flame_short_name(node);
	return sites_put_name(text, size, name[0] != 0 ? name : "?");
}

/* The method of a Java frame without its class; the name of another frame without packages. */
static const char *bare(const struct gcs_node *node)
{
	const char *dot = strrchr(node->name, '.');
	bool has = node->kind == GCS_NODE_JAVA && dot != NULL && dot[1] != 0;
	return has ? dot + 1 : flame_short_name(node);
}

char *calltree_put_as(
    char *text, size_t size, const struct gcs_node *node, enum calltree_naming naming)
{
	if (naming == CALLTREE_WHOLE)
		return calltree_put_name(text, size, node);
	if (naming == CALLTREE_SHORT)
		return calltree_put_short(text, size, node);
	return sites_put_name(text, size, bare(node));
}

static bool is_name(const struct gcs_node *node, const char *name)
{
	return strcmp(node->name, name) == 0 || strcmp(flame_short_name(node), name) == 0;
}

uint32_t calltree_find_name(const struct calltree_part *part, const char *name)
{
	uint32_t found = GCS_NONE;
	double most = -1;
	for (uint32_t i = 0; i < gcs_tree_count(part->tree); i++) {
		const struct gcs_node *node = gcs_tree_node(part->tree, i);
		double bytes = node->total_bytes + node->base_bytes;
		if (bytes > most && is_name(node, name)) {
			found = i;
			most = bytes;
		}
	}
	return found;
}

static bool finds(const struct sites_filter *filter, const struct gcs_node *node)
{
	if (node->kind == GCS_NODE_ROOT)
		return false;
	return sites_filter_finds(
	    filter, node->kind == GCS_NODE_CLASS ? SITES_CLASS : SITES_METHOD, node->name);
}

bool calltree_search(const struct calltree_part *part, const struct sites_filter *filter,
    enum gcs_measure measure, bool *hit, double *matched)
{
	uint32_t count = gcs_tree_count(part->tree);
	bool *below = calloc(count, sizeof *below); /* is a hit, or below one */
	*matched = 0;
	if (below == NULL || sites_filter_is_open(filter) || filter->field == SITES_THREAD) {
		free(below);
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_node *node = gcs_tree_node(part->tree, i);
		bool above = i > 0 && below[node->parent];
		hit[i] = finds(filter, node);
		below[i] = hit[i] || above;
		if (hit[i] && !above)
			*matched += node->share[measure];
	}
	free(below);
	return true;
}

bool calltree_lacks_threads(const struct calltree *tree, struct profiles_empty *empty)
{
	if (tree->request.thread[0] == 0 || gcs_tree_count(tree->part[0].tree) > 1)
		return false;
	snprintf(empty->title, sizeof empty->title, "No thread matches the filter");
	snprintf(empty->text, sizeof empty->text, "Escape clears the filter.");
	return true;
}

typedef char *put_number(char *text, size_t size, double value);

/* "Bytes	12 MiB ± 1 MiB", and in a comparison the value before. */
static void put_figure(struct textbuf *out, const struct calltree *tree, const char *name,
    put_number *put, double value, double base, double variance)
{
	char now[64], error[64], before[64], grown[64], growth[32];
	put(now, sizeof now, value);
	put(error, sizeof error, sqrt(variance));
	if (tree->before == NULL) {
		textbuf_printf(out, "%s\t%s \xc2\xb1 %s\n", name, now, error);
		return;
	}
	if (tree->unknown)
		textbuf_printf(out, "%s\tnot known\n", name);
	else
		textbuf_printf(out, "%s\t%s \xc2\xb1 %s  %s\n", name,
		    sites_put_change(grown, sizeof grown, put, value - base), error,
		    sites_put_growth(growth, sizeof growth, value, base));
	textbuf_printf(out, "before, now\t%s, %s\n", put(before, sizeof before, base), now);
}

/* The frame of the program's own code that allocates it. */
static void put_own(struct calltree_place place, struct textbuf *out)
{
	char frame[500], line[240], count[64];
	const struct gcs_frame *own = calltree_own_frame(place);
	const uint32_t sites = place.part->ends[place.node].count;
	if (own == NULL)
		return;
	textbuf_printf(out, "%s\t%s\n\t%s", sites_own_title(&place.tree->libraries),
	    sites_put_frame(frame, sizeof frame, own), sites_put_place(line, sizeof line, own));
	if (sites > 1)
		textbuf_printf(
		    out, ", largest of %s sites", sites_put_count(count, sizeof count, sites));
	textbuf_puts(out, "\n");
}

void calltree_figures(struct calltree_place place, struct textbuf *out)
{
	char text[64];
	const struct calltree *tree = place.tree;
	const struct gcs_node *node = gcs_tree_node(place.part->tree, place.node);
	const struct gcs_node *root = gcs_tree_node(place.part->tree, 0);
	const struct gcs_node *parent = gcs_tree_node(place.part->tree, node->parent);
	textbuf_printf(out, "Kind\t%s\n", flame_kind_name(node->kind));
	put_own(place, out);
	put_figure(out, tree, "Bytes", sites_put_bytes, node->total_bytes, node->base_bytes,
	    node->bytes_variance);
	textbuf_printf(out, "Of total\t%s\n",
	    sites_put_share(text, sizeof text, node->total_bytes, root->total_bytes));
	if (parent != NULL)
		textbuf_printf(out, "Of parent\t%s\n",
		    sites_put_share(text, sizeof text, node->total_bytes, parent->total_bytes));
	put_figure(out, tree, "Objects", sites_put_count, node->total_objects, node->base_objects,
	    node->objects_variance);
	textbuf_printf(
	    out, "Samples\t%s", sites_put_count(text, sizeof text, (double)node->samples));
	if (tree->before != NULL)
		textbuf_printf(out, " (before %s)",
		    sites_put_count(text, sizeof text, (double)node->base_samples));
	textbuf_puts(out, "\n");
	if (node->kind != GCS_NODE_CLASS && node->self_bytes > 0)
		textbuf_printf(
		    out, "Self\t%s\n", sites_put_bytes(text, sizeof text, node->self_bytes));
}

uint64_t calltree_place_key(struct calltree_place place)
{
	if (place.part == NULL)
		return 0;
	uint64_t key = place.part->key[place.node];
	key = place.part == &place.tree->part[1] ? ~key : key;
	return key != 0 ? key : 1;
}

void calltree_side_run(
    struct app *app, struct cv_rect *column, struct calltree_place place, const char *hint)
{
	const bool any = place.part != NULL;
	struct textbuf out = {0};
	if (!profiles_side_title(
		app, column, any ? gcs_tree_node(place.part->tree, place.node)->name : NULL, hint))
		return;
	calltree_figures(place, &out);
	profiles_side_rows(app, column, textbuf_text(&out));
	textbuf_fini(&out);
}

void calltree_side_text(struct calltree_place place, const char *what, struct textbuf *out)
{
	char name[600];
	if (place.part == NULL)
		return;
	textbuf_printf(out, "%s\t%s\n", what,
	    calltree_put_name(name, sizeof name, gcs_tree_node(place.part->tree, place.node)));
	calltree_figures(place, out);
}

bool calltree_match_text(
    const struct app *app, bool searched, uint32_t hits, double matched, char *text, size_t size)
{
	const char *error = app->profiles.filter.error;
	char count[64], share[64];
	text[0] = 0;
	if (error[0] != 0)
		snprintf(text, size, "%s", error);
	else if (searched)
		snprintf(text, size, "%s found \xc2\xb7 %s matched",
		    sites_put_count(count, sizeof count, hits),
		    sites_put_share(share, sizeof share, matched, 1));
	return text[0] != 0;
}

bool calltree_explain_empty(
    const struct calltree *made, const struct app *app, struct profiles_empty *empty)
{
	if (profiles_explain_empty(app, empty))
		return true;
	if (made != NULL && made->part[0].tree != NULL)
		return false;
	*empty = (struct profiles_empty){.offer = PROFILES_OFFER_NOTHING};
	snprintf(empty->title, sizeof empty->title, "%s",
	    made != NULL ? "No call tree" : "Building the call tree \xe2\x80\xa6");
	snprintf(empty->text, sizeof empty->text, "%s",
	    made != NULL ? made->err.text : "This takes a moment.");
	return true;
}

int calltree_buttons_run(struct app *app, const struct profiles_button *own, int count,
    const bool *collapse, uint32_t first_id, struct cv_rect *r)
{
	static const enum command_id commands[CALLTREE_BUTTONS] = {
	    COMMAND_age_band, COMMAND_compare, COMMAND_collapse_recursion};
	struct ui *ui = &app->ui;
	struct profiles_button buttons[CALLTREE_OWN_BUTTONS + CALLTREE_BUTTONS];
	char ages[80], label[100];
	if (profiles_shown(app) == NULL)
		return -1;
	profiles_put_ages(app, ages, sizeof ages);
	snprintf(label, sizeof label, "Ages: %s", ages[0] != 0 ? ages : "all");
	memcpy(buttons, own, (size_t)count * sizeof *own);
	buttons[count] =
	    (struct profiles_button){label, "Filter objects by age, in collections\nKey\tShift+E",
		ages[0] != 0, app->profiles.kind == GCS_PROFILE_ALLOCATED};
	buttons[count + 1] = (struct profiles_button){"Compare",
	    "Compare with now, or a file\nKey\tCtrl+D", profiles_before(app) != NULL, false};
	buttons[count + 2] = (struct profiles_button){"Recursion",
	    "Collapse recursive calls\nKey\tShift+C", collapse != NULL && *collapse, false};
	struct cv_rect bar = cut_top(r, ui_px(ui, 34));
	if (ui_paints(ui)) {
		cv_fill(ui->cv, bar, ui->theme->ground);
		cv_touch(ui->cv, bar);
	}
	cut_left(&bar, ui_px(ui, 12));
	cut_right(&bar, ui_px(ui, 12));
	bar.h = ui_px(ui, 26);
	int used = profiles_buttons_run(
	    app, buttons, count + CALLTREE_BUTTONS - (collapse == NULL), first_id, &bar);
	if (used < count)
		return used;
	app_command(app, commands[used - count], NULL);
	return -1;
}
