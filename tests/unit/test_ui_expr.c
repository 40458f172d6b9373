/* Expressions over streams (V9): what they mean, what is refused and where, and that no text does
 * harm. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr.h"
#include "kit.h"
#include "ui_world.h"

static struct gcs_model *model;
static struct gcs_snapshot *before, *now;
static double values[192];

static void open_world(void)
{
	model = world_model();
	before = world_snapshot(model, NULL, 4);
	now = world_snapshot(model, before, 9);
}

static void close_world(void)
{
	gcs_snapshot_unref(before);
	gcs_snapshot_unref(now);
	gcs_model_unref(model);
}

static double column(const struct gcs_snapshot *s, uint32_t stream, uint32_t tile)
{
	return (double)gcs_snapshot_values(s, WORLD_REGIONS, stream)[tile];
}

static bool evaluate(const char *text)
{
	struct expr expr;
	struct gcs_error err = {.text = ""};
	if (!expr_compile(&expr, text, &model->spaces[WORLD_REGIONS], &err))
		return false;
	expr_evaluate(&expr, now, before, WORLD_REGIONS, values);
	return true;
}

/* The value of every tile for what does not depend on one. */
Test(expr, constants_and_precedence, .init = open_world, .fini = close_world)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {{"1", 1}, {"  1.5 ", 1.5}, {"64K", 65536}, {"2m", 2097152}, {"1G", 1073741824},
	    {"0x10", 16}, {"0xffK", 261120}, {"1 + 2 * 3", 7}, {"(1 + 2) * 3", 9}, {"7 - 2 - 1", 4},
	    {"16 / 4 / 2", 2}, {"7 % 4", 3}, {"-3 + 5", 2}, {"--3", 3}, {"!0", 1}, {"!7", 0},
	    {"1 < 2", 1}, {"2 <= 1", 0}, {"2 > 1", 1}, {"2 >= 3", 0}, {"2 == 2", 1}, {"2 != 2", 0},
	    {"1 && 0 || 1", 1}, {"0 && 1", 0}, {"1 ? 2 : 3", 2}, {"0 ? 2 : 0 ? 4 : 5", 5},
	    {"min(3, 4)", 3}, {"max(3,4)", 4}, {"abs(-2.5)", 2.5}, {"log2(1K)", 10},
	    {"1 + 1 == 2 ? 10 : 20", 10}, {"1 < 2 == 1", 1}, {"50 %", 50}, {"size", 1048576}};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		cr_assert(evaluate(good[i].text), "%s", good[i].text);
		for (int k = 0; k < 192; k++)
			cr_assert_eq(values[k], good[i].value, "%s: %g", good[i].text, values[k]);
	}
}

Test(expr, streams_of_now_and_before, .init = open_world, .fini = close_world)
{
	cr_assert(evaluate("Used - prev(\"Used\")"));
	for (uint32_t i = 0; i < 192; i++)
		cr_assert_eq(
		    values[i], column(now, REGION_USED, i) - column(before, REGION_USED, i));
	cr_assert(evaluate("[Remembered cards] > 40 ? tile : -\"Age\""));
	for (uint32_t i = 0; i < 192; i++)
		cr_assert_eq(
		    values[i], column(now, REGION_CARDS, i) > 40 ? i : -column(now, REGION_AGE, i));
	cr_assert(evaluate("used"), "capital letters or not, where no other stream fits better");
	cr_assert_eq(values[8], column(now, REGION_USED, 8));
}

Test(expr, there_may_be_no_value, .init = open_world, .fini = close_world)
{
	static const char *const none[] = {"1 / 0", "1 % 0", "log2(0)", "log2(-1)", "!(1/0)",
	    "1/0 == 1/0", "min(1, 1/0)", "max(1/0, 1)", "1/0 ? 1 : 2", "1/0 || 1", "0 && 1/0"};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		cr_assert(evaluate(none[i]));
		cr_assert(isnan(values[17]), "%s is %g", none[i], values[17]);
	}
	cr_assert(evaluate("0 ? 1/0 : 3"));
	cr_assert_eq(values[0], 3, "only the case that is chosen counts");
	/* A picture before with fewer tiles, and none at all. */
	struct expr expr;
	cr_assert(expr_compile(&expr, "prev(Used)", &model->spaces[WORLD_REGIONS], NULL));
	struct gcs_snapshot *small = gcs_snapshot_begin(model, now);
	cr_assert(gcs_snapshot_resize(small, WORLD_REGIONS, 100));
	expr_evaluate(&expr, now, small, WORLD_REGIONS, values);
	cr_assert_not(isnan(values[99]));
	cr_assert(isnan(values[100]));
	expr_evaluate(&expr, now, NULL, WORLD_REGIONS, values);
	cr_assert(isnan(values[0]));
	gcs_snapshot_unref(small);
}

Test(expr, overflow_is_cut, .init = open_world, .fini = close_world)
{
	char text[EXPR_TEXT] = "1G";
	for (int i = 0; i < 40; i++)
		strcat(text, "*1G");
	cr_assert(evaluate(text));
	cr_assert_eq(values[3], EXPR_MOST);
	cr_assert(evaluate("99999999999999999999999999999999999999999999 * 1"));
	cr_assert(values[3] > 1e43);
}

Test(expr, what_is_refused_and_where, .init = open_world, .fini = close_world)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
	    {"", "column 1: expected a number, a stream or ("},
	    {"1 +", "column 4: expected a number"},
	    {"Usd / 2", "column 1: this space has no stream \"Usd\""},
	    {"2 * [Live", "column 5: missing ]"},
	    {"\"Live", "column 1: missing closing \""},
	    {"(1 + 2", "column 7: expected )"},
	    {"1 2", "column 3: expected an operator or the end"},
	    {"min(1)", "column 6: expected a comma"},
	    {"abs(1, 2)", "column 6: expected ) after one value"},
	    {"sin(1)", "column 1: expected min, max, abs, log2 or prev, not \"sin\""},
	    {"prev(1 + 2)", "this space has no stream \"1\""},
	    {"prev(+)", "column 6: prev: expected the name of a stream"},
	    {"1 ? 2", "column 6: expected : and a second value"},
	    {"12monkeys", "column 4: unknown suffix of a number; expected K, M, G"},
	    {"\xc3\xa4\xc3\xb6 + 1", "column 1: this space has no stream"},
	    {"1 + \xc3\xa4\xc3\xb6\xc3\xbc * (", "column 5: this space has no stream"},
	    {"1 % % 2", "column 5: expected a number"},
	    {"1 = 2", "column 3: expected an operator"},
	    {"[]", "this space has no stream \""},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct expr expr;
		struct gcs_error err = {.text = ""};
		bool ok = expr_compile(&expr, bad[i].text, &model->spaces[WORLD_REGIONS], &err);
		cr_assert_not(ok, "%s", bad[i].text);
		cr_assert_not_null(strstr(err.text, bad[i].says), "%s: %s", bad[i].text, err.text);
		cr_assert_null(strchr(err.text, '\n'));
	}
}

Test(expr, depth_and_length_are_bounded, .init = open_world, .fini = close_world)
{
	char text[400];
	memset(text, '(', 200);
	strcpy(text + 200, "1");
	cr_assert_not(evaluate(text), "brackets");
	memset(text, '-', 200);
	cr_assert_not(evaluate(text), "signs");
	memset(text, '1', 300);
	text[300] = 0;
	cr_assert_not(evaluate(text), "longer than a field");
	text[0] = 0;
	for (int i = 0; i < 60; i++)
		strcat(text, "1?1:");
	strcat(text, "1");
	cr_assert_not(evaluate(text), "choices");
	/* As deep as it may be, with all levels waiting. */
	text[0] = 0;
	for (int i = 0; i < 10; i++)
		strcat(text, "0||1&&2<3+4*(");
	strcat(text, "5");
	for (int i = 0; i < 10; i++)
		strcat(text, ")");
	cr_assert(evaluate(text));
	cr_assert_eq(values[0], 1);
}

/* Pieces of expressions and any bytes: each text is either refused with words or evaluated. */
Test(expr, any_text_is_refused_or_evaluated, .init = open_world, .fini = close_world)
{
	static const char *const pieces[] = {"Used", "[Live]", "\"Age\"", "tile", "size", "prev(",
	    "min(", "max(", "abs(", "log2(", "(", ")", "+", "-", "*", "/", "%", "<",
	    "<=", "==", "!=", "!", "&&", "||", "?", ":", ",", " ", "1", "0", "3.5", "64K", "0xff",
	    "[", "\"", "\xff", "."};
	uint64_t random = kit_seed();
	unsigned good = 0;
	for (int i = 0; i < 60000; i++) {
		char text[EXPR_TEXT + 20] = "";
		uint32_t n = 1 + kit_below(&random, 12);
		for (uint32_t k = 0; k < n; k++) {
			uint32_t piece = kit_below(&random, sizeof pieces / sizeof *pieces + 1);
			char any[2] = {(char)(1 + kit_below(&random, 255)), 0};
			strcat(text, piece < sizeof pieces / sizeof *pieces ? pieces[piece] : any);
		}
		struct expr expr;
		struct gcs_error err = {.text = ""};
		if (!expr_compile(&expr, text, &model->spaces[WORLD_REGIONS], &err)) {
			cr_assert_neq(err.text[0], 0, "%s", text);
			continue;
		}
		good++;
		expr_evaluate(&expr, now, before, WORLD_REGIONS, values);
		for (int k = 0; k < 192; k++)
			cr_assert(isnan(values[k]) || fabs(values[k]) <= EXPR_MOST, "%s", text);
	}
	cr_assert_gt(good, 500u);
}
