/* The server's decoder of the protocol of 2002: hello and commands; its answers are real bytes. */
#include "fuzz.h"

#include "decoder_2002.h"
#include "kit.h"
#include "pair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t hello[18] = {
	    0, 0, 0, 14, 'G', 'C', 's', 'p', 'y', '6', '6', '6', 0, 0, 0, 0, 1, 0};
	struct pair pair;
	fuzz_begin();
	struct gcs_model *model = kit_model();
	struct gcs_snapshot *snapshot = kit_snapshot(model);
	pair_init(&pair, model);
	decoder_choose(&pair.decoder, &decoder_2002);
	/* An even last byte saves the input the hello; it also says where the portions are cut. */
	if (size != 0 && data[size - 1] % 2 == 0)
		session_input(&pair.session, hello, sizeof hello);
	size_t first = size == 0 ? 0 : data[size - 1] % size;
	session_input(&pair.session, data, first);
	session_snapshot(&pair.session, snapshot, 0);
	session_state(&pair.session, &(struct state_message){.run = GCS_PAUSED});
	session_input(&pair.session, data + first, size - first);
	session_snapshot(&pair.session, snapshot, 1);
	session_state(&pair.session, &(struct state_message){.run = GCS_PAUSED});
	fuzz_expect(pair.session.in.length <= pair.session.in.limit);
	fuzz_expect(pair.session.phase != SESSION_CLOSING || pair.session.why[0] != '\0');
	bool old = pair.session.dialect != NULL && pair.session.dialect->quiet;
	if (old && pair.readies != 0) {
		pair_flow(&pair);
		if (pair.session.phase == SESSION_READY) {
			fuzz_expect(pair.decoder.phase == DECODER_LIVE);
			fuzz_expect(pair.snapshots != 0);
		}
	}
	pair_fini(&pair);
	gcs_snapshot_unref(snapshot);
	gcs_model_unref(model);
	fuzz_end();
	return 0;
}
