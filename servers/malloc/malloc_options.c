#include "malloc_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { NUMBER, TEXT, PATH, YES_NO, USER, WORD };

static const struct option {
	const char *name, *value, *help;
	enum kind kind;
	size_t offset;
	int64_t min, max; /* of numbers */
} table[] = {
#define IN(member) offsetof(struct malloc_options, member)
    {"port", "N", "TCP port to listen on; 0: any free port", NUMBER, IN(port), 0, 65535},
    {"host", "ADDRESS", "address to listen on; 127.0.0.1, others only with a token", TEXT, IN(host),
	0, 0},
    {"socket", "PATH", "Unix socket; %p: process id; /tmp/.gcspy_%p without port, host, record",
	PATH, IN(socket), 0, 0},
    {"token-file", "FILE", "clients need the token in FILE's first line", TEXT, IN(token_file), 0,
	0},
    {"allow", "user|any", "TCP clients: of this user and root, or of any local user", USER,
	IN(any_user), 0, 0},
    {"record", "FILE", "record the run to FILE; %p: process id", PATH, IN(record), 0, 0},
    {"update", "MS", "milliseconds between updates; 0: each event is one", NUMBER, IN(update_ms), 0,
	60000},
    {"interval", "BYTES", "mean bytes between sampled blocks; 1: all, 0: none; 512k", TEXT,
	IN(interval), 0, 0},
    {"leaks", "FILE", "at the end of the process, write what is not freed to FILE; %p: process id",
	PATH, IN(leaks), 0, 0},
    {"wait", "yes|no", "wait for the first client before the program begins", YES_NO, IN(wait), 0,
	0},
    {"children", "yes|no", "also show processes that the program starts, each by itself", YES_NO,
	IN(children), 0, 0},
    {"deferred", "PERCENT", "dlmalloc: chunks that are freed are kept up to this share of the heap",
	NUMBER, IN(deferred), 0, 100},
    {"memory", "yes|no", "clients may see bytes of the program's memory", YES_NO, IN(memory), 0, 0},
    {"say", "yes|no", "write on standard error where the program can be watched", YES_NO, IN(say),
	0, 0},
    {"pid", "N", "show only the process with this number", NUMBER, IN(pid), 1, INT32_MAX},
    {"said", "N", "the process that has already written it", NUMBER, IN(said), 1, INT32_MAX},
    {"help", "", "write this list on standard error", WORD, IN(help), 0, 0},
#undef IN
};

enum { OPTIONS = sizeof table / sizeof table[0] };

static const struct option *find(const char *name, size_t length)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0)
			return &table[i];
	return NULL;
}

static bool unknown(const char *name, size_t length, char *why, size_t why_bytes)
{
	char list[300] = "";
	for (size_t i = 0; i < OPTIONS; i++) {
		const size_t used = strlen(list);
		snprintf(
		    list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ", table[i].name);
	}
	snprintf(why, why_bytes, "unknown option \"%.*s\"; available: %s",
	    (int)(length < 60 ? length : 60), name, list);
	return false;
}

static bool expect(const struct option *o, const char *value, char *why, size_t why_bytes)
{
	char range[60];
	snprintf(range, sizeof range, "a number from %lld to %lld", (long long)o->min,
	    (long long)o->max);
	snprintf(why, why_bytes, "%s=\"%.60s\": expected %s", o->name, value,
	    o->kind == NUMBER   ? range
	    : o->kind == YES_NO ? "yes or no"
	    : o->kind == USER   ? "user or any"
				: "a text");
	return false;
}

/* With the process id for %p. */
static bool expand(const char *value, char text[MALLOC_OPTION_TEXT])
{
	size_t used = 0;
	for (const char *at = value; *at != '\0'; at++) {
		if (used + 24 >= MALLOC_OPTION_TEXT)
			return false;
		if (at[0] == '%' && at[1] == 'p') {
			used += (size_t)snprintf(
			    text + used, MALLOC_OPTION_TEXT - used, "%ld", (long)getpid());
			at++;
		} else {
			text[used++] = *at;
		}
	}
	text[used] = '\0';
	return true;
}

static bool set(struct malloc_options *options, const struct option *o, const char *value)
{
	void *field = (char *)options + o->offset;
	char *end;
	switch (o->kind) {
	case NUMBER: {
		const long long number = strtoll(value, &end, 10);
		const int64_t kept = number;
		memcpy(field, &kept, sizeof kept);
		return value[0] >= '0' && value[0] <= '9' && *end == '\0' && number >= o->min &&
		       number <= o->max;
	}
	case YES_NO:
		*(bool *)field = strcmp(value, "yes") == 0;
		return *(bool *)field || strcmp(value, "no") == 0;
	case USER:
		*(bool *)field = strcmp(value, "any") == 0;
		return *(bool *)field || strcmp(value, "user") == 0;
	case WORD:
		*(bool *)field = true;
		return value[0] == '\0';
	default:
		return value[0] != '\0' && expand(value, field);
	}
}

bool malloc_options_parse(
    struct malloc_options *options, const char *text, char *why, size_t why_bytes)
{
	memset(options, 0, sizeof *options);
	options->port = options->deferred = -1;
	options->update_ms = 50;
	snprintf(options->interval, sizeof options->interval, "512k");
	for (const char *at = text == NULL ? "" : text; *at != '\0';) {
		const size_t length = strcspn(at, ","), name = strcspn(at, "=,");
		const struct option *o = find(at, name);
		char value[MALLOC_OPTION_TEXT] = "";
		if (length != 0 && o == NULL)
			return unknown(at, name, why, why_bytes);
		if (length > name)
			snprintf(
			    value, sizeof value, "%.*s", (int)(length - name - 1), at + name + 1);
		if (length != 0 && !set(options, o, value))
			return expect(o, value, why, why_bytes);
		if (length != 0 && strcmp(o->name, "record") == 0)
			snprintf(options->record_each, sizeof options->record_each, "%s",
			    strstr(value, "%p") == NULL ? "" : value);
		at += length + (at[length] == ',');
	}
	if (options->host[0] != '\0' && options->port == -1)
		options->port = 0;
	if (options->port == -1 && options->socket[0] == '\0' &&
	    (options->record[0] == '\0' || options->wait))
		(void)expand("/tmp/.gcspy_%p", options->socket);
	return true;
}

bool malloc_options_record_again(struct malloc_options *options)
{
	return options->record_each[0] != '\0' && expand(options->record_each, options->record);
}

void malloc_options_help(int fd)
{
	char line[200], left[40];
	for (size_t i = 0; i < OPTIONS; i++) {
		snprintf(left, sizeof left, "%s%s%s", table[i].name,
		    table[i].value[0] == '\0' ? "" : "=", table[i].value);
		const int length = snprintf(line, sizeof line, "  %-16s %s\n", left, table[i].help);
		(void)!write(fd, line, (size_t)length);
	}
}
