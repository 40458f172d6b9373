#include <gcspy/status.h>

#include <stdio.h>

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

/* A message may quote a peer: replaces control characters, which a terminal would interpret, by '?',
 * and the second byte of U+0080 to U+009F. */
static void make_one_line(char *text)
{
	unsigned char before = 0;
	for (unsigned char *c = (unsigned char *)text; *c != '\0'; before = *c++)
		if (*c < 0x20 || *c == 0x7f || (before == 0xc2 && *c >= 0x80 && *c < 0xa0))
			*c = '?';
}

enum gcs_status gcs_fail(struct gcs_error *err, enum gcs_status status, const char *format, ...)
{
	if (err != NULL) {
		va_list arguments;
		va_start(arguments, format);
		vsnprintf(err->text, sizeof err->text, format, arguments);
		va_end(arguments);
		make_one_line(err->text);
		err->status = status;
	}
	return status;
}

const char *gcs_version(void)
{
	return GCS_VERSION_STRING;
}
