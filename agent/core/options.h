/* The agent's option string, "key=value,key,…": one table drives parsing, the help text and
 * docs/agent-options.md. */
#ifndef GCSPY_AGENT_OPTIONS_H
#define GCSPY_AGENT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gcspy/status.h>

enum { OPTIONS_PATH = 512 };
#define OPTIONS_CLOCK_UNSET UINT32_MAX

struct agent_options {
	int port; /* -1: no TCP */
	bool port_given;
	char host[256]; /* "": 127.0.0.1 */
	char token_file[OPTIONS_PATH];
	char socket_path[OPTIONS_PATH];
	uint64_t block_bytes; /* 0: by the heap's size */
	uint32_t max_tiles;   /* of one space */
	uint32_t clock_ms;    /* 0: no clock; OPTIONS_CLOCK_UNSET: by the collector */
	uint32_t keep_alive_s;
	uint32_t max_clients;
	uint32_t allow;    /* 0: the JVM's user and root; 1: any user */
	uint64_t interval; /* of sampled allocations; 0: off */
	uint32_t depth;
	uint64_t live_bytes;
	uint64_t site_bytes;
	uint32_t recent;
	uint32_t frequent;
	uint32_t stackwalk;        /* enum walk_choice */
	char record[OPTIONS_PATH]; /* pattern of the trace's path; "": none */
	uint64_t record_bytes;
	uint32_t record_profiles_s; /* 0: none */
	uint32_t ring_s;            /* of the flight ring; 0: none */
	char ring_file[OPTIONS_PATH];
	uint64_t ring_bytes;
	uint32_t ring_files;
	uint32_t record_paths_s, record_histogram_s; /* 0: none */
	uint32_t paths_pause_ms; /* longest pause of a search for reference chains */
	uint32_t memory;         /* 1: clients may read the heap's bytes */
	char triggers[2048];     /* conditions, with ';' between them */
	uint32_t heavy;          /* 1: heavy volume */
	uint32_t heavy_events;   /* enum volume_events */
	uint32_t heavy_budget_ms;
	bool strict;  /* a failure prevents the JVM from starting */
	bool verbose; /* log on stderr why clients were rejected */
	bool quiet;   /* no addresses on stderr */
	bool help;
};

/* Parses `text` (NULL: all defaults). On failure `err` names the option and the expected value.
 * `strict` applies wherever it appears, also to an error before it. */
enum gcs_status options_parse(
    struct agent_options *options, const char *text, struct gcs_error *err);

/* The end of the part of `text` that ends with `separator`, or of all of it. A separator in quotes or
 * parentheses is not one. */
char *options_end(char *text, char separator);

/* The i-th option's line for the help ("port=N …"), or NULL after the last one. */
const char *options_help_line(size_t i, char *buffer, size_t size);

#endif
