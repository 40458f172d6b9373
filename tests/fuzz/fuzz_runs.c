/* Runs: whatever decodes is coded again and decodes to the same. */
#include "fuzz.h"

#include <string.h>

#include "runs.h"

enum { MOST = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int64_t values[MOST], again[MOST], old[MOST];
	if (size < 3)
		return 0;
	fuzz_begin();
	bool incremental = (data[0] & 1) != 0;
	size_t count = (data[1] | (size_t)data[2] << 8) % (MOST + 1);
	for (size_t i = 0; i < MOST; i++)
		old[i] = incremental ? (int64_t)i * data[0] : 0;
	memcpy(values, old, sizeof values);
	memcpy(again, old, sizeof again);
	struct rd r = rd_over(data + 3, size - 3);
	runs_decode(&r, values, count, incremental);
	if (r.status == GCS_OK) {
		struct wr w;
		wr_init(&w, 1 << 20);
		runs_encode(&w, values, incremental ? old : NULL, count);
		fuzz_expect(w.status == GCS_OK);
		r = rd_over(w.data, w.length);
		runs_decode(&r, again, count, incremental);
		fuzz_expect(r.status == GCS_OK && rd_left(&r) == 0);
		fuzz_expect(memcmp(values, again, count * sizeof values[0]) == 0);
		wr_fini(&w);
	}
	fuzz_end();
	return 0;
}
