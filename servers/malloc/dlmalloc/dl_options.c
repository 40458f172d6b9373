#include "dl_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { NUMBER, SIZE, TEXT };
enum { SERVER, ALLOCATOR, VARIABLES };

static const char *const variables[VARIABLES] = {"GCSPYMALLOC", "GCSPYDLMALLOC"};

static const struct option {
	const char *name;
	int variable;
	enum kind kind;
	size_t offset;
	int64_t min, max; /* of numbers */
} table[] = {
#define IN(member) offsetof(struct dl_options, member)
    {"port", SERVER, NUMBER, IN(port), 0, 65535},
    {"socket", SERVER, TEXT, IN(socket), 0, 0},
    {"record", SERVER, TEXT, IN(record), 0, 0},
    {"update", SERVER, NUMBER, IN(update_ms), 0, 60000},
    {"wait", SERVER, NUMBER, IN(wait), 0, 1},
    {"pid", SERVER, NUMBER, IN(pid), 1, INT32_MAX},
    {"block", ALLOCATOR, SIZE, IN(block), 512, 16 << 20},
    {"deferred", ALLOCATOR, NUMBER, IN(deferred), 0, 100},
#undef IN
};

enum { OPTIONS = sizeof table / sizeof table[0] };

static bool fail(const char *text, size_t length, int variable, char *why, size_t why_bytes)
{
	int used = snprintf(why, why_bytes, "%s=%.*s: expected", variables[variable],
	    (int)(length < 60 ? length : 60), text);
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option *o = &table[i];
		if (o->variable != variable || used < 0 || (size_t)used >= why_bytes)
			continue;
		const char *what = o->kind == TEXT ? "FILE" : o->kind == SIZE ? "BYTES" : "N";
		used += snprintf(why + used, why_bytes - (size_t)used, " %s=%s", o->name, what);
		if (o->kind != TEXT && (size_t)used < why_bytes)
			used += snprintf(why + used, why_bytes - (size_t)used, " (%lld to %lld)",
			    (long long)o->min, (long long)o->max);
	}
	return false;
}

static bool set(
    struct dl_options *options, const struct option *o, const char *value, size_t length)
{
	char text[DL_OPTION_TEXT], *end;
	if (length == 0 || length >= sizeof text)
		return false;
	memcpy(text, value, length);
	text[length] = '\0';
	void *field = (char *)options + o->offset;
	if (o->kind == TEXT) {
		memcpy(field, text, length + 1);
		return true;
	}
	int64_t number = strtoll(text, &end, 10);
	if (o->kind == SIZE && (*end == 'k' || *end == 'K') && number <= o->max)
		number *= 1024, end++;
	memcpy(field, &number, sizeof number);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && number >= o->min &&
	       number <= o->max && (o->kind != SIZE || (number & (number - 1)) == 0);
}

static bool parse(
    struct dl_options *options, int variable, const char *text, char *why, size_t why_bytes)
{
	while (text != NULL && *text != '\0') {
		const size_t length = strcspn(text, ","), name = strcspn(text, "=,");
		bool good = length == 0;
		for (size_t i = 0; i < OPTIONS && length > name; i++) {
			const struct option *o = &table[i];
			if (o->variable == variable && strlen(o->name) == name &&
			    strncmp(o->name, text, name) == 0)
				good = set(options, o, text + name + 1, length - name - 1);
		}
		if (!good)
			return fail(text, length, variable, why, why_bytes);
		text += length + (text[length] == ',');
	}
	return true;
}

bool dl_options_parse(struct dl_options *options, const char *server, const char *allocator,
    char *why, size_t why_bytes)
{
	memset(options, 0, sizeof *options);
	options->port = -1;
	options->update_ms = 50;
	options->block = 16384;
	if (!parse(options, SERVER, server, why, why_bytes) ||
	    !parse(options, ALLOCATOR, allocator, why, why_bytes))
		return false;
	if (options->port == -1 && options->socket[0] == '\0' && options->record[0] == '\0')
		snprintf(
		    options->socket, sizeof options->socket, "/tmp/.gcspy_%ld", (long)getpid());
	return true;
}
