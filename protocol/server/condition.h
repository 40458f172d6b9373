/*
 * A trigger's condition as a tree (gcspy/trigger.h has the grammar). trigger_parse.c makes it of the
 * text, with the names of a model; trigger_compile.c makes of it what is evaluated at an event.
 */
#ifndef GCSPY_SERVER_CONDITION_H
#define GCSPY_SERVER_CONDITION_H

#include <gcspy/model.h>
#include <gcspy/trigger.h>

#include "arena.h"

enum condition_operand { OPERAND_EVENT, OPERAND_COUNT, OPERAND_ATTRIBUTE, OPERAND_CHANGE };

enum condition_compare {
	COMPARE_LESS,
	COMPARE_AT_MOST,
	COMPARE_EQUAL,
	COMPARE_DIFFERENT,
	COMPARE_AT_LEAST,
	COMPARE_MORE,
	COMPARE_CONTAINS
};

enum condition_unit { UNIT_NONE, UNIT_BYTES, UNIT_TIME };

struct comparison {
	enum condition_operand operand;
	const char *name; /* of the attribute */
	uint32_t parameter_count;
	int64_t parameters[GCS_MAX_ATTRIBUTE_PARAMETERS];
	uint64_t window; /* of a change: occurrences or ns */
	bool window_is_time;
	enum condition_compare compare;
	const char *text; /* NULL: a number */
	int64_t number;   /* rounded down */
	bool rounded;
	enum condition_unit unit;
};

enum condition_kind { CONDITION_COMPARISON, CONDITION_AND, CONDITION_OR };

#define CONDITION_NONE 255u

struct condition_node {
	enum condition_kind kind;
	uint8_t first; /* child, or the comparison */
	uint8_t next;  /* sibling */
};

struct condition {
	struct arena arena;
	struct comparison comparisons[GCS_MAX_TRIGGER_TERMS];
	struct condition_node nodes[2 * GCS_MAX_TRIGGER_TERMS];
	uint32_t comparison_count, node_count;
	uint8_t root;
};

/* On failure `err` names the word in the text and what is expected. Afterwards condition_fini. */
enum gcs_status condition_parse(
    struct condition *c, const struct gcs_model *model, const char *text, struct gcs_error *err);
void condition_fini(struct condition *c);

/* True for the same name without regard to case and width of blanks. */
bool condition_same_name(const char *a, const char *b);

/* True if the comparison can hold for this attribute: its name, parameters, kind and unit fit. */
bool condition_fits(const struct comparison *c, const struct gcs_attribute *a);

/* The value with this name in an enumeration, or GCS_NONE. */
uint32_t condition_value(const struct gcs_attribute *a, const char *name);

#endif
