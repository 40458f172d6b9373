/*
 * A profile from a file or an answer, and everything that is made of it. The first byte says which,
 * and how its sites are put together. What decodes must add up, and be written in each format.
 */
#include "fuzz.h"

#include "calltree.h"
#include "export.h"

/* Text has no control characters but ends of lines, whatever names hold. */
static bool check_text(void *context, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	const bool *binary = context;
	for (size_t i = 0; i < length && !*binary; i++)
		fuzz_expect((at[i] >= 0x20 && at[i] != 0x7f) || at[i] == '\n');
	return true;
}

static void write_all(const struct gcs_sites *sites)
{
	bool binary;
	struct gcs_sink sink = {.write = check_text, .context = &binary};
	for (unsigned i = 0; i < GCS_EXPORT_FORMAT_COUNT; i++) {
		enum gcs_export_format format = (enum gcs_export_format)i;
		binary = format == GCS_EXPORT_PPROF || format == GCS_EXPORT_GCSPY;
		enum gcs_status status = gcs_sites_export(sites, format, NULL, &sink, NULL);
		fuzz_expect(status == GCS_OK || status == GCS_NOMEM);
	}
}

static bool near(double a, double b)
{
	double most = a > b ? a : b;
	return a - b <= most * 1e-6 && b - a <= most * 1e-6;
}

static void check_sites(const struct gcs_profile *profile, const struct gcs_site_filter *filter)
{
	struct gcs_sites *sites = gcs_sites_create(profile, filter, NULL);
	if (sites == NULL)
		return;
	struct gcs_tree *tree = gcs_tree_create(sites, NULL);
	if (tree != NULL)
		fuzz_expect(
		    near(gcs_tree_node(tree, 0)->total_bytes, gcs_sites_total(sites)->bytes));
	struct gcs_comparison *same = gcs_sites_compare(sites, sites, NULL);
	for (uint32_t i = 0; same != NULL && i < gcs_comparison_count(same); i++)
		fuzz_expect(gcs_comparison_at(same, i)->bytes == 0);
	write_all(sites);
	gcs_comparison_free(same);
	gcs_tree_free(tree);
	gcs_sites_free(sites);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	fuzz_begin();
	struct gcs_site_filter filter = {
	    .all_frames = (data[0] & 2) != 0,
	    .by_thread = (data[0] & 4) != 0,
	};
	struct gcs_profile *profile = (data[0] & 1) != 0
					  ? gcs_profile_unpack(data + 1, size - 1, NULL)
					  : gcs_profile_decode(data + 1, size - 1, NULL);
	if (profile != NULL)
		check_sites(profile, &filter);
	gcs_profile_free(profile);
	fuzz_end();
	return 0;
}
