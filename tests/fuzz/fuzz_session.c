/* The server's whole decoder: dialect, preamble, HELLO, commands, questions; its answers are real
 * bytes. */
#include "fuzz.h"

#include "kit.h"
#include "pair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pair pair;
	fuzz_begin();
	struct gcs_model *model = kit_model();
	struct gcs_snapshot *snapshot = kit_snapshot(model);
	pair_init(&pair, model);
	size_t first = size == 0 ? 0 : data[size - 1] % size;
	session_input(&pair.session, data, first);
	session_snapshot(&pair.session, snapshot, 0);
	session_input(&pair.session, data + first, size - first);
	session_snapshot(&pair.session, snapshot, 1);
	fuzz_expect(pair.session.in.length <= pair.session.in.limit);
	fuzz_expect(pair.session.phase != SESSION_CLOSING || pair.session.why[0] != '\0');
	/* A session that was let in answers with what our own client understands. */
	pair_flow(&pair);
	if (pair.readies != 0 && pair.session.phase == SESSION_READY) {
		fuzz_expect(pair.decoder.phase == DECODER_LIVE);
		fuzz_expect(pair.snapshots != 0);
		fuzz_expect(pair.answers == pair.queries + pair.sets + pair.zooms);
	}
	pair_fini(&pair);
	gcs_snapshot_unref(snapshot);
	gcs_model_unref(model);
	fuzz_end();
	return 0;
}
