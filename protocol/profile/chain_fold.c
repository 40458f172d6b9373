/* The steps of a reference chain as people think of them: the inside of a collection is one row. */

#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>

#include "chain_tree.h"

/* A collection of the JDK: a field of it leads to an array of elements, or to arrays and nodes of its own
 * classes, one of whose fields leads to an element. */
struct collection {
	const char *owner; /* NULL: any class */
	const char *field;
	const char
	    *inside; /* beginning of the names of its own classes; NULL: an array of elements */
	const char *name; /* NULL: the class that has the field, which may be the program's own */
};

static const struct collection collection_table[] = {
    {"java.util.ArrayList", "elementData", NULL, NULL},
    {"java.util.Vector", "elementData", NULL, NULL},
    {"java.util.Stack", "elementData", NULL, NULL},
    {"java.util.ArrayDeque", "elements", NULL, NULL},
    {"java.util.PriorityQueue", "queue", NULL, NULL},
    {"java.util.IdentityHashMap", "table", NULL, NULL},
    {"java.util.Arrays$ArrayList", "a", NULL, NULL},
    {"java.util.concurrent.CopyOnWriteArrayList", "array", NULL, NULL},
    {"java.util.concurrent.ArrayBlockingQueue", "items", NULL, NULL},
    {"java.util.concurrent.PriorityBlockingQueue", "queue", NULL, NULL},
    {NULL, "first", "java.util.LinkedList$Node", NULL},
    {NULL, "last", "java.util.LinkedList$Node", NULL},
    {NULL, "table", "java.util.HashMap$", NULL},
    {NULL, "table", "java.util.LinkedHashMap$", NULL},
    {NULL, "head", "java.util.LinkedHashMap$", NULL},
    {NULL, "tail", "java.util.LinkedHashMap$", NULL},
    {NULL, "table", "java.util.Hashtable$Entry", NULL},
    {NULL, "table", "java.util.WeakHashMap$Entry", NULL},
    {NULL, "root", "java.util.TreeMap$Entry", NULL},
    {NULL, "table", "java.util.concurrent.ConcurrentHashMap$", NULL},
    {NULL, "nextTable", "java.util.concurrent.ConcurrentHashMap$", NULL},
    {NULL, "head", "java.util.concurrent.ConcurrentLinkedQueue$Node", NULL},
    {NULL, "tail", "java.util.concurrent.ConcurrentLinkedQueue$Node", NULL},
    {NULL, "head", "java.util.concurrent.ConcurrentLinkedDeque$Node", NULL},
    {NULL, "tail", "java.util.concurrent.ConcurrentLinkedDeque$Node", NULL},
    {NULL, "head", "java.util.concurrent.LinkedBlockingQueue$Node", NULL},
    {NULL, "last", "java.util.concurrent.LinkedBlockingQueue$Node", NULL},
    {NULL, "first", "java.util.concurrent.LinkedBlockingDeque$Node", NULL},
    {NULL, "last", "java.util.concurrent.LinkedBlockingDeque$Node", NULL},
    {NULL, "head", "java.util.concurrent.ConcurrentSkipListMap$", NULL},
    {NULL, "threadLocals", "java.lang.ThreadLocal$ThreadLocalMap", "thread-local variable"},
    {NULL, "inheritableThreadLocals", "java.lang.ThreadLocal$ThreadLocalMap",
	"thread-local variable"},
};

/* Sets are maps inside: their elements are the map's keys. */
static const struct {
	const char *owner, *field;
} set_table[] = {
    {"java.util.HashSet", "map"},
    {"java.util.LinkedHashSet", "map"},
    {"java.util.TreeSet", "m"},
    {"java.util.concurrent.ConcurrentHashMap$KeySetView", "map"},
    {"java.util.concurrent.ConcurrentSkipListSet", "m"},
};

static bool is_field(const struct chain_step *step, const char *owner, const char *field)
{
	return step->kind == CHAIN_FIELD && strcmp(step->field, field) == 0 &&
	       (owner == NULL || strcmp(step->class_name, owner) == 0);
}

static bool text_begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The word for an element that a field of a node leads to; NULL: to another node. */
static const char *element_word(const char *field)
{
	if (strcmp(field, "value") == 0 || text_begins(field, CHAIN_VALUE_OF) ||
	    strcmp(field, "val") == 0)
		return " value";
	if (strcmp(field, "key") == 0)
		return " key";
	return strcmp(field, "item") == 0 ? "[*]" : NULL;
}

/* The step after the collection that begins at `at`, and what leads to the element; `at` if none
 * begins there. */
static uint32_t pass_collection(const struct chain_step *steps, uint32_t count, uint32_t at,
    const struct collection *c, const char **word)
{
	uint32_t i = at + 1;
	if (!is_field(&steps[at], c->owner, c->field) || i >= count)
		return at;
	if (c->inside == NULL) {
		*word = "[*]";
		return steps[i].kind == CHAIN_ELEMENT ? i + 1 : at;
	}
	for (; i < count && steps[i].kind != CHAIN_TEXT &&
	       text_begins(steps[i].class_name, c->inside);
	     i++) {
		*word = steps[i].kind == CHAIN_FIELD ? element_word(steps[i].field) : NULL;
		if (*word != NULL)
			return i + 1;
	}
	/* A table of one class of nodes has nodes of another. */
	for (; i > at + 1 && i < count && steps[i].kind == CHAIN_FIELD &&
	       text_begins(steps[i].class_name, "java.util.");
	     i++) {
		*word = element_word(steps[i].field);
		if (*word != NULL)
			return i + 1;
	}
	*word = " (inside)"; /* the object itself is a part of the collection */
	return i + 1 == count && steps[i].kind == CHAIN_TEXT &&
		       (i > at + 1 || text_begins(steps[i].class_name, c->inside))
		   ? i
		   : at;
}

static uint32_t fold_collection(
    const struct chain_step *steps, uint32_t count, uint32_t at, char *text, size_t size)
{
	const char *set = NULL, *word = NULL;
	uint32_t begin = at;
	for (size_t i = 0; i < sizeof set_table / sizeof set_table[0] && at + 1 < count; i++)
		if (is_field(&steps[at], set_table[i].owner, set_table[i].field))
			set = set_table[i].owner;
	begin += set != NULL;
	for (size_t i = 0; i < sizeof collection_table / sizeof collection_table[0]; i++) {
		const struct collection *c = &collection_table[i];
		const uint32_t end = pass_collection(steps, count, begin, c, &word);
		if (end == begin)
			continue;
		const bool local = c->name != NULL;
		const char *name = set != NULL ? set : local ? c->name : steps[begin].class_name;
		const bool inside = strcmp(word, " (inside)") == 0;
		const char *field = steps[end - 1].kind == CHAIN_FIELD ? steps[end - 1].field : "";
		const bool named = local && text_begins(field, CHAIN_VALUE_OF);
		snprintf(text, size, "%s%s%s", name, named ? " " : "",
		    inside        ? word
		    : named       ? field + strlen(CHAIN_VALUE_OF)
		    : set != NULL ? "[*]"
		    : local       ? ""
				  : word);
		return end;
	}
	return at;
}

/* A step that leads to an object of the same class. */
static bool leads_to_own_class(const struct chain_step *steps, uint32_t count, uint32_t at)
{
	return steps[at].kind == CHAIN_FIELD &&
	       (steps[at].times > 1 ||
		   (at + 1 < count && steps[at + 1].kind == CHAIN_FIELD &&
		       strcmp(steps[at].class_name, steps[at + 1].class_name) == 0));
}

/* Lists of three and more objects; two are a parent and its child. */
static uint32_t fold_list(
    const struct chain_step *steps, uint32_t count, uint32_t at, char *text, size_t size)
{
	enum { LEAST = 3 };
	uint32_t end = at;
	uint64_t times = 0;
	bool one_field = true;
	for (; end < count && leads_to_own_class(steps, count, end) &&
	       strcmp(steps[end].class_name, steps[at].class_name) == 0;
	     end++) {
		times += steps[end].times;
		one_field = one_field && strcmp(steps[end].field, steps[at].field) == 0;
	}
	if (times < LEAST)
		return at;
	if (one_field)
		snprintf(text, size, "%s.%s (repeated)", steps[at].class_name, steps[at].field);
	else
		snprintf(text, size, "%s (linked)", steps[at].class_name);
	return end;
}

void chain_step_text(const struct chain_step *step, char *text, size_t size)
{
	char times[32];
	const size_t length = strlen(step->class_name);
	int used;
	switch (step->kind) {
	case CHAIN_STATIC:
		used = snprintf(text, size, "static %s.%s", step->class_name, step->field);
		break;
	case CHAIN_FIELD:
		used = snprintf(text, size, "%s.%s", step->class_name, step->field);
		break;
	case CHAIN_ELEMENT: /* "java.lang.Object[][]" has elements "java.lang.Object[][*]" */
		used = snprintf(text, size, "%.*s[*]", (int)(length < 2 ? length : length - 2),
		    step->class_name);
		break;
	default:
		used = snprintf(text, size, "%s", step->class_name);
	}
	if (step->times > 1 && used >= 0 && (size_t)used < size)
		snprintf(text + used, size - (size_t)used, " \xc3\x97 %s",
		    gcs_format_count(times, sizeof times, step->times));
}

uint32_t chain_fold(
    const struct chain_step *steps, uint32_t count, uint32_t at, char *text, size_t size)
{
	uint32_t end = fold_collection(steps, count, at, text, size);
	if (end == at)
		end = fold_list(steps, count, at, text, size);
	if (end != at)
		return end;
	chain_step_text(&steps[at], text, size);
	return at + 1;
}
