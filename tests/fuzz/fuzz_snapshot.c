/* The messages of a snapshot, one after another: a byte for the kind, two for the length. */
#include "fuzz.h"

#include "codec.h"
#include "kit.h"

static void decode(struct gcs_snapshot *s, unsigned kind, struct rd *r)
{
	switch (kind % 9) {
	case 0:
		(void)get_begin(r, s);
		break;
	case 1:
		(void)get_tiles(r, s);
		break;
	case 2:
		(void)get_names(r, s);
		break;
	case 3:
	case 4:
		(void)get_stream(r, s, kind % 9 == 4);
		break;
	case 5:
		(void)get_summary(r, s);
		break;
	case 6:
		(void)get_space_info(r, s);
		break;
	case 7:
		(void)get_counters(r, s);
		break;
	default:
		(void)get_end(r, s);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_begin();
	struct gcs_model *model = kit_model();
	struct gcs_snapshot *first = kit_snapshot(model);
	struct gcs_snapshot *s = gcs_snapshot_begin(model, first);
	struct rd all = rd_over(data, size);
	while (rd_left(&all) != 0 && all.status == GCS_OK) {
		unsigned kind = rd_u8(&all);
		size_t length = rd_u16(&all) % 4096;
		if (length > rd_left(&all))
			length = rd_left(&all);
		struct rd one = rd_over(all.at, length);
		(void)rd_bytes(&all, length);
		decode(s, kind, &one);
		fuzz_expect(gcs_snapshot_check(s, NULL) == GCS_OK);
	}
	snapshot_settle(s, first);
	gcs_snapshot_unref(first);
	gcs_snapshot_unref(s);
	gcs_model_unref(model);
	fuzz_end();
	return 0;
}
