/* The overview as text; declared in overview_view.h. */
#include "heap_view.h"
#include "overview_view.h"

void overview_copy(void *self, struct app *app, struct textbuf *out)
{
	struct overview_card card[OVERVIEW_CARDS];
	char finding[700];
	(void)self;
	overview_cards(app, card);
	for (int i = 0; i < OVERVIEW_CARDS; i++)
		textbuf_printf(out, "%s\t%s\t%s\n", card[i].name, card[i].value, card[i].note);
	overview_finding(app, finding, sizeof finding);
	textbuf_printf(out, "finding\t%s\n", finding);
}
