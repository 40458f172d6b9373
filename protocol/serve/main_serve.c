/* The program gcspy-serve, which is also `gcspy push`: options, secrets, and the main thread, which looks for
 * JVMs. */

#include <errno.h>
#include <poll.h>
#include <regex.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "beside.h"
#include "connect_tls.h"
#include "http.h"
#include "net.h"
#include "now.h"
#include "push.h"
#include "secrets.h"
#include "signals.h"
#include "targets.h"
#include "tool.h"

enum { SCAN_MS = 2000, TRIM_MS = 15000, DEFAULT_INTERVAL = 512 << 10 };

/* What the options lead to. */
struct serving {
	char host[256];
	struct targets_options targets;
	struct http_options http;
	regex_t match, exclude;
	char program[PATH_MAX];
	struct secrets secrets;
	char push_token[GCS_MAX_TOKEN + 1];
	bool pushes, listens;
	struct push_options push;
	const char *recordings; /* their folder; NULL: none are made */
	uint64_t recordings_bytes;
};

/* HOST:PORT, [IPV6]:PORT, :PORT or PORT; port 0 is any free one. */
static bool parse_listen(struct serving *s, const char *text)
{
	const char *colon = strrchr(text, ':');
	size_t length = colon == NULL ? 0 : (size_t)(colon - text);
	uint64_t port;
	if (!cli_parse_number(colon == NULL ? text : colon + 1, 0, 65535, &port) ||
	    length >= sizeof s->host)
		return false;
	if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
		text++;
		length -= 2;
	} else if (memchr(text, ':', length) != NULL) {
		return false;
	}
	memcpy(s->host, text, length);
	s->http.host = length == 0 ? "127.0.0.1" : s->host;
	s->http.port = (int)port;
	return true;
}

static bool read_address(struct serving *s, const struct cli_arguments *a)
{
	const char *text = a->listen == NULL ? "127.0.0.1:9797" : a->listen;
	struct gcs_error err;
	if (!parse_listen(s, text))
		return cli_usage("--listen \"%s\": expected HOST:PORT", text), false;
	s->http.any_user = a->allow_any_user != 0;
	if (a->recordings != NULL && !s->listens)
		return cli_usage(
			   "--recordings needs --listen: they are started and fetched by HTTP"),
		       false;
	s->recordings = a->recordings;
	s->recordings_bytes = a->recordings_bytes;
	s->http.tunnels = a->tunnels;
	const bool has_token = a->token_file != NULL, has_tls = a->tls_cert != NULL;
	if (a->tunnels && !has_token)
		return cli_usage(
			   "--tunnels is for those who have the token: it needs --token-file"),
		       false;
	if (!(has_token && has_tls) && net_check_loopback(s->http.host, &err) != GCS_OK)
		return cli_usage("--listen %s: any address but loopback needs --token-file, "
				 "--tls-cert and "
				 "--tls-key",
			   text),
		       false;
	return true;
}

/* Of `gcspy push`. */
static bool read_receivers(struct serving *s, const struct cli_arguments *a)
{
	static const char *const words[] = {
#define X(id, name, path, type) "--" name,
	    TARGETS_RECEIVERS(X)
#undef X
	};
	const char *const urls[] = {[PUSH_OTLP] = a->otlp,
	    [PUSH_OTLP_PROFILES] = a->otlp_profiles,
	    [PUSH_PYROSCOPE] = a->pyroscope};
	bool any = false;
	if (!s->pushes)
		return true;
	for (size_t i = 0; i < TARGETS_PUSHES; i++) {
		if (urls[i] != NULL && !push_is_url(urls[i]))
			return cli_usage("%s: expected http://HOST:PORT or https://HOST:PORT, and "
					 "perhaps a path",
				   words[i]),
			       false;
		s->push.urls[i] = urls[i];
		any = any || urls[i] != NULL;
	}
	if (!any)
		return cli_usage("push needs --otlp URL, --otlp-profiles URL, or --pyroscope URL"),
		       false;
	s->push.token = a->push_token == NULL ? NULL : s->push_token;
	s->push.every_ms = a->every_ms;
	s->push.queue_bytes = (size_t)a->queue_bytes;
	return true;
}

/* An option's expression, if it is given; false after a message. */
static bool read_expression(
    const char *option, const char *text, regex_t *compiled, const regex_t **read)
{
	if (text == NULL)
		return true;
	if (text[0] == '\0' || regcomp(compiled, text, REG_EXTENDED | REG_NOSUB) != 0)
		return cli_usage("%s \"%s\": not a regular expression", option, text), false;
	*read = compiled;
	return true;
}

static bool read_targets(struct serving *s, const struct cli_arguments *a)
{
	s->targets = (struct targets_options){
	    .all = a->all,
	    .agent = a->agent,
	    .sockets = a->sockets,
	    .interval = a->interval == UINT64_MAX ? DEFAULT_INTERVAL : a->interval,
	    .top_classes = a->top_classes,
	    .flight_s = a->flight_ms / 1000,
	    .min_age_s = a->min_age_ms / 1000.0,
	    .program = s->program,
	    .labels = a->labels,
	};
	if (a->all && geteuid() != 0)
		return cli_usage("--all is for root: a user can attach to his own JVMs only"),
		       false;
	if (a->agent != NULL && access(a->agent, R_OK) != 0)
		return cli_usage("--agent %s: %s", a->agent, strerror(errno)), false;
	if (!read_expression("--match", a->match, &s->match, &s->targets.match) ||
	    !read_expression("--exclude", a->exclude, &s->exclude, &s->targets.exclude))
		return false;
	if (!beside_find("gcspy", s->program))
		return cli_fail("gcspy is not beside gcspy-serve"), false;
	return true;
}

/* Gives memory between what is in use back to the system: snapshots of all targets lie side by side, and free
 * ones leave gaps. */
static void give_back_memory(uint64_t *last_ms)
{
#ifdef __GLIBC__
	if (now_ms() < *last_ms + TRIM_MS)
		return;
	*last_ms = now_ms();
	malloc_trim(0);
#else
	(void)last_ms;
#endif
}

/* Looks for JVMs until a signal comes. */
static int serve(struct serving *s, struct out *out)
{
	static struct targets targets;
	static struct http http;
	struct push *push = NULL;
	uint64_t trimmed_ms = now_ms();
	struct gcs_error err;
	int ends[2];
	if (!net_pipe(ends))
		return cli_fail("cannot create a pipe");
	bool good = targets_init(&targets, &s->targets, &err);
	const bool filled = good;
	struct recordings *recordings = NULL;
	if (good && s->recordings != NULL) {
		recordings = recordings_open(s->recordings, s->recordings_bytes, &s->targets, &err);
		good = recordings != NULL;
		s->http.recordings = recordings;
	}
	good =
	    good && (!s->listens || http_start(&http, &s->http, &s->secrets.are, &targets, &err));
	if (good && s->pushes)
		good = (push = push_start(&s->push, &targets, &err)) != NULL;
	if (good)
		signals_catch(ends[1]);
	if (good && s->listens) {
		out_format(out, "Serving %s://%s%s%s:%d/\n", http.secure ? "https" : "http",
		    strchr(s->http.host, ':') == NULL ? "" : "[", s->http.host,
		    strchr(s->http.host, ':') == NULL ? "" : "]", http.port);
		out_flush(out);
	}
	while (good && !signals_seen()) {
		struct pollfd wait = {.fd = ends[0], .events = POLLIN};
		targets_scan(&targets, signals_seen);
		recordings_look(recordings, &targets);
		if (s->listens) {
			secrets_look(&s->secrets, &http);
			http_look(&http);
		}
		give_back_memory(&trimmed_ms);
		poll(&wait, 1, SCAN_MS);
	}
	http_stop(&http);
	push_stop(push);
	recordings_close(recordings);
	if (filled)
		targets_fini(&targets);
	signals_release();
	net_close(ends[0]);
	net_close(ends[1]);
	return good ? CLI_DONE : cli_fail("%s", err.text);
}

int main(int count, char **words)
{
	static struct out out;
	static struct serving serving;
	struct cli_arguments arguments;
	bool help;
	int code;
	/* How it was executed (cmd_serve.c, client/upgrade_tls.c). */
	const char *name = count > 0 ? strrchr(words[0], '-') : NULL;
	if (name != NULL && strcmp(name, "-connect") == 0)
		return connect_tls(count - 1, words + 1);
	serving.pushes = name != NULL && strcmp(name, "-push") == 0;
	const struct cli_command *command = cli_find_command(serving.pushes ? "push" : "serve");
	cli_ignores_pipes = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
	out_init(&out, STDOUT_FILENO);
	if (!cli_parse(command, count - 1, words + 1, &arguments, &help))
		return CLI_USAGE;
	if (help) {
		cli_help(command, &out);
		return out_flush(&out) ? CLI_DONE : cli_output_failed(&out);
	}
	serving.listens = !serving.pushes || arguments.listen != NULL;
	if (!secrets_read(&serving.secrets, &arguments) ||
	    !secrets_token("--push-token", arguments.push_token, serving.push_token) ||
	    !read_address(&serving, &arguments) || !read_receivers(&serving, &arguments))
		return CLI_USAGE;
	code = read_targets(&serving, &arguments) ? serve(&serving, &out) : CLI_USAGE;
	secrets_free(&serving.secrets);
	if (serving.targets.match != NULL)
		regfree(&serving.match);
	if (serving.targets.exclude != NULL)
		regfree(&serving.exclude);
	return code;
}
