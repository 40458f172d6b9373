/* The flame graph as a picture of its own. */
#include "export_internal.h"
#include "flame_graph.h"

enum gcs_status export_svg(const struct export *e)
{
	struct export_head head;
	const char *lines[EXPORT_HEAD_LINES];
	struct gcs_tree *tree = gcs_tree_create(e->sites, e->err);
	struct flame f = {.tree = tree, .id = "flame", .icicle = e->options.icicle};
	if (tree == NULL)
		return GCS_NOMEM;
	export_head(e, &head);
	for (uint32_t i = 0; i < head.count; i++)
		lines[i] = head.lines[i];
	flame_lay_out(&f, UINT32_MAX);
	flame_document(e->text, &f, head.title, lines, head.count);
	gcs_tree_free(tree);
	return GCS_OK;
}
