#include "served_address.h"

#include <stdio.h>
#include <string.h>

static const char plain[] = "http://", secure[] = "https://";

/* The text behind http:// or https://, or the text itself. */
static const char *skip_scheme(const char *text, bool *any, bool *tls)
{
	*tls = strncmp(text, secure, sizeof secure - 1) == 0;
	*any = *tls || strncmp(text, plain, sizeof plain - 1) == 0;
	return text + (*tls ? sizeof secure - 1 : *any ? sizeof plain - 1 : 0);
}

bool served_address_is(const char *text)
{
	bool any, tls;
	const char *slash = strchr(skip_scheme(text, &any, &tls), '/');
	const char *c = slash;
	if (any)
		return true;
	while (c != NULL && c > text && c[-1] >= '0' && c[-1] <= '9')
		c--;
	return c != NULL && c != slash && c > text && c[-1] == ':' && slash[1] != '\0' &&
	       strncmp(text, "unix:", 5) != 0;
}

static bool encode(const char *target, char *encoded, size_t size)
{
	static const char safe[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
	size_t used = 0;
	for (; *target != '\0' && used + 4 <= size; target++)
		if (strchr(safe, *target) != NULL)
			encoded[used++] = *target;
		else
			used += (size_t)snprintf(
			    encoded + used, size - used, "%%%02X", (unsigned char)*target);
	encoded[used] = '\0';
	return *target == '\0' && used != 0;
}

bool served_address_parse(const char *text, struct served_address *a, struct gcs_error *err)
{
	bool any;
	*a = (struct served_address){0};
	const char *rest = skip_scheme(text, &any, &a->tls), *slash = strchr(rest, '/');
	const size_t length = slash == NULL ? strlen(rest) : (size_t)(slash - rest);
	if (length >= sizeof a->host - 8 || slash == NULL ||
	    !encode(slash + 1, a->target, sizeof a->target)) {
		gcs_fail(err, GCS_ARGUMENT,
		    "\"%.100s\": expected HOST:PORT/TARGET, the TARGET as /targets shows it", text);
		return false;
	}
	memcpy(a->host, rest, length);
	const char *bracket = strrchr(a->host, ']');
	if (any && strchr(bracket == NULL ? a->host : bracket, ':') == NULL)
		strcpy(a->host + length, a->tls ? ":443" : ":80");
	return net_parse(a->host, &a->server, err);
}
