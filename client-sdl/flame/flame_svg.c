/* The flame graph as a picture of its own (C22): the visible part, with all rows. Declared
 * in flame_view.h. */
#include <stdio.h>

#include "flame_graph.h"
#include "flame_view.h"

static uint32_t colour(const void *view, uint32_t node)
{
	return flame_colour(view, node);
}

bool flame_svg(struct flame_view *view, struct app *app, struct textbuf *out)
{
	enum { MOST_FRAMES = 50000 };
	struct gcs_sink sink = textbuf_sink(out);
	struct profiles_empty empty;
	struct gcs_error err;
	struct text text;
	char title[200], words[1400];
	bool warn;
	if (flame_explain_empty(view, app, &empty))
		return false;
	struct flame f = {.tree = flame_part(view)->tree,
	    .id = "flame",
	    .measure = view->measure,
	    .icicle = view->icicle,
	    .hit = view->hit,
	    .colour = colour,
	    .context = view};
	if (view->maker.made->before != NULL)
		f.keys = flame_changes(view, &f.key_count);
	flame_sight(view, &f.from, &f.to);
	flame_lay_out(&f, MOST_FRAMES);
	snprintf(title, sizeof title, "Flame graph: %s, %s",
	    view->holders.on ? "what holds the objects"
			     : gcs_profile_kind_title(app->profiles.kind),
	    view->measure == GCS_BY_BYTES ? "bytes" : "objects");
	if (view->holders.on)
		snprintf(words, sizeof words, "%s", view->holders.title);
	else
		profiles_head_text(app, words, sizeof words, &warn);
	text_begin(&text, &sink);
	flame_document(&text, &f, title, (const char *const[]){words}, 1);
	return text_end(&text, &err) == GCS_OK;
}
