/* The agent's options (H1): every key, every refusal, and the page of docs that lists them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "path_pattern.h"
#include "volume.h"

static struct agent_options options;
static struct gcs_error err;

static enum gcs_status parse(const char *text)
{
	err = (struct gcs_error){0};
	return options_parse(&options, text, &err);
}

Test(agent_options, has_defaults)
{
	cr_assert_eq(parse(NULL), GCS_OK);
	cr_assert_eq(options.port, 3000);
	cr_assert_eq(options.max_tiles, 8192);
	cr_assert_eq(options.keep_alive_s, 10);
	cr_assert_not(options.strict);
	cr_assert_eq(options.allow, 0, "the JVM's own user");
	cr_assert_eq(options.heavy, 0);
	cr_assert_eq(options.heavy_events, VOLUME_FINISH);
	cr_assert_eq(options.heavy_budget_ms, VOLUME_MS);
	cr_assert_eq(parse(""), GCS_OK);
	cr_assert_eq(parse(",,"), GCS_OK);
}

Test(agent_options, takes_every_key)
{
	cr_assert_eq(parse("port=0,host=127.0.0.1,token-file=/t,socket=/"
			   "s,allow=any,block=32k,max-tiles=100,keep-alive=2,"
			   "max-clients=3,volume=heavy,heavy-events=both,heavy-budget=7,"
			   "strict,verbose,quiet,help"),
	    GCS_OK, "%s", err.text);
	cr_assert_eq(options.port, 0);
	cr_assert_str_eq(options.host, "127.0.0.1");
	cr_assert_str_eq(options.token_file, "/t");
	cr_assert_str_eq(options.socket_path, "/s");
	cr_assert_eq(options.allow, 1);
	cr_assert_eq(options.block_bytes, 32768);
	cr_assert_eq(options.max_tiles, 100);
	cr_assert_eq(options.keep_alive_s, 2);
	cr_assert_eq(options.max_clients, 3);
	cr_assert_eq(options.heavy, 1);
	cr_assert_eq(options.heavy_events, VOLUME_BOTH);
	cr_assert_eq(options.heavy_budget_ms, 7);
	cr_assert(options.strict && options.verbose && options.quiet && options.help);
}

Test(agent_options, a_socket_alone_means_no_port)
{
	cr_assert_eq(parse("socket=/s"), GCS_OK);
	cr_assert_eq(options.port, -1);
	cr_assert_eq(parse("socket=/s,port=0"), GCS_OK);
	cr_assert_eq(options.port, 0);
}

Test(agent_options, a_socket_is_named_for_the_process)
{
	char expected[80];
	snprintf(expected, sizeof expected, "/tmp/.gcspy_%ld 100%%", (long)getpid());
	cr_assert_eq(parse("socket=/tmp/.gcspy_%p 100%%"), GCS_OK, "%s", err.text);
	cr_assert_str_eq(options.socket_path, expected);
	cr_assert_eq(parse("socket=/s%d"), GCS_ARGUMENT);
	cr_assert_not_null(strstr(err.text, "socket=\"/s%d\""));
	cr_assert_eq(parse("socket=/s%"), GCS_ARGUMENT);
}

Test(agent_options, a_recording_alone_means_no_port)
{
	cr_assert_eq(parse("record=/r"), GCS_OK);
	cr_assert_eq(options.port, -1);
	cr_assert_str_eq(options.record, "/r");
	cr_assert_eq(options.record_bytes, 1 << 30);
	cr_assert_eq(options.record_profiles_s, 60);
	cr_assert_eq(parse("record=/r,port=0,record-size=64m,record-profiles=0"), GCS_OK);
	cr_assert_eq(options.port, 0);
	cr_assert_eq(options.record_bytes, 64 << 20);
	cr_assert_eq(options.record_profiles_s, 0);
}

Test(agent_options, a_flight_ring_has_seconds_bytes_and_files)
{
	cr_assert_eq(parse(""), GCS_OK);
	cr_assert_eq(options.ring_s, 0);
	cr_assert_eq(options.port, 3000);
	cr_assert_eq(parse("record-ring=30s"), GCS_OK, "%s", err.text);
	cr_assert_eq(options.ring_s, 30);
	cr_assert_eq(options.port, -1);
	cr_assert_str_eq(options.ring_file, "gcspy-%p-%t.gcspy");
	cr_assert_eq(options.ring_bytes, 16 << 20);
	cr_assert_eq(options.ring_files, 10);
	cr_assert_eq(parse("port=0,record-ring=3600,record-ring-bytes=1m,record-ring-files=2,"
			   "record-ring-file=/r"),
	    GCS_OK);
	cr_assert_eq(options.ring_s, 3600);
	cr_assert_eq(options.port, 0);
	cr_assert_eq(options.ring_bytes, 1 << 20);
	cr_assert_eq(options.ring_files, 2);
	cr_assert_str_eq(options.ring_file, "/r");
}

Test(agent_options, a_condition_may_have_commas)
{
	char text[] = "a (b;c);d";
	cr_assert_eq(options_end(text, ';') - text, 7);
	cr_assert_eq(options_end(text + 8, ';') - text, 9);
	cr_assert_eq(parse("trigger=Pause > 200ms,port=0"), GCS_OK, "%s", err.text);
	cr_assert_str_eq(options.triggers, "Pause > 200ms");
	cr_assert_eq(options.port, 0);
	cr_assert_eq(
	    parse("trigger=change(Used after, 10 events) > 5m;Cause ~ \"a,b;\",port=1"), GCS_OK);
	cr_assert_str_eq(options.triggers, "change(Used after, 10 events) > 5m;Cause ~ \"a,b;\"");
	cr_assert_eq(options.port, 1);
	cr_assert_eq(parse("record=/a(b,port=2"), GCS_OK);
	cr_assert_eq(options.port, 2);
	cr_assert_eq(parse("trigger="), GCS_ARGUMENT);
}

Test(agent_options, a_recordings_path_may_have_the_process_and_the_time)
{
	char path[64];
	cr_assert(path_from_pattern(path, sizeof path, "/x/%p.gcspy", 4711, 0));
	cr_assert_str_eq(path, "/x/4711.gcspy");
	cr_assert(path_from_pattern(path, sizeof path, "100%%", 4711, 0));
	cr_assert_str_eq(path, "100%");
	setenv("TZ", "UTC", 1);
	cr_assert(path_from_pattern(path, sizeof path, "%t%p", 1, INT64_C(1767323045000000000)));
	cr_assert_str_eq(path, "2026-01-02_03-04-051");
	cr_assert_not(path_from_pattern(path, sizeof path, "x%d", 1, 0));
	cr_assert_not(path_from_pattern(path, sizeof path, "x%", 1, 0));
	cr_assert_not(path_from_pattern(path, sizeof path, "", 1, 0));
	/* What just fits, and what does not. */
	cr_assert(path_from_pattern(path, 5, "%p", 4711, 0));
	cr_assert_not(path_from_pattern(path, 4, "%p", 4711, 0));
}

Test(agent_options, refuses_with_the_name_and_what_is_allowed)
{
	static const struct {
		const char *text, *names;
	} bad[] = {
	    {"prot=1", "\"prot\""},
	    {"record=", "record needs a value"},
	    {"record=/r,record-size=1000", "65536 to"},
	    {"record=/r,record-profiles=x", "0 to 86400"},
	    {"record-ring=0", "seconds from 1 to 3600, such as 30s"},
	    {"record-ring=3601s", "seconds from 1 to 3600"},
	    {"record-ring=s", "seconds from 1 to 3600"},
	    {"record-ring=30ms", "seconds from 1 to 3600"},
	    {"record-ring=00000000000000000001", "seconds from 1 to 3600"},
	    {"record-ring-bytes=1", "65536 to"},
	    {"port=65536", "0 to 65535"},
	    {"volume=loud", "light|heavy"},
	    {"heavy-events=end", "finish|start|both"},
	    {"heavy-budget=0", "1 to 1000"},
	    {"port=-1", "0 to 65535"},
	    {"port=+1", "0 to 65535"},
	    {"port= 1", "0 to 65535"},
	    {"port=1x", "0 to 65535"},
	    {"port=99999999999999999999", "0 to 65535"},
	    {"port", "port"},
	    {"port=", "port"},
	    {"block=3000", "power of two"},
	    {"block=256", "512"},
	    {"block=2g", "1g"},
	    {"block=16kk", "power of two"},
	    {"block=99999999999g", "power of two"},
	    {"max-tiles=1", "16 to"},
	    {"keep-alive=0", "1 to 3600"},
	    {"strict=yes", "takes no value"},
	    {"host=", "host"},
	    {"socket", "socket"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		cr_assert_neq(parse(bad[i].text), GCS_OK, "%s", bad[i].text);
		cr_assert_not_null(strstr(err.text, bad[i].names), "%s: %s", bad[i].text, err.text);
	}
}

Test(agent_options, strict_counts_wherever_it_stands)
{
	cr_assert_neq(parse("port=x,strict"), GCS_OK);
	cr_assert(options.strict);
	cr_assert_not_null(strstr(err.text, "port"), "the first mistake is told: %s", err.text);
}

Test(agent_options, refuses_what_is_too_long)
{
	char text[6000];
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	cr_assert_eq(parse(text), GCS_LIMIT);
	memcpy(text, "host=", 5);
	text[1000] = '\0';
	cr_assert_neq(parse(text), GCS_OK);
}

/* docs/agent-options.md has the table that the help prints, line by line. */
Test(agent_options, stand_in_the_docs)
{
	static char docs[20000];
	char line[300];
	FILE *file = fopen(GCSPY_SOURCE_DIR "/docs/agent-options.md", "r");
	cr_assert_not_null(file);
	size_t length = fread(docs, 1, sizeof docs - 1, file);
	docs[length] = '\0';
	fclose(file);
	for (size_t i = 0; options_help_line(i, line, sizeof line) != NULL; i++)
		cr_assert_not_null(
		    strstr(docs, line), "docs/agent-options.md lacks this line:\n%s", line);
}
