#include "triggers_complete.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What ends at the cursor: the name being typed, and what stands before it. */
struct typed {
	enum { TYPED_OPERAND, TYPED_VALUE } kind;
	char phrase[128];  /* without quotes and blanks around it */
	char operand[128]; /* of a value: what it is compared with */
	size_t from;       /* where the phrase begins */
	bool ended;        /* a blank follows it */
};

struct collected {
	const struct typed *typed;
	struct trigger_suggestion *out;
	uint32_t count;
};

static void trim(char *text)
{
	size_t n = strlen(text);
	const size_t skip = strspn(text, " \"");
	memmove(text, text + skip, n - skip + 1);
	for (n -= skip; n > 0 && (text[n - 1] == ' ' || text[n - 1] == '"'); n--)
		text[n - 1] = 0;
}

static void copy_part(char *out, size_t size, const char *text, size_t from, size_t end)
{
	const size_t n = end - from < size ? end - from : size - 1;
	memcpy(out, text + from, n);
	out[n] = 0;
	trim(out);
}

/* True if a word of the language begins at i, with blanks or parentheses around it. */
static size_t word_at(const char *text, size_t i, size_t n)
{
	static const char *const words[] = {"and", "or"};
	if (i > 0 && text[i - 1] != ' ' && text[i - 1] != ')')
		return 0;
	for (int k = 0; k < 2; k++) {
		const size_t m = strlen(words[k]);
		if (i + m < n && strncasecmp(text + i, words[k], m) == 0 && text[i + m] == ' ')
			return m;
	}
	return 0;
}

static struct typed take_apart(const char *text, size_t n)
{
	struct typed t = {.kind = TYPED_OPERAND};
	size_t operand = 0;
	bool quoted = false;
	for (size_t i = 0; i < n; i++) {
		const size_t word = quoted ? 0 : word_at(text, i, n);
		if (text[i] == '"')
			quoted = !quoted;
		if (quoted)
			continue;
		if (word > 0 || text[i] == '(') {
			t.kind = TYPED_OPERAND;
			i += word > 0 ? word - 1 : 0;
			t.from = operand = i + 1;
		} else if (strchr("<>=!~", text[i]) != NULL) {
			if (t.kind == TYPED_OPERAND)
				copy_part(t.operand, sizeof t.operand, text, operand, i);
			t.kind = TYPED_VALUE;
			t.from = i + 1;
		}
	}
	t.from += strspn(text + t.from, " ");
	if (t.from > n)
		t.from = n;
	copy_part(t.phrase, sizeof t.phrase, text, t.from, n);
	t.ended =
	    !quoted && t.phrase[0] != 0 && n > 0 && (text[n - 1] == ' ' || text[n - 1] == '"');
	return t;
}

static bool is_plain(const char *name)
{
	for (; *name != 0; name++)
		if (!isalnum((unsigned char)*name))
			return false;
	return true;
}

/* Adds a name that begins with the phrase; NULL as `after` for one that is not quoted. */
static void suggest(struct collected *c, const char *name, const char *after, bool quote)
{
	const struct typed *t = c->typed;
	if (c->count == TRIGGERS_SUGGESTIONS || strlen(name) > 80 ||
	    strncasecmp(name, t->phrase, strlen(t->phrase)) != 0)
		return;
	struct trigger_suggestion s = {.from = t->from};
	const char *mark = quote && !is_plain(name) ? "\"" : "";
	snprintf(s.text, sizeof s.text, "%s%s%s%s", mark, name, mark, after);
	for (uint32_t i = 0; i < c->count; i++)
		if (strcmp(c->out[i].text, s.text) == 0)
			return;
	c->out[c->count++] = s;
}

/* After a whole operand or value; nothing of it is replaced. */
static void suggest_next(struct collected *c, const char *const *words, uint32_t count, size_t end)
{
	for (uint32_t i = 0; i < count && c->count < TRIGGERS_SUGGESTIONS; i++) {
		struct trigger_suggestion *s = &c->out[c->count++];
		snprintf(s->text, sizeof s->text, "%s", words[i]);
		s->from = end;
	}
}

static const struct gcs_attribute *attribute_named(const struct gcs_model *model, const char *name)
{
	for (uint32_t i = 0; i < model->event_count; i++)
		for (uint32_t k = 0; k < model->events[i].attribute_count; k++)
			if (strcasecmp(model->events[i].attributes[k].name, name) == 0)
				return &model->events[i].attributes[k];
	return NULL;
}

static void complete_operand(struct collected *c, const struct gcs_model *model)
{
	suggest(c, "event", " = ", false);
	for (uint32_t i = 0; i < model->event_count; i++)
		for (uint32_t k = 0; k < model->events[i].attribute_count; k++)
			suggest(c, model->events[i].attributes[k].name, " ", true);
	suggest(c, "count", " ", false);
	suggest(c, "change(", "", false);
}

static void complete_operator(struct collected *c, const struct gcs_model *model, size_t n)
{
	static const char *const numbers[] = {"> ", ">= ", "= ", "<= ", "< "};
	static const char *const names[] = {"= ", "!= "};
	static const char *const texts[] = {"~ ", "= ", "!= "};
	const struct gcs_attribute *a = attribute_named(model, c->typed->phrase);
	const bool event = strcasecmp(c->typed->phrase, "event") == 0;
	if (event || (a != NULL && a->kind == GCS_ATTRIBUTE_ENUM))
		suggest_next(c, names, 2, n);
	else if (a != NULL && a->kind == GCS_ATTRIBUTE_TEXT)
		suggest_next(c, texts, 3, n);
	else
		suggest_next(c, numbers, 5, n);
}

static void complete_value(struct collected *c, const struct gcs_model *model)
{
	if (strcasecmp(c->typed->operand, "event") == 0) {
		for (uint32_t i = 0; i < model->event_count; i++)
			suggest(c, model->events[i].name, " ", true);
		return;
	}
	const struct gcs_attribute *a = attribute_named(model, c->typed->operand);
	for (uint32_t i = 0; a != NULL && a->kind == GCS_ATTRIBUTE_ENUM && i < a->enum_count; i++)
		suggest(c, a->enum_names[i], " ", true);
}

uint32_t triggers_complete(const struct gcs_model *model, const char *text, size_t n,
    struct trigger_suggestion out[TRIGGERS_SUGGESTIONS])
{
	static const char *const joins[] = {"and ", "or "};
	const struct typed typed = take_apart(text, n);
	struct collected c = {.typed = &typed, .out = out};
	const bool operand =
	    strcasecmp(typed.phrase, "event") == 0 || strcasecmp(typed.phrase, "count") == 0 ||
	    attribute_named(model, typed.phrase) != NULL ||
	    (typed.phrase[0] != 0 && typed.phrase[strlen(typed.phrase) - 1] == ')');
	if (typed.kind == TYPED_OPERAND && typed.ended && operand)
		complete_operator(&c, model, n);
	else if (typed.kind == TYPED_OPERAND)
		complete_operand(&c, model);
	else if (!typed.ended)
		complete_value(&c, model);
	else {
		/* A name of several words may go on. */
		complete_value(&c, model);
		for (uint32_t i = 0; i < c.count; i++)
			if (strncmp(out[i].text + (out[i].text[0] == '"'), typed.phrase,
				strlen(typed.phrase)) == 0 &&
			    strlen(out[i].text) <= strlen(typed.phrase) + 3)
				c.count = 0;
		if (c.count == 0)
			suggest_next(&c, joins, 2, n);
	}
	return c.count;
}
