#include "sites_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The field that the text begins with, and the text after its colon. */
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

/* No stack is walked frame by frame: a profile may come from a hostile server. */
static void find_in_stacks(struct sites_found *found, const struct gcs_profile *p,
    const struct sites_filter *filter, bool *frame)
{
	char text[2 * (GCS_MAX_TEXT + 1)];
	for (uint32_t i = 0; i < gcs_profile_frame_count(p); i++) {
		const struct gcs_frame *f = gcs_profile_frame(p, i);
		snprintf(text, sizeof text, "%s.%s", f->class_name, f->method);
		frame[i] = sites_filter_finds(filter, SITES_METHOD, text);
	}
	for (uint32_t i = 0; i < gcs_profile_stack_count(p); i++) {
		const struct gcs_stack *s = gcs_profile_stack(p, i);
		found->stack[i] =
		    frame[s->frame] || (s->parent != GCS_NONE && found->stack[s->parent]);
	}
}

bool sites_found_init(
    struct sites_found *found, const struct gcs_profile *p, const struct sites_filter *filter)
{
	uint32_t names = gcs_profile_name_count(p);
	*found = (struct sites_found){.class_name = NULL};
	if (sites_filter_is_open(filter))
		return true;
	found->class_name = calloc((size_t)names + 1, sizeof(bool));
	found->thread = calloc((size_t)names + 1, sizeof(bool));
	found->stack = calloc((size_t)gcs_profile_stack_count(p) + 1, sizeof(bool));
	bool *frame = calloc((size_t)gcs_profile_frame_count(p) + 1, sizeof(bool));
	bool ok = found->class_name != NULL && found->thread != NULL && found->stack != NULL &&
		  frame != NULL;
	for (uint32_t i = 0; ok && i < names; i++) {
		const char *name = gcs_profile_name(p, i);
		found->class_name[i] = sites_filter_finds(filter, SITES_CLASS, name);
		found->thread[i] = sites_filter_finds(filter, SITES_THREAD, name);
	}
	if (ok)
		find_in_stacks(found, p, filter, frame);
	else
		sites_found_fini(found);
	free(frame);
	return ok;
}

void sites_found_fini(struct sites_found *found)
{
	free(found->class_name);
	free(found->thread);
	free(found->stack);
	*found = (struct sites_found){.class_name = NULL};
}

bool sites_found_has(const void *context, const struct gcs_profile_entry *e)
{
	const struct sites_found *found = context;
	return found->class_name == NULL || found->class_name[e->class_name] ||
	       found->thread[e->thread] || (e->stack != GCS_NONE && found->stack[e->stack]);
}
