/* The words of a condition's text, and what is wrong with them. */

#include "trigger_words.h"

#include <stdio.h>
#include <string.h>

/* Characters and names. */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (lower(c) >= 'a' && lower(c) <= 'z') || (unsigned char)c >= 0x80;
}

static bool is_word(char c)
{
	return is_letter(c) || is_digit(c) || c == '_';
}

const char *words_skip(const char *at)
{
	while (is_blank(*at))
		at++;
	return at;
}

/* The end of `name` at `at`, or NULL if something else is there. */
const char *words_match(const char *at, const char *name)
{
	while (*name != '\0') {
		if (is_blank(*name) && is_blank(*at)) {
			name = words_skip(name);
			at = words_skip(at);
		} else if (lower(*at++) != lower(*name++)) {
			return NULL;
		}
	}
	return is_word(at[-1]) && is_word(*at) ? NULL : at;
}

const char *words_longer(const char *best, const char *at, const char *name)
{
	const char *end = words_match(at, name);
	return end != NULL && (best == NULL || end > best) ? end : best;
}

bool condition_same_name(const char *a, const char *b)
{
	const char *end = *a == '\0' ? NULL : words_match(a, b);
	return end != NULL && *end == '\0';
}

/* The end of the words at `at`, up to one of `stops`, "and", "or" or the end. */
const char *words_end(const char *at, const char *stops)
{
	const char *end = at;
	for (at = words_skip(at); *at != '\0' && strchr(stops, *at) == NULL;) {
		if (words_match(at, "and") != NULL || words_match(at, "or") != NULL)
			break;
		while (*at != '\0' && !is_blank(*at) && strchr(stops, *at) == NULL)
			at++;
		end = at;
		at = words_skip(at);
	}
	return end;
}

/* Failures. Each function returns false, or CONDITION_NONE, after one. */

bool words_expected(struct parser *p, const char *what)
{
	const char *end = words_end(p->at, "<>=!~(),\"");
	if (end == p->at && *p->at != '\0')
		end++;
	if (p->status != GCS_OK)
		return false;
	if (*p->at == '\0')
		p->status = gcs_fail(p->err, GCS_ARGUMENT, "expected %s at the end", what);
	else
		p->status = gcs_fail(p->err, GCS_ARGUMENT, "expected %s, not \"%.*s\"", what,
		    (int)(end - p->at < 60 ? end - p->at : 60), p->at);
	return false;
}

void words_add(struct word_list *n, const char *name)
{
	static const char rest[] = ", …";
	const size_t room = sizeof n->text - sizeof rest - n->length;
	if (n->full)
		return;
	const int more =
	    snprintf(n->text + n->length, room, "%s%s", n->length == 0 ? "" : ", ", name);
	n->full = more < 0 || (size_t)more >= room;
	if (n->full)
		memcpy(n->text + n->length, rest, sizeof rest);
	else
		n->length += (size_t)more;
}

/* Words of the language. */

bool words_accept(struct parser *p, const char *token)
{
	p->at = words_skip(p->at);
	const size_t length = strlen(token);
	const char *end = is_word(token[0])                    ? words_match(p->at, token)
			  : strncmp(p->at, token, length) == 0 ? p->at + length
							       : NULL;
	if (end != NULL)
		p->at = end;
	return end != NULL;
}

bool words_require(struct parser *p, const char *token)
{
	char what[20];
	snprintf(what, sizeof what, "%s", token);
	return words_accept(p, token) || words_expected(p, what);
}

const char *words_copy(struct parser *p, const char *end)
{
	const char *text = arena_text(&p->c->arena, p->at, (size_t)(end - p->at));
	if (text == NULL)
		p->status = gcs_fail(p->err, GCS_NOMEM, "no memory for a condition");
	p->at = end;
	return text;
}

/* "text", with the cursor on the first quote; NULL on failure. */
const char *words_quoted(struct parser *p)
{
	const char *end = strchr(p->at + 1, '"');
	if (end == NULL) {
		words_expected(p, "a closing quote");
		return NULL;
	}
	p->at++;
	const char *text = words_copy(p, end);
	p->at++;
	return text;
}

/* Numbers. */

static const struct unit {
	const char *name;
	enum condition_unit kind;
	int64_t factor;
} units[] = {{"k", UNIT_BYTES, 1 << 10}, {"m", UNIT_BYTES, 1 << 20}, {"g", UNIT_BYTES, 1 << 30},
    {"ns", UNIT_TIME, 1}, {"us", UNIT_TIME, 1000}, {"ms", UNIT_TIME, 1000000},
    {"s", UNIT_TIME, 1000000000}};

static struct unit accept_unit(struct parser *p)
{
	const char *begin = p->at;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (words_accept(p, units[i].name))
			return units[i];
	p->at = begin;
	return (struct unit){"", UNIT_NONE, 1};
}

bool words_at_number(const struct parser *p)
{
	const char *at = p->at + (*p->at == '-' || *p->at == '+');
	return is_digit(*at) || (*at == '.' && is_digit(at[1]));
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef";
	const char *at = c == '\0' ? NULL : strchr(digits, lower(c));
	return at == NULL ? -1 : (int)(at - digits);
}

/* Digits as a number; -1 if they are too many. */
static int64_t digits(struct parser *p, int base)
{
	int64_t n = 0;
	for (int digit; (digit = hex_digit(*p->at)) >= 0 && digit < base; p->at++)
		n = n < 0 || n > (INT64_MAX - digit) / base ? -1 : n * base + digit;
	return n;
}

bool words_number(struct parser *p, struct number *to)
{
	const char *begin = p->at;
	const bool negative = *p->at == '-';
	int64_t fraction = 0, scale = 1;
	p->at += *p->at == '-' || *p->at == '+';
	const bool hex = p->at[0] == '0' && lower(p->at[1]) == 'x';
	p->at += hex ? 2 : 0;
	int64_t whole = digits(p, hex ? 16 : 10);
	if (!hex && *p->at == '.')
		for (p->at++; is_digit(*p->at); p->at++)
			if (scale < 1000000000) {
				fraction = fraction * 10 + (*p->at - '0');
				scale *= 10;
			}
	const struct unit unit = accept_unit(p);
	if (whole < 0 || whole > (INT64_MAX - unit.factor) / unit.factor || is_word(*p->at)) {
		p->at = begin;
		return words_expected(
		    p, "a number below 2^63, perhaps with k, m, g, ns, us, ms or s");
	}
	const int64_t part = fraction * unit.factor;
	to->unit = unit.kind;
	to->rounded = part % scale != 0;
	to->value = whole * unit.factor + part / scale;
	if (negative)
		to->value = -to->value - (to->rounded ? 1 : 0);
	return true;
}
