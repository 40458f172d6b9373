/*
 * A runner for unit tests where Criterion itself cannot run (under ThreadSanitizer) or is not
 * there: the macros that our tests use, with Criterion's meaning. Each test runs in a process of
 * its own. plain.c has main; one thread.
 */
#ifndef GCSPY_TESTS_PLAIN_CRITERION_H
#define GCSPY_TESTS_PLAIN_CRITERION_H

#include <stdbool.h>
#include <string.h>

struct plain_test {
	const char *suite, *name;
	void (*run)(void);
	struct plain_options {
		void (*init)(void);
		void (*fini)(void);
		double timeout; /* seconds; 0: 60 */
		bool disabled;
		char none; /* what an empty list of options sets */
	} options;
	struct plain_test *next;
};

void plain_add(struct plain_test *test);
void plain_failed(bool fatal, const char *file, int line, const char *condition, const char *format,
    ...) __attribute__((format(printf, 5, 6)));

/* The options are designated initialisers, as in Criterion: Test(suite, name, .timeout = 5). */
#define Test(suite_, name_, ...)                                                                   \
	static void suite_##_##name_(void);                                                        \
	__attribute__((constructor)) static void suite_##_##name_##_add(void)                      \
	{                                                                                          \
		static struct plain_test test = {.suite = #suite_,                                 \
		    .name = #name_,                                                                \
		    .run = suite_##_##name_,                                                       \
		    .options = {.none = 0, ##__VA_ARGS__}};                                        \
		plain_add(&test);                                                                  \
	}                                                                                          \
	static void suite_##_##name_(void)

/* The message is optional, hence the empty string that it is pasted to. */
#define plain_check(fatal, condition, text, ...)                                                   \
	do {                                                                                       \
		if (!(condition))                                                                  \
			plain_failed(fatal, __FILE__, __LINE__, text, "" __VA_ARGS__);             \
	} while (0)

#define cr_assert(condition, ...)     plain_check(true, condition, #condition, __VA_ARGS__)
#define cr_expect(condition, ...)     plain_check(false, condition, #condition, __VA_ARGS__)
#define cr_assert_not(condition, ...) plain_check(true, !(condition), "!" #condition, __VA_ARGS__)
#define cr_assert_eq(a, b, ...)       plain_check(true, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_expect_eq(a, b, ...)       plain_check(false, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...)      plain_check(true, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...)       plain_check(true, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...)      plain_check(true, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...)       plain_check(true, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...)      plain_check(true, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_assert_null(p, ...)        plain_check(true, (p) == NULL, #p " is NULL", __VA_ARGS__)
#define cr_assert_not_null(p, ...)    plain_check(true, (p) != NULL, #p " is not NULL", __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...)                                                                \
	plain_check(true, strcmp(a, b) == 0, #a " is the text " #b, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...)                                                                \
	plain_check(false, strcmp(a, b) == 0, #a " is the text " #b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...)                                                               \
	plain_check(true, strcmp(a, b) != 0, #a " is not the text " #b, __VA_ARGS__)
#define cr_assert_arr_eq(a, b, bytes, ...)                                                         \
	plain_check(true, memcmp(a, b, bytes) == 0, #a " has the bytes of " #b, __VA_ARGS__)
#define cr_assert_float_eq(a, b, epsilon, ...)                                                     \
	plain_check(true, (a) - (b) <= (epsilon) && (b) - (a) <= (epsilon), #a " is about " #b,    \
	    __VA_ARGS__)
#define cr_assert_fail(...) plain_check(true, false, "reached", __VA_ARGS__)

#endif
