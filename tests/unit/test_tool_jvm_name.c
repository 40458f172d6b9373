/* Names of programs as people type them (H1). */
#include <criterion/criterion.h>
#include <string.h>

#include "jvm_name.h"
#include "resolve.h"

Test(jvm_name, the_whole_name_or_its_last_part)
{
	static const char *const fits[][2] = {
	    {"Shop", "Shop"},
	    {"com.example.Shop", "com.example.Shop"},
	    {"Shop", "com.example.Shop"},
	    {"Shop", "store/com.example.Shop"},
	    {"com.example.Shop", "store/com.example.Shop"},
	    {"store/com.example.Shop", "store/com.example.Shop"},
	    {"/srv/shop.jar", "/srv/shop.jar"},
	    {"shop.jar", "/srv/shop.jar"},
	    {"shop", "/srv/shop.jar"},
	    {"shop-1.2", "shop-1.2.jar"},
	};
	static const char *const other[][2] = {
	    {"", "Shop"},
	    {"", ""},
	    {"", "com.example."},
	    {"shop", "Shop"},
	    {"Sho", "Shop"},
	    {"Shops", "Shop"},
	    {"example", "com.example.Shop"},
	    {"example.Shop", "com.example.Shop"},
	    {"jar", "/srv/shop.jar"},
	    {"srv", "/srv/shop.jar"},
	    {"sho", "/srv/shop.jar"},
	    {"2", "shop-1.2.jar"},
	};
	for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++)
		cr_assert(jvm_name_fits(fits[i][0], fits[i][1]), "%s", fits[i][0]);
	for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
		cr_assert_not(jvm_name_fits(other[i][0], other[i][1]), "%s", other[i][0]);
}

Test(jvm_name, no_program)
{
	struct gcs_error err;
	struct resolved resolved;
	cr_assert_eq(jvm_named("no.such.Program", &err), 0);
	cr_assert_eq(err.status, GCS_UNREACHABLE);
	cr_assert_eq(resolve("no.such.Program", &resolved, &err), GCS_ARGUMENT);
	cr_assert(strstr(err.text, "\"no.such.Program\" is neither a file, PID, HOST:PORT") != NULL,
	    "%s", err.text);
	/* What only looks like one is left as it is. */
	cr_assert_eq(resolve("no.such.host:3000", &resolved, &err), GCS_OK);
	cr_assert_str_eq(resolved.address, "no.such.host:3000");
	cr_assert_eq(resolve("99999999999", &resolved, &err), GCS_OK);
	cr_assert_str_eq(resolved.address, "99999999999");
}
