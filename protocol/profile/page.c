#include "page.h"

#include <string.h>

/* The guards hide the body from parsers of XML, as comments of CSS and JavaScript. */
static void put_guarded(struct text *t, const char *element, const char *body)
{
	text_format(t, "<%s>/*<![CDATA[*/\n", element);
	text_raw(t, body);
	text_format(t, "/*]]>*/</%s>\n", element);
}

void page_style(struct text *t, const char *css)
{
	put_guarded(t, "style", css);
}

void page_script(struct text *t, const char *js)
{
	put_guarded(t, "script", js);
}

void page_fill(struct text *t, const char *markup, const char *const *texts)
{
	for (const char *place; (place = strstr(markup, "{}")) != NULL; markup = place + 2) {
		text_bytes(t, markup, (size_t)(place - markup));
		text_xml(t, *texts++);
	}
	text_raw(t, markup);
}
