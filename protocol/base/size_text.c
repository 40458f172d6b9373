/* Parsing numbers and sizes. */
#include <gcspy/format.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The suffix's power of two, "k", "KiB", "" for none; negative: there is no such suffix. */
static int shift_of(const char *suffix)
{
	static const char letters[] = "kmgKMG";
	const char *at = *suffix == '\0' ? NULL : strchr(letters, *suffix);
	if (*suffix == '\0')
		return 0;
	if (at == NULL || (suffix[1] != '\0' && strcmp(suffix + 1, "iB") != 0))
		return -1;
	return 10 * ((int)(at - letters) % 3 + 1);
}

/* The digits after the point, of 2^shift. Those beyond the ninth say nothing. */
static uint64_t fraction(const char *digits, unsigned shift)
{
	uint64_t part = 0, whole = 1;
	const char *end = digits + strspn(digits, "0123456789");
	for (; digits != end && whole < 1000000000; digits++) {
		part = part * 10 + (uint64_t)(*digits - '0');
		whole *= 10;
	}
	return (part << shift) / whole;
}

static bool parse(const char *text, bool suffix, uint64_t *number)
{
	char *behind;
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	const unsigned long long n = strtoull(text, &behind, 10);
	const char *end = behind;
	if (errno != 0)
		return false;
	const bool broken = *end == '.' && end[1] >= '0' && end[1] <= '9';
	const char *digits = end + 1;
	if (broken)
		end = digits + strspn(digits, "0123456789");
	/* Half a byte is none. */
	const int shift = suffix ? shift_of(end) : *end == '\0' ? 0 : -1;
	if (shift < 0 || (broken && shift == 0) || n > UINT64_MAX >> shift)
		return false;
	*number = n << shift;
	if (broken)
		*number += fraction(digits, (unsigned)shift);
	return true;
}

bool gcs_parse_number(const char *text, uint64_t *number)
{
	return parse(text, false, number);
}

bool gcs_parse_size(const char *text, uint64_t *number)
{
	return parse(text, true, number);
}
