#include "fuzz_client.h"

#include <string.h>

static void on_model(void *context, struct gcs_model *model)
{
	(void)context;
	fuzz_expect(gcs_model_check(model, NULL) == GCS_OK);
}

static void on_snapshot(void *context, struct gcs_snapshot *snapshot)
{
	(void)context;
	fuzz_expect(gcs_snapshot_check(snapshot, NULL) == GCS_OK);
}

static void on_state(void *context, const struct state_message *state)
{
	(void)context;
	fuzz_expect((unsigned)state->run <= GCS_PAUSED);
}

static void on_notice(void *context, const char *message)
{
	(void)context;
	fuzz_expect(message != NULL);
}

static void on_answer(void *context, const struct answer_message *answer)
{
	unsigned sum = 0;
	(void)context;
	fuzz_expect(answer->message != NULL && strlen(answer->message) <= GCS_MAX_TEXT);
	fuzz_expect(answer->length <= CODEC_ANSWER_PER_FRAME && answer->length <= answer->total);
	fuzz_expect(answer->total <= GCS_MAX_ANSWER);
	for (size_t i = 0; i < answer->length; i++)
		sum += answer->bytes[i];
	fuzz_expect(sum <= 255 * CODEC_ANSWER_PER_FRAME);
}

static const struct decoder_events events = {
    .ready = on_model,
    .model = on_model,
    .snapshot = on_snapshot,
    .state = on_state,
    .notice = on_notice,
    .answer = on_answer,
};

void fuzz_client(const struct decoder_dialect *dialect, const uint8_t *data, size_t size)
{
	struct decoder m;
	fuzz_begin();
	decoder_init(&m, &events, NULL);
	decoder_choose(&m, dialect);
	/* In two portions, whose border depends on the input. */
	size_t first = size == 0 ? 0 : data[size - 1] % size;
	decoder_input(&m, data, first);
	decoder_input(&m, data + first, size - first);
	fuzz_expect(m.phase != DECODER_ENDED || m.error.text[0] != '\0');
	decoder_fini(&m);
	fuzz_end();
}
