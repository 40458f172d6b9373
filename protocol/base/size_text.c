/* Parsing numbers and sizes. */
#include <gcspy/format.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool parse(const char *text, bool suffix, uint64_t *number)
{
	char *end;
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	if (errno != 0)
		return false;
	unsigned shift = 0;
	if (suffix && *end != '\0') {
		static const char letters[] = "kmgKMG";
		const char *at = strchr(letters, *end);
		if (at == NULL)
			return false;
		shift = 10 * ((unsigned)(at - letters) % 3 + 1);
		end++;
	}
	if (*end != '\0' || n > UINT64_MAX >> shift)
		return false;
	*number = n << shift;
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
