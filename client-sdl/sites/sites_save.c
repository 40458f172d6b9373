/* A profile as a file: whole and compressed, or in a format of <gcspy/export.h>. Declared in
 * sites_view.h. */
#include <errno.h>
#include <gcspy/export.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sites_view.h"

static bool to_file(void *context, const void *bytes, size_t length)
{
	return fwrite(bytes, 1, length, context) == length;
}

static bool fail(struct gcs_error *err, const char *path)
{
	gcs_fail(err, GCS_IO, "%s: %s", path, strerror(errno));
	return false;
}

/* The ending of the name says in which format. Closes the file. */
static bool write_sites(
    FILE *f, const struct gcs_sites *sites, const char *path, struct gcs_error *err)
{
	enum gcs_export_format format = GCS_EXPORT_GCSPY;
	struct gcs_sink sink = {.write = to_file, .context = f};
	gcs_export_guess(path, &format);
	enum gcs_status status = gcs_sites_export(sites, format, NULL, &sink, err);
	if (status == GCS_IO)
		fail(err, path);
	bool closed = fclose(f) == 0;
	if (status == GCS_OK && !closed)
		fail(err, path);
	return status == GCS_OK && closed;
}

/* Writes beside the file and renames: whoever reads it never sees half of it. */
static bool write_file(const char *path, const struct gcs_sites *sites, struct gcs_error *err)
{
	char part[1100];
	int n = snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
	if (n < 0 || (size_t)n >= sizeof part) {
		gcs_fail(err, GCS_ARGUMENT, "%.60s...: the name is too long", path);
		return false;
	}
	FILE *f = fopen(part, "wb");
	if (f == NULL)
		return fail(err, path);
	bool ok = write_sites(f, sites, path, err);
	if (ok && rename(part, path) != 0)
		ok = fail(err, path);
	if (!ok)
		remove(part);
	return ok;
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
