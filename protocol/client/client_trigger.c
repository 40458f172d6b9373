/* Triggers of a client: sends TRIGGER and INTEREST, reads the list of triggers. */

#include "client_internal.h"

#include <string.h>

#include <gcspy/memory.h>

/* The first minor version of the protocol that has triggers. */
enum { MINOR_WITH_TRIGGERS = 3 };

static bool is_given(const char *text, size_t most)
{
	const size_t length = text == NULL ? 0 : strlen(text);
	return length != 0 && length <= most;
}

static enum gcs_status send_trigger(
    struct gcs_client *c, bool remove, const struct gcs_trigger *trigger, uint32_t *id)
{
	const enum gcs_status status = client_ask(c, MINOR_WITH_TRIGGERS, id);
	if (status != GCS_OK)
		return status;
	put_trigger(
	    &c->out, &(struct trigger_message){.id = *id, .remove = remove, .trigger = *trigger});
	return client_end(c);
}

enum gcs_status gcs_client_set_trigger(
    struct gcs_client *c, const struct gcs_trigger *trigger, uint32_t *id)
{
	if (trigger == NULL)
		return GCS_ARGUMENT;
	const char *plugin = trigger->plugin == NULL ? "" : trigger->plugin;
	if (!is_given(trigger->name, GCS_MAX_NAME) || !is_given(trigger->condition, GCS_MAX_TEXT) ||
	    strlen(plugin) > GCS_MAX_NAME)
		return GCS_ARGUMENT;
	return send_trigger(c, false, trigger, id);
}

enum gcs_status gcs_client_remove_trigger(struct gcs_client *c, const char *name, uint32_t *id)
{
	if (!is_given(name, GCS_MAX_NAME))
		return GCS_ARGUMENT;
	return send_trigger(c, true, &(struct gcs_trigger){.name = name}, id);
}

enum gcs_status gcs_client_interest(
    struct gcs_client *c, uint32_t event, uint32_t attribute, bool on)
{
	if (!client_begin(c))
		return GCS_STATE;
	enum gcs_status status = GCS_OK;
	if (c->minor < MINOR_WITH_TRIGGERS || !c->client_dialect->native)
		status = GCS_UNSUPPORTED;
	else if (event >= c->model->event_count ||
		 attribute >= c->model->events[event].attribute_count)
		status = GCS_ARGUMENT;
	if (status != GCS_OK) {
		pthread_mutex_unlock(&c->lock);
		return status;
	}
	put_interest(
	    &c->out, &(struct interest_message){.event = event, .attribute = attribute, .on = on});
	return client_end(c);
}

/* The list and its texts in one block. */
struct gcs_trigger_state *gcs_triggers_decode(
    const void *bytes, size_t length, uint32_t *count, struct gcs_error *err)
{
	struct arena arena = {0};
	struct rd r = rd_over(bytes, length);
	struct gcs_trigger_state *states = NULL, *copy = NULL;
	size_t texts = 0;
	*count = 0;
	if (!get_trigger_list(&r, &arena, count, &states)) {
		gcs_fail(err, r.status, "bad list of triggers: %s", gcs_status_text(r.status));
		goto done;
	}
	for (uint32_t i = 0; i < *count; i++)
		texts += strlen(states[i].trigger.name) + strlen(states[i].trigger.condition) +
			 strlen(states[i].trigger.plugin) + 3;
	copy = gcs_alloc((*count + 1) * sizeof *copy + texts);
	if (copy == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for the list of triggers");
		goto done;
	}
	char *to = (char *)(copy + *count + 1);
	for (uint32_t i = 0; i < *count; i++) {
		copy[i] = states[i];
		const char **fields[] = {
		    &copy[i].trigger.name, &copy[i].trigger.condition, &copy[i].trigger.plugin};
		for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
			const size_t size = strlen(*fields[k]) + 1;
			memcpy(to, *fields[k], size);
			*fields[k] = to;
			to += size;
		}
	}
done:
	if (copy == NULL)
		*count = 0;
	arena_fini(&arena);
	return copy;
}

void gcs_triggers_free(struct gcs_trigger_state *states)
{
	gcs_free(states);
}
