#include "operand.h"
#include "profile_source.h"
#include "sites_write.h"

int cmd_sites(const struct cli_arguments *arguments, struct out *out)
{
	struct cli_arguments a = *arguments;
	int code = sites_settle(&a);
	if (code == CLI_DONE)
		code = sites_check_patterns(&a);
	if (code != CLI_DONE)
		return code;
	if (a.gc && source_is_file(a.address))
		return cli_usage("--gc: %s is a file", a.address);
	struct gcs_profile *profile = profile_open(&a, &code);
	if (profile == NULL)
		return code;
	code = sites_write(&a, profile, out);
	gcs_profile_free(profile);
	return code;
}
