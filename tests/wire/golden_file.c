#include "golden_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "kit_profile.h"
#include "profile_text.h"

bool golden_settle(const char *folder, const char *name, const void *data, size_t length)
{
	char path[600];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	const char *update = getenv("GCSPY_UPDATE_GOLDEN");
	bool writing = update != NULL && strcmp(update, "1") == 0;
	FILE *f = fopen(path, writing ? "wb" : "rb");
	if (f == NULL)
		return fprintf(stderr, "make-golden: cannot open %s\n", path), false;
	bool ok;
	if (writing) {
		ok = fwrite(data, 1, length, f) == length;
	} else {
		char *kept = malloc(length + 1);
		ok = kept != NULL && fread(kept, 1, length + 1, f) == length &&
		     memcmp(kept, data, length) == 0;
		free(kept);
	}
	ok = fclose(f) == 0 && ok;
	if (!ok)
		fprintf(stderr,
		    "make-golden: %s is not what the codec makes now; if that is meant, "
		    "the protocol's version changes too\n",
		    path);
	return ok;
}

bool golden_settle_profiles(const char *folder)
{
	bool ok = true;
	for (unsigned i = 0; ok && i < GCS_PROFILE_KIND_COUNT; i++) {
		char name[64], *text = NULL;
		size_t text_length = 0, length = 0;
		void *bytes = NULL;
		const char *word = gcs_profile_kind_word((enum gcs_profile_kind)i);
		struct gcs_profile *p = kit_profile((enum gcs_profile_kind)i);
		FILE *f = open_memstream(&text, &text_length);
		ok = f != NULL && p != NULL &&
		     gcs_profile_encode(p, &bytes, &length, NULL) == GCS_OK;
		if (ok)
			profile_print(f, p);
		if (f != NULL)
			fclose(f);
		snprintf(name, sizeof name, "profile-%s.bin", word);
		ok = ok && golden_settle(folder, name, bytes, length);
		snprintf(name, sizeof name, "profile-%s.txt", word);
		ok = ok && golden_settle(folder, name, text, text_length);
		gcs_profile_free(p);
		gcs_free(bytes);
		free(text);
	}
	return ok;
}
