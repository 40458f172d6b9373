/*
 * Expressions over the streams of a space, for colouring tiles by derived values (V9):
 *
 *	Used / Capacity * 100 %        a percentage of fixed range
 *	[Remembered cards] > 4K ? 1 : 0
 *	Used - prev("Used")            the change since the previous snapshot
 *
 * A text is compiled once for a space and then evaluated for all tiles at a time. Any text either
 * compiles or fails with a one-line error; neither step can fail otherwise, recurse without bound,
 * or divide by zero. Pure.
 */
#ifndef GCSPY_CLIENT_EXPR_H
#define GCSPY_CLIENT_EXPR_H

#include <gcspy/snapshot.h>

#define EXPR_TEXT  256   /* bytes of a text with its terminator */
#define EXPR_OPS   256   /* steps of a compiled one */
#define EXPR_DEPTH 24    /* nesting of brackets, signs and conditionals */
#define EXPR_MOST  1e300 /* results are clamped to it */

enum expr_op_kind {
	EXPR_NUMBER,
	EXPR_STREAM,
	EXPR_BEFORE, /* the stream's value in the previous snapshot */
	EXPR_TILE,   /* the tile's number, from 0 */
	EXPR_SIZE,   /* bytes of the tile's range */
	EXPR_NOT,
	EXPR_MINUS,
	EXPR_ABS,
	EXPR_LOG2,
	EXPR_FIRST_OF_TWO, /* from here on: two operands */
	EXPR_ADD = EXPR_FIRST_OF_TWO,
	EXPR_SUBTRACT,
	EXPR_MULTIPLY,
	EXPR_DIVIDE,
	EXPR_REST,
	EXPR_LESS,
	EXPR_LESS_EQUAL,
	EXPR_GREATER,
	EXPR_GREATER_EQUAL,
	EXPR_EQUAL,
	EXPR_UNEQUAL,
	EXPR_AND,
	EXPR_OR,
	EXPR_MIN,
	EXPR_MAX,
	EXPR_CHOOSE /* three operands */
};

struct expr_op {
	enum expr_op_kind kind;
	uint32_t stream;
	double number;
};

struct expr {
	struct expr_op op[EXPR_OPS]; /* operands first */
	uint32_t count;
	bool percent; /* the text ends in %: 0 to 100 */
	bool before;  /* uses the previous snapshot */
};

/* Compiles for a space; false with one line in err that names the column, from 1. */
bool expr_compile(
    struct expr *expr, const char *text, const struct gcs_space *space, struct gcs_error *err);

/*
 * One value per tile of the space in `now`; NaN for no value: a division by zero, the logarithm of
 * a number that is not positive, a tile missing in the previous snapshot. `before` may be NULL.
 */
void expr_evaluate(const struct expr *expr, const struct gcs_snapshot *now,
    const struct gcs_snapshot *before, uint32_t space, double *values);

#endif
