/* The plugins `paths` and `histogram`: their descriptions and parameters. Declared in paths.h. */

#include "paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/plugin.h>

#include "class_name_format.h"

enum { SITE, CLASS, TILE, WHERE, MIN_AGE, MAX_PAUSE, FORM, DO, PARAMETERS };

static const char *const forms[] = {"folded", "raw", "sites"};
static const char *const actions[] = {"search", "estimate"};

static const struct gcs_parameter parameters[PARAMETERS] = {
    [SITE] = {.name = "site",
	.description = "Number of a call site, as `gcspy sites` shows it",
	.kind = GCS_PARAMETER_TEXT,
	.initial = ""},
    [CLASS] = {.name = "class",
	.description = "Name of the objects' class, or its end: shop.Session, Session, byte[]",
	.kind = GCS_PARAMETER_TEXT,
	.initial = ""},
    [TILE] = {.name = "tile",
	.description = "Only objects in the tile of the heap map with this address; 0x0: any",
	.kind = GCS_PARAMETER_ADDRESS,
	.initial = "0x0"},
    [WHERE] = {.name = "where",
	.description = "Only objects there: old, humongous, range=0xA-0xB",
	.kind = GCS_PARAMETER_TEXT,
	.initial = ""},
    [MIN_AGE] = {.name = "min-age",
	.description = "Only objects that survived this many collections",
	.kind = GCS_PARAMETER_NUMBER,
	.initial = "0"},
    [MAX_PAUSE] = {.name = "max-pause",
	.description = "Longest single pause to begin, in milliseconds; 0: the option paths-pause",
	.kind = GCS_PARAMETER_NUMBER,
	.initial = "0"},
    [FORM] = {.name = "form",
	.description = "folded: the inside of collections is one step; raw: each reference; sites: "
		       "folded, below the number of each call site",
	.kind = GCS_PARAMETER_ENUM,
	.initial = "folded",
	.enum_count = 3,
	.enum_names = forms},
    [DO] = {.name = "do",
	.description = "estimate: only say what the search would cost",
	.kind = GCS_PARAMETER_ENUM,
	.initial = "search",
	.enum_count = 2,
	.enum_names = actions},
};

static const struct gcs_plugin paths = {.name = "paths",
    .title = "Why alive",
    .description =
	"The reference chains from roots of the heap to sampled live objects. Pauses the "
	"program several times",
    .kind = GCS_PLUGIN_TABLE,
    .parameter_count = PARAMETERS,
    .parameters = parameters};

static const struct gcs_plugin histogram = {.name = "histogram",
    .title = "Class histogram",
    .description =
	"Number and bytes of all objects in the heap by class, garbage included. Pauses the "
	"program once",
    .kind = GCS_PLUGIN_TABLE};

enum gcs_status paths_describe(struct gcs_server *server, struct gcs_error *err)
{
	const enum gcs_status status = gcs_server_add_plugin(server, &paths, NULL, err);
	return status != GCS_OK ? status : gcs_server_add_plugin(server, &histogram, NULL, err);
}

/* Copies a text; one that is too long matches nothing. */
static void take(char *to, size_t size, const struct gcs_info *parameter)
{
	snprintf(to, size, "%s", parameter->value);
}

static uint64_t number(const struct gcs_info *parameter, uint64_t most)
{
	const unsigned long long value = strtoull(parameter->value, NULL, 10);
	return value > most ? most : value;
}

bool paths_parse(const struct gcs_query *query, struct path_question *q)
{
	*q = (struct path_question){.ticket = query->ticket};
	q->histogram = strcmp(query->topic, histogram.name) == 0;
	if (q->histogram || strcmp(query->topic, paths.name) != 0)
		return q->histogram;
	take(q->site, sizeof q->site, &query->parameters[SITE]);
	take(q->class_name, sizeof q->class_name, &query->parameters[CLASS]);
	if (q->class_name[0] == '[') /* "[B", as the JVM's own tools have it */
		(void)spell_class(
		    query->parameters[CLASS].value, q->class_name, sizeof q->class_name);
	take(q->where, sizeof q->where, &query->parameters[WHERE]);
	const unsigned long long tile = strtoull(query->parameters[TILE].value, NULL, 16);
	if (tile != 0)
		snprintf(q->where, sizeof q->where, "tile=0x%llx", tile);
	q->min_age = (uint32_t)number(&query->parameters[MIN_AGE], UINT32_MAX);
	q->limit_ms = number(&query->parameters[MAX_PAUSE], 3600000);
	q->raw = strcmp(query->parameters[FORM].value, forms[1]) == 0;
	q->sites = strcmp(query->parameters[FORM].value, forms[2]) == 0;
	q->estimate = strcmp(query->parameters[DO].value, actions[1]) == 0;
	return true;
}
