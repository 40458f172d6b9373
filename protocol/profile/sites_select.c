#include "sites_select.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <gcspy/memory.h>

#include "live_profile.h"

enum { LEAST_RANGE = 1024 };

uint64_t gcs_size_range(uint64_t size)
{
	uint64_t least = size < LEAST_RANGE ? 0 : LEAST_RANGE;
	while (least != 0 && size - least >= least)
		least *= 2;
	return least;
}

/* Marks the names that match the pattern; all of them without one. */
static enum gcs_status match_names(const struct selection *s, const char *what, const char *pattern,
    bool *fits, struct gcs_error *err)
{
	uint32_t count = gcs_profile_name_count(s->profile);
	regex_t regex;
	if (pattern == NULL) {
		memset(fits, 1, count);
		return GCS_OK;
	}
	int code = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (code != 0) {
		char message[128];
		regerror(code, &regex, message, sizeof message);
		return gcs_fail(err, code == REG_ESPACE ? GCS_NOMEM : GCS_ARGUMENT,
		    "%s \"%.100s\" is not a regular expression: %s", what, pattern, message);
	}
	for (uint32_t i = 0; i < count; i++)
		fits[i] = regexec(&regex, gcs_profile_name(s->profile, i), 0, NULL, 0) == 0;
	regfree(&regex);
	return GCS_OK;
}

/* Parts of a heap, and the types of regions that the collectors' maps show for them. */
static const struct {
	const char *word;
	const char *types[5];
} parts[] = {
    {"old", {"Old"}},
    {"young", {"Eden", "Survivor", "From", "To", "Young"}},
    {"eden", {"Eden"}},
    {"survivor", {"Survivor", "From", "To"}},
    {"humongous", {"Humongous", "Humongous start", "Humongous continuation", "Large"}},
};

enum { PARTS = sizeof parts / sizeof parts[0], TYPES = 5, GENERATIONS = PARTS - 1 };

/* A region of that type: all of the name, or what is before or after its comma ("Small, old"). */
static bool is_of_type(const char *region, const char *type)
{
	const char *comma = strstr(region, ", ");
	return strcasecmp(region, type) == 0 ||
	       (comma != NULL && (strcasecmp(comma + 2, type) == 0 ||
				     (strlen(type) == (size_t)(comma - region) &&
					 strncasecmp(region, type, strlen(type)) == 0)));
}

static bool is_of_part(size_t part, const char *region)
{
	for (size_t i = 0; i < TYPES && parts[part].types[i] != NULL; i++)
		if (is_of_type(region, parts[part].types[i]))
			return true;
	return false;
}

static size_t find_part(const char *word)
{
	size_t part = 0;
	while (part < PARTS && strcasecmp(parts[part].word, word) != 0)
		part++;
	return part;
}

/* The types of regions that a profile has, for messages. */
static void list_types(const struct selection *s, const bool *has, char *list, size_t size)
{
	size_t used = 0;
	list[0] = '\0';
	for (uint32_t i = 0; i < gcs_profile_name_count(s->profile); i++) {
		const char *name = gcs_profile_name(s->profile, i);
		if (!has[i] || used + strlen(name) + 3 > size)
			continue;
		if (used != 0)
			used += strlen(strcpy(list + used, ", "));
		used += strlen(strcpy(list + used, name));
	}
}

/* Replaces "the profile has this type of region" by "and it is in the place". */
static enum gcs_status match_regions(struct selection *s, struct gcs_error *err)
{
	const char *where = s->filter->where;
	const size_t part = find_part(where);
	bool generations = false, known = false, any = false;
	char list[300];
	for (uint32_t i = 0; i < gcs_profile_entry_count(s->profile); i++) {
		const uint32_t region = gcs_profile_entry(s->profile, i)->region;
		if (region != 0)
			s->region_fits[region - 1] = any = true;
	}
	list_types(s, s->region_fits, list, sizeof list);
	for (uint32_t i = 0; i < gcs_profile_name_count(s->profile); i++) {
		const char *type = gcs_profile_name(s->profile, i);
		for (size_t k = 0; s->region_fits[i] && k < GENERATIONS; k++)
			generations = generations || is_of_part(k, type);
		s->region_fits[i] = s->region_fits[i] && (part < PARTS ? is_of_part(part, type)
								       : is_of_type(type, where));
		known = known || s->region_fits[i];
	}
	/* Without an entry nothing is there, wherever it is. */
	if (known || gcs_profile_entry_count(s->profile) == 0)
		return GCS_OK;
	if (!any)
		return gcs_fail(err, GCS_UNSUPPORTED,
		    "where \"%.60s\": this profile does not say where objects are", where);
	/* Nothing is in that part now. */
	if (part < PARTS && (part >= GENERATIONS || generations))
		return GCS_OK;
	if (part < GENERATIONS)
		return gcs_fail(err, GCS_UNSUPPORTED,
		    "where \"%.60s\": regions of this collector's heap have no generation, and "
		    "this "
		    "profile has objects in %s%s",
		    where, list,
		    gcs_profile_head(s->profile)->kind == GCS_PROFILE_ALLOCATED
			? ""
			: "; --min-age N selects what has survived N collections");
	return gcs_fail(err, GCS_ARGUMENT,
	    "where \"%.60s\": this profile has objects in %s; also old, young, eden, survivor "
	    "(with such a heap), humongous, range=0xSTART-0xEND",
	    where, list);
}

static enum gcs_status take_range(struct selection *s, const char *text, struct gcs_error *err)
{
	char *end;
	bool any = gcs_profile_entry_count(s->profile) == 0;
	s->low = strtoull(text, &end, 16);
	s->high = *end == '-' ? strtoull(end + 1, &end, 16) : 0;
	if (*end != '\0' || strchr(text, '-') == NULL)
		return gcs_fail(err, GCS_ARGUMENT,
		    "where \"range=%.60s\": expected two addresses: range=0xSTART-0xEND", text);
	if (s->high <= s->low)
		return gcs_fail(err, GCS_ARGUMENT,
		    "where \"range=%.60s\": the second address is not above the first: "
		    "range=0xSTART-0xEND",
		    text);
	for (uint32_t i = 0; i < gcs_profile_entry_count(s->profile); i++)
		any = any || gcs_profile_entry(s->profile, i)->address != 0;
	return any ? GCS_OK
		   : gcs_fail(err, GCS_UNSUPPORTED,
			 "where \"range=%.60s\": this profile has no addresses; profiles of live "
			 "objects have them",
			 text);
}

static enum gcs_status find_place(struct selection *s, struct gcs_error *err)
{
	const char *where = s->filter->where;
	if (where == NULL)
		return GCS_OK;
	if (strncmp(where, "range=", 6) == 0)
		return take_range(s, where + 6, err);
	s->region_fits = gcs_zalloc((size_t)gcs_profile_name_count(s->profile) + 1);
	return s->region_fits == NULL ? gcs_fail(err, GCS_NOMEM, "no memory for the call sites")
				      : match_regions(s, err);
}

enum gcs_status selection_init(struct selection *s, const struct gcs_profile *profile,
    const struct gcs_site_filter *filter, struct gcs_error *err)
{
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	const bool totals = h->kind == GCS_PROFILE_ALLOCATED;
	const size_t names = (size_t)gcs_profile_name_count(profile) + 1;
	*s = (struct selection){.profile = profile, .filter = filter};
	s->least_size = totals ? gcs_size_range(filter->min_size) : filter->min_size;
	if (totals && (filter->min_age != 0 || filter->below_age != 0))
		return gcs_fail(err, GCS_UNSUPPORTED,
		    "min-age: ages of single objects are not kept for what was allocated; each "
		    "site has the bytes that died at each age");
	if (totals && s->least_size != 0 && h->live_includes_new)
		return gcs_fail(err, GCS_UNSUPPORTED,
		    "min-size: this server does not keep sizes for what was allocated");
	s->class_fits = gcs_zalloc(names);
	s->thread_fits = gcs_zalloc(names);
	if (s->class_fits == NULL || s->thread_fits == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the call sites");
	enum gcs_status status = match_names(s, "class", filter->class_pattern, s->class_fits, err);
	if (status == GCS_OK)
		status = match_names(s, "thread", filter->thread_pattern, s->thread_fits, err);
	return status == GCS_OK ? find_place(s, err) : status;
}

bool selection_has(const struct selection *s, const struct gcs_profile_entry *e)
{
	const struct gcs_site_filter *f = s->filter;
	return s->class_fits[e->class_name] && s->thread_fits[e->thread] && e->age >= f->min_age &&
	       (f->below_age == 0 || e->age < f->below_age) && e->size >= s->least_size &&
	       (s->region_fits == NULL || (e->region != 0 && s->region_fits[e->region - 1])) &&
	       (s->high == 0 || (e->address >= s->low && e->address < s->high)) &&
	       (f->with_new || !gcs_profile_is_new(s->profile, e)) &&
	       (f->selects == NULL || f->selects(f->context, e));
}

void selection_fini(struct selection *s)
{
	gcs_free(s->class_fits);
	gcs_free(s->thread_fits);
	gcs_free(s->region_fits);
}
