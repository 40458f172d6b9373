/* What `gcspy attach` and `gcspy list` read of processes that may be anybody's: every reader gets
 * the same bytes. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "announcement.h"
#include "attach.h"
#include "container.h"
#include "perfdata.h"
#include "process.h"
#include "process_usage.h"

/* A copy of exactly that size, so that the sanitizer sees what is read after it. */
static char *copy(const uint8_t *data, size_t size, size_t more)
{
	char *bytes = malloc(size + more + (size + more == 0));
	fuzz_expect(bytes != NULL);
	if (size != 0)
		memcpy(bytes, data, size);
	memset(bytes + size, 0, more);
	return bytes;
}

static void read_bytes(const char *bytes, size_t size)
{
	char text[24];
	struct announcement announcement;
	char container[CONTAINER_ID];
	fuzz_expect(
	    container_parse(bytes, size, container) == (strlen(container) == CONTAINER_DIGITS));
	perfdata_text((const uint8_t *)bytes, size, "sun.rt.javaCommand", text, sizeof text);
	fuzz_expect(memchr(text, '\0', sizeof text) != NULL);
	process_program(bytes, size, text, sizeof text);
	fuzz_expect(memchr(text, '\0', sizeof text) != NULL);
	process_flag(bytes, size, "DisableAttachMechanism", false);
	bool complete = announcement_parse(bytes, size, &announcement);
	fuzz_expect(announcement.count <= ANNOUNCEMENT_ADDRESSES);
	fuzz_expect(complete || (announcement.count == 0 && announcement.refusal[0] == '\0'));
}

static void read_text(const char *text)
{
	char word[24];
	char thread[USAGE_NAME];
	uint64_t ticks;
	int result = 0;
	usage_parse(text, thread, &ticks);
	fuzz_expect(strlen(thread) < USAGE_NAME);
	struct process_status status;
	struct process_libraries libraries = {0};
	if (process_parse_status(text, 7, &status))
		fuzz_expect(status.user >= 0 && status.inner_pid > 0);
	process_take_map(text, &libraries);
	fuzz_expect(libraries.jvm[0] == '\0' || libraries.jvm[0] == '/');
	process_release_version(text, word, sizeof word);
	fuzz_expect(process_java_major(text) >= 0);
	fuzz_expect(attach_parse_answer(text, &result, word, sizeof word) || word[0] != '\0');
	announcement_is_at(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = copy(data, size, 0);
	char *text = copy(data, size, 1);
	read_bytes(bytes, size);
	read_text(text);
	free(bytes);
	free(text);
	return 0;
}
