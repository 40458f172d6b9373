/* Evaluates an expression, some tiles at a time. Declared in expr.h. */
#include <math.h>
#include <string.h>

#include "expr.h"
#include "tilecode.h"

/* Enough for 12 nested brackets with five pending operands each, or 24 conditionals with two. */
#define STACK (EXPR_OPS / 2 + 2)
#define BLOCK 64u /* tiles at a time; their stack fits into a cache */

struct columns {
	const int64_t *now[GCS_MAX_STREAMS], *before[GCS_MAX_STREAMS];
	const int64_t *counted[GCS_MAX_STREAMS], *counted_before[GCS_MAX_STREAMS];
	uint32_t tiles_before;
	const int64_t *starts, *ends;
	uint64_t block_bytes;
};

static double cut(double v)
{
	v = v > EXPR_MOST ? EXPR_MOST : v;
	return v < -EXPR_MOST ? -EXPR_MOST : v;
}

/* The values from tile `at` on; NaN where there are none or they have not been counted. */
static void load(double *to, const int64_t *from, const int64_t *counted, uint32_t at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = from != NULL ? (double)from[at + i] : (double)NAN;
	for (uint32_t i = 0; counted != NULL && i < n; i++)
		to[i] = counted[at + i] != 0 ? to[i] : (double)NAN;
}

static void load_before(
    double *to, const struct columns *c, uint32_t stream, uint32_t at, uint32_t n)
{
	const int64_t *from = c->before[stream];
	uint32_t known = from == NULL || at >= c->tiles_before ? 0 : c->tiles_before - at;
	known = known < n ? known : n;
	load(to, from, c->counted_before[stream], at, known);
	load(to + known, NULL, NULL, 0, n - known);
}

static void load_size(double *to, const struct columns *c, uint32_t at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (c->starts != NULL && c->ends != NULL)
			to[i] =
			    (double)(uint64_t)c->ends[at + i] - (double)(uint64_t)c->starts[at + i];
		else
			to[i] = c->block_bytes > 0 ? (double)c->block_bytes : (double)NAN;
	}
}

static void push(
    double *to, const struct expr_op *op, const struct columns *c, uint32_t at, uint32_t n)
{
	switch (op->kind) {
	case EXPR_STREAM:
		load(to, c->now[op->stream], c->counted[op->stream], at, n);
		break;
	case EXPR_BEFORE:
		load_before(to, c, op->stream, at, n);
		break;
	case EXPR_SIZE:
		load_size(to, c, at, n);
		break;
	default:
		for (uint32_t i = 0; i < n; i++)
			to[i] = op->kind == EXPR_TILE ? (double)(at + i) : op->number;
		break;
	}
}

/* A simple loop per operation, of a whole block, which the compiler vectorises; what is beyond the last
 * tile is not used. */
#define EACH(result)                                                                               \
	for (uint32_t i = 0; i < BLOCK; i++)                                                       \
		a[i] = (result);                                                                   \
	break

/* NaN if either side is. */
#define LOGIC(result) EACH(isnan(a[i]) || isnan(b[i]) ? (double)NAN : (double)(result))

static void alter(double *restrict a, enum expr_op_kind kind)
{
	switch (kind) {
	case EXPR_NOT:
		EACH(isnan(a[i]) ? a[i] : (double)(a[i] == 0));
	case EXPR_MINUS:
		EACH(-a[i]);
	case EXPR_ABS:
		EACH(fabs(a[i]));
	default: /* EXPR_LOG2 */
		EACH(a[i] > 0 ? log2(a[i]) : (double)NAN);
	}
}

static void compare(double *restrict a, const double *restrict b, enum expr_op_kind kind)
{
	switch (kind) {
	case EXPR_LESS:
		LOGIC(a[i] < b[i]);
	case EXPR_LESS_EQUAL:
		LOGIC(a[i] <= b[i]);
	case EXPR_GREATER:
		LOGIC(a[i] > b[i]);
	case EXPR_GREATER_EQUAL:
		LOGIC(a[i] >= b[i]);
	case EXPR_EQUAL:
		LOGIC(a[i] == b[i]);
	case EXPR_UNEQUAL:
		LOGIC(a[i] != b[i]);
	case EXPR_AND:
		LOGIC(a[i] != 0 && b[i] != 0);
	default: /* EXPR_OR */
		LOGIC(a[i] != 0 || b[i] != 0);
	}
}

static double quotient(double a, double b)
{
	const double q = cut(a / b);
	return b == 0 ? (double)NAN : q;
}

static void combine(double *restrict a, const double *restrict b, enum expr_op_kind kind)
{
	switch (kind) {
	case EXPR_ADD:
		EACH(cut(a[i] + b[i]));
	case EXPR_SUBTRACT:
		EACH(cut(a[i] - b[i]));
	case EXPR_MULTIPLY:
		EACH(cut(a[i] * b[i]));
	case EXPR_DIVIDE:
		EACH(quotient(a[i], b[i]));
	case EXPR_REST:
		EACH(b[i] == 0 ? (double)NAN : fmod(a[i], b[i]));
	case EXPR_MIN:
		EACH(isnan(b[i]) || b[i] < a[i] ? b[i] : a[i]);
	case EXPR_MAX:
		EACH(isnan(b[i]) || b[i] > a[i] ? b[i] : a[i]);
	default:
		compare(a, b, kind);
		break;
	}
}

static void choose(double *restrict a, const double *restrict yes, const double *restrict no)
{
	for (uint32_t i = 0; i < BLOCK; i++) {
		const double y = yes[i], n = no[i], chosen = a[i] != 0 ? y : n;
		a[i] = isnan(a[i]) ? a[i] : chosen;
	}
}

static void run_block(const struct expr *e, const struct columns *c, uint32_t at, uint32_t n,
    double (*stack)[BLOCK], double *values)
{
	uint32_t top = 0;
	for (uint32_t k = 0; k < e->count; k++) {
		const struct expr_op *op = &e->op[k];
		if (op->kind < EXPR_NOT) {
			push(stack[top++], op, c, at, n);
		} else if (op->kind < EXPR_FIRST_OF_TWO) {
			alter(stack[top - 1], op->kind);
		} else if (op->kind == EXPR_CHOOSE) {
			top -= 2;
			choose(stack[top - 1], stack[top], stack[top + 1]);
		} else {
			top--;
			combine(stack[top - 1], stack[top], op->kind);
		}
	}
	memcpy(values + at, stack[0], n * sizeof *values);
}

/* The same stream in the previous snapshot, whose model may differ. */
static void find_before(struct columns *c, const struct gcs_snapshot *before, uint32_t space,
    const struct gcs_space *s, uint32_t stream)
{
	const struct gcs_model *model = gcs_snapshot_model(before);
	if (space >= model->space_count || strcmp(model->spaces[space].name, s->name) != 0)
		return;
	const uint32_t old = gcs_space_find_stream(&model->spaces[space], s->streams[stream].name);
	c->before[stream] = gcs_snapshot_values(before, space, old);
	c->counted_before[stream] = tilecode_counted(before, space, old);
}

void expr_evaluate(const struct expr *expr, const struct gcs_snapshot *now,
    const struct gcs_snapshot *before, uint32_t space, double *values)
{
	double stack[STACK][BLOCK] = {{0}};
	struct columns c = {0};
	const struct gcs_space *s = &gcs_snapshot_model(now)->spaces[space];
	uint32_t tiles = gcs_snapshot_tiles(now, space);
	c.starts = tilecode_column(now, space, GCS_ROLE_RANGE_START);
	c.ends = tilecode_column(now, space, GCS_ROLE_RANGE_END);
	c.block_bytes = s->block_bytes;
	for (uint32_t k = 0; k < expr->count; k++) {
		const struct expr_op *op = &expr->op[k];
		if (op->kind == EXPR_STREAM) {
			c.now[op->stream] = gcs_snapshot_values(now, space, op->stream);
			c.counted[op->stream] = tilecode_counted(now, space, op->stream);
		}
		if (op->kind == EXPR_BEFORE && before != NULL)
			find_before(&c, before, space, s, op->stream);
	}
	if (expr->before && before != NULL && space < gcs_snapshot_model(before)->space_count)
		c.tiles_before = gcs_snapshot_tiles(before, space);
	for (uint32_t at = 0; at < tiles; at += BLOCK)
		run_block(expr, &c, at, tiles - at < BLOCK ? tiles - at : BLOCK, stack, values);
}
