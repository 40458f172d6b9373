/* Reference chains as a flame graph: what holds the objects on top, the objects at the bottom. Declared
 * in chain_tree.h. */

#include "chain_tree.h"
#include "flame_graph.h"
#include "page.h"

static const struct gcs_cell *chain_cell(const struct gcs_table *t, uint32_t row, uint32_t column)
{
	return &t->cells[(size_t)row * CHAIN_COLUMNS + column];
}

static bool has_children(const struct gcs_table *t, uint32_t row)
{
	return row + 1 < t->row_count && t->depths[row + 1] > t->depths[row];
}

/* What ends at the row: a chain's last row is the class of the objects. */
static bool add_chain(
    struct gcs_profile *p, const struct gcs_table *t, uint32_t row, uint32_t stack)
{
	const int64_t samples = chain_cell(t, row, CHAIN_COLUMN_SAMPLES)->number;
	const double bytes = (double)chain_cell(t, row, CHAIN_COLUMN_BYTES)->number;
	const double objects = (double)chain_cell(t, row, CHAIN_COLUMN_OBJECTS)->number;
	if (samples <= 0 || bytes < 0 || objects < 0)
		return true; /* a peer may send any number */
	const uint32_t name =
	    gcs_profile_add_name(p, chain_cell(t, row, CHAIN_COLUMN_HOLDER)->text);
	return name != GCS_NONE &&
	       gcs_profile_add_entry(p, &(struct gcs_profile_entry){.stack = stack,
					    .class_name = name,
					    .thread = name,
					    .samples = (uint64_t)samples,
					    .bytes = bytes,
					    .bytes_variance = bytes * bytes / (double)samples,
					    .objects = objects,
					    .objects_variance = objects * objects / (double)samples,
					    .age = 1});
}

struct gcs_profile *chain_profile(const struct gcs_table *t)
{
	const struct gcs_profile_head head = {
	    .kind = GCS_PROFILE_LIVE, .server = "", .as_of = "", .live_includes_new = true};
	uint32_t stacks[CHAIN_TREE_DEPTH + 1] = {GCS_NONE};
	struct gcs_profile *p = gcs_profile_create(&head);
	bool ok = p != NULL;
	for (uint32_t i = 0; ok && i < t->row_count; i++) {
		const uint32_t depth = t->depths[i];
		if (depth >= CHAIN_TREE_DEPTH)
			continue;
		if (!has_children(t, i)) {
			ok = add_chain(p, t, i, stacks[depth]);
			continue;
		}
		const uint32_t frame = gcs_profile_add_frame(
		    p, &(struct gcs_frame){.class_name = "",
			   .method = chain_cell(t, i, CHAIN_COLUMN_HOLDER)->text,
			   .file = "",
			   .kind = GCS_FRAME_NOTE});
		stacks[depth + 1] = gcs_profile_add_stack(
		    p, &(struct gcs_stack){.parent = stacks[depth], .frame = frame});
		ok = frame != GCS_NONE && stacks[depth + 1] != GCS_NONE;
	}
	if (ok)
		return p;
	gcs_profile_free(p);
	return NULL;
}

static uint32_t chain_colour(const void *context, uint32_t number)
{
	struct gcs_node node = *gcs_tree_node(context, number);
	if (node.kind == GCS_NODE_NOTE)
		node.kind = GCS_NODE_JAVA;
	return flame_colour_of(&node);
}

static void put_chain_page(struct text *text, const struct flame *f, const char *title)
{
	page_put(text,
	    "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
	    "<head><meta charset=\"utf-8\"/><title>{}</title>\n",
	    "What holds the objects");
	page_style(text, page_flame_css);
	page_style(text, page_sites_css);
	page_put(text, "</head>\n<body>\n<h1>What holds the objects</h1>\n<p>{}</p>\n", title);
	flame_put(text, f);
	text_raw(text, "<p>What holds them is on top; a field holds what is below it, down to the "
		       "class of the sampled objects. Bytes and objects are estimates from "
		       "samples.</p>\n");
	page_script(text, page_flame_js);
	text_raw(text, "</body></html>\n");
}

enum gcs_status chain_graph(
    struct text *text, const struct gcs_table *t, bool page, struct gcs_error *err)
{
	static const char *const lines[] = {"What holds them is on top; bytes are estimates."};
	static const struct gcs_site_filter all = {.all_frames = true, .with_new = true};
	struct gcs_profile *p = chain_profile(t);
	struct gcs_sites *sites = p == NULL ? NULL : gcs_sites_create(p, &all, err);
	struct gcs_tree *tree = sites == NULL ? NULL : gcs_tree_create(sites, err);
	if (tree == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for a flame graph");
	} else {
		const struct flame_key keys[] = {{flame_kind_colour(GCS_NODE_JAVA), "Holder"},
		    {flame_kind_colour(GCS_NODE_CLASS), "Class of the objects"}};
		struct flame f = {.tree = tree,
		    .id = "flame",
		    .icicle = true,
		    .colour = chain_colour,
		    .context = tree,
		    .keys = keys,
		    .key_count = sizeof keys / sizeof keys[0]};
		flame_lay_out(&f, UINT32_MAX);
		if (page)
			put_chain_page(text, &f, t->title);
		else
			flame_document(text, &f, t->title, lines, 1);
	}
	const bool ok = tree != NULL;
	gcs_tree_free(tree);
	gcs_sites_free(sites);
	gcs_profile_free(p);
	return ok ? GCS_OK : GCS_NOMEM;
}
