#include "flame_graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export_internal.h"
#include "page.h"

/* Narrower and deeper frames are omitted. */
#define LEAST_PIXELS 0.1
enum { DEEPEST = 2000 };

/* Width of a character of the monospaced font, rounded up. */
#define COLUMN_PIXELS 7.3
enum { MARGIN = 12, INDENT = 4, LEAST_COLUMNS = 3, LINE = 17, LEGEND = 30, DETAILS = 30 };
enum { INNER = FLAME_WIDTH - 2 * MARGIN };

enum { SHADES = 3 };

static const struct {
	char letter; /* by which flame.js knows the kind */
	const char *name;
	uint32_t shade[SHADES];
} kinds[GCS_NODE_KIND_COUNT] = {
    [GCS_NODE_JAVA] = {'j', "Java method", {0xf4b266, 0xf0a04b, 0xf7c385}},
    [GCS_NODE_NATIVE] = {'n', "Native", {0xb39ddb, 0xa890d8, 0xc4b2e4}},
    [GCS_NODE_VM] = {'v', "JVM", {0xd98880, 0xd6827a, 0xe29c95}},
    [GCS_NODE_NOTE] = {'o', "Other", {0xd8d2c4, 0xd0c9b8, 0xe0dbd0}},
    [GCS_NODE_CLASS] = {'c', "Allocated class", {0x8ec5a4, 0x7dba96, 0xa1d1b4}},
    [GCS_NODE_ROOT] = {'r', "Root", {0xc9ced6, 0xc9ced6, 0xc9ced6}},
};

const char *flame_kind_name(enum gcs_node_kind kind)
{
	return kinds[kind].name;
}

uint32_t flame_kind_colour(enum gcs_node_kind kind)
{
	return kinds[kind].shade[0];
}

static unsigned shade(const char *name)
{
	uint32_t hash = 2166136261u;
	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return (hash ^ hash >> 15) % SHADES;
}

uint32_t flame_colour_of(const struct gcs_node *node)
{
	return kinds[node->kind].shade[shade(node->name)];
}

/* flame.js does the same. A slash is part of the names of hidden classes. */
const char *flame_short_name(const struct gcs_node *node)
{
	const char *function = strrchr(node->name, '`');
	if (function != NULL && node->kind != GCS_NODE_CLASS)
		return function + 1;
	const char *at = node->name + strcspn(node->name, "/");
	unsigned dots = node->kind == GCS_NODE_CLASS ? 1 : 2;
	if (node->kind == GCS_NODE_NOTE || node->kind == GCS_NODE_ROOT)
		return node->name;
	for (; at != node->name; at--)
		if (at[-1] == '.' && --dots == 0)
			break;
	return at;
}

/* The left edge in pixels, and the width within what is in sight; negative: outside. */
static double extent(const struct flame *f, const struct gcs_node *node, double *left)
{
	double scale = INNER / (f->to - f->from);
	double begin = (node->left[f->measure] - f->from) * scale;
	double end = begin + node->share[f->measure] * scale;
	bool outside = end < 0 || begin > INNER;
	begin = begin > 0 ? begin : 0;
	end = end < INNER ? end : INNER;
	*left = MARGIN + begin;
	return outside ? -1 : end - begin;
}

static bool is_drawn(const struct flame *f, const struct gcs_node *node)
{
	double left;
	return extent(f, node, &left) >= f->least && node->depth < DEEPEST;
}

static uint32_t count_drawn(struct flame *f)
{
	uint32_t drawn = 0, in_sight = 0;
	double left;
	f->rows = 0;
	for (uint32_t i = 0; i < gcs_tree_count(f->tree); i++) {
		const struct gcs_node *node = gcs_tree_node(f->tree, i);
		in_sight += extent(f, node, &left) >= 0;
		if (!is_drawn(f, node))
			continue;
		drawn++;
		f->rows = node->depth >= f->rows ? node->depth + 1 : f->rows;
	}
	f->hidden = in_sight - drawn;
	return drawn;
}

void flame_lay_out(struct flame *f, uint32_t most)
{
	if (!(f->to > f->from)) {
		f->from = 0;
		f->to = 1;
	}
	f->least = LEAST_PIXELS;
	while (count_drawn(f) > most && f->least < FLAME_WIDTH)
		f->least *= 1.5;
}

static void put_label(struct text *t, const struct gcs_node *node, double width)
{
	double room = (width - 2 * INDENT) / COLUMN_PIXELS;
	if (room < LEAST_COLUMNS)
		return;
	size_t columns = (size_t)room;
	text_xml_cut(
	    t, text_columns(node->name) <= columns ? node->name : flame_short_name(node), columns);
}

/* In a difference the errors are those of the change. */
static void put_difference(struct text *t, const struct flame *f, const struct gcs_node *node)
{
	const double bytes = node->total_bytes - node->base_bytes;
	const double objects = node->total_objects - node->base_objects;
	char size[32], error[32], part[32], count[32], objects_error[32];
	text_format(t, "\n%s (%s), about %s objects, %llu samples",
	    text_size(size, sizeof size, node->total_bytes),
	    export_share(part, sizeof part, node->share[f->measure], 1),
	    text_count(count, sizeof count, node->total_objects),
	    (unsigned long long)node->samples);
	text_format(t, "\nbefore: %s, about %s objects, %llu samples",
	    text_size(size, sizeof size, node->base_bytes),
	    text_count(count, sizeof count, node->base_objects),
	    (unsigned long long)node->base_samples);
	text_format(t, "\nchange: %s%s \302\261 %s, about %s%s objects \302\261 %s",
	    bytes < 0 ? "-" : "+", text_size(size, sizeof size, fabs(bytes)),
	    text_size(error, sizeof error, sqrt(node->bytes_variance)), objects < 0 ? "-" : "+",
	    text_count(count, sizeof count, fabs(objects)),
	    text_count(objects_error, sizeof objects_error, sqrt(node->objects_variance)));
}

static void put_estimate(struct text *t, const struct flame *f, const struct gcs_node *node)
{
	char bytes[32], error[32], part[32], objects[32], objects_error[32];
	text_format(t, "\n%s \302\261 %s (%s), about %s objects \302\261 %s, %llu samples",
	    text_size(bytes, sizeof bytes, node->total_bytes),
	    text_size(error, sizeof error, sqrt(node->bytes_variance)),
	    export_share(part, sizeof part, node->share[f->measure], 1),
	    text_count(objects, sizeof objects, node->total_objects),
	    text_count(objects_error, sizeof objects_error, sqrt(node->objects_variance)),
	    (unsigned long long)node->samples);
}

/* The tooltip; the script takes the name from its first line. */
static void put_title(struct text *t, const struct flame *f, const struct gcs_node *node)
{
	char own[32];
	text_xml(t, node->name);
	if (gcs_tree_node(f->tree, 0)->base_samples != 0)
		put_difference(t, f, node);
	else
		put_estimate(t, f, node);
	if (node->kind != GCS_NODE_CLASS && node->self_bytes > 0)
		text_format(t, "\n%s by itself", text_size(own, sizeof own, node->self_bytes));
}

static void put_node(struct text *t, const struct flame *f, uint32_t number, uint32_t top)
{
	const struct gcs_node *node = gcs_tree_node(f->tree, number);
	double x, width = extent(f, node, &x);
	uint32_t row = f->icicle ? node->depth : f->rows - 1 - node->depth;
	uint32_t y = top + row * FLAME_ROW;
	uint32_t fill = f->colour != NULL ? f->colour(f->context, number) : flame_colour_of(node);
	text_format(t, "<g class=\"%c%s\"><title>", kinds[node->kind].letter,
	    f->hit != NULL && f->hit[number] ? " hit" : "");
	put_title(t, f, node);
	text_format(t,
	    "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"#%06x\"/>"
	    "<text x=\"%.2f\" y=\"%u\">",
	    x, (unsigned)y, width, FLAME_ROW - 1, (unsigned)(fill & 0xffffff), x + INDENT,
	    (unsigned)y + 13);
	put_label(t, node, width);
	text_raw(t, "</text></g>\n");
}

/* Opens the element; `more` are attributes. */
static void open_svg(struct text *t, const struct flame *f, const char *more, uint32_t height)
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
	uint32_t count = f->keys != NULL ? f->key_count : sizeof shown / sizeof shown[0];
	double x = MARGIN;
	for (uint32_t i = 0; i < count; i++) {
		struct flame_key key = f->keys != NULL
					   ? f->keys[i]
					   : (struct flame_key){flame_kind_colour(shown[i]),
						 flame_kind_name(shown[i])};
		text_format(t,
		    "<rect x=\"%.0f\" y=\"%u\" width=\"13\" height=\"13\" rx=\"2\" "
		    "fill=\"#%06x\"/><text x=\"%.0f\" y=\"%u\">%s</text>\n",
		    x, (unsigned)top + 4, (unsigned)(key.colour & 0xffffff), x + 19,
		    (unsigned)top + 15, key.name);
		x += 19 + 24 + COLUMN_PIXELS * (double)strlen(key.name);
	}
	/* Hidden until the script runs. */
	static const char *const buttons[] = {"search", "Search", "flip", "Flip", "reset", "Reset"};
	for (unsigned i = 0; i < 3; i++)
		text_format(t, "<text class=\"button\" id=\"%s-%s\" x=\"%u\" y=\"%u\">%s</text>\n",
		    f->id, buttons[2 * i], 1010 + 70 * i, (unsigned)top + 15, buttons[2 * i + 1]);
}

/* Legend, frames and the line of details, from `top` on. */
static void put_graph(struct text *t, const struct flame *f, uint32_t top)
{
	uint32_t frames = top + LEGEND;
	uint32_t bottom = frames + f->rows * FLAME_ROW;
	put_legend(t, f, top);
	text_format(t,
	    "<g id=\"%s-frames\" class=\"frames\" data-top=\"%u\" data-rows=\"%u\" "
	    "data-icicle=\"%d\">\n",
	    f->id, (unsigned)frames, (unsigned)f->rows, f->icicle ? 1 : 0);
	for (uint32_t i = 0; i < gcs_tree_count(f->tree); i++)
		if (is_drawn(f, gcs_tree_node(f->tree, i)))
			put_node(t, f, i, frames);
	text_format(t, "</g>\n<text id=\"%s-details\" x=\"%d\" y=\"%u\">", f->id, MARGIN,
	    (unsigned)bottom + 20);
	if (f->hidden != 0)
		text_format(t, "%u frames are too narrow to be drawn", (unsigned)f->hidden);
	if (gcs_tree_cut(f->tree) != 0)
		text_format(t, "%s%u stacks are cut", f->hidden != 0 ? "; " : "",
		    (unsigned)gcs_tree_cut(f->tree));
	text_format(t,
	    "</text>\n<text id=\"%s-matched\" x=\"%d\" y=\"%u\" text-anchor=\"end\"></text>\n",
	    f->id, FLAME_WIDTH - MARGIN, (unsigned)bottom + 20);
}

static uint32_t height_of(const struct flame *f)
{
	return LEGEND + f->rows * FLAME_ROW + DETAILS;
}

void flame_put(struct text *t, const struct flame *f)
{
	open_svg(t, f, "", height_of(f));
	put_graph(t, f, 0);
	text_raw(t, "</svg>\n");
}

/* Writes the lines from y on; only counts their rows if t is NULL. */
static uint32_t put_lines(struct text *t, const char *const *lines, uint32_t count, uint32_t y)
{
	enum { COLUMNS = 158, MOST = 24 };
	uint32_t rows = 0;
	for (uint32_t i = 0; i < count; i++)
		for (const char *at = lines[i]; *at != '\0' && rows < MOST; rows++) {
			char row[COLUMNS + 1];
			size_t length = export_row(at, COLUMNS);
			snprintf(row, sizeof row, "%.*s", (int)length, at);
			if (t != NULL) {
				text_format(t, "<text x=\"%d\" y=\"%u\">", MARGIN,
				    (unsigned)(y + rows * LINE));
				page_put(t, "{}</text>\n", row);
			}
			at += length;
			at += strspn(at, " ");
		}
	return rows;
}

void flame_document(struct text *t, const struct flame *f, const char *title,
    const char *const *lines, uint32_t count)
{
	enum { TITLE = 26, FIRST = 50 };
	uint32_t top = FIRST + put_lines(NULL, lines, count, 0) * LINE;
	uint32_t height = top + height_of(f);
	char size[64];
	snprintf(size, sizeof size, " width=\"%d\" height=\"%u\"", FLAME_WIDTH, (unsigned)height);
	text_raw(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	open_svg(t, f, size, height);
	page_put(t, "<title>{}</title>\n", title);
	page_style(t, page_flame_css);
	text_format(t,
	    "<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n"
	    "<text class=\"title\" x=\"%d\" y=\"%d\">",
	    MARGIN, TITLE);
	text_xml_cut(t, title, 110);
	text_raw(t, "</text>\n");
	put_lines(t, lines, count, FIRST);
	put_graph(t, f, top - LINE / 2);
	page_script(t, page_flame_js);
	text_raw(t, "</svg>\n");
}
