#include "flame_layout.h"

#include <math.h>
#include <string.h>

#include <gcspy/memory.h>

/* What is narrower than this is left out, and what is deeper. */
#define LEAST_PIXELS 0.1
enum { DEEPEST = 2000 };

/* A column of the font, with some air; the text of a frame begins so far from its edge. */
#define COLUMN_PIXELS 7.3
enum { INDENT = 4, LEAST_COLUMNS = 3 };

enum { LEGEND = 30, DETAILS = 30 };

/* A letter for the style, and a name for the legend. */
static const struct {
	char letter;
	const char *name;
} kinds[GCS_NODE_KIND_COUNT] = {
    [GCS_NODE_JAVA] = {'j', "Java method"},
    [GCS_NODE_NATIVE] = {'n', "Native"},
    [GCS_NODE_VM] = {'v', "JVM"},
    [GCS_NODE_NOTE] = {'o', "Note"},
    [GCS_NODE_CLASS] = {'c', "Allocated class"},
    [GCS_NODE_ROOT] = {'r', "All"},
};

static double share(const struct flame *f, const struct gcs_node *node)
{
	double all = gcs_tree_node(f->tree, 0)->total_bytes;
	return all > 0 ? node->total_bytes / all : node->parent == GCS_NONE ? 1 : 0;
}

static double pixels(const struct flame *f, const struct gcs_node *node)
{
	return share(f, node) * (FLAME_WIDTH - 2 * FLAME_MARGIN);
}

static bool is_drawn(const struct flame *f, const struct gcs_node *node)
{
	return pixels(f, node) >= f->least && node->depth < DEEPEST;
}

static void count_drawn(struct flame *f)
{
	uint32_t count = gcs_tree_count(f->tree);
	f->rows = f->hidden = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_node *node = gcs_tree_node(f->tree, i);
		if (!is_drawn(f, node))
			f->hidden++;
		else if (node->depth >= f->rows)
			f->rows = node->depth + 1;
	}
}

void flame_limit(struct flame *f, uint32_t most)
{
	while (gcs_tree_count(f->tree) - f->hidden > most && f->least < FLAME_WIDTH) {
		f->least *= 1.5;
		count_drawn(f);
	}
}

enum gcs_status flame_init(
    struct flame *f, const struct gcs_sites *sites, bool icicle, struct gcs_error *err)
{
	*f = (struct flame){.id = "flame",
	    .least = LEAST_PIXELS,
	    .icicle = icicle,
	    .tree = gcs_tree_create(sites, err)};
	if (f->tree == NULL)
		return GCS_NOMEM;
	uint32_t count = gcs_tree_count(f->tree);
	f->left = gcs_zalloc(count * sizeof *f->left);
	if (f->left == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the flame graph");
	count_drawn(f);
	/* Parents have smaller numbers than their children. */
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_node *node = gcs_tree_node(f->tree, i);
		double at = f->left[i];
		for (uint32_t k = node->first_child; k != GCS_NONE;) {
			const struct gcs_node *child = gcs_tree_node(f->tree, k);
			f->left[k] = at;
			at += share(f, child);
			k = child->next_sibling;
		}
	}
	return GCS_OK;
}

void flame_fini(struct flame *f)
{
	gcs_tree_free(f->tree);
	gcs_free(f->left);
}

uint32_t flame_height(const struct flame *f)
{
	return LEGEND + f->rows * FLAME_ROW + DETAILS;
}

/* A name without what may be missing: packages, and a library. The script does the same. */
static const char *shortened(const struct gcs_node *node)
{
	const char *at = node->name + strlen(node->name);
	unsigned dots = node->kind == GCS_NODE_CLASS ? 1 : 2;
	if (node->kind == GCS_NODE_NOTE || node->kind == GCS_NODE_ROOT)
		return node->name;
	for (; at != node->name; at--)
		if (at[-1] == '`' || (at[-1] == '.' && --dots == 0))
			return at;
	return at;
}

static void put_label(struct text *t, const struct gcs_node *node, double width)
{
	double room = (width - 2 * INDENT) / COLUMN_PIXELS;
	if (room < LEAST_COLUMNS)
		return;
	size_t columns = (size_t)room;
	text_xml_cut(
	    t, text_columns(node->name) <= columns ? node->name : shortened(node), columns);
}

/* What a pointer on the frame shows; the script takes the name from its first line. */
static void put_title(struct text *t, const struct flame *f, const struct gcs_node *node)
{
	char bytes[32], bytes_error[32], part[32], objects[32], objects_error[32], own[32];
	text_xml(t, node->name);
	text_format(t, "\n%s \302\261 %s (%s), about %s objects \302\261 %s, %llu samples",
	    text_size(bytes, sizeof bytes, node->total_bytes),
	    text_size(bytes_error, sizeof bytes_error, sqrt(node->bytes_variance)),
	    export_share(part, sizeof part, share(f, node), 1),
	    text_count(objects, sizeof objects, node->total_objects),
	    text_count(objects_error, sizeof objects_error, sqrt(node->objects_variance)),
	    (unsigned long long)node->samples);
	if (node->kind != GCS_NODE_CLASS && node->self_bytes > 0)
		text_format(t, "\n%s by itself", text_size(own, sizeof own, node->self_bytes));
}

/* Shades of one kind tell neighbours apart; the same name has the same one everywhere. */
static unsigned shade(const char *name)
{
	uint32_t hash = 2166136261u;
	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return (hash ^ hash >> 15) % 3;
}

static void put_node(struct text *t, const struct flame *f, uint32_t number, uint32_t top)
{
	const struct gcs_node *node = gcs_tree_node(f->tree, number);
	double x = FLAME_MARGIN + f->left[number] * (FLAME_WIDTH - 2 * FLAME_MARGIN);
	double width = pixels(f, node);
	uint32_t row = f->icicle ? node->depth : f->rows - 1 - node->depth;
	uint32_t y = top + row * FLAME_ROW;
	text_format(t, "<g class=\"%c%u\"><title>", kinds[node->kind].letter, shade(node->name));
	put_title(t, f, node);
	text_format(t, "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"/>", x,
	    (unsigned)y, width, FLAME_ROW - 1);
	text_format(t, "<text x=\"%.2f\" y=\"%u\">", x + INDENT, (unsigned)y + 13);
	put_label(t, node, width);
	text_raw(t, "</text></g>\n");
}

void flame_open(struct text *t, const struct flame *f, const char *more, uint32_t height)
{
	text_format(t,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"%s\" class=\"flame\"%s "
	    "viewBox=\"0 0 %d %u\">\n",
	    f->id, more, FLAME_WIDTH, (unsigned)height);
}

static void put_legend(struct text *t, const struct flame *f, uint32_t top)
{
	static const enum gcs_node_kind shown[] = {
	    GCS_NODE_JAVA, GCS_NODE_NATIVE, GCS_NODE_VM, GCS_NODE_CLASS};
	double x = FLAME_MARGIN;
	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
		const char *name = kinds[shown[i]].name;
		text_format(t,
		    "<g class=\"%c0\"><rect x=\"%.0f\" y=\"%u\" width=\"13\" height=\"13\"/></g>"
		    "<text x=\"%.0f\" y=\"%u\">%s</text>\n",
		    kinds[shown[i]].letter, x, (unsigned)top + 4, x + 19, (unsigned)top + 15, name);
		x += 19 + 24 + COLUMN_PIXELS * (double)strlen(name);
	}
	/* Shown by the script, which alone can serve them. */
	static const char *const buttons[] = {"search", "Search", "flip", "Flip", "reset", "Reset"};
	for (unsigned i = 0; i < 3; i++)
		text_format(t, "<text class=\"button\" id=\"%s-%s\" x=\"%u\" y=\"%u\">%s</text>\n",
		    f->id, buttons[2 * i], 1010 + 70 * i, (unsigned)top + 15, buttons[2 * i + 1]);
}

void flame_draw(struct text *t, const struct flame *f, uint32_t top)
{
	uint32_t count = gcs_tree_count(f->tree);
	uint32_t frames = top + LEGEND;
	uint32_t bottom = frames + f->rows * FLAME_ROW;
	put_legend(t, f, top);
	text_format(t,
	    "<g id=\"%s-frames\" class=\"frames\" data-top=\"%u\" data-rows=\"%u\" "
	    "data-icicle=\"%d\">\n",
	    f->id, (unsigned)frames, (unsigned)f->rows, f->icicle ? 1 : 0);
	for (uint32_t i = 0; i < count; i++)
		if (is_drawn(f, gcs_tree_node(f->tree, i)))
			put_node(t, f, i, frames);
	text_format(t, "</g>\n<text id=\"%s-details\" x=\"%d\" y=\"%u\">", f->id, FLAME_MARGIN,
	    (unsigned)bottom + 20);
	if (f->hidden != 0)
		text_format(t, "%u frames are too narrow to be drawn", (unsigned)f->hidden);
	text_format(t,
	    "</text>\n<text id=\"%s-matched\" x=\"%d\" y=\"%u\" text-anchor=\"end\"></text>\n",
	    f->id, FLAME_WIDTH - FLAME_MARGIN, (unsigned)bottom + 20);
}
