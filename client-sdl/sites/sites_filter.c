#include "sites_filter.h"

#include <stdio.h>
#include <string.h>

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The field that the text begins with, and what stands behind its colon. */
static enum sites_field field_of(const char **typed)
{
	static const struct {
		const char *word;
		enum sites_field field;
	} fields[] = {
	    {"class:", SITES_CLASS}, {"method:", SITES_METHOD}, {"thread:", SITES_THREAD}};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		size_t n = strlen(fields[i].word);
		if (strncmp(*typed, fields[i].word, n) != 0)
			continue;
		*typed += n;
		*typed += strspn(*typed, " ");
		return fields[i].field;
	}
	return SITES_ANY;
}

void sites_filter_init(struct sites_filter *filter, const char *typed)
{
	memset(filter, 0, sizeof *filter);
	typed += strspn(typed, " ");
	filter->field = field_of(&typed);
	bool pattern = *typed == '/';
	snprintf(filter->text, sizeof filter->text, "%s", typed + pattern);
	if (!pattern) {
		for (char *p = filter->text; *p != 0; p++)
			*p = lower(*p);
		return;
	}
	if (filter->text[0] == 0)
		return;
	int code = regcomp(&filter->regex, filter->text, REG_EXTENDED | REG_NOSUB);
	filter->pattern = code == 0;
	if (code != 0) {
		char why[120];
		regerror(code, &filter->regex, why, sizeof why);
		snprintf(filter->error, sizeof filter->error, "invalid pattern: %s", why);
		filter->text[0] = 0;
	}
}

void sites_filter_fini(struct sites_filter *filter)
{
	if (filter->pattern)
		regfree(&filter->regex);
	memset(filter, 0, sizeof *filter);
}

bool sites_filter_is_open(const struct sites_filter *filter)
{
	return filter->text[0] == 0;
}

bool sites_filter_thread(const struct sites_filter *filter, char pattern[SITES_PATTERN])
{
	size_t n = 0;
	pattern[0] = 0;
	if (filter->field != SITES_THREAD || sites_filter_is_open(filter))
		return false;
	if (filter->pattern) {
		snprintf(pattern, SITES_PATTERN, "%s", filter->text);
		return true;
	}
	for (const char *p = filter->text; *p != 0; p++) { /* four bytes for each at most */
		bool letter = *p >= 'a' && *p <= 'z';
		bool sign = strchr("\\^$.[]|()*+?{}", *p) != NULL;
		n += (size_t)snprintf(pattern + n, SITES_PATTERN - n,
		    letter ? "[%c%c]"
		    : sign ? "\\%c"
			   : "%c",
		    *p, *p - 'a' + 'A');
	}
	return true;
}

static bool contains(const char *text, const char *small)
{
	for (; *text != 0; text++) {
		size_t i = 0;
		while (small[i] != 0 && lower(text[i]) == small[i])
			i++;
		if (small[i] == 0)
			return true;
	}
	return false;
}

bool sites_filter_finds(const struct sites_filter *filter, enum sites_field field, const char *text)
{
	if (filter->field != SITES_ANY && filter->field != field)
		return false;
	if (filter->pattern)
		return regexec(&filter->regex, text, 0, NULL, 0) == 0;
	return filter->text[0] == 0 || contains(text, filter->text);
}
