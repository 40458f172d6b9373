/* The text of a condition becomes a tree: recursive descent, a function for each rule of
 * gcspy/trigger.h. Names of several words are recognised by the longest match with known names. */

#include <stdio.h>
#include <string.h>

#include "trigger_words.h"

enum { MAX_DEPTH = 32 };

/* Operands. */

static bool first_of_its_name(const struct gcs_model *m, uint32_t event, uint32_t attribute)
{
	const char *name = m->events[event].attributes[attribute].name;
	for (uint32_t i = 0; i <= event; i++)
		for (uint32_t k = 0; k < m->events[i].attribute_count; k++)
			if (strcmp(m->events[i].attributes[k].name, name) == 0)
				return i == event && k == attribute;
	return true;
}

static bool unknown_attribute(struct parser *p)
{
	struct word_list known = {.text = "event, count, change", .length = 20};
	for (uint32_t i = 0; i < p->model->event_count; i++)
		for (uint32_t k = 0; k < p->model->events[i].attribute_count; k++)
			if (first_of_its_name(p->model, i, k))
				words_add(&known, p->model->events[i].attributes[k].name);
	char what[260];
	snprintf(what, sizeof what, "an attribute (%s)", known.text);
	return words_expected(p, what);
}

static bool read_parameters(struct parser *p, struct comparison *c)
{
	struct number n;
	if (!words_accept(p, "("))
		return true;
	do {
		p->at = words_skip(p->at);
		if (c->parameter_count == GCS_MAX_ATTRIBUTE_PARAMETERS || !words_at_number(p))
			return words_expected(p, "1 to 4 numbers as parameters");
		if (!words_number(p, &n))
			return false;
		c->parameters[c->parameter_count++] = n.value;
	} while (words_accept(p, ","));
	return words_require(p, ")");
}

static const char *end_of_attribute(const struct parser *p)
{
	const char *best = NULL;
	for (uint32_t i = 0; i < p->model->event_count; i++)
		for (uint32_t k = 0; k < p->model->events[i].attribute_count; k++)
			best = words_longer(best, p->at, p->model->events[i].attributes[k].name);
	return best;
}

/* Whether an attribute has this name and takes these parameters. */
static bool is_attribute(const struct comparison *c, const struct gcs_attribute *a)
{
	return condition_same_name(c->name, a->name) && c->parameter_count == a->parameter_count;
}

static bool check_attribute(struct parser *p, const struct comparison *c)
{
	const struct gcs_attribute *found = NULL;
	for (uint32_t i = 0; i < p->model->event_count; i++)
		for (uint32_t k = 0; k < p->model->events[i].attribute_count; k++) {
			const struct gcs_attribute *a = &p->model->events[i].attributes[k];
			if (is_attribute(c, a))
				return true;
			if (condition_same_name(c->name, a->name))
				found = a;
		}
	struct word_list names = {.text = ""};
	for (uint32_t i = 0; found != NULL && i < found->parameter_count; i++)
		words_add(&names, found->parameter_names[i]);
	p->status = gcs_fail(p->err, GCS_ARGUMENT, "\"%.60s\" takes %u parameter%s%s%s", c->name,
	    found == NULL ? 0 : found->parameter_count,
	    found != NULL && found->parameter_count == 1 ? "" : "s", names.length == 0 ? "" : ": ",
	    names.text);
	return false;
}

static bool read_attribute(struct parser *p, struct comparison *c)
{
	const char *begin = p->at = words_skip(p->at);
	const char *end;
	if (*p->at == '"') {
		if ((c->name = words_quoted(p)) == NULL)
			return false;
		bool known = false;
		for (uint32_t i = 0; i < p->model->event_count; i++)
			for (uint32_t k = 0; k < p->model->events[i].attribute_count; k++)
				known = known || condition_same_name(c->name,
						     p->model->events[i].attributes[k].name);
		if (!known) {
			p->at = begin + 1;
			return unknown_attribute(p);
		}
	} else if ((end = end_of_attribute(p)) == NULL) {
		return unknown_attribute(p);
	} else if ((c->name = words_copy(p, end)) == NULL) {
		return false;
	}
	return read_parameters(p, c) && check_attribute(p, c);
}

static bool read_change(struct parser *p, struct comparison *c)
{
	struct number n;
	c->operand = OPERAND_CHANGE;
	if (!words_require(p, "(") || !read_attribute(p, c) || !words_require(p, ","))
		return false;
	const char *begin = p->at = words_skip(p->at);
	if (!words_at_number(p) || !words_number(p, &n) || n.value < 1 || n.unit == UNIT_BYTES) {
		p->at = begin;
		return words_expected(p, "a number of events or ms");
	}
	c->window = (uint64_t)n.value;
	c->window_is_time = n.unit == UNIT_TIME;
	if (!c->window_is_time && !words_accept(p, "events") && !words_accept(p, "event"))
		return words_expected(p, "events, ms or s");
	if (!c->window_is_time && c->window > GCS_MAX_TRIGGER_CHANGE) {
		p->at = begin;
		return words_expected(p, "1 to 64 events");
	}
	return words_require(p, ")");
}

static bool read_operand(struct parser *p, struct comparison *c)
{
	static const char *const keywords[] = {"event", "count", "change"};
	p->at = words_skip(p->at);
	const char *attribute = *p->at == '"' ? NULL : end_of_attribute(p);
	for (int i = 0; i < 3; i++) {
		const char *end = words_match(p->at, keywords[i]);
		if (end == NULL || (attribute != NULL && attribute > end))
			continue;
		p->at = end;
		c->operand = i == 0 ? OPERAND_EVENT : OPERAND_COUNT;
		return i == 2 ? read_change(p, c) : true;
	}
	c->operand = OPERAND_ATTRIBUTE;
	return read_attribute(p, c);
}

/* Comparisons. */

uint32_t condition_value(const struct gcs_attribute *a, const char *name)
{
	for (uint32_t i = 0; a->kind == GCS_ATTRIBUTE_ENUM && i < a->enum_count; i++)
		if (condition_same_name(name, a->enum_names[i]))
			return i;
	return GCS_NONE;
}

bool condition_fits(const struct comparison *c, const struct gcs_attribute *a)
{
	const bool ordered = c->compare != COMPARE_EQUAL && c->compare != COMPARE_DIFFERENT;
	if (!is_attribute(c, a))
		return false;
	if (c->operand == OPERAND_CHANGE && a->kind != GCS_ATTRIBUTE_NUMBER)
		return false;
	switch (a->kind) {
	case GCS_ATTRIBUTE_NUMBER:
		return c->text == NULL && c->compare != COMPARE_CONTAINS &&
		       (c->unit != UNIT_TIME || a->format != GCS_BYTES) &&
		       (c->unit != UNIT_BYTES || a->format != GCS_NANOSECONDS);
	case GCS_ATTRIBUTE_ENUM:
		return c->text != NULL && !ordered && condition_value(a, c->text) != GCS_NONE;
	default:
		return c->text != NULL && (!ordered || c->compare == COMPARE_CONTAINS);
	}
}

/* What the value of an operand can be. */
struct choice {
	bool number, text;
	const char *value_end; /* of a known name at the cursor */
	struct word_list names;
};

static void add_choice(struct parser *p, struct choice *to, const char *name)
{
	to->value_end = words_longer(to->value_end, p->at, name);
	words_add(&to->names, name);
}

static struct choice choices(struct parser *p, const struct comparison *c)
{
	struct choice ch = {.number = c->operand == OPERAND_COUNT || c->operand == OPERAND_CHANGE};
	for (uint32_t i = 0; c->operand != OPERAND_COUNT && i < p->model->event_count; i++) {
		const struct gcs_event *e = &p->model->events[i];
		if (c->operand == OPERAND_EVENT)
			add_choice(p, &ch, e->name);
		for (uint32_t k = 0; c->operand == OPERAND_ATTRIBUTE && k < e->attribute_count;
		     k++) {
			const struct gcs_attribute *a = &e->attributes[k];
			if (!is_attribute(c, a))
				continue;
			ch.number = ch.number || a->kind == GCS_ATTRIBUTE_NUMBER;
			ch.text = ch.text || a->kind == GCS_ATTRIBUTE_TEXT;
			for (uint32_t v = 0; a->kind == GCS_ATTRIBUTE_ENUM && v < a->enum_count;
			     v++)
				add_choice(p, &ch, a->enum_names[v]);
		}
	}
	return ch;
}

/* Whether the comparison can hold at any event. */
static bool fits_somewhere(const struct parser *p, const struct comparison *c)
{
	const bool ordered = c->compare != COMPARE_EQUAL && c->compare != COMPARE_DIFFERENT;
	if (c->operand == OPERAND_COUNT)
		return c->compare != COMPARE_CONTAINS && c->unit == UNIT_NONE;
	for (uint32_t i = 0; i < p->model->event_count; i++) {
		const struct gcs_event *e = &p->model->events[i];
		if (c->operand == OPERAND_EVENT && !ordered &&
		    condition_same_name(c->text, e->name))
			return true;
		for (uint32_t k = 0; c->operand != OPERAND_EVENT && k < e->attribute_count; k++)
			if (condition_fits(c, &e->attributes[k]))
				return true;
	}
	return false;
}

static bool read_value(struct parser *p, struct comparison *c)
{
	struct number n = {0};
	char what[300];
	const char *begin = p->at = words_skip(p->at);
	const struct choice ch = choices(p, c);
	if (ch.names.length != 0)
		snprintf(what, sizeof what, "one of %s", ch.names.text);
	else
		snprintf(what, sizeof what, "%s", ch.number ? "a number" : "a text");
	if (*p->at == '"')
		c->text = words_quoted(p);
	else if (ch.value_end != NULL)
		c->text = words_copy(p, ch.value_end);
	else if (ch.number && words_at_number(p))
		words_number(p, &n);
	else if (ch.text && words_end(p->at, ")") != p->at)
		c->text = words_copy(p, words_end(p->at, ")"));
	else
		return words_expected(p, what);
	c->number = n.value;
	c->rounded = n.rounded;
	c->unit = n.unit;
	if (p->status != GCS_OK)
		return false;
	const bool never = c->rounded && c->compare == COMPARE_EQUAL;
	if (!never && fits_somewhere(p, c))
		return true;
	p->at = begin;
	if (never)
		return words_expected(p, "a whole number, which values are");
	if (c->unit != UNIT_NONE)
		return words_expected(p, c->unit == UNIT_TIME ? "no time" : "no size in bytes");
	if (ch.names.length == 0 && ch.number)
		return words_expected(p, "a number and one of <, <=, =, !=, >=, >");
	snprintf(what, sizeof what, "%s and one of %s",
	    ch.names.length != 0 ? ch.names.text : "a text", ch.text ? "=, != or ~" : "= and !=");
	return words_expected(p, what);
}

static bool read_compare(struct parser *p, struct comparison *c)
{
	static const struct {
		const char *token;
		enum condition_compare compare;
	} table[] = {{"<=", COMPARE_AT_MOST}, {"<", COMPARE_LESS}, {"==", COMPARE_EQUAL},
	    {"=", COMPARE_EQUAL}, {"!=", COMPARE_DIFFERENT}, {">=", COMPARE_AT_LEAST},
	    {">", COMPARE_MORE}, {"~", COMPARE_CONTAINS}};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (words_accept(p, table[i].token)) {
			c->compare = table[i].compare;
			return true;
		}
	return words_expected(p, "<, <=, =, !=, >=, > or ~");
}

/* The tree. */

static uint8_t new_node(struct parser *p, enum condition_kind kind, uint8_t first)
{
	p->c->nodes[p->c->node_count] =
	    (struct condition_node){.kind = kind, .first = first, .next = CONDITION_NONE};
	return (uint8_t)p->c->node_count++;
}

static uint8_t read_comparison(struct parser *p)
{
	if (p->c->comparison_count == GCS_MAX_TRIGGER_TERMS) {
		p->status = gcs_fail(p->err, GCS_LIMIT, "a condition has at most %u comparisons",
		    GCS_MAX_TRIGGER_TERMS);
		return CONDITION_NONE;
	}
	struct comparison *c = &p->c->comparisons[p->c->comparison_count];
	if (!read_operand(p, c) || !read_compare(p, c) || !read_value(p, c))
		return CONDITION_NONE;
	return new_node(p, CONDITION_COMPARISON, (uint8_t)p->c->comparison_count++);
}

static uint8_t read_factor(struct parser *p);

/* factors joined by `and`, or such terms joined by `or` */
static uint8_t read_chain(struct parser *p, enum condition_kind kind)
{
	const bool or = kind == CONDITION_OR;
	uint8_t chain = CONDITION_NONE, last = CONDITION_NONE;
	do {
		const uint8_t next = or ? read_chain(p, CONDITION_AND) : read_factor(p);
		if (next == CONDITION_NONE)
			return CONDITION_NONE;
		const bool second = last != CONDITION_NONE && last == chain;
		if (last == CONDITION_NONE)
			chain = next;
		else
			p->c->nodes[last].next = next;
		if (second)
			chain = new_node(p, kind, chain);
		last = next;
	} while (words_accept(p, or ? "or" : "and"));
	return chain;
}

static uint8_t read_factor(struct parser *p)
{
	if (!words_accept(p, "("))
		return read_comparison(p);
	if (++p->depth > MAX_DEPTH)
		return words_expected(p, "fewer parentheses"), CONDITION_NONE;
	const uint8_t inner = read_chain(p, CONDITION_OR);
	p->depth--;
	return inner != CONDITION_NONE && words_require(p, ")") ? inner : CONDITION_NONE;
}

enum gcs_status condition_parse(
    struct condition *c, const struct gcs_model *model, const char *text, struct gcs_error *err)
{
	*c = (struct condition){.root = CONDITION_NONE};
	struct parser p = {.model = model, .c = c, .at = text, .err = err};
	c->root = read_chain(&p, CONDITION_OR);
	if (c->root != CONDITION_NONE && *(p.at = words_skip(p.at)) != '\0')
		words_expected(&p, "\"and\", \"or\" or the end");
	return p.status;
}

void condition_fini(struct condition *c)
{
	arena_fini(&c->arena);
}
