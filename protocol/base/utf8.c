#include "utf8.h"

#include <gcspy/format.h>

/* Length of the sequence that a lead byte announces, 0 for any other byte. */
static size_t sequence_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead < 0xe0)
		return 2;
	if (lead >= 0xe0 && lead < 0xf0)
		return 3;
	return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

size_t gcs_decode_utf8(const char *text, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *bytes = (const unsigned char *)text;
	if (bytes[0] == 0)
		return 0;
	size_t length = sequence_length(bytes[0]);
	uint32_t c = length <= 1 ? bytes[0] : bytes[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80) {
			length = 0;
			break;
		}
		c = c << 6 | (bytes[i] & 0x3fu);
	}
	bool surrogate = c >= 0xd800 && c < 0xe000;
	bool valid = length != 0 && c >= least[length] && !surrogate && c <= 0x10ffff;
	*code = valid ? c : 0xfffd;
	return valid ? length : 1;
}

uint32_t utf8_next(const char **s)
{
	uint32_t code = 0;
	*s += gcs_decode_utf8(*s, &code);
	return code;
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

/* A surrogate of that kind in three bytes; 0: there is none. */
static uint32_t surrogate_at(const unsigned char *s, unsigned kind)
{
	const bool is = s[0] == 0xed && (s[1] & 0xf0) == kind && (s[2] & 0xc0) == 0x80;
	return is ? 0xd000u | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu) : 0;
}

void utf8_from_java(char *text)
{
	unsigned char *to = (unsigned char *)text;
	for (const unsigned char *s = to; s != NULL; s++) {
		const uint32_t high = surrogate_at(s, 0xa0);
		const uint32_t low = high == 0 ? 0 : surrogate_at(s + 3, 0xb0);
		if (low != 0) {
			const uint32_t c = 0x10000u + ((high - 0xd800u) << 10) + (low - 0xdc00u);
			*to++ = (unsigned char)(0xf0 | c >> 18);
			*to++ = (unsigned char)(0x80 | (c >> 12 & 0x3f));
			*to++ = (unsigned char)(0x80 | (c >> 6 & 0x3f));
			*to++ = (unsigned char)(0x80 | (c & 0x3f));
			s += 5;
		} else if ((*to++ = *s) == '\0') {
			return;
		}
	}
}
