#include "otlp.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/version.h>

#include "export_otlp.h"
#include "protobuf.h"
#include "tool.h"

enum { OTLP_FIRST = 1, OTLP_SECOND = 2 };

void otlp_put_attribute(
    struct wr *outer, uint32_t field, const char *key, const char *text, uint64_t number)
{
	enum { STRING_VALUE = 1, INT_VALUE = 3 };
	struct wr attribute, value;
	wr_init(&attribute, OTLP_LARGEST);
	wr_init(&value, OTLP_LARGEST);
	pb_text(&attribute, OTLP_FIRST, key);
	if (text != NULL)
		pb_text(&value, STRING_VALUE, text);
	else
		pb_varint(&value, INT_VALUE, number);
	pb_message(&attribute, OTLP_SECOND, &value);
	pb_message(outer, field, &attribute);
	wr_fini(&attribute);
	wr_fini(&value);
}

void otlp_put_resource(
    struct wr *outer, const struct target_identity *is, const char *const *labels)
{
	struct wr resource;
	char host[256] = "";
	wr_init(&resource, OTLP_LARGEST);
	otlp_put_attribute(
	    &resource, OTLP_FIRST, "service.name", is == NULL ? "gcspy push" : is->program, 0);
	if (is != NULL && is->pid != 0)
		otlp_put_attribute(&resource, OTLP_FIRST, "process.pid", NULL, (uint64_t)is->pid);
	else if (is != NULL)
		otlp_put_attribute(&resource, OTLP_FIRST, "gcspy.socket", is->socket, 0);
	if (gethostname(host, sizeof host - 1) == 0 && host[0] != '\0')
		otlp_put_attribute(&resource, OTLP_FIRST, "host.name", host, 0);
	if (is != NULL && is->container[0] != '\0')
		otlp_put_attribute(&resource, OTLP_FIRST, "container.id", is->container, 0);
	for (; *labels != NULL; labels++) {
		char name[CLI_LABEL];
		const size_t length = strcspn(*labels, "=");
		snprintf(name, sizeof name, "%.*s", (int)length, *labels);
		otlp_put_attribute(&resource, OTLP_FIRST, name, *labels + length + 1, 0);
	}
	pb_message(outer, OTLP_FIRST, &resource);
	wr_fini(&resource);
}

void otlp_put_scope(struct wr *outer)
{
	struct wr scope;
	wr_init(&scope, OTLP_LARGEST);
	pb_text(&scope, OTLP_FIRST, "gcspy");
	pb_text(&scope, OTLP_SECOND, GCS_VERSION_STRING);
	pb_message(outer, OTLP_FIRST, &scope);
	wr_fini(&scope);
}

/* What is live, or what was allocated from then on. */
static bool add_profile(struct otlp_profiles *o, const struct gcs_profile *profile,
    const int64_t *since_ns, struct gcs_error *err)
{
	const struct gcs_site_filter filter = {.by_thread = true};
	if (profile == NULL)
		return true;
	struct gcs_sites *sites = gcs_sites_create(profile, &filter, err);
	const bool good = sites != NULL && otlp_profiles_add(o, sites, since_ns) == GCS_OK;
	gcs_sites_free(sites);
	return good;
}

bool otlp_write_profiles(const struct otlp_request *request, struct wr *body, struct gcs_error *err)
{
	struct wr scope, resource, dictionary;
	struct otlp_profiles o;
	wr_init(&scope, OTLP_LARGEST);
	wr_init(&resource, OTLP_LARGEST);
	wr_init(&dictionary, OTLP_LARGEST);
	otlp_profiles_init(&o, OTLP_LARGEST);
	otlp_put_scope(&scope);
	bool good = add_profile(&o, request->live, NULL, err) &&
		    add_profile(&o, request->since, &request->since_ns, err) &&
		    otlp_profiles_end(&o, &scope, &dictionary) == GCS_OK;
	otlp_put_resource(&resource, request->is, request->labels);
	pb_message(&resource, OTLP_SECOND, &scope);
	pb_message(body, OTLP_FIRST, &resource);
	pb_message(body, OTLP_SECOND, &dictionary);
	otlp_profiles_fini(&o);
	wr_fini(&scope);
	wr_fini(&resource);
	wr_fini(&dictionary);
	return good && body->status == GCS_OK;
}

/* Takes the field `number` of a message, the others before it being passed over: a varint into `*value`, or
 * bytes into `*inner`. False without one, or in a message that none of these types is. */
static bool find(struct rd message, uint64_t number, uint64_t *value, struct rd *inner)
{
	enum { VARINT = 0, EIGHT = 1, BYTES = 2, FOUR = 5 };
	while (rd_left(&message) != 0 && message.status == GCS_OK) {
		const uint64_t key = rd_varint(&message), wire = key & 7;
		uint64_t length = wire == EIGHT ? 8 : wire == FOUR ? 4 : rd_varint(&message);
		if (wire == VARINT && key >> 3 == number && value != NULL) {
			*value = length;
			return message.status == GCS_OK;
		}
		if (wire == VARINT)
			continue;
		if ((wire != BYTES && wire != EIGHT && wire != FOUR) || length > rd_left(&message))
			return false;
		const uint8_t *bytes = rd_bytes(&message, (size_t)length);
		if (bytes != NULL && wire == BYTES && key >> 3 == number && inner != NULL) {
			*inner = rd_over(bytes, (size_t)length);
			return true;
		}
	}
	return false;
}

bool otlp_is_refused(const char *answer, size_t length, char *why, size_t size)
{
	struct rd partial, words = rd_over("", 0);
	uint64_t rejected = 0;
	if (!find(rd_over(answer, length), OTLP_FIRST, NULL, &partial) ||
	    !find(partial, OTLP_FIRST, &rejected, NULL) || rejected == 0)
		return false;
	(void)find(partial, OTLP_SECOND, NULL, &words);
	size_t n = rd_left(&words);
	const char *text = (const char *)rd_bytes(&words, n);
	for (size_t i = 0; i < n; i++)
		n = isprint((unsigned char)text[i]) ? n : i;
	snprintf(why, size, "%" PRIu64 " of its entries were rejected%s%.*s", rejected,
	    n == 0 ? "" : ": ", (int)n, n == 0 ? "" : text);
	return true;
}
