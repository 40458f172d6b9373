#include "class_name_format.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *primitive(char letter)
{
	switch (letter) {
	case 'Z':
		return "boolean";
	case 'B':
		return "byte";
	case 'C':
		return "char";
	case 'S':
		return "short";
	case 'I':
		return "int";
	case 'J':
		return "long";
	case 'F':
		return "float";
	case 'D':
		return "double";
	default:
		return "?";
	}
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* The length without trailing digits. */
static size_t before_digits(const char *text, size_t length)
{
	while (length != 0 && is_digit(text[length - 1]))
		length--;
	return length;
}

/* The length without a trailing "/0x0000000800c03000" or ".0x…", or, before JDK 15, "/1355531311". */
static size_t without_address(const char *text, size_t length)
{
	size_t at = before_digits(text, length);
	if (at != 0 && at < length && text[at - 1] == '/')
		return at - 1;
	at = length;
	while (at != 0 && is_hex(text[at - 1]))
		at--;
	bool address = at >= 3 && at < length && text[at - 1] == 'x' && text[at - 2] == '0' &&
		       (text[at - 3] == '/' || text[at - 3] == '.' || text[at - 3] == '+');
	return address ? at - 3 : length;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);
	return length >= n && memcmp(text + length - n, end, n) == 0;
}

/* The length without the JVM's numbering. */
static size_t without_number(const char *text, size_t length)
{
	size_t cut = without_address(text, length);
	size_t digits = before_digits(text, cut);
	if (digits != cut && ends_with(text, digits, "$$Lambda$"))
		return digits - 1;
	if (digits != cut && ends_with(text, digits, "Accessor") &&
	    strncmp(text, "jdk/internal/reflect/Generated", 30) == 0)
		return digits;
	return cut;
}

size_t spell_class(const char *signature, char *buffer, size_t size)
{
	size_t dimensions = strspn(signature, "[");
	const char *name = signature + dimensions;
	size_t length = strlen(name);
	if (*name == 'L') {
		name++;
		length -= length >= 2 && name[length - 2] == ';' ? 2 : 1;
		length = without_number(name, length);
	} else if (length == 1) {
		name = primitive(*name);
		length = strlen(name);
	}
	size_t used = 0;
	for (; used < length && used + 1 < size; used++)
		buffer[used] = name[used] == '/' ? '.' : name[used];
	for (size_t i = 0; i < dimensions && used + 2 < size; i++) {
		buffer[used++] = '[';
		buffer[used++] = ']';
	}
	buffer[used] = '\0';
	return used;
}

size_t spell_thread_group(const char *name, char *buffer, size_t size)
{
	size_t length = strlen(name);
	size_t cut = before_digits(name, length);
	int written = snprintf(buffer, size, "%.*s%s", (int)cut, name, cut == length ? "" : "*");
	return (size_t)written < size ? (size_t)written : size - 1;
}
