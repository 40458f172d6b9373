#include "options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/format.h>
#include <gcspy/flight_ring.h>

#include "now.h"
#include "path_pattern.h"
#include "volume.h"

enum kind { FLAG, NUMBER, SECONDS, SIZE, BYTES, TEXT, CHOICE };

struct option {
	const char *key;
	const char *value; /* its placeholder in the help */
	enum kind kind;
	size_t offset;
	size_t bytes; /* of the field */
	uint64_t min, max;
	const char *help;
};

#define FIELD(name) offsetof(struct agent_options, name), sizeof(((struct agent_options *)0)->name)

static const struct option options_table[] = {
    {"port", "N", NUMBER, FIELD(port), 0, 65535,
	"TCP port to listen on; 0: any free port (default 3000, none if socket=, record= or "
	"record-ring= is given)"},
    {"host", "ADDRESS", TEXT, FIELD(host), 0, 0,
	"address to listen on (default 127.0.0.1); any other than loopback requires token-file="},
    {"token-file", "PATH", TEXT, FIELD(token_file), 0, 0,
	"file whose first line is the secret that clients must present"},
    {"socket", "PATH", TEXT, FIELD(socket_path), 0, 0,
	"Unix socket to listen on, with mode 0600; %p in its name is the process ID, %t the time"},
    {"allow", "user|any", CHOICE, FIELD(allow), 0, 0,
	"who may connect to the TCP port without a token: the JVM's own user and root (default), "
	"or any user of this machine"},
    {"block", "SIZE", SIZE, FIELD(block_bytes), 512, (uint64_t)1 << 30,
	"bytes per tile in the spaces of Serial, Parallel and Epsilon, a power of two (default: by "
	"the heap's size)"},
    {"max-tiles", "N", NUMBER, FIELD(max_tiles), 16, 1048576,
	"maximum number of tiles of a space; blocks grow and regions are grouped to keep to it "
	"(default 8192)"},
    {"clock", "MS", NUMBER, FIELD(clock_ms), 0, 3600000,
	"milliseconds between reads of the heap outside collections, as the event Clock; 0: off "
	"(default 0, with Epsilon 1000)"},
    {"keep-alive", "SECONDS", NUMBER, FIELD(keep_alive_s), 1, 3600,
	"drop a client that is silent for this long, and let the program continue (default 10)"},
    {"max-clients", "N", NUMBER, FIELD(max_clients), 1, 32,
	"maximum number of clients at a time (default 16)"},
    {"interval", "SIZE", BYTES, FIELD(interval), 0, INT32_MAX,
	"sample an allocation every SIZE bytes on average, such as 512k; 0 (default): off until a "
	"client requests it"},
    {"depth", "N", NUMBER, FIELD(depth), 1, 512,
	"maximum number of Java frames of a sample (default 64)"},
    {"live-memory", "SIZE", BYTES, FIELD(live_bytes), 65536, (uint64_t)1 << 30,
	"memory for samples whose objects are live; beyond it a random part of them is tracked "
	"(default 8m)"},
    {"site-memory", "SIZE", BYTES, FIELD(site_bytes), 262144, (uint64_t)1 << 30,
	"memory for names, stacks and call sites; beyond it the smallest sites of a class are "
	"merged (default 8m)"},
    {"recent", "N", NUMBER, FIELD(recent), 0, 100000,
	"dead samples kept, the most recent ones (default 200)"},
    {"frequent", "N", NUMBER, FIELD(frequent), 0, 100000,
	"dead samples kept, chosen at random among all (default 200)"},
    {"stackwalk", "auto|jvmti", CHOICE, FIELD(stackwalk), 0, 0,
	"how stacks of samples are found: auto (default) walks them if this JVM is known and "
	"verifies itself, jvmti asks the JVM each time"},
    {"record", "PATH", TEXT, FIELD(record), 0, 0,
	"record all events to a trace file; %p in its name is the process ID, %t the time. An "
	"existing file is not overwritten: PATH.1, PATH.2 ... are used"},
    {"record-size", "SIZE", BYTES, FIELD(record_bytes), 65536, UINT64_MAX >> 1,
	"stop recording when the file reaches this size; the program continues (default 1g)"},
    {"record-profiles", "SECONDS", NUMBER, FIELD(record_profiles_s), 0, 86400,
	"time between recorded profiles while allocations are sampled; 0: off (default 60)"},
    {"record-paths", "SECONDS", NUMBER, FIELD(record_paths_s), 0, 86400,
	"time between recorded searches for what holds sampled live objects, each of several "
	"pauses "
	"within paths-pause=; 0: off (default 0)"},
    {"record-histogram", "SECONDS", NUMBER, FIELD(record_histogram_s), 0, 86400,
	"time between recorded class histograms, each of one pause, while allocations are sampled; "
	"0: off (default 0)"},
    {"record-ring", "SECONDS", SECONDS, FIELD(ring_s), 1, GCS_MAX_RING_SECONDS,
	"keep the events of the last SECONDS in memory, and save them as a recording when a "
	"trigger "
	"or a client says so (default: off)"},
    {"record-ring-file", "PATH", TEXT, FIELD(ring_file), 0, 0,
	"where they are saved, named as for record= (default gcspy-%p-%t.gcspy)"},
    {"record-ring-bytes", "SIZE", BYTES, FIELD(ring_bytes), 65536, (uint64_t)1 << 30,
	"maximum memory of these events; older ones make way (default 16m)"},
    {"record-ring-files", "N", NUMBER, FIELD(ring_files), 1, 100000,
	"maximum number of these recordings (default 10)"},
    {"paths-pause", "MS", NUMBER, FIELD(paths_pause_ms), 1, 600000,
	"longest single pause that a search for what holds objects may begin, unless the client "
	"that asks sets another limit (default 500)"},
    {"memory", "off|on", CHOICE, FIELD(memory), 0, 0,
	"on: let clients read the bytes of the heap, and so the program's data (default off)"},
    {"trigger", "CONDITION", TEXT, FIELD(triggers), 0, 0,
	"save the ring of record-ring= when the condition holds at an event, and mark the event in "
	"recordings and for clients; several with ';' between them"},
    {"volume", "light|heavy", CHOICE, FIELD(heavy), 0, 0,
	"heavy: count the objects of the heap, by tile and by class, in pauses (default light)"},
    {"heavy-events", "finish|start|both", CHOICE, FIELD(heavy_events), 0, 0,
	"events at which the heavy volume counts (default finish)"},
    {"heavy-budget", "MS", NUMBER, FIELD(heavy_budget_ms), VOLUME_MIN_MS, VOLUME_MAX_MS,
	"milliseconds that counting may add to a pause; the rest is counted at the next event; "
	"1 to 1000 (default 20)"},
    {"strict", NULL, FLAG, FIELD(strict), 0, 0, "do not start the JVM if the agent cannot start"},
    {"verbose", NULL, FLAG, FIELD(verbose), 0, 0, "log on standard error why clients are rejected"},
    {"quiet", NULL, FLAG, FIELD(quiet), 0, 0,
	"do not say on standard error where the agent listens and what it keeps"},
    {"help", NULL, FLAG, FIELD(help), 0, 0, "print these lines on standard error"},
};

enum { OPTION_COUNT = sizeof options_table / sizeof options_table[0] };

static enum gcs_status expected(const struct option *o, const char *value, struct gcs_error *err)
{
	switch (o->kind) {
	case FLAG:
		return gcs_fail(err, GCS_ARGUMENT, "option %s takes no value, but has \"%.60s\"",
		    o->key, value);
	case NUMBER:
		return gcs_fail(err, GCS_ARGUMENT,
		    "option %s=\"%.60s\": expected a whole number from %llu to %llu", o->key, value,
		    (unsigned long long)o->min, (unsigned long long)o->max);
	case SECONDS:
		return gcs_fail(err, GCS_ARGUMENT,
		    "option %s=\"%.60s\": expected seconds from %llu to %llu, such as 30s", o->key,
		    value, (unsigned long long)o->min, (unsigned long long)o->max);
	case SIZE:
		return gcs_fail(err, GCS_ARGUMENT,
		    "option %s=\"%.60s\": expected a power of two from %llu to 1g, such as 32k",
		    o->key, value, (unsigned long long)o->min);
	case BYTES:
		return gcs_fail(err, GCS_ARGUMENT,
		    "option %s=\"%.60s\": expected bytes from %llu to %llu, such as 512k or 8m",
		    o->key, value, (unsigned long long)o->min, (unsigned long long)o->max);
	case CHOICE:
		return gcs_fail(
		    err, GCS_ARGUMENT, "option %s=\"%.60s\": expected %s", o->key, value, o->value);
	default:
		return gcs_fail(err, GCS_ARGUMENT,
		    "option %s needs a value of 1 to %zu bytes: %s=%s", o->key, o->bytes - 1,
		    o->key, o->value);
	}
}

/* A number, and perhaps its unit. */
static bool parse_seconds(const char *value, uint64_t *seconds)
{
	char digits[16];
	size_t length = strlen(value);
	if (length != 0 && value[length - 1] == 's')
		length--;
	if (length >= sizeof digits)
		return false;
	memcpy(digits, value, length);
	digits[length] = '\0';
	return gcs_parse_number(digits, seconds);
}

static enum gcs_status set_number(
    struct agent_options *options, const struct option *o, const char *value, struct gcs_error *err)
{
	uint64_t number;
	bool power = o->kind == SIZE;
	bool good = o->kind == NUMBER    ? gcs_parse_number(value, &number)
		    : o->kind == SECONDS ? parse_seconds(value, &number)
					 : gcs_parse_size(value, &number);
	if (!good || number < o->min || number > o->max || (power && (number & (number - 1)) != 0))
		return expected(o, value, err);
	void *field = (char *)options + o->offset;
	if (o->bytes == sizeof(uint64_t)) {
		memcpy(field, &number, sizeof number);
	} else {
		uint32_t small = (uint32_t)number;
		memcpy(field, &small, sizeof small);
	}
	if (strcmp(o->key, "port") == 0)
		options->port_given = true;
	return GCS_OK;
}

/* The value of a choice is its index among the names in `o->value`. */
static enum gcs_status set_choice(
    struct agent_options *options, const struct option *o, const char *value, struct gcs_error *err)
{
	size_t length = strlen(value);
	uint32_t number = 0;
	for (const char *name = o->value; name != NULL; number++) {
		const char *bar = strchr(name, '|');
		size_t bytes = bar == NULL ? strlen(name) : (size_t)(bar - name);
		if (bytes == length && memcmp(name, value, bytes) == 0) {
			memcpy((char *)options + o->offset, &number, sizeof number);
			return GCS_OK;
		}
		name = bar == NULL ? NULL : bar + 1;
	}
	return expected(o, value, err);
}

/* One "key" or "key=value". */
static enum gcs_status parse_one(struct agent_options *options, char *item, struct gcs_error *err)
{
	char *value = strchr(item, '=');
	if (value != NULL)
		*value++ = '\0';
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const struct option *o = &options_table[i];
		if (strcmp(o->key, item) != 0)
			continue;
		if (o->kind == FLAG) {
			if (value != NULL)
				return expected(o, value, err);
			*((bool *)(void *)((char *)options + o->offset)) = true;
			return GCS_OK;
		}
		if (value == NULL)
			return expected(o, "", err);
		if (o->kind == CHOICE)
			return set_choice(options, o, value, err);
		if (o->kind != TEXT)
			return set_number(options, o, value, err);
		if (*value == '\0' || strlen(value) >= o->bytes)
			return expected(o, value, err);
		memcpy((char *)options + o->offset, value, strlen(value) + 1);
		return GCS_OK;
	}
	return gcs_fail(
	    err, GCS_ARGUMENT, "unknown option \"%.60s\"; \"help\" lists the options", item);
}

/* Expands %p and %t in the socket's path. */
static enum gcs_status name_socket(struct agent_options *options, struct gcs_error *err)
{
	char pattern[OPTIONS_PATH];
	memcpy(pattern, options->socket_path, sizeof pattern);
	if (pattern[0] == '\0' || path_from_pattern(options->socket_path, sizeof pattern, pattern,
				      (long)getpid(), now_wall_ns()))
		return GCS_OK;
	return gcs_fail(err, GCS_ARGUMENT,
	    "option socket=\"%.200s\": expected the path of a socket, with %%p, %%t and %%%%",
	    pattern);
}

enum gcs_status options_parse(
    struct agent_options *options, const char *text, struct gcs_error *err)
{
	char copy[4096];
	*options = (struct agent_options){
	    .port = 3000,
	    .max_tiles = 8192,
	    .clock_ms = OPTIONS_CLOCK_UNSET,
	    .keep_alive_s = 10,
	    .max_clients = 16,
	    .depth = 64,
	    .live_bytes = (uint64_t)8 << 20,
	    .site_bytes = (uint64_t)8 << 20,
	    .recent = 200,
	    .frequent = 200,
	    .record_bytes = (uint64_t)1 << 30,
	    .record_profiles_s = 60,
	    .ring_file = "gcspy-%p-%t.gcspy",
	    .ring_bytes = (uint64_t)16 << 20,
	    .ring_files = 10,
	    .heavy_budget_ms = VOLUME_MS,
	    .paths_pause_ms = 500,
	};
	if (text == NULL)
		return GCS_OK;
	if (strlen(text) >= sizeof copy)
		return gcs_fail(err, GCS_LIMIT, "the options have %zu bytes; the limit is %zu",
		    strlen(text), sizeof copy - 1);
	memcpy(copy, text, strlen(text) + 1);
	enum gcs_status first = GCS_OK;
	char *next;
	for (char *item = copy; item != NULL; item = next) {
		/* Only conditions have quotes. */
		const bool quotes = strncmp(item, "trigger=", 8) == 0;
		next = quotes ? options_end(item, ',') : item + strcspn(item, ",");
		if (*next == '\0')
			next = NULL;
		else
			*next++ = '\0';
		if (*item == '\0')
			continue;
		enum gcs_status status = parse_one(options, item, first == GCS_OK ? err : NULL);
		first = first == GCS_OK ? status : first;
	}
	const bool records = options->record[0] != '\0' || options->ring_s != 0;
	if ((options->socket_path[0] != '\0' || records) && !options->port_given)
		options->port = -1;
	return first == GCS_OK ? name_socket(options, err) : first;
}

char *options_end(char *text, char separator)
{
	bool quoted = false;
	unsigned depth = 0;
	char *at = text;
	for (; *at != '\0'; at++) {
		quoted = quoted != (*at == '"');
		if (!quoted && *at == '(')
			depth++;
		else if (!quoted && *at == ')' && depth != 0)
			depth--;
		else if (!quoted && depth == 0 && *at == separator)
			break;
	}
	return at;
}

const char *options_help_line(size_t i, char *buffer, size_t size)
{
	char head[40];
	if (i >= OPTION_COUNT)
		return NULL;
	const struct option *o = &options_table[i];
	snprintf(head, sizeof head, "%s%s%s", o->key, o->value == NULL ? "" : "=",
	    o->value == NULL ? "" : o->value);
	snprintf(buffer, size, "%-20s %s", head, o->help);
	return buffer;
}
