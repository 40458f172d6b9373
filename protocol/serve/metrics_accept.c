/* The headers Accept and Accept-Encoding (RFC 9110, 12.5), as far as /metrics has a choice. */
#include <string.h>
#include <strings.h>

#include "metrics.h"

const char *const metrics_types[] = {
    [METRICS_PLAIN] = "text/plain; version=0.0.4; charset=utf-8",
    [METRICS_OPEN] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
    [METRICS_PROTOBUF] = "application/vnd.google.protobuf; "
			 "proto=io.prometheus.client.MetricFamily; encoding=delimited",
};

struct words {
	const char *at, *end;
};

static struct words trim(struct words w)
{
	while (w.at != w.end && (*w.at == ' ' || *w.at == '\t'))
		w.at++;
	while (w.at != w.end && (w.end[-1] == ' ' || w.end[-1] == '\t'))
		w.end--;
	return w;
}

/* Takes off what is before the next mark that is not between quotes. */
static struct words take_until(struct words *rest, char mark)
{
	struct words taken = *rest;
	bool quoted = false;
	const char *c = rest->at;
	for (; c != rest->end && (quoted || *c != mark); c++)
		quoted = quoted != (*c == '"');
	taken.end = c;
	rest->at = c == rest->end ? c : c + 1;
	return trim(taken);
}

static bool are(struct words w, const char *text)
{
	const size_t length = strlen(text);
	return (size_t)(w.end - w.at) == length && strncasecmp(w.at, text, length) == 0;
}

static bool begin_with(struct words w, const char *text)
{
	const size_t length = strlen(text);
	return (size_t)(w.end - w.at) >= length && strncasecmp(w.at, text, length) == 0;
}

/* "0.75" in thousandths; 0 for what is none. */
static unsigned read_quality(struct words w)
{
	unsigned value = 0, unit = 1000;
	for (const char *c = w.at; c != w.end; c++) {
		if (*c == '.' && unit == 1000)
			unit = 100;
		else if (*c < '0' || *c > '9')
			return 0;
		else if (unit == 1000)
			value = value * 10 + (unsigned)(*c - '0') * 1000;
		else {
			value += (unsigned)(*c - '0') * unit;
			unit /= 10;
		}
		if (value > 1000)
			return 1000;
	}
	return value;
}

/* One media range with its parameters. */
struct media_range {
	struct words type;
	bool family, delimited; /* of the protobuf format */
	bool newer;             /* a version that is not ours */
	unsigned quality;
};

static struct media_range read_range(struct words words)
{
	struct media_range range = {.type = take_until(&words, ';'), .quality = 1000};
	while (words.at != words.end) {
		struct words value = take_until(&words, ';');
		const struct words name = take_until(&value, '=');
		value = trim(value);
		if (value.end - value.at >= 2 && *value.at == '"' && value.end[-1] == '"')
			value = (struct words){value.at + 1, value.end - 1};
		if (are(name, "q"))
			range.quality = read_quality(value);
		else if (are(name, "proto"))
			range.family = are(value, "io.prometheus.client.MetricFamily");
		else if (are(name, "encoding"))
			range.delimited = are(value, "delimited");
		else if (are(name, "version"))
			range.newer = !begin_with(value, "0.") && !begin_with(value, "1.");
	}
	return range;
}

enum metrics_format metrics_format_of(const char *accept)
{
	unsigned best[] = {0, 0, 0};
	int named = 0; /* how exactly text is: as anything, as any text, as itself */
	struct words rest = {accept, accept == NULL ? NULL : accept + strlen(accept)};
	while (rest.at != rest.end) {
		const struct media_range range = read_range(take_until(&rest, ','));
		const int exact = are(range.type, "text/plain") ? 3
				  : are(range.type, "text/*")   ? 2
				  : are(range.type, "*/*")      ? 1
								: 0;
		const bool proto = are(range.type, "application/vnd.google.protobuf") &&
				   range.family && range.delimited;
		const bool open = are(range.type, "application/openmetrics-text") && !range.newer;
		unsigned *quality = &best[proto  ? METRICS_PROTOBUF
					  : open ? METRICS_OPEN
						 : METRICS_PLAIN];
		if (!proto && !open && (exact == 0 || exact < named))
			continue;
		if (exact > named)
			*quality = 0;
		named = exact > named ? exact : named;
		*quality = range.quality > *quality ? range.quality : *quality;
	}
	/* Of what is wanted as much: what says more. */
	if (best[METRICS_PROTOBUF] != 0 && best[METRICS_PROTOBUF] >= best[METRICS_OPEN] &&
	    best[METRICS_PROTOBUF] >= best[METRICS_PLAIN])
		return METRICS_PROTOBUF;
	return best[METRICS_OPEN] != 0 && best[METRICS_OPEN] >= best[METRICS_PLAIN] ? METRICS_OPEN
										    : METRICS_PLAIN;
}

bool metrics_takes_gzip(const char *accept)
{
	struct words rest = {accept, accept == NULL ? NULL : accept + strlen(accept)};
	bool takes = false;
	while (rest.at != rest.end) {
		const struct media_range range = read_range(take_until(&rest, ','));
		if (are(range.type, "gzip"))
			return range.quality != 0;
		takes = takes || (are(range.type, "*") && range.quality != 0);
	}
	return takes;
}
