#include "report_legend.h"

#include <stdio.h>

#include <gcspy/format.h>

static void put_sample(struct text *t, unsigned look, const char *name)
{
	uint32_t colour = look_colour(look);
	text_format(t,
	    "<span class=\"key\"><svg class=\"sample\" width=\"13\" height=\"13\"><rect "
	    "width=\"13\" height=\"13\" fill=\"#%06x\" fill-opacity=\"%.2f\"/></svg> ",
	    (unsigned)(colour & 0xffffff), (colour >> 24) / 255.0);
	text_xml(t, name);
	text_raw(t, "</span>\n");
}

static void put_names(struct text *t, const struct gcs_stream *s)
{
	enum { MOST = 28 };
	for (uint32_t i = 0; i < s->enum_count && i < MOST; i++) {
		bool zero = s->paint == GCS_PAINT_ZERO && s->min + (int64_t)i == s->zero;
		put_sample(t, zero ? LOOK_ZERO : (unsigned)(LOOK_NAMES + i % NAME_COLOURS),
		    s->enum_names[i]);
	}
	if (s->enum_count > MOST)
		text_format(t, "<span class=\"key\">and %u more names</span>\n",
		    (unsigned)(s->enum_count - MOST));
}

/* Low, middle and high, and what high means. */
static void put_shades(struct text *t, const struct gcs_space *space, const struct gcs_stream *s)
{
	char number[48], words[GCS_MAX_NAME + 64];
	put_sample(t, LOOK_SHADES, "little");
	put_sample(t, LOOK_SHADES + SHADES / 2, "half");
	switch (s->maximum) {
	case GCS_MAX_FIXED:
		gcs_format_number(number, sizeof number, s->max, s->format);
		snprintf(words, sizeof words, "%s%s", number,
		    s->presentation == GCS_PLUS ? " or more" : "");
		break;
	case GCS_MAX_OF_STREAM:
		snprintf(words, sizeof words, "all of %s",
		    s->max_stream < space->stream_count ? space->streams[s->max_stream].name
							: "it");
		break;
	default:
		snprintf(words, sizeof words, "the largest value of the event");
	}
	put_sample(t, LOOK_SHADES + SHADES - 1, words);
	if (s->paint == GCS_PAINT_ZERO) {
		gcs_format_number(number, sizeof number, s->zero, s->format);
		put_sample(t, LOOK_ZERO, number);
	}
}

void legend_put(struct text *t, const struct gcs_model *m, uint32_t space_id, uint32_t stream_id)
{
	const struct gcs_space *space = &m->spaces[space_id];
	const struct gcs_stream *s = &space->streams[stream_id];
	text_raw(t, "<p class=\"legend\">");
	if (s->presentation == GCS_ENUM)
		put_names(t, s);
	else
		put_shades(t, space, s);
	put_sample(t, LOOK_UNUSED, space->unused_text[0] == '\0' ? "unused" : space->unused_text);
	text_raw(t, "</p>\n");
}
