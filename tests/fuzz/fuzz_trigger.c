/* The text of a condition, and the list of triggers. What is accepted is compiled for each event; what
 * is rejected is so with a line that says why. */
#include "fuzz.h"

#include <string.h>

#include <gcspy/client.h>

#include "kit.h"
#include "server_internal.h"

static void condition(const uint8_t *data, size_t size)
{
	char text[GCS_MAX_TEXT + 2];
	struct gcs_error err = {.text = ""};
	const size_t length = size < sizeof text - 1 ? size : sizeof text - 1;
	memcpy(text, data, length);
	text[length] = '\0';
	struct gcs_model *model = kit_model();
	const struct gcs_trigger t = {.name = "t", .condition = text};
	/* Once with the first event counted. */
	for (uint64_t counted = 0; counted < 2; counted++) {
		struct trigger *made = trigger_create(&t, model, counted, &err);
		fuzz_expect((made == NULL) == (err.status != GCS_OK));
		fuzz_expect(made != NULL || err.text[0] != '\0');
		for (uint32_t i = 0; made != NULL && i < made->op_count; i++) {
			const struct trigger_op *op = &made->ops[i];
			/* Each operation leads to an earlier one or to the end. */
			fuzz_expect(op->yes < i || op->yes >= TRIGGER_FAILS);
			fuzz_expect(op->no < i || op->no >= TRIGGER_FAILS);
			fuzz_expect(op->attribute < GCS_MAX_ATTRIBUTES);
		}
		trigger_free(made);
		err = (struct gcs_error){.text = ""};
	}
	gcs_model_unref(model);
}

static void list(const uint8_t *data, size_t size)
{
	struct gcs_error err = {.text = ""};
	uint32_t count;
	size_t sum = 0;
	struct gcs_trigger_state *states = gcs_triggers_decode(data, size, &count, &err);
	fuzz_expect(states != NULL || (count == 0 && err.text[0] != '\0'));
	fuzz_expect(count <= GCS_MAX_TRIGGERS);
	for (uint32_t i = 0; i < count; i++)
		sum += strlen(states[i].trigger.name) + strlen(states[i].trigger.condition) +
		       strlen(states[i].trigger.plugin);
	fuzz_expect(sum <= size);
	gcs_triggers_free(states);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_begin();
	if (size != 0 && data[0] == 1)
		list(data, size);
	else
		condition(data, size);
	fuzz_end();
	return 0;
}
