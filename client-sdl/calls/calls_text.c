/* The tables of callers and callees as text; declared in calls.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"

void calls_match_text(const struct calls_view *view, const struct app *app, char *text, size_t size)
{
	char count[64], left[64];
	bool searched = view->hit[0] != NULL;
	size_t n = size;
	if (calltree_match_text(app, searched, view->hits, view->matched, text, size))
		n = searched && app->profiles.filter.error[0] == 0 ? strlen(text) : size;
	else if (calls_part(view, 0) != NULL)
		n = (size_t)snprintf(text, size, "%s row%s%s",
		    sites_put_count(count, sizeof count, view->rows), view->rows == 1 ? "" : "s",
		    view->maker.request.thread[0] != 0 ? " of these threads" : "");
	if (view->left_out > 0 && n < size)
		snprintf(text + n, size - n, " \xc2\xb7 more than %s rows not shown",
		    sites_put_count(left, sizeof left, view->left_out));
}

static void put_row_texts(struct calls_view *view, const struct app *app, struct textbuf *out)
{
	char text[TABLE_CELL], name[1200];
	const struct table_column *column = calls_table_rows(view, app).column;
	for (int i = 0; i < CALLS_NAME; i++)
		textbuf_printf(out, "%s\t", column[i].title);
	textbuf_printf(out, "Depth\tName\t%s\n", column[CALLS_OWN].title);
	for (uint32_t row = 0; row < view->rows && row < CALLS_MOST_COPIED; row++) {
		const struct gcs_node *node = calls_node(view, row);
		for (int i = 0; i < CALLS_NAME; i++) {
			calls_cell(view, row, i, text, sizeof text);
			textbuf_printf(out, "%s\t", text);
		}
		bool sandwich = node->kind == GCS_NODE_ROOT && view->form == CALLTREE_SANDWICH;
		calls_cell(view, row, CALLS_OWN, text, sizeof text);
		textbuf_printf(out, "%" PRIu32 "\t%s%s\t%s\n", node->depth,
		    !sandwich                  ? ""
		    : view->row[row].part == 0 ? "callers of "
					       : "callees of ",
		    calltree_put_name(name, sizeof name, node), text);
	}
	if (view->rows > CALLS_MOST_COPIED)
		textbuf_printf(out, "and %" PRIu32 " more\n", view->rows - CALLS_MOST_COPIED);
}

void calls_copy(struct calls_view *view, struct app *app, struct textbuf *out)
{
	struct profiles_empty empty;
	char match[240];
	calls_match_text(view, app, match, sizeof match);
	textbuf_printf(out, "calls\t%s\t%s\n", calls_form_title(view->form),
	    gcs_profile_kind_title(app->profiles.kind));
	profiles_copy_text(app, match, out);
	if (calls_explain_empty(view, app, &empty))
		textbuf_printf(out, "%s\n%s\n", empty.title, empty.text);
	else
		put_row_texts(view, app, out);
}
