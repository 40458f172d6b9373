/* Who may ask for what. */
#include "http.h"

#include <ctype.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <microhttpd.h>

#include <gcspy/memory.h>

#include "export_internal.h"
#include "metrics.h"
#include "targets_pages.h"

static const char html_type[] = "text/html; charset=utf-8";

void http_say(struct http_answer *answer, unsigned status, const char *format, ...)
{
	char line[700];
	va_list list;
	va_start(list, format);
	vsnprintf(line, sizeof line - 1, format, list);
	va_end(list);
	text_clean(line);
	answer->status = status;
	answer->type = "text/plain; charset=utf-8";
	answer->body.length = 0;
	wr_bytes(&answer->body, line, strlen(line));
	wr_bytes(&answer->body, "\n", 1);
}

/* Takes as long for each wrong token. */
static bool is_token(struct http *http, const char *given)
{
	char token[sizeof http->token];
	pthread_mutex_lock(&http->lock);
	memcpy(token, http->token, sizeof token);
	pthread_mutex_unlock(&http->lock);
	const size_t length = strlen(token), bytes = strlen(given);
	unsigned differs = length != bytes;
	for (size_t i = 0; i < bytes; i++)
		differs |= (unsigned)(unsigned char)given[i] ^
			   (unsigned)(unsigned char)token[length == 0 ? 0 : i % length];
	return differs == 0;
}

/* Browsers ask for a password and send it, but know of no bearer token. */
static bool has_token(struct http *http, struct MHD_Connection *connection)
{
	static const char scheme[] = "Bearer ";
	char *password = NULL;
	const char *header =
	    MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);
	if (header != NULL && strncasecmp(header, scheme, sizeof scheme - 1) == 0)
		return is_token(http, header + sizeof scheme - 1);
	MHD_free(MHD_basic_auth_get_username_password(connection, &password));
	const bool has = password != NULL && is_token(http, password);
	MHD_free(password);
	return has;
}

/* A page of another site that a browser shows here must not read ours, by a name of its own for this
 * address (DNS rebinding). */
static bool is_local_name(const char *host)
{
	static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
	for (size_t i = 0; host != NULL && i < sizeof names / sizeof names[0]; i++) {
		const size_t length = strlen(names[i]);
		if (strncmp(host, names[i], length) == 0 && strchr(":", host[length]) != NULL)
			return true;
	}
	return host == NULL;
}

static bool is_same_user(const struct http *http, struct MHD_Connection *connection)
{
	const int fd = http_socket(connection);
	uint32_t user;
	return fd != -1 && net_peer_user(&http->lookup, fd, &user) &&
	       (user == 0 || user == geteuid());
}

/* False with an answer. */
static bool is_allowed(
    struct http *http, struct MHD_Connection *connection, struct http_answer *answer)
{
	if (http->guarded) {
		if (has_token(http, connection))
			return true;
		http_say(answer, MHD_HTTP_UNAUTHORIZED, "%s",
		    MHD_lookup_connection_value(
			connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION) == NULL
			? "a bearer token is needed, or the same as a password"
			: "that is not the token of this server");
	} else if (!is_local_name(MHD_lookup_connection_value(
		       connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST))) {
		http_say(answer, MHD_HTTP_FORBIDDEN, "not a name of this machine");
	} else if (http->options.any_user || is_same_user(http, connection)) {
		return true;
	} else {
		http_say(answer, MHD_HTTP_FORBIDDEN,
		    "another user's: --allow any lets all users of this machine in, --token-file "
		    "those with the token");
	}
	return false;
}

/* A client may pause the JVM: no affair of all those who may read figures. */
static bool may_connect(
    const struct http *http, struct MHD_Connection *connection, struct http_answer *answer)
{
	const char *upgrade =
	    MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_UPGRADE);
	if (upgrade == NULL || strcmp(upgrade, HTTP_PROTOCOL) != 0)
		http_say(answer, MHD_HTTP_UPGRADE_REQUIRED, "for gcspy and gcspy-view: --via URL");
	else if ((http->guarded && http->options.tunnels) || is_same_user(http, connection))
		return true;
	else
		http_say(answer, MHD_HTTP_FORBIDDEN, "%s",
		    http->guarded
			? "gcspy serve runs without --tunnels: no connections to its JVMs"
			: "another user's: connections to JVMs need --token-file and --tunnels");
	return false;
}

/* The start of a target's address, of HOST:PORT as the reader of a page wrote it, for a command; "" where it
 * is no name for one, and where the reader of another machine may not connect. */
static void write_own_address(
    const struct http *http, struct MHD_Connection *connection, char *address, size_t size)
{
	static const char usual[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]";
	const char *host =
	    MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	const char *colon = host == NULL ? NULL : strrchr(host, ':');
	const bool named = colon != NULL && colon[1] != '\0' &&
			   colon[1 + strspn(colon + 1, "0123456789")] == '\0' &&
			   (host[0] == '[' || isalnum((unsigned char)host[0])) &&
			   host[strspn(host, usual)] == '\0';
	address[0] = '\0';
	if (named && (!http->secure || http->options.tunnels))
		snprintf(address, size, "%s%.255s/", !http->secure ? "" : "https://", host);
}

/* Without memory the body stays as it is. */
static void deflate_body(struct http_answer *answer)
{
	struct wr packed;
	struct gcs_sink sink = {.write = wr_take, .context = &packed};
	struct text text;
	wr_init(&packed, HTTP_LARGEST);
	text_begin(&text, &sink);
	const enum gcs_status status =
	    export_deflated(&text, answer->body.data, answer->body.length, true, NULL);
	answer->gzipped = text_end(&text, NULL) == GCS_OK && status == GCS_OK;
	if (answer->gzipped) {
		wr_fini(&answer->body);
		answer->body = packed;
	} else {
		wr_fini(&packed);
	}
}

static void write_text(struct http *http, struct MHD_Connection *connection, const char *url,
    struct http_answer *answer)
{
	struct gcs_sink sink = {.write = wr_take, .context = &answer->body};
	struct text text;
	bool good;
	text_begin(&text, &sink);
	answer->status = MHD_HTTP_OK;
	if (strcmp(url, "/metrics") == 0) {
		const enum metrics_format format = metrics_format_of(MHD_lookup_connection_value(
		    connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT));
		answer->type = metrics_types[format];
		good = format == METRICS_PROTOBUF
			   ? metrics_write_protobuf(http->targets, &answer->body)
			   : metrics_write(http->targets, format == METRICS_OPEN, &text);
	} else if (strcmp(url, "/targets") == 0) {
		answer->type = "application/json";
		good = targets_write_json(http->targets, &text);
	} else {
		char through[300];
		answer->type = html_type;
		write_own_address(http, connection, through, sizeof through);
		good = targets_write_page(http->targets, through, http->guarded, &text);
	}
	if (text_end(&text, NULL) != GCS_OK || !good)
		http_say(answer, MHD_HTTP_INTERNAL_SERVER_ERROR, "no memory");
	else if (metrics_takes_gzip(MHD_lookup_connection_value(
		     connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT_ENCODING)))
		deflate_body(answer);
}

static void route(struct http *http, struct MHD_Connection *connection, const char *url,
    struct http_answer *answer)
{
	const bool heap = strcmp(url, "/debug/pprof/heap") == 0;
	if (heap || strcmp(url, "/debug/pprof/allocs") == 0)
		http_profile(http, connection, !heap, answer);
	else if (strcmp(url, "/") == 0 || strcmp(url, "/metrics") == 0 ||
		 strcmp(url, "/targets") == 0)
		write_text(http, connection, url, answer);
	else
		http_say(answer, MHD_HTTP_NOT_FOUND,
		    "available: /, /metrics, /targets, /connect, /recordings, /debug/pprof/heap, "
		    "/debug/pprof/allocs");
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, struct http_answer *answer)
{
	enum MHD_Result result = MHD_NO;
	struct MHD_Response *r = NULL;
	if (answer->file != -1) {
		wr_fini(&answer->body);
		r = MHD_create_response_from_fd64(answer->file_bytes, answer->file);
	} else if (answer->body.status == GCS_OK) {
		r = MHD_create_response_from_buffer_with_free_callback(
		    answer->body.length, answer->body.data, gcs_free);
	}
	if (r == NULL) {
		if (answer->file == -1)
			wr_fini(&answer->body);
		else
			net_close(answer->file);
		return MHD_NO;
	}
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	if (answer->gzipped)
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	if (answer->type == html_type)
		MHD_add_response_header(
		    r, "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
	if (answer->status == MHD_HTTP_UNAUTHORIZED) {
		MHD_add_response_header(r, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
		MHD_add_response_header(
		    r, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Basic realm=\"gcspy serve\"");
	}
	if (answer->status == MHD_HTTP_UPGRADE_REQUIRED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_UPGRADE, HTTP_PROTOCOL);
	if (answer->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(
		    r, MHD_HTTP_HEADER_ALLOW, answer->posts ? "GET, HEAD, POST" : "GET, HEAD");
	if (answer->location[0] != '\0')
		MHD_add_response_header(r, MHD_HTTP_HEADER_LOCATION, answer->location);
	result = MHD_queue_response(connection, answer->status, r);
	MHD_destroy_response(r);
	return result;
}

static enum MHD_Result send_upgrade(
    struct MHD_Connection *connection, struct MHD_Response *response, struct http_answer *answer)
{
	const enum MHD_Result result =
	    MHD_queue_response(connection, MHD_HTTP_SWITCHING_PROTOCOLS, response);
	MHD_destroy_response(response);
	wr_fini(&answer->body);
	return result;
}

enum MHD_Result http_handle(void *context, struct MHD_Connection *connection, const char *url,
    const char *method, const char *version, const char *upload, size_t *upload_size, void **state)
{
	struct http *http = context;
	struct http_answer answer = {.status = MHD_HTTP_OK, .file = -1};
	const bool recordings =
	    strncmp(url, "/recordings", 11) == 0 && strchr("/", url[11]) != NULL;
	answer.posts = strcmp(url, "/recordings") == 0;
	const bool starts = answer.posts && strcmp(method, MHD_HTTP_METHOD_POST) == 0;
	struct MHD_Response *tunnel;
	(void)version;
	(void)upload;
	(void)upload_size;
	*state = http; /* for a tunnel */
	wr_init(&answer.body, HTTP_LARGEST);
	const struct http_place *place = http_place_of(connection);
	if (place == NULL || place->spare)
		http_say(&answer, MHD_HTTP_SERVICE_UNAVAILABLE,
		    "%d connections are open, as many as there may be", HTTP_CONNECTIONS);
	else if (!starts && strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
		 strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		http_say(&answer, MHD_HTTP_METHOD_NOT_ALLOWED,
		    answer.posts ? "only GET, HEAD and POST" : "only GET and HEAD");
	else if (!is_allowed(http, connection, &answer))
		return send_answer(connection, &answer);
	else if (recordings)
		http_recordings(http, connection, method, url, &answer);
	else if (strcmp(url, "/connect") != 0)
		route(http, connection, url, &answer);
	else if (may_connect(http, connection, &answer) &&
		 (tunnel = http_connect(http, connection,
		      MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "instance"),
		      &answer)) != NULL)
		return send_upgrade(connection, tunnel, &answer);
	return send_answer(connection, &answer);
}
