/*
 * The overview: what the heap did over the time shown. Figures on top, below them charts over time
 * (used and committed heap with its pauses, allocation rate, time in pauses), at their side all
 * pauses as a histogram with percentiles. Charts are drawn from event headers, as the timeline is, whose zoom,
 * range and moment they share; figures come from time_figures.h. The window's thread.
 */
#ifndef GCSPY_CLIENT_OVERVIEW_VIEW_H
#define GCSPY_CLIENT_OVERVIEW_VIEW_H

#include "time_figures.h"
#include "timeline.h"

enum overview_plot { PLOT_HEAP, PLOT_ALLOCATION, PLOT_SHARE, OVERVIEW_PLOTS };

enum {
	OVERVIEW_CARDS = 6,
	OVERVIEW_BUCKETS = 64, /* of the histogram, at most */
	OVERVIEW_CARD_TEXT = 320,
	OVERVIEW_REASON = 400
};

enum overview_widget {
	OVERVIEW_FIELD = 1,
	OVERVIEW_LEAKS,
	OVERVIEW_COLLECT,
	OVERVIEW_MAP,
	OVERVIEW_FINDING,
	OVERVIEW_SCROLL,
	OVERVIEW_CARD = 10,
	OVERVIEW_HISTOGRAM = 50 /* in the side panel */
};

struct overview_layout {
	struct cv_rect page, bar; /* what is seen, with a scroll bar where that is not all */
	int content;              /* pixels from top to bottom */
	struct cv_rect card[OVERVIEW_CARDS];
	struct cv_rect finding;
	struct cv_rect title[OVERVIEW_PLOTS];
	struct timeline plot[OVERVIEW_PLOTS]; /* `ticks` is the area between the axes */
	struct timeline all;                  /* all plots and the axis below them */
};

struct overview_view {
	bool pressed, chooses; /* a button is down in the charts; it has been dragged */
	int press_x;
	uint64_t press_ns;
	uint64_t click_ms;
	int scroll; /* pixels; limited when it is used */
};

/* A figure on top: its name, its value, and what is to be known beside it. */
struct overview_card {
	char name[32], value[OVERVIEW_CARD_TEXT], note[OVERVIEW_CARD_TEXT];
	char tip[OVERVIEW_REASON]; /* in full, or why it is not known */
};

/* overview_layout.c */
struct overview_layout overview_lay_out(const struct app *app, struct cv_rect r);

/* overview_cards.c. The figures; what is found about leaks: true if there is a suspect. */
void overview_cards(const struct app *app, struct overview_card card[OVERVIEW_CARDS]);
bool overview_finding(const struct app *app, char *text, size_t size);
void overview_cards_run(struct app *app, const struct overview_layout *l);

/* overview_plots.c: the charts over time. */
void overview_plots_paint(struct app *app, const struct overview_layout *l);

/* Bytes allocated per second, by column of pixels; negative: unknown. Share of each column's time in
 * pauses, 0 to 1; `step` columns are one bar. */
void overview_allocation(
    const struct overview *o, const struct timeline *s, double *column, int count);
void overview_share(
    const struct overview *o, const struct timeline *s, double *column, int count, int step);

/* The smallest round value that is not below one: of bytes in powers of two. */
double overview_round(double value, bool bytes);

/* overview_pauses.c: the histogram and its tables, in the side panel. The buckets are of equal width on a logarithmic
 * scale; returns their number. */
struct overview_bucket {
	double from_ns, to_ns;
	uint64_t count;
};
uint32_t overview_buckets(
    const struct gcs_stats *stats, struct overview_bucket bucket[OVERVIEW_BUCKETS]);
void overview_side(void *self, struct app *app, struct cv_rect *column);
void overview_side_text(void *self, struct app *app, struct textbuf *out);

/* overview_text.c */
void overview_copy(void *self, struct app *app, struct textbuf *out);

#endif
