#include "option_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/format.h>

bool option_expect(const struct cli_option *o, const char *value, const char *expected)
{
	cli_usage("%s \"%s\": expected %s", o->name, value, expected);
	return false;
}

bool option_find_choice(const struct cli_option *o, const char *value, uint32_t *place)
{
	const size_t length = strlen(value);
	*place = 0;
	for (const char *word = o->argument;; word += strcspn(word, "|") + 1, ++*place) {
		if (strcspn(word, "|") == length && strncmp(word, value, length) == 0)
			return true;
		if (strchr(word, '|') == NULL)
			return false;
	}
}

bool option_expect_choice(const struct cli_option *o, const char *value)
{
	char list[200] = "";
	for (const char *word = o->argument; word != NULL;) {
		const char *bar = strchr(word, '|');
		const size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%.*s",
		    used == 0     ? ""
		    : bar == NULL ? " or "
				  : ", ",
		    (int)strcspn(word, "|"), word);
		word = bar == NULL ? NULL : bar + 1;
	}
	return option_expect(o, value, list);
}

bool cli_parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	return gcs_parse_number(text, number) && *number >= min && *number <= max;
}

/* Decimal seconds or milliseconds, such as 2 or 0.5, or with a unit: 500ms, 1.5m, 2h. */
static bool parse_time(const struct cli_option *o, const char *text, uint64_t *ms)
{
	const struct {
		const char *name;
		double ms;
	} units[] = {{"", o->kind == CLI_MS ? 1 : 1000}, {"s", 1000}, {"ms", 1}, {"m", 60000},
	    {"h", 3600000}};
	const size_t digits = strspn(text, "0123456789.");
	char *end;
	const double number = strtod(text, &end);
	if (digits == 0 || digits > 16 || end != text + digits)
		return false;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		const double value = number * units[i].ms;
		if (strcmp(end, units[i].name) != 0)
			continue;
		if (value < (double)o->min || value > (double)o->max)
			return false;
		*ms = (uint64_t)(value + 0.5);
		return true;
	}
	return false;
}

/* Reads a number of the option's kind; false after a message. */
static bool parse_value(const struct cli_option *o, const char *value, uint64_t *number)
{
	char expected[100] = "";
	uint32_t place;
	bool good;
	switch (o->kind) {
	case CLI_CHOICE:
		if (!option_find_choice(o, value, &place))
			return option_expect_choice(o, value);
		*number = place;
		return true;
	case CLI_MS:
		good = parse_time(o, value, number);
		snprintf(expected, sizeof expected,
		    "milliseconds from %llu to %llu, or with a unit: 500ms, 1.5s",
		    (unsigned long long)o->min, (unsigned long long)o->max);
		break;
	case CLI_SECONDS:
		good = parse_time(o, value, number);
		snprintf(expected, sizeof expected,
		    "seconds from %g to %.0f, or with a unit: 500ms, 1.5m, 2h",
		    (double)o->min / 1000, (double)o->max / 1000);
		break;
	case CLI_NUMBER:
		good = cli_parse_number(value, o->min, o->max, number);
		snprintf(expected, sizeof expected, "a number from %llu to %llu",
		    (unsigned long long)o->min, (unsigned long long)o->max);
		break;
	default:
		good = gcs_parse_size(value, number) && *number >= o->min && *number <= o->max &&
		       (o->kind == CLI_SIZE || (*number & (*number - 1)) == 0);
		snprintf(expected, sizeof expected,
		    o->kind == CLI_SIZE ? "at least %llu bytes, such as 64m or 1g"
					: "a power of two from %llu on, such as 4096 or 4k",
		    (unsigned long long)o->min);
	}
	return good || option_expect(o, value, expected);
}

bool cli_apply(struct cli_arguments *arguments, const struct cli_option *o, const char *value)
{
	void *field = (char *)arguments + o->offset;
	uint64_t number = 0;
	if (o->take != NULL)
		return o->take(arguments, o, value);
	if (o->kind == CLI_TEXT) {
		if (strlen(value) < o->min)
			return cli_usage("%s: the value is empty", o->name), false;
		memcpy(field, &value, sizeof value);
		return true;
	}
	if (o->kind == CLI_FLAG) {
		*(bool *)field = true;
		return true;
	}
	if (!parse_value(o, value, &number))
		return false;
	const uint32_t small = (uint32_t)number;
	if (o->kind == CLI_SIZE || o->kind == CLI_POWER)
		memcpy(field, &number, sizeof number);
	else
		memcpy(field, &small, sizeof small);
	return true;
}
