#include "findtext.h"

#include <ctype.h>
#include <string.h>

bool findtext_address(const char *text, uint64_t *address)
{
	*address = 0;
	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') || text[2] == 0)
		return false;
	for (text += 2; *text != 0; text++) {
		if (!isxdigit((unsigned char)*text) || *address >> 60 != 0)
			return false;
		const int c = tolower((unsigned char)*text);
		*address = *address << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return true;
}

static int lower(char c)
{
	return tolower((unsigned char)c);
}

int findtext_fit(const char *name, const char *text)
{
	const size_t n = strlen(text);
	for (const char *at = name; *at != 0; at++) {
		size_t i = 0;
		while (i < n && lower(at[i]) == lower(text[i]) && at[i] != 0)
			i++;
		if (i == n)
			return at == name ? (at[n] == 0 ? 3 : 2) : 1;
	}
	return 0;
}
