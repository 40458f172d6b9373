#include <gcspy/status.h>

#include <stdio.h>

#include "reserved.h"
#include "text.h"

static const struct {
	const char *name;
	const char *text;
} statuses[] = {
#define X(name, text) {#name, text},
    GCS_STATUS_LIST(X)
#undef X
};

enum { STATUS_COUNT = sizeof statuses / sizeof statuses[0] };

const char *gcs_status_name(enum gcs_status status)
{
	return (unsigned)status < STATUS_COUNT ? statuses[status].name : "?";
}

const char *gcs_status_text(enum gcs_status status)
{
	return (unsigned)status < STATUS_COUNT ? statuses[status].text : "?";
}

enum gcs_status gcs_fail(struct gcs_error *err, enum gcs_status status, const char *format, ...)
{
	if (err != NULL) {
		va_list arguments;
		va_start(arguments, format);
		vsnprintf(err->text, sizeof err->text, format, arguments);
		va_end(arguments);
		text_clean(err->text); /* it may quote a peer */
		err->status = status;
	}
	return status;
}

enum gcs_status given_check(const char *what, bool given, struct gcs_error *err)
{
	return given ? GCS_OK : gcs_fail(err, GCS_ARGUMENT, "%.80s: NULL", what);
}

enum gcs_status reserved_check(
    const char *what, const uint64_t *words, size_t count, struct gcs_error *err)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] != 0)
			return gcs_fail(err, GCS_ARGUMENT,
			    "%.80s: not all reserved words are 0; GCspy %s does not know more "
			    "fields",
			    what, GCS_VERSION_STRING);
	return GCS_OK;
}

const char *gcs_version(void)
{
	return GCS_VERSION_STRING;
}
