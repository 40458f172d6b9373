/*
 * A condition becomes operations, separately for each event: which event it is, and which attributes it has,
 * is known then, and what cannot hold is left out. Each operation names the next one for yes and for
 * no, so that evaluation is one loop. Within `and` and `or` the attributes that must be computed come
 * last.
 */

#include <string.h>

#include <gcspy/memory.h>

#include "reserved.h"
#include "triggers.h"
#include "updates_internal.h"

struct compiler {
	struct trigger *trigger;
	const struct gcs_event *event;
	struct trigger_code *code;
	bool counted; /* values are the numbers in their order */
	enum gcs_status status;
};

enum truth { NO, YES, MAYBE };

/* The event's attribute that the comparison is about, or GCS_NONE. */
static uint32_t attribute_of(const struct compiler *k, const struct comparison *c)
{
	for (uint32_t i = 0; i < k->event->attribute_count; i++)
		if (condition_fits(c, &k->event->attributes[i]) &&
		    (!k->counted || k->event->attributes[i].kind == GCS_ATTRIBUTE_NUMBER))
			return i;
	return GCS_NONE;
}

static bool is_computed(const struct gcs_attribute *a)
{
	return a->on_demand || a->parameter_count != 0;
}

/* Where the values have it. */
static uint8_t place_of(const struct compiler *k, uint32_t attribute)
{
	uint8_t place = 0;
	if (!k->counted || is_computed(&k->event->attributes[attribute]))
		return (uint8_t)attribute;
	for (uint32_t i = 0; i < attribute; i++)
		place += updates_counts(&k->event->attributes[i]);
	return place;
}

static const struct condition_node *node_at(const struct compiler *k, uint8_t node)
{
	return &k->trigger->condition.nodes[node];
}

static const struct comparison *comparison_at(const struct compiler *k, uint8_t node)
{
	return &k->trigger->condition.comparisons[node_at(k, node)->first];
}

/* What is known of a part of the condition without looking at an occurrence. */
static enum truth truth_of(const struct compiler *k, uint8_t node)
{
	const struct condition_node *n = node_at(k, node);
	if (n->kind == CONDITION_COMPARISON) {
		const struct comparison *c = comparison_at(k, node);
		if (c->operand == OPERAND_EVENT)
			return condition_same_name(c->text, k->event->name) ==
				       (c->compare == COMPARE_EQUAL)
				   ? YES
				   : NO;
		return c->operand == OPERAND_COUNT || attribute_of(k, c) != GCS_NONE ? MAYBE : NO;
	}
	const enum truth decides = n->kind == CONDITION_AND ? NO : YES;
	bool open = false;
	for (uint8_t i = n->first; i != CONDITION_NONE; i = node_at(k, i)->next) {
		const enum truth t = truth_of(k, i);
		if (t == decides)
			return t;
		open = open || t == MAYBE;
	}
	return open ? MAYBE : decides == NO ? YES : NO;
}

/* Whether something must be computed for it. */
static bool is_costly(const struct compiler *k, uint8_t node)
{
	const struct condition_node *n = node_at(k, node);
	bool costly = false;
	if (n->kind == CONDITION_COMPARISON) {
		const struct comparison *c = comparison_at(k, node);
		const uint32_t a = c->operand == OPERAND_ATTRIBUTE ? attribute_of(k, c) : GCS_NONE;
		return a != GCS_NONE && is_computed(&k->event->attributes[a]);
	}
	for (uint8_t i = n->first; i != CONDITION_NONE; i = node_at(k, i)->next)
		costly = costly || is_costly(k, i);
	return costly;
}

/* The values for which the comparison with a number holds. */
static void set_range(struct trigger_op *op, const struct comparison *c, int64_t number)
{
	const bool exact = !c->rounded;
	int64_t low = INT64_MIN, high = INT64_MAX;
	bool none = false;
	switch (c->compare) {
	case COMPARE_LESS:
		none = exact && number == INT64_MIN;
		high = exact && !none ? number - 1 : number;
		break;
	case COMPARE_AT_MOST:
		high = number;
		break;
	case COMPARE_AT_LEAST:
		low = exact ? number : number + 1;
		break;
	case COMPARE_MORE:
		none = number == INT64_MAX;
		low = none ? number : number + 1;
		break;
	default:
		none = !exact;
		low = high = number;
		op->negated = c->compare == COMPARE_DIFFERENT;
		break;
	}
	/* No value is in the range: any value is not in the range of all. */
	op->negated = none ? !op->negated : op->negated;
	op->low = none ? INT64_MIN : low;
	op->span = none ? UINT64_MAX : (uint64_t)high - (uint64_t)low;
	if (op->negated && op->span != UINT64_MAX) { /* all others are a range, too */
		op->low = (int64_t)((uint64_t)op->low + op->span + 1);
		op->span = UINT64_MAX - op->span - 1;
		op->negated = false;
	}
}

static uint8_t add_series(struct compiler *k, const struct comparison *c, uint32_t attribute)
{
	struct trigger *t = k->trigger;
	if (t->series_count == TRIGGER_SERIES) {
		k->status = GCS_LIMIT;
		return 0;
	}
	struct trigger_series *grown =
	    gcs_realloc(t->series, (t->series_count + 1) * sizeof *grown);
	if (grown == NULL) {
		k->status = GCS_NOMEM;
		return 0;
	}
	t->series = grown;
	struct trigger_series *s = &grown[t->series_count];
	memset(s, 0, sizeof *s);
	s->of = c;
	s->attribute = place_of(k, attribute);
	s->on_demand = is_computed(&k->event->attributes[attribute]);
	k->code->series_count++;
	return (uint8_t)t->series_count++;
}

static struct trigger_op *new_op(struct compiler *k)
{
	enum { MORE_OPS = GCS_MAX_TRIGGER_TERMS };
	struct trigger *t = k->trigger;
	if (t->op_count % MORE_OPS == 0) {
		struct trigger_op *grown =
		    gcs_realloc(t->ops, (t->op_count + MORE_OPS) * sizeof *grown);
		if (grown == NULL) {
			k->status = GCS_NOMEM;
			return NULL;
		}
		t->ops = grown;
	}
	struct trigger_op *op = &t->ops[t->op_count++];
	*op = (struct trigger_op){0};
	return op;
}

static uint16_t emit_comparison(
    struct compiler *k, const struct comparison *c, uint16_t yes, uint16_t no)
{
	const uint32_t at = c->operand == OPERAND_COUNT ? 0 : attribute_of(k, c);
	const struct gcs_attribute *a = &k->event->attributes[at];
	struct trigger_op *op = new_op(k);
	if (op == NULL)
		return no;
	const uint32_t self = k->trigger->op_count - 1;
	*op = (struct trigger_op){.attribute = c->operand == OPERAND_COUNT ? 0 : place_of(k, at),
	    .yes = yes,
	    .no = no,
	    .of = c,
	    .straight = OP_TURNS};
	if (c->operand == OPERAND_COUNT) {
		op->kind = OP_COUNT;
		set_range(op, c, c->number);
		return (uint16_t)self;
	}
	k->code->attributes |= (uint32_t)1 << at;
	if (a->kind == GCS_ATTRIBUTE_TEXT) {
		op->kind = c->compare == COMPARE_CONTAINS ? OP_CONTAINS : OP_TEXT;
		op->negated = c->compare == COMPARE_DIFFERENT;
	} else {
		op->kind = is_computed(a) ? OP_DEMAND : OP_NUMBER;
		set_range(
		    op, c, a->kind == GCS_ATTRIBUTE_ENUM ? condition_value(a, c->text) : c->number);
	}
	if (c->operand == OPERAND_CHANGE) {
		op->kind = OP_CHANGE;
		op->series = add_series(k, c, at);
	}
	if (self != 0 && (yes == self - 1 || no == self - 1))
		op->straight = (yes == self - 1) != op->negated;
	return (uint16_t)self;
}

/* Appends a part's operations, which lead to `yes` or `no`; returns the first one. */
static uint16_t emit(struct compiler *k, uint8_t node, uint16_t yes, uint16_t no)
{
	const struct condition_node *n = node_at(k, node);
	const enum truth truth = truth_of(k, node);
	uint8_t parts[GCS_MAX_TRIGGER_TERMS];
	uint32_t count = 0;
	if (truth != MAYBE)
		return truth == YES ? yes : no;
	if (n->kind == CONDITION_COMPARISON)
		return emit_comparison(k, comparison_at(k, node), yes, no);
	for (uint8_t i = n->first; i != CONDITION_NONE; i = node_at(k, i)->next)
		parts[count++] = i;
	/* From the last to the first: each leads to the one after it. */
	for (int costly = 1; costly >= 0; costly--)
		for (uint32_t i = count; i-- > 0;) {
			if (is_costly(k, parts[i]) != (costly == 1))
				continue;
			if (n->kind == CONDITION_AND)
				yes = emit(k, parts[i], yes, no);
			else
				no = emit(k, parts[i], yes, no);
		}
	return n->kind == CONDITION_AND ? yes : no;
}

static enum gcs_status compile(
    struct trigger *t, const struct gcs_model *model, uint64_t counted, struct gcs_error *err)
{
	bool anywhere = false;
	for (uint32_t i = model->event_count; i < GCS_MAX_EVENTS; i++)
		t->code[i].entry = TRIGGER_FAILS;
	for (uint32_t i = 0; i < model->event_count; i++) {
		struct compiler k = {.trigger = t,
		    .event = &model->events[i],
		    .code = &t->code[i],
		    .counted = (counted >> i & 1) != 0};
		k.code->first_series = (uint8_t)t->series_count;
		const uint32_t first = t->op_count;
		k.code->entry = emit(&k, t->condition.root, TRIGGER_HOLDS, TRIGGER_FAILS);
		k.code->simple = k.code->entry < TRIGGER_FAILS;
		for (uint32_t op = first; op < t->op_count; op++)
			k.code->simple = k.code->simple && t->ops[op].kind == OP_NUMBER;
		anywhere = anywhere || k.code->entry != TRIGGER_FAILS;
		if (k.status == GCS_LIMIT)
			return gcs_fail(err, GCS_LIMIT,
			    "the condition has more than %u changes; name its event",
			    TRIGGER_SERIES);
		if (k.status != GCS_OK)
			return gcs_fail(err, k.status, "no memory for a trigger");
	}
	return anywhere ? GCS_OK
			: gcs_fail(err, GCS_ARGUMENT,
			      "the condition never holds: no event has all of these attributes");
}

static enum gcs_status check_fields(const struct gcs_trigger *t, struct gcs_error *err)
{
	const uint32_t known = GCS_TRIGGER_PAUSE | GCS_TRIGGER_RECORD | GCS_TRIGGER_KEEP;
	if (RESERVED_CHECK("a trigger", t, err) != GCS_OK)
		return GCS_ARGUMENT;
	const size_t name = t->name == NULL ? 0 : strlen(t->name);
	const size_t condition = t->condition == NULL ? 0 : strlen(t->condition);
	if (name == 0 || name > GCS_MAX_NAME)
		return gcs_fail(
		    err, GCS_ARGUMENT, "a trigger needs a name of 1 to %u bytes", GCS_MAX_NAME);
	if (condition == 0 || condition > GCS_MAX_TEXT)
		return gcs_fail(err, GCS_ARGUMENT,
		    "trigger \"%.60s\" needs a condition of 1 to %u bytes", t->name, GCS_MAX_TEXT);
	if ((t->actions & ~known) != 0)
		return gcs_fail(
		    err, GCS_ARGUMENT, "trigger \"%.60s\" has an unknown action", t->name);
	if ((t->actions & GCS_TRIGGER_PAUSE) != 0 && (t->actions & GCS_TRIGGER_KEEP) != 0)
		return gcs_fail(err, GCS_ARGUMENT,
		    "trigger \"%.60s\": one that pauses the program cannot outlive its client",
		    t->name);
	return GCS_OK;
}

static bool copy_texts(struct trigger *t, const struct gcs_trigger *from)
{
	struct arena *a = &t->condition.arena;
	const char *plugin = from->plugin == NULL ? "" : from->plugin;
	t->set = *from;
	t->set.nth = from->nth == 0 ? 1 : from->nth;
	t->set.name = arena_text(a, from->name, strlen(from->name));
	t->set.condition = arena_text(a, from->condition, strlen(from->condition));
	t->set.plugin = arena_text(a, plugin, strlen(plugin));
	if (plugin[0] != '\0') {
		t->answers = gcs_alloc((size_t)TRIGGER_ANSWERS * GCS_MAX_FIRED_ANSWER);
		for (uint32_t i = 0; t->answers != NULL && i < TRIGGER_ANSWERS; i++)
			t->fires[i].answer = (char *)t->answers + (size_t)i * GCS_MAX_FIRED_ANSWER;
	}
	return t->set.name != NULL && t->set.condition != NULL && t->set.plugin != NULL &&
	       (plugin[0] == '\0' || t->answers != NULL);
}

struct trigger *trigger_create(const struct gcs_trigger *set, const struct gcs_model *model,
    uint64_t counted, struct gcs_error *err)
{
	if (check_fields(set, err) != GCS_OK)
		return NULL;
	struct trigger *t = gcs_zalloc(sizeof *t);
	if (t == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for a trigger");
		return NULL;
	}
	atomic_init(&t->references, 1);
	enum gcs_status status = condition_parse(&t->condition, model, set->condition, err);
	if (status == GCS_OK && !copy_texts(t, set))
		status = gcs_fail(err, GCS_NOMEM, "no memory for a trigger");
	if (status == GCS_OK)
		status = compile(t, model, counted, err);
	if (status == GCS_OK)
		return t;
	trigger_free(t);
	return NULL;
}

void trigger_free(struct trigger *t)
{
	if (t == NULL)
		return;
	condition_fini(&t->condition);
	gcs_free(t->ops);
	gcs_free(t->series);
	gcs_free(t->answers);
	gcs_free(t);
}

bool trigger_accepted(const struct trigger *t, const struct gcs_model *model,
    const struct gcs_server_options *options, struct gcs_error *err)
{
	char why[200] = "";
	for (uint32_t i = 0; options->parameters != NULL && i < model->event_count; i++)
		for (uint32_t a = 0; a < model->events[i].attribute_count; a++) {
			const struct gcs_attribute *of = &model->events[i].attributes[a];
			if (of->parameter_count == 0 || (t->code[i].attributes >> a & 1) == 0)
				continue;
			for (uint32_t k = 0; k < t->condition.comparison_count; k++) {
				const struct comparison *c = &t->condition.comparisons[k];
				const bool named =
				    c->operand != OPERAND_EVENT && c->operand != OPERAND_COUNT;
				if (!named || !condition_fits(c, of) ||
				    options->parameters(
					options->context, i, a, c->parameters, why, sizeof why))
					continue;
				gcs_fail(err, GCS_ARGUMENT, "%s", why);
				return false;
			}
		}
	return true;
}
