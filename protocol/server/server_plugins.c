/* Queries to plugins: their parameters are checked here, so that no target needs to (F18). */

#include "server_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_internal.h"
#include "server_ring.h"

static const char unanswered[] = "this server answers no queries";

/* What a plugin is asked with. */
struct arguments {
	const struct gcs_model *model;
	const struct gcs_plugin *plugin;
	struct gcs_info given[GCS_MAX_PARAMETERS]; /* by the plugin's parameters */
	char numbers[GCS_MAX_PARAMETERS][24];
};

static enum gcs_status unknown_key(
    const struct gcs_plugin *plugin, const char *key, struct gcs_error *err)
{
	char names[200] = "";
	for (uint32_t i = 0; i < plugin->parameter_count; i++) {
		const size_t length = strlen(names);
		snprintf(names + length, sizeof names - length, "%s%.60s", i == 0 ? "" : ", ",
		    plugin->parameters[i].name);
	}
	if (plugin->parameter_count == 0)
		return gcs_fail(err, GCS_ARGUMENT, "unknown parameter \"%.60s\"; %.60s has none",
		    key, plugin->name);
	return gcs_fail(
	    err, GCS_ARGUMENT, "unknown parameter \"%.60s\"; available: %s", key, names);
}

static enum gcs_status take(struct arguments *a, const struct gcs_info *from, struct gcs_error *err)
{
	uint32_t i = 0;
	while (
	    i < a->plugin->parameter_count && strcmp(a->plugin->parameters[i].name, from->key) != 0)
		i++;
	if (i == a->plugin->parameter_count)
		return unknown_key(a->plugin, from->key, err);
	if (a->given[i].value != NULL)
		return gcs_fail(err, GCS_ARGUMENT, "%.60s: given twice", from->key);
	a->given[i] = *from;
	return GCS_OK;
}

/* A value, or the initial one, as the target gets it. */
static enum gcs_status settle_value(struct arguments *a, uint32_t i, struct gcs_error *err)
{
	const struct gcs_parameter *p = &a->plugin->parameters[i];
	struct gcs_info *given = &a->given[i];
	given->key = p->name;
	if (given->value == NULL)
		given->value = p->initial;
	if (given->value == NULL)
		return gcs_fail(
		    err, GCS_ARGUMENT, "%.60s: missing; %.180s", p->name, p->description);
	const enum gcs_status status = model_check_value(p, given->value, a->numbers[i], err);
	if (status != GCS_OK)
		return status;
	if (a->numbers[i][0] != '\0')
		given->value = a->numbers[i];
	if (p->kind != GCS_PARAMETER_SPACE)
		return GCS_OK;
	const unsigned long long space = strtoull(given->value, NULL, 10);
	if (space >= a->model->space_count || a->model->spaces[space].gone)
		return gcs_fail(
		    err, GCS_ARGUMENT, "%.60s: there is no space %.24s", p->name, given->value);
	return GCS_OK;
}

static enum gcs_status settle_all(
    struct arguments *a, const struct gcs_query *query, struct gcs_error *err)
{
	enum gcs_status status = GCS_OK;
	for (uint32_t i = 0; status == GCS_OK && i < query->count; i++)
		status = take(a, &query->parameters[i], err);
	for (uint32_t i = 0; status == GCS_OK && i < a->plugin->parameter_count; i++)
		status = settle_value(a, i, err);
	return status;
}

static void ask_plugin(struct gcs_server *s, const struct gcs_model *model, uint32_t plugin,
    const struct gcs_query *query)
{
	struct arguments a = {.model = model, .plugin = &model->plugins[plugin]};
	struct gcs_error err;
	const enum gcs_status status = settle_all(&a, query, &err);
	if (status != GCS_OK) {
		gcs_server_answer(s, query->ticket, GCS_ARGUMENT, err.text, NULL, 0);
		return;
	}
	if (server_is_fragmentation(a.plugin)) {
		server_answer_fragmentation(s, query->ticket, a.given);
		return;
	}
	if (s->ring != NULL && ring_plugin_is(a.plugin)) {
		ring_plugin_answer(s, query->ticket, a.given);
		return;
	}
	if (s->options.query == NULL) {
		gcs_server_answer(s, query->ticket, GCS_UNSUPPORTED, unanswered, NULL, 0);
		return;
	}
	s->options.query(s->options.context, &(struct gcs_query){.ticket = query->ticket,
						 .topic = query->topic,
						 .count = a.plugin->parameter_count,
						 .parameters = a.given});
}

void server_query(struct gcs_server *s, const struct gcs_query *query)
{
	pthread_mutex_lock(&s->lock);
	struct gcs_model *model = gcs_model_ref(s->model);
	pthread_mutex_unlock(&s->lock);
	const uint32_t plugin = gcs_model_find_plugin(model, query->topic);
	if (plugin != GCS_NONE)
		ask_plugin(s, model, plugin, query);
	else if (s->options.query == NULL)
		gcs_server_answer(s, query->ticket, GCS_UNSUPPORTED, unanswered, NULL, 0);
	else
		s->options.query(s->options.context, query);
	gcs_model_unref(model);
}
