#include "utf8.h"

#define REPLACEMENT 0xfffdu

/* Number of bytes of the sequence that starts with lead, 0 when no sequence starts so. */
static int sequence_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead < 0xe0)
		return 2;
	if (lead >= 0xe0 && lead < 0xf0)
		return 3;
	if (lead >= 0xf0 && lead < 0xf5)
		return 4;
	return 0;
}

uint32_t utf8_next(const char **s)
{
	static const uint32_t lowest[5] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)*s;
	if (*p == 0)
		return 0;
	int n = sequence_length(*p);
	uint32_t c = n <= 1 ? *p : *p & (0x7fu >> n);
	for (int i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80) {
			n = 0;
			break;
		}
		c = c << 6 | (p[i] & 0x3fu);
	}
	if (n == 0 || c < lowest[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
		*s += 1;
		return REPLACEMENT;
	}
	*s += n;
	return c;
}

size_t utf8_before(const char *s, size_t at)
{
	if (at == 0)
		return 0;
	at--;
	while (at > 0 && ((unsigned char)s[at] & 0xc0) == 0x80)
		at--;
	return at;
}

size_t utf8_after(const char *s, size_t at)
{
	const char *p = s + at;
	utf8_next(&p);
	return (size_t)(p - s);
}
