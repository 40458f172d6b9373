#include <gcspy/format.h>

/* The number of bytes that a lead byte announces, with its own bits in `code`; 0 if it is none. */
static size_t lead(unsigned char byte, uint32_t *code)
{
	if (byte < 0x80) {
		*code = byte;
		return 1;
	}
	if (byte >= 0xc2 && byte < 0xe0) {
		*code = byte & 0x1fu;
		return 2;
	}
	if (byte >= 0xe0 && byte < 0xf0) {
		*code = byte & 0x0fu;
		return 3;
	}
	if (byte >= 0xf0 && byte < 0xf5) {
		*code = byte & 0x07u;
		return 4;
	}
	*code = 0xfffd;
	return 0;
}

size_t gcs_decode_utf8(const char *text, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *bytes = (const unsigned char *)text;
	if (bytes[0] == 0)
		return 0;
	size_t length = lead(bytes[0], code);
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80) {
			length = 0;
			break;
		}
		*code = *code << 6 | (bytes[i] & 0x3fu);
	}
	bool surrogate = *code >= 0xd800 && *code < 0xe000;
	if (length == 0 || *code < least[length] || surrogate || *code > 0x10ffff) {
		*code = 0xfffd;
		return 1;
	}
	return length;
}
