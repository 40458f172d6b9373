#include "words.h"

#include <stdio.h>
#include <string.h>

static bool is_bare(unsigned char c)
{
	return c > ' ' && c != 127 && c != '%' && c != '/';
}

void words_put_escaped(struct textbuf *out, const char *value)
{
	while (*value != 0) {
		size_t n = 0;
		while (is_bare((unsigned char)value[n]))
			n++;
		if (n > 0)
			textbuf_printf(out, "%.*s", (int)n, value);
		value += n;
		if (*value != 0)
			textbuf_printf(out, "%%%02x", (unsigned char)*value++);
	}
}

void words_put(struct textbuf *out, const char *key, const char *value)
{
	textbuf_printf(out, "%s%s=", out->length > 0 ? " " : "", key);
	words_put_escaped(out, value);
}

void words_put_flag(struct textbuf *out, const char *key, bool value)
{
	words_put(out, key, value ? "yes" : "no");
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool words_value(char *value, size_t size, const char *text, size_t n)
{
	size_t used = 0;
	for (size_t i = 0; i < n; i++) {
		char c = text[i];
		if (c == '%') {
			int high = i + 2 < n ? digit(text[i + 1]) : -1;
			int low = i + 2 < n ? digit(text[i + 2]) : -1;
			if (high < 0 || low < 0 || high + low == 0)
				return false;
			c = (char)(high * 16 + low);
			i += 2;
		}
		if (used + 1 >= size)
			return false;
		value[used++] = c;
	}
	value[used] = 0;
	return true;
}

enum word_state words_next(const char **at, struct word *word)
{
	const char *p = *at + strspn(*at, " ");
	size_t n = strcspn(p, " ");
	*at = p + n;
	if (n == 0)
		return WORD_END;
	const char *sign = memchr(p, '=', n);
	size_t key = sign != NULL ? (size_t)(sign - p) : n;
	bool good = sign != NULL && key > 0 && key <= WORD_KEY;
	snprintf(word->key, sizeof word->key, "%.*s", (int)(key < WORD_KEY ? key : WORD_KEY), p);
	good = good && words_value(word->value, sizeof word->value, sign + 1, n - key - 1);
	return good ? WORD_GOOD : WORD_BAD;
}

bool words_flag(const char *value, bool *flag)
{
	bool yes = strcmp(value, "yes") == 0;
	if (!yes && strcmp(value, "no") != 0)
		return false;
	*flag = yes;
	return true;
}

bool words_choice(const char *value, const char *const *names, int count, int *choice)
{
	for (int i = 0; i < count; i++) {
		if (strcmp(value, names[i]) == 0) {
			*choice = i;
			return true;
		}
	}
	return false;
}
