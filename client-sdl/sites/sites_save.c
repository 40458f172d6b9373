/* A profile as a file: whole and compressed, or in a format of <gcspy/export.h>. Declared in
 * sites_view.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "export.h"
#include "sites_view.h"
#include "whole_file.h"

static bool to_file(void *context, const void *bytes, size_t length)
{
	return fwrite(bytes, 1, length, context) == length;
}

static bool fail(struct gcs_error *err, const char *path)
{
	gcs_fail(err, GCS_IO, "%s: %s", path, strerror(errno));
	return false;
}

/* The ending of the name says in which format. */
static bool write_file(const char *path, const struct gcs_sites *sites, struct gcs_error *err)
{
	enum gcs_export_format format = GCS_EXPORT_GCSPY;
	struct whole_file file;
	FILE *f = whole_file_stream(&file, path, 0666);
	if (f == NULL)
		return fail(err, path);
	struct gcs_sink sink = {.write = to_file, .context = f};
	gcs_export_guess(path, &format);
	enum gcs_status status = gcs_sites_export(sites, format, NULL, &sink, err);
	if (status == GCS_IO)
		fail(err, path);
	bool placed = whole_file_finish(&file, f, status == GCS_OK);
	if (status == GCS_OK && !placed)
		fail(err, path);
	return status == GCS_OK && placed;
}

bool sites_save(
    const struct gcs_profile *profile, bool all_frames, const char *path, struct gcs_error *err)
{
	struct gcs_site_filter filter = {.all_frames = all_frames};
	struct gcs_sites *sites = gcs_sites_create(profile, &filter, err);
	bool ok = sites != NULL && write_file(path, sites, err);
	gcs_sites_free(sites);
	return ok;
}

void sites_save_name(const struct gcs_profile *profile, char *path, size_t size)
{
	time_t now = time(NULL);
	struct tm local;
	char when[32] = "";
	if (localtime_r(&now, &local) != NULL)
		strftime(when, sizeof when, "%Y%m%d-%H%M%S", &local);
	snprintf(path, size, "gcspy-%s-%s.sites",
	    gcs_profile_kind_word(gcs_profile_head(profile)->kind), when);
}
