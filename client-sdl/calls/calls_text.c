/* The tables of callers and callees in words; declared in calls.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "layout.h"
#include "side.h"

void calls_match_words(
    const struct calls_view *view, const struct app *app, char *text, size_t size)
{
	const struct sites_filter *filter = &app->profiles.filter;
	char count[64], share[64], left[64];
	size_t n = 0;
	text[0] = 0;
	if (filter->error[0] != 0)
		snprintf(text, size, "%s", filter->error);
	else if (calls_part(view, 0) == NULL)
		return;
	else if (view->hit[0] != NULL)
		n = (size_t)snprintf(text, size, "%s found \xc2\xb7 %s matched",
		    sites_put_count(count, sizeof count, view->hits),
		    sites_put_share(share, sizeof share, view->matched, 1));
	else
		n = (size_t)snprintf(text, size, "%s row%s%s",
		    sites_put_count(count, sizeof count, view->rows), view->rows == 1 ? "" : "s",
		    view->maker.wish.thread[0] != 0 ? " of these threads" : "");
	if (view->left_out > 0 && n < size)
		snprintf(text + n, size - n, " \xc2\xb7 more than %s rows not shown",
		    sites_put_count(left, sizeof left, view->left_out));
}

static void put_row_texts(struct calls_view *view, struct textbuf *out)
{
	char text[TABLE_CELL], name[1200];
	for (int i = 0; i < CALLS_NAME; i++)
		textbuf_printf(out, "%s\t", calls_columns[i].title);
	textbuf_puts(out, "Depth\tName\n");
	for (uint32_t row = 0; row < view->rows && row < CALLS_MOST_COPIED; row++) {
		const struct gcs_node *node = calls_node(view, row);
		for (int i = 0; i < CALLS_NAME; i++) {
			calls_cell(view, row, i, text, sizeof text);
			textbuf_printf(out, "%s\t", text);
		}
		bool sandwich = node->kind == GCS_NODE_ROOT && view->form == CALLTREE_SANDWICH;
		textbuf_printf(out, "%" PRIu32 "\t%s%s\n", node->depth,
		    !sandwich                  ? ""
		    : view->row[row].part == 0 ? "callers of "
					       : "callees of ",
		    calltree_put_name(name, sizeof name, node));
	}
	if (view->rows > CALLS_MOST_COPIED)
		textbuf_printf(out, "and %" PRIu32 " more\n", view->rows - CALLS_MOST_COPIED);
}

void calls_copy(struct calls_view *view, struct app *app, struct textbuf *out)
{
	struct profiles_empty empty;
	char match[240];
	calls_match_words(view, app, match, sizeof match);
	textbuf_printf(out, "calls\t%s\t%s\n", calls_form_title(view->form),
	    gcs_profile_kind_title(app->profiles.kind));
	profiles_copy_words(app, match, out);
	if (calls_empty_words(view, app, &empty))
		textbuf_printf(out, "%s\n%s\n", empty.title, empty.text);
	else
		put_row_texts(view, out);
}

void calls_side_run(struct calls_view *view, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	const struct gcs_node *node = calls_selected(view);
	side_section(app, column, "Row", "");
	const char *hint = "Click a row or use the arrow keys to see its figures. Left and Right "
			   "collapse and expand rows, * expands all below.";
	char name[600];
	if (node != NULL)
		calltree_put_name(name, sizeof name, node);
	struct cv_rect title = rect_make(column->x, column->y, column->w, 0);
	title.h = text_paragraph(ui_paints(ui) ? ui->cv : NULL,
	    ui->fonts->face[node != NULL ? FONT_MONO : FONT_SMALL], title,
	    node != NULL ? ui->theme->text : ui->theme->weak, node != NULL ? name : hint);
	cut_top(column, title.h + ui_px(ui, 4));
	if (node == NULL)
		return;
	struct calls_row row = view->row[view->table.selected];
	struct textbuf out = {0};
	calltree_figures(view->maker.made, calls_part(view, row.part), row.node, &out);
	calltree_side_rows(app, column, textbuf_text(&out));
	textbuf_fini(&out);
}

void calls_side_words(const struct calls_view *view, struct textbuf *out)
{
	const struct gcs_node *node = calls_selected(view);
	char name[600];
	if (node == NULL)
		return;
	struct calls_row row = view->row[view->table.selected];
	textbuf_printf(out, "row\t%s\n", calltree_put_name(name, sizeof name, node));
	calltree_figures(view->maker.made, calls_part(view, row.part), row.node, out);
}
