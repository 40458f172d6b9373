/* The tiles of a call site; what decodes must be sound and code to the same. */
#include "fuzz.h"

#include <string.h>

#include <gcspy/memory.h>

#include "site_tiles.h"

static void check(const struct gcs_site_tiles *t)
{
	fuzz_expect(t->placed <= t->samples && t->approximate <= t->placed);
	fuzz_expect(t->count <= t->placed);
	for (uint32_t i = 0; i < t->count; i++) {
		const struct gcs_site_tile *tile = &t->tiles[i];
		fuzz_expect(tile->low < tile->high && (i == 0 || tile[-1].low < tile->low));
		fuzz_expect(tile->approximate <= tile->samples && tile->samples <= t->placed);
		fuzz_expect(tile->bytes >= 0 && tile->type != NULL);
		fuzz_expect(t->errors_known ? tile->variance >= 0 : tile->variance == 0);
	}
}

static void code_again(const struct gcs_site_tiles *t)
{
	void *bytes;
	size_t length;
	struct gcs_error err = {.status = GCS_OK};
	if (gcs_site_tiles_encode(t, &bytes, &length, &err) != GCS_OK) {
		fuzz_expect(err.status == GCS_NOMEM);
		return;
	}
	struct gcs_site_tiles *same = gcs_site_tiles_decode(bytes, length, &err);
	fuzz_expect(same != NULL || err.status == GCS_NOMEM);
	for (uint32_t i = 0; same != NULL && i < t->count; i++) {
		const struct gcs_site_tile *a = &t->tiles[i], *b = &same->tiles[i];
		fuzz_expect(a->low == b->low && a->high == b->high && a->bytes == b->bytes);
		fuzz_expect(strcmp(a->type, b->type) == 0 && a->variance == b->variance);
	}
	gcs_site_tiles_free(same);
	gcs_free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gcs_error err = {.text = ""};
	fuzz_begin();
	struct gcs_site_tiles *t = gcs_site_tiles_decode(data, size, &err);
	if (t == NULL) {
		fuzz_expect(err.status != GCS_OK && err.text[0] != '\0');
	} else {
		check(t);
		code_again(t);
	}
	gcs_site_tiles_free(t);
	fuzz_end();
	return 0;
}
