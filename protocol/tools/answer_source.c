/* Answers of plugins that a trace has. Declared in profile_source.h. */
#include <inttypes.h>
#include <string.h>

#include <gcspy/plugin.h>

#include "profile_source.h"
#include "stats_page.h"

/* The first answer of the plugin, or UINT64_MAX. */
static uint64_t first_answer(struct gcs_trace *trace, const char *plugin, uint64_t count)
{
	uint64_t i = 0;
	for (bool found = false; i < count; i++) {
		struct gcs_trace_answer *answer = gcs_trace_get_answer(trace, i, NULL, NULL);
		found = answer != NULL && strcmp(answer->plugin, plugin) == 0;
		gcs_plugin_free(answer);
		if (found)
			return i;
	}
	return UINT64_MAX;
}

struct gcs_trace_answer *answer_of_trace(
    const char *path, const char *plugin, const char *at, bool first, int *code)
{
	struct gcs_error err;
	struct gcs_trace_info info;
	struct gcs_trace *trace = trace_source_open(path, code);
	struct gcs_trace_answer *answer = NULL;
	if (trace == NULL)
		return NULL;
	gcs_trace_get_info(trace, &info);
	uint64_t place = info.events - 1;
	*code = at == NULL ? CLI_DONE : stats_place(trace, "at", at, &place);
	if (*code == CLI_DONE) {
		const uint64_t number = first ? first_answer(trace, plugin, info.answers)
					      : gcs_trace_answer_before(trace, plugin, place);
		answer =
		    number == UINT64_MAX ? NULL : gcs_trace_get_answer(trace, number, NULL, &err);
		if (number == UINT64_MAX)
			*code = cli_fail("%s: no answer of %s up to event %" PRIu64
					 "; the agent's option record-%s records some, at the "
					 "end of a collection%s",
			    path, plugin, place + 1, plugin,
			    strcmp(plugin, "paths") == 0 ? " while allocations are sampled" : "");
		else if (answer == NULL)
			*code = cli_fail("%s", err.text);
	}
	gcs_trace_close(trace);
	return answer;
}
