/*
 * The HTTP side of `gcspy serve`, by libmicrohttpd: a thread for each connection, of which there are few at
 * a time. Each request is checked (http.c), then answered from memory (metrics.h, targets_pages.h), by a
 * question to one JVM (http_profile.c), or with a connection to its agent (http_tunnel.c).
 */
#ifndef GCSPY_SERVE_HTTP_H
#define GCSPY_SERVE_HTTP_H

#include <pthread.h>
#include <stdatomic.h>

#include <microhttpd.h>

#include <gcspy/token.h>

#include "bytes.h"
#include "net.h"
#include "recordings.h"
#include "targets.h"

/* Connections that stay silent for longer are closed. */
enum {
	HTTP_CONNECTIONS = 64,
	HTTP_SPARE = 16, /* beyond them, to say that there are too many; more are closed at once */
	HTTP_TUNNELS = 32,       /* of the connections */
	HTTP_WAITING = 16,       /* of them: requests that take seconds */
	HTTP_OLD = HTTP_TUNNELS, /* only tunnels are long */
	HTTP_IDLE_S = 10,
	HTTP_LARGEST = 64 << 20
};

/* What a connection is turned into by /connect, as its Upgrade header names it. */
#define HTTP_PROTOCOL "gcspy"

struct http_options {
	const char *host;
	int port;
	bool any_user;                 /* without a token: any user of this machine */
	bool tunnels;                  /* for those with the token, too */
	struct recordings *recordings; /* NULL: none are made */
};

struct http {
	struct http_options options;
	struct targets *targets;
	struct MHD_Daemon *daemon;
	/* With earlier certificates, until their clients have gone. */
	struct http_old {
		struct MHD_Daemon *daemon;
		int listener;
	} old[HTTP_OLD];
	bool guarded, secure; /* a token is needed; by TLS */
	struct net_lookup lookup;
	int listener, port;
	atomic_bool stopping;
	atomic_uint waiting;
	pthread_mutex_t lock;
	char token[GCS_MAX_TOKEN + 1];
	uint32_t connections;
	uint64_t warned_ms; /* of too many; 0: not yet */
	/* Of tunnels (http_tunnel.c). */
	pthread_cond_t changed;
	uint32_t tunnels;
	int end[2]; /* readable once all are to end */
};

/* What must stay secret, and TLS's certificate. */
struct http_secrets {
	char token[GCS_MAX_TOKEN + 1]; /* "": none is needed */
	char *cert, *key;              /* PEM; both NULL: plain HTTP */
};

/* False with the reason. The options' strings must live as long; the secrets are copied. */
bool http_start(struct http *http, const struct http_options *options,
    const struct http_secrets *secrets, struct targets *targets, struct gcs_error *err);
void http_stop(struct http *http);

/* Main thread: from now on another token, where one is needed. */
void http_set_token(struct http *http, const char *token);

/* Main thread: another certificate for connections that begin now, where there is TLS. False with the reason;
 * the one before is kept. */
bool http_set_certificate(
    struct http *http, const char *cert, const char *key, struct gcs_error *err);

/* Main thread, now and then: ends the daemons of earlier certificates whose clients have gone. */
void http_look(struct http *http);

/* The daemon's call for each request, at first without its body, which none of ours has. */
enum MHD_Result http_handle(void *context, struct MHD_Connection *connection, const char *url,
    const char *method, const char *version, const char *upload, size_t *upload_size, void **state);

/* An answer under construction. */
struct http_answer {
	unsigned status;
	const char *type; /* of media */
	struct wr body;
	int file; /* instead of the body, if it is not -1 */
	uint64_t file_bytes;
	char location[RECORDING_NAME + 16]; /* of what has been created, or "" */
	bool posts;                         /* POST is allowed, too */
	bool gzipped;                       /* the body */
};

/* What a connection takes. */
struct http_place {
	bool spare; /* there are too many */
	bool tunnel;
};

/* A line of text, as the whole answer. */
void http_say(struct http_answer *answer, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* /connect: a response that turns the connection into one to the target's agent, or NULL with an answer. Who
 * may is checked before. */
struct MHD_Response *http_connect(struct http *http, struct MHD_Connection *connection,
    const char *instance, struct http_answer *answer);

/* Gives back the tunnel's place of a connection that ends before its tunnel has begun. */
void http_leave_tunnel(struct http *http);

/* The daemon's call at each connection's start and end; its context is the struct http. */
void http_places_notify(void *context, struct MHD_Connection *connection, void **place,
    enum MHD_ConnectionNotificationCode what);

/* NULL if there was no memory for it. */
struct http_place *http_place_of(struct MHD_Connection *connection);

/* A place for a request that takes seconds; false with an answer if there are too many. */
bool http_begin_wait(struct http *http, struct http_answer *answer);
void http_end_wait(struct http *http);

int http_socket(struct MHD_Connection *connection);

/* Before the daemon starts, and before it stops: waits until all tunnels are closed. */
bool http_tunnels_init(struct http *http);
void http_tunnels_end(struct http *http);
void http_tunnels_fini(struct http *http);

/* A reference to the target with this name (NULL: the only one), or NULL with an answer. */
struct target *http_choose(struct http *http, const char *instance, struct http_answer *answer);

/* /debug/pprof/…: a profile of the target `instance` (none: the only one), or what was added to it within
 * `seconds` (none: all of it). */
void http_profile(struct http *http, struct MHD_Connection *connection, bool allocations,
    struct http_answer *answer);

/* /recordings and /recordings/NAME: lists, starts, sends them. */
void http_recordings(struct http *http, struct MHD_Connection *connection, const char *method,
    const char *url, struct http_answer *answer);

#endif
