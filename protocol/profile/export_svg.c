/* The flame graph as a picture that needs no other file. */

#include <stdio.h>
#include <string.h>

#include "flame_layout.h"

/* Columns of the head's lines. */
enum { COLUMNS = 158, LINES = 24 };

/* Writes the head's lines, or only counts their rows. */
static uint32_t put_head(struct text *t, const struct export_head *head, uint32_t y)
{
	uint32_t rows = 0;
	for (uint32_t i = 0; i < head->count; i++)
		for (const char *at = head->lines[i]; *at != '\0' && rows < LINES; rows++) {
			char row[COLUMNS + 1];
			size_t length = export_row(at, COLUMNS);
			memcpy(row, at, length);
			row[length] = '\0';
			if (t != NULL) {
				text_format(t, "<text x=\"%d\" y=\"%u\">", FLAME_MARGIN,
				    (unsigned)(y + rows * FLAME_LINE));
				text_xml(t, row);
				text_raw(t, "</text>\n");
			}
			at += length;
			at += strspn(at, " ");
		}
	return rows;
}

static void put_document(struct text *t, const struct export_head *head, const struct flame *f)
{
	enum { TITLE = 26, FIRST = 50 };
	uint32_t top = FIRST + put_head(NULL, head, 0) * FLAME_LINE;
	uint32_t height = top + flame_height(f);
	char size[64];
	snprintf(size, sizeof size, " width=\"%d\" height=\"%u\"", FLAME_WIDTH, (unsigned)height);
	text_raw(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	flame_open(t, f, size, height);
	text_raw(t, "<title>");
	text_xml(t, head->title);
	text_raw(t, "</title>\n<style>");
	flame_style(t);
	text_raw(t, "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
	text_format(t, "<text class=\"title\" x=\"%d\" y=\"%d\">", FLAME_MARGIN, TITLE);
	text_xml_cut(t, head->title, 110);
	text_raw(t, "</text>\n");
	put_head(t, head, FIRST);
	flame_draw(t, f, top - FLAME_LINE / 2);
	text_raw(t, "<script>");
	flame_script(t);
	text_raw(t, "</script>\n</svg>\n");
}

enum gcs_status export_svg(const struct export *e)
{
	struct export_head head;
	struct flame f;
	enum gcs_status status = flame_init(&f, e->sites, e->options.icicle, e->err);
	export_head(e, &head);
	if (status == GCS_OK)
		put_document(e->text, &head, &f);
	flame_fini(&f);
	return status;
}
