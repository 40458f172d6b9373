#include "connect_tls.h"

#include <curl/curl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net.h"

enum { BUFFER_BYTES = 64 * 1024, USUAL_LIMIT_MS = 30000 };

/* Bytes on their way in one direction. */
struct way {
	char bytes[BUFFER_BYTES];
	size_t from, to;
};

struct connecting {
	CURL *curl;
	int client, server;
	struct way out, in;
};

static void say(int client, const char *why)
{
	char text[600];
	const int n = snprintf(text, sizeof text,
	    "HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n%.400s\n", why);
	(void)net_write(client, text, (size_t)n);
}

/* Ends the waiting for a server when the client has gone. */
static int client_gone(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct connecting *t = context;
	struct pollfd p = {.fd = t->client};
	(void)a, (void)b, (void)c, (void)d;
	return poll(&p, 1, 0) > 0;
}

/* As much as goes; false at the end of either connection. */
static bool to_server(struct connecting *t)
{
	struct way *w = &t->out;
	while (w->from != w->to) {
		size_t n = 0;
		const CURLcode code =
		    curl_easy_send(t->curl, w->bytes + w->from, w->to - w->from, &n);
		w->from += n;
		if (code != CURLE_OK)
			return code == CURLE_AGAIN;
	}
	const long n = net_read(t->client, w->bytes, sizeof w->bytes);
	w->from = 0;
	w->to = n > 0 ? (size_t)n : 0;
	return n >= 0;
}

static bool to_client(struct connecting *t)
{
	struct way *w = &t->in;
	for (;;) {
		while (w->from != w->to) {
			const long n = net_write(t->client, w->bytes + w->from, w->to - w->from);
			if (n <= 0)
				return n == 0;
			w->from += (size_t)n;
		}
		size_t n = 0;
		const CURLcode code = curl_easy_recv(t->curl, w->bytes, sizeof w->bytes, &n);
		w->from = 0;
		w->to = code == CURLE_OK ? n : 0;
		if (w->to == 0)
			return code == CURLE_AGAIN;
	}
}

static void relay(struct connecting *t)
{
	/* TLS may hold bytes that poll does not see: until it says "again", it is asked. */
	while (to_server(t) && to_client(t)) {
		const bool sends = t->out.from != t->out.to, receives = t->in.from != t->in.to;
		struct pollfd p[2] = {
		    {.fd = t->client,
			.events = (short)((sends ? 0 : POLLIN) | (receives ? POLLOUT : 0))},
		    {.fd = t->server,
			.events = (short)((receives ? 0 : POLLIN) | (sends ? POLLOUT : 0))},
		};
		if (poll(p, 2, -1) > 0 && (p[0].revents & (POLLHUP | POLLERR)) != 0)
			return;
	}
}

static void converse(struct connecting *t, const char *host, long limit_ms)
{
	char url[400], why[CURL_ERROR_SIZE + 100];
	const char *own = getenv("SSL_CERT_FILE");
	curl_socket_t server = CURL_SOCKET_BAD;
	snprintf(url, sizeof url, "https://%.300s/", host);
	why[0] = '\0';
	curl_easy_setopt(t->curl, CURLOPT_URL, url);
	curl_easy_setopt(t->curl, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(t->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(t->curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(t->curl, CURLOPT_CONNECTTIMEOUT_MS, limit_ms);
	curl_easy_setopt(t->curl, CURLOPT_ERRORBUFFER, why);
	curl_easy_setopt(t->curl, CURLOPT_XFERINFOFUNCTION, client_gone);
	curl_easy_setopt(t->curl, CURLOPT_XFERINFODATA, t);
	curl_easy_setopt(t->curl, CURLOPT_NOPROGRESS, 0L);
	if (own != NULL && own[0] != '\0')
		curl_easy_setopt(t->curl, CURLOPT_CAINFO, own);
	const CURLcode code = curl_easy_perform(t->curl);
	if (code == CURLE_OK &&
	    curl_easy_getinfo(t->curl, CURLINFO_ACTIVESOCKET, &server) == CURLE_OK) {
		t->server = server;
		relay(t);
		return;
	}
	if (why[0] == '\0')
		snprintf(why, sizeof why, "%s", curl_easy_strerror(code));
	if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
		snprintf(why + strlen(why), sizeof why - strlen(why),
		    "; SSL_CERT_FILE=FILE names the certificates to trust");
	say(t->client, why);
}

int connect_tls(int count, char **words)
{
	static struct connecting t;
	const long limit_ms = count > 1 ? strtol(words[1], NULL, 10) : 0;
	t.client = STDIN_FILENO;
	/* The client waits for the first process only. */
	const pid_t child = fork();
	if (child > 0)
		return 0;
	signal(SIGPIPE, SIG_IGN);
	if (child < 0) {
		say(t.client, "cannot create a process");
		return 1;
	}
	if (!net_adopt(t.client) || count < 1)
		return 1;
	t.curl = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_easy_init() : NULL;
	if (t.curl != NULL)
		converse(&t, words[0], limit_ms > 0 ? limit_ms : USUAL_LIMIT_MS);
	else
		say(t.client, "libcurl does not start");
	curl_easy_cleanup(t.curl);
	curl_global_cleanup();
	return 0;
}
