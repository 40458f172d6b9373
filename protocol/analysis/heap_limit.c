#include "heap_limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of texts such as "1.46 GiB", which are rounded. */
#define ROUNDING 0.005

static const char *value_of(const struct gcs_info *info, uint32_t count, const char *key)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(info[i].key, key) == 0)
			return info[i].value;
	return "";
}

double heap_limit_of(const struct gcs_info *info, uint32_t count)
{
	static const char units[] = "BKMGT";
	char *end;
	const double value = strtod(value_of(info, count, "Heap limit"), &end);
	const char *unit = *end == ' ' && end[1] != '\0' ? strchr(units, end[1]) : NULL;
	const double limit = unit == NULL ? 0 : ldexp(value, 10 * (int)(unit - units));
	/* "0xc0000000-0xd0000000"; ZGC reserves more. */
	const unsigned long long low = strtoull(value_of(info, count, "Heap range"), &end, 16),
				 high = *end == '-' ? strtoull(end + 1, NULL, 16) : 0;
	const double range = high > low ? (double)(high - low) : 0;
	return fabs(range - limit) <= ROUNDING * limit ? range : limit > 0 ? limit : 0;
}
