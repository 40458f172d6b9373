/* The flame graph as text; declared in flame_view.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "flame_view.h"

#define MOST_TEXT (4u << 20) /* bytes of copied stacks */

void flame_match_text(const struct flame_view *view, const struct app *app, char *text, size_t size)
{
	const struct calltree_part *part = flame_part(view);
	char count[64];
	if (view->holders.on && view->hit == NULL) {
		snprintf(text, size, "Holders: %.200s", view->holders.title);
		return;
	}
	if (!calltree_match_text(app, view->hit != NULL, view->hits, view->matched, text, size) &&
	    part != NULL)
		snprintf(text, size, "%s frame%s%s",
		    sites_put_count(count, sizeof count, gcs_tree_count(part->tree)),
		    gcs_tree_count(part->tree) == 1 ? "" : "s",
		    view->maker.request.thread[0] != 0 ? " of these threads" : "");
}

void flame_hidden_text(const struct flame_view *view, char *text, size_t size)
{
	const struct calltree_part *part = flame_part(view);
	char count[64];
	size_t n = 0;
	text[0] = 0;
	if (part == NULL)
		return;
	if (view->maker.waiting)
		n = (size_t)snprintf(text, size, "updating \xe2\x80\xa6 \xc2\xb7 ");
	if (view->hidden > 0)
		n += (size_t)snprintf(text + n, size - n, "%s frame%s hidden",
		    sites_put_count(count, sizeof count, view->hidden),
		    view->hidden == 1 ? "" : "s");
	else
		n += (size_t)snprintf(text + n, size - n, "no frames hidden");
	if (gcs_tree_cut(part->tree) > 0)
		snprintf(text + n, size - n, " \xc2\xb7 %s stacks truncated",
		    sites_put_count(count, sizeof count, gcs_tree_cut(part->tree)));
}

void flame_tip(const struct flame_view *view, uint32_t node, char *text, size_t size)
{
	const struct calltree_part *part = flame_part(view);
	struct textbuf out = {0};
	char name[600];
	textbuf_printf(
	    &out, "%s\n", calltree_put_name(name, sizeof name, gcs_tree_node(part->tree, node)));
	calltree_figures((struct calltree_place){view->maker.made, part, node}, &out);
	snprintf(text, size, "%s", textbuf_text(&out));
	size_t n = strlen(text);
	if (n > 0 && text[n - 1] == '\n')
		text[n - 1] = 0;
	textbuf_fini(&out);
}

/* A frame of a collapsed stack: no semicolon and no control characters. */
static void put_part(struct textbuf *out, const struct gcs_node *node)
{
	char name[1200];
	calltree_put_name(name, sizeof name, node);
	for (char *c = name; *c != 0; c++)
		if (*c == ';')
			*c = ',';
	textbuf_printf(out, "%s", name);
}

static void put_path(struct textbuf *out, const struct gcs_tree *tree, uint32_t number)
{
	enum { DEEPEST = 4096 };
	uint32_t path[DEEPEST];
	uint32_t n = 0;
	for (; number != 0 && n < DEEPEST; number = gcs_tree_node(tree, number)->parent)
		path[n++] = number;
	while (n-- > 0) {
		put_part(out, gcs_tree_node(tree, path[n]));
		if (n > 0)
			textbuf_puts(out, ";");
	}
}

/* A leaf with its bytes or objects; in a difference, before and now. */
static void put_stack(const struct flame_view *view, uint32_t number, struct textbuf *out)
{
	const struct gcs_tree *tree = flame_part(view)->tree;
	const struct gcs_node *node = gcs_tree_node(tree, number);
	put_path(out, tree, number);
	if (view->maker.made->before != NULL)
		textbuf_printf(out, " %.0f", calltree_base(node, view->measure));
	textbuf_printf(out, " %.0f\n", calltree_value(node, view->measure));
}

static bool is_below(const struct gcs_tree *tree, uint32_t number, uint32_t focus)
{
	while (number > focus)
		number = gcs_tree_node(tree, number)->parent;
	return number == focus;
}

static void put_stacks(const struct flame_view *view, struct textbuf *out)
{
	const struct gcs_tree *tree = flame_part(view)->tree;
	uint32_t left = 0;
	for (uint32_t i = 0; i < gcs_tree_count(tree); i++) {
		if (gcs_tree_node(tree, i)->first_child != GCS_NONE ||
		    !is_below(tree, i, view->focus))
			continue;
		if (out->length < MOST_TEXT)
			put_stack(view, i, out);
		else
			left++;
	}
	if (left > 0)
		textbuf_printf(out, "# and %" PRIu32 " more stacks\n", left);
}

/* All but the stacks are comments to readers of collapsed stacks. */
void flame_copy(struct flame_view *view, struct app *app, struct textbuf *out)
{
	struct profiles_empty empty;
	struct textbuf words = {0};
	char text[600];
	flame_match_text(view, app, text, sizeof text);
	textbuf_printf(&words, "flame graph\t%s\t%s\n",
	    view->holders.on ? "holders" : gcs_profile_kind_title(app->profiles.kind),
	    view->measure == GCS_BY_BYTES ? "bytes" : "objects");
	profiles_copy_text(app, text, &words);
	if (flame_explain_empty(view, app, &empty)) {
		textbuf_printf(&words, "%s\n%s\n", empty.title, empty.text);
	} else {
		const struct gcs_tree *tree = flame_part(view)->tree;
		textbuf_printf(&words, "frames\t%s\n", text);
		flame_hidden_text(view, text, sizeof text);
		textbuf_printf(&words, "visible\t%s\n", text);
		textbuf_printf(&words, "zoomed\t%s\n",
		    calltree_put_name(text, sizeof text, gcs_tree_node(tree, view->focus)));
	}
	for (const char *line = textbuf_text(&words); *line != 0;) {
		size_t n = strcspn(line, "\n");
		textbuf_puts(out, "# ");
		textbuf_bytes(out, line, n);
		textbuf_puts(out, "\n");
		line += n + (line[n] != 0);
	}
	if (!flame_explain_empty(view, app, &empty))
		put_stacks(view, out);
	textbuf_fini(&words);
}
