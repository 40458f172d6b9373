#include "profile_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "contact.h"
#include "operand.h"
#include "stats_page.h"

static const char *const kind_options[GCS_PROFILE_KIND_COUNT] = {
    [GCS_PROFILE_LIVE] = "--live",
    [GCS_PROFILE_RECENT] = "--garbage=recent",
    [GCS_PROFILE_FREQUENT] = "--garbage=frequent",
    [GCS_PROFILE_ALLOCATED] = "--allocated",
};

static struct gcs_profile *fetch(const struct cli_arguments *a, int *code)
{
	struct contact contact;
	struct gcs_profile *profile = NULL;
	struct gcs_error err;
	*code = contact_open(&contact, a, CONTACT_LATEST);
	if (*code == CLI_DONE) {
		const struct gcs_info asked[] = {
		    {.key = "kind", .value = gcs_profile_kind_word(a->kind)},
		    {.key = "where", .value = a->where}};
		struct gcs_answer *answer =
		    contact_query(&contact, "sites", a->where == NULL ? 1 : 2, asked, code);
		if (answer != NULL)
			profile = gcs_profile_decode(answer->bytes, answer->length, &err);
		if (answer != NULL && profile == NULL)
			*code = cli_fail("%s: %s", a->address, err.text);
		gcs_answer_free(answer);
	}
	contact_close(&contact);
	if (profile == NULL || gcs_profile_entry_count(profile) != 0)
		return profile;
	if (a->where != NULL)
		*code =
		    cli_fail("%s: no live samples are there (--where %s)", a->address, a->where);
	else
		*code = cli_fail(
		    "%s: no samples of that kind yet (%s)", a->address, kind_options[a->kind]);
	gcs_profile_free(profile);
	return NULL;
}

struct gcs_trace *trace_source_open(const char *path, int *code)
{
	struct gcs_error err;
	struct gcs_trace *trace = gcs_trace_open(path, &err);
	*code = trace == NULL ? cli_fail("%s", err.text) : CLI_DONE;
	return trace;
}

/* The newest readable profile of that kind up to the place, with a warning for damaged ones. */
static struct gcs_profile *last_profile(
    struct gcs_trace *trace, const char *path, enum gcs_profile_kind kind, uint64_t place)
{
	struct gcs_error err;
	struct gcs_trace_profile_info info;
	uint64_t number = gcs_trace_profile_before(trace, kind, place);
	for (; number != UINT64_MAX; number--) {
		if (!gcs_trace_profile_info(trace, number, &info) || info.kind != kind)
			continue;
		struct gcs_profile *profile = gcs_trace_profile(trace, number, &err);
		if (profile != NULL)
			return profile;
		cli_warn("warning: %s; using an earlier one", err.text);
	}
	cli_fail("%s: no readable profile of that kind up to event %" PRIu64 " (%s)", path, place,
	    kind_options[kind]);
	return NULL;
}

static struct gcs_profile *load_from_trace(
    const char *path, enum gcs_profile_kind kind, const char *at, int *code)
{
	struct gcs_trace_info info;
	struct gcs_profile *profile = NULL;
	struct gcs_trace *trace = trace_source_open(path, code);
	if (trace == NULL)
		return NULL;
	gcs_trace_get_info(trace, &info);
	uint64_t place = info.events - 1;
	*code = at == NULL ? CLI_DONE : stats_place(trace, "at", at, &place);
	if (*code == CLI_DONE)
		profile = last_profile(trace, path, kind, place);
	if (profile == NULL && *code == CLI_DONE)
		*code = CLI_FAILED;
	gcs_trace_close(trace);
	return profile;
}

static struct gcs_profile *load(const char *path, int *code)
{
	struct gcs_error err;
	struct gcs_profile *profile = gcs_profile_load(path, &err);
	if (profile == NULL)
		*code = cli_fail("%s", err.text);
	return profile;
}

/* The profile in the file must be of the requested kind. */
static struct gcs_profile *load_kind(const struct cli_arguments *a, int *code)
{
	struct gcs_profile *profile = load(a->address, code);
	if (profile == NULL || !a->kind_given || a->kind == gcs_profile_head(profile)->kind)
		return profile;
	*code = cli_usage("%s: the profile in %s is of kind %s", kind_options[a->kind], a->address,
	    kind_options[gcs_profile_head(profile)->kind]);
	gcs_profile_free(profile);
	return NULL;
}

struct gcs_profile *profile_open(const struct cli_arguments *a, int *code)
{
	bool file = source_is_file(a->address);
	if (file && (gcs_trace_is(a->address) || a->at != NULL))
		return load_from_trace(a->address, a->kind, a->at, code);
	if (a->at != NULL) {
		*code = cli_usage("--at: %s is not a trace", a->address);
		return NULL;
	}
	return file ? load_kind(a, code) : fetch(a, code);
}

struct gcs_profile *profile_load_base(
    const struct cli_arguments *a, const struct gcs_profile *profile, int *code)
{
	enum gcs_profile_kind kind = gcs_profile_head(profile)->kind;
	if (gcs_trace_is(a->base))
		return load_from_trace(a->base, kind, NULL, code);
	struct gcs_profile *base = load(a->base, code);
	if (base == NULL || gcs_profile_head(base)->kind == kind)
		return base;
	*code = cli_usage("--base: the profile in %s is of kind %s, not %s", a->base,
	    kind_options[gcs_profile_head(base)->kind], kind_options[kind]);
	gcs_profile_free(base);
	return NULL;
}
