#include "profile_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "contact.h"
#include "operand.h"
#include "signals.h"
#include "stats_page.h"
#include "tiles_trace.h"

static const char *const kind_options[GCS_PROFILE_KIND_COUNT] = {
    [GCS_PROFILE_LIVE] = "--live",
    [GCS_PROFILE_RECENT] = "--garbage=recent",
    [GCS_PROFILE_FREQUENT] = "--garbage=frequent",
    [GCS_PROFILE_ALLOCATED] = "--allocated",
};

/* Whether a profile of live objects is empty because a collection found all samples dead, which is an
 * answer. */
static bool nothing_is_live(const struct gcs_profile *profile)
{
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	return h->kind == GCS_PROFILE_LIVE && !h->live_includes_new && h->judged.number != 0 &&
	       h->samples != 0;
}

/* Asks for a collection. ^C ends only the wait for it. */
static int collect(struct contact *contact)
{
	int code = CLI_DONE;
	uint32_t id = 0;
	signals_catch(contact->wake[1]);
	const enum gcs_status status = gcs_client_query(contact->client, "gc", 0, NULL, &id);
	struct gcs_answer *answer = status == GCS_OK ? contact_wait_answer(contact, id) : NULL;
	if (answer == NULL && signals_seen() && !contact_is_lost(contact))
		cli_warn("interrupted: this is what was known before the collection");
	else
		gcs_answer_free(contact_judge(contact, status, answer, &code));
	signals_forget();
	signals_release();
	return code;
}

static struct gcs_profile *fetch(struct cli_arguments *a, int *code)
{
	struct contact contact;
	struct gcs_profile *profile = NULL;
	struct gcs_error err;
	/* A server knows where live objects are; the others have the place where they began. */
	const bool there = a->where != NULL && a->kind == GCS_PROFILE_LIVE;
	if (!there)
		a->filter.where = a->where;
	*code = contact_open(&contact, a, CONTACT_LATEST);
	if (*code == CLI_DONE && a->gc)
		*code = collect(&contact);
	if (*code == CLI_DONE) {
		const struct gcs_info asked[] = {
		    {.key = "kind", .value = gcs_profile_kind_word(a->kind)},
		    {.key = "where", .value = a->where}};
		struct gcs_answer *answer =
		    contact_query(&contact, "sites", there ? 2 : 1, asked, code);
		if (answer != NULL)
			profile = gcs_profile_decode(answer->bytes, answer->length, &err);
		if (answer != NULL && profile == NULL)
			*code = cli_fail("%s: %s", a->address, err.text);
		gcs_answer_free(answer);
	}
	contact_close(&contact);
	if (profile == NULL || gcs_profile_entry_count(profile) != 0 ||
	    (!there && nothing_is_live(profile)))
		return profile;
	/* Else it is about what is alive in these totals. */
	const char *as_of = gcs_profile_head(profile)->as_of;
	const bool about = a->kind == GCS_PROFILE_LIVE || strcmp(as_of, "sampling is off") == 0;
	const char *why = about ? as_of : "";
	if (there)
		*code =
		    cli_fail("%s: no live samples are there (--where %s)", a->address, a->where);
	else
		*code = cli_fail("%s: no samples of that kind yet (%s)%s%.200s", a->address,
		    kind_options[a->kind], why[0] == '\0' ? "" : ": ", why);
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
    struct gcs_trace *trace, const char *path, enum gcs_profile_kind kind, uint64_t *place)
{
	struct gcs_error err;
	struct gcs_trace_profile_info info;
	const uint64_t event = *place + 1;
	uint64_t number = gcs_trace_profile_before(trace, kind, *place);
	for (; number != UINT64_MAX; number--) {
		if (!gcs_trace_profile_info(trace, number, &info) || info.kind != kind)
			continue;
		struct gcs_profile *profile = gcs_trace_profile(trace, number, &err);
		*place = info.place;
		if (profile != NULL)
			return profile;
		cli_warn("warning: %s; using an earlier one", err.text);
	}
	cli_fail("%s: no readable profile of that kind up to event %" PRIu64 " (%s)", path, event,
	    kind_options[kind]);
	return NULL;
}

static bool open_in_trace(struct profile_in_trace *source, const char *path,
    enum gcs_profile_kind kind, const char *at, int *code)
{
	struct gcs_trace_info info;
	*source = (struct profile_in_trace){.trace = trace_source_open(path, code)};
	if (source->trace == NULL)
		return false;
	gcs_trace_get_info(source->trace, &info);
	source->place = info.events - 1;
	*code = at == NULL ? CLI_DONE : stats_place(source->trace, "at", at, &source->place);
	if (*code == CLI_DONE)
		source->profile = last_profile(source->trace, path, kind, &source->place);
	if (source->profile == NULL && *code == CLI_DONE)
		*code = CLI_FAILED;
	if (source->profile == NULL)
		profile_of_trace_close(source);
	return source->profile != NULL;
}

bool profile_of_trace(const struct cli_arguments *a, enum gcs_profile_kind kind,
    struct profile_in_trace *source, int *code)
{
	return open_in_trace(source, a->address, kind, a->at, code);
}

void profile_of_trace_close(struct profile_in_trace *source)
{
	gcs_profile_free(source->profile);
	gcs_trace_close(source->trace);
	*source = (struct profile_in_trace){.trace = NULL};
}

/* Only the profile; a tile becomes the range that it has in this trace. */
static struct gcs_profile *load_from_trace(struct cli_arguments *a, int *code)
{
	static char range[64];
	struct profile_in_trace source;
	if (!open_in_trace(&source, a->address, a->kind, a->at, code))
		return NULL;
	if (a->where != NULL && strncmp(a->where, "tile=", 5) == 0) {
		*code = tiles_trace_range(
		    source.trace, source.place, a->address, a->where + 5, range, sizeof range);
		a->filter.where = range;
	}
	struct gcs_profile *profile = *code == CLI_DONE ? source.profile : NULL;
	if (profile != NULL)
		source.profile = NULL;
	profile_of_trace_close(&source);
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

struct gcs_profile *profile_open(struct cli_arguments *a, int *code)
{
	bool file = source_is_file(a->address);
	if (file)
		a->filter.where = a->where;
	if (file && (gcs_trace_is(a->address) || a->at != NULL))
		return load_from_trace(a, code);
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
	if (gcs_trace_is(a->base)) {
		struct profile_in_trace source;
		if (!open_in_trace(&source, a->base, kind, NULL, code))
			return NULL;
		gcs_trace_close(source.trace);
		return source.profile;
	}
	struct gcs_profile *base = load(a->base, code);
	if (base == NULL || gcs_profile_head(base)->kind == kind)
		return base;
	*code = cli_usage("--base: the profile in %s is of kind %s, not %s", a->base,
	    kind_options[gcs_profile_head(base)->kind], kind_options[kind]);
	gcs_profile_free(base);
	return NULL;
}
