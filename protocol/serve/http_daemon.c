/* The HTTP server's daemons: one, and with earlier certificates of TLS those whose clients are still there. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include <microhttpd.h>

#include "http.h"

enum { CONNECTION_MEMORY = 32768, STACK_BYTES = 512 << 10 };

/* Clients that break off are no news. */
static void ignore(void *context, const char *format, va_list list)
{
	(void)context;
	(void)format;
	(void)list;
}

/* NULL with the reason. It has a descriptor of its own, because it closes that at its end, also where it fails. */
static struct MHD_Daemon *start(
    struct http *http, const char *cert, const char *key, struct gcs_error *err)
{
	struct MHD_OptionItem tls[] = {
	    {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)cert},
	    {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)key},
	    {MHD_OPTION_END, 0, NULL},
	};
	const int listener = fcntl(http->listener, F_DUPFD_CLOEXEC, 0);
	sigset_t all, before;
	if (listener == -1)
		return gcs_fail(err, GCS_IO, "too many open files"), NULL;
	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	struct MHD_Daemon *daemon = MHD_start_daemon(
	    MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
		MHD_USE_ITC | MHD_ALLOW_UPGRADE | (http->secure ? MHD_USE_TLS : 0),
	    0, NULL, NULL, http_handle, http, MHD_OPTION_EXTERNAL_LOGGER, ignore, NULL,
	    MHD_OPTION_NOTIFY_CONNECTION, http_places_notify, http, MHD_OPTION_LISTEN_SOCKET,
	    listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)(HTTP_CONNECTIONS + HTTP_SPARE),
	    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)HTTP_IDLE_S,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
	    MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK_BYTES, MHD_OPTION_ARRAY,
	    http->secure ? tls : tls + 2, MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (daemon == NULL)
		gcs_fail(err, GCS_ARGUMENT, "%s",
		    http->secure ? "cannot start the HTTP server: are --tls-cert and --tls-key "
				   "a certificate and its key?"
				 : "cannot start the HTTP server");
	return daemon;
}

bool http_start(struct http *http, const struct http_options *options,
    const struct http_secrets *secrets, struct targets *targets, struct gcs_error *err)
{
	*http = (struct http){.options = *options,
	    .targets = targets,
	    .guarded = secrets->token[0] != '\0',
	    .secure = secrets->cert != NULL};
	if (http->secure && MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES) {
		gcs_fail(err, GCS_UNSUPPORTED, "this libmicrohttpd has no TLS");
		return false;
	}
	if (!http_tunnels_init(http)) {
		gcs_fail(err, GCS_NOMEM, "cannot create a pipe");
		return false;
	}
	http_set_token(http, secrets->token);
	http->listener = net_listen_tcp(options->host, options->port, &http->port, err);
	if (http->listener != -1) {
		net_lookup_init(&http->lookup, http->listener);
		http->daemon = start(http, secrets->cert, secrets->key, err);
	}
	if (http->daemon != NULL)
		return true;
	net_close(http->listener);
	http_tunnels_fini(http);
	return false;
}

void http_set_token(struct http *http, const char *token)
{
	pthread_mutex_lock(&http->lock);
	memset(http->token, 0, sizeof http->token);
	memcpy(http->token, token, strlen(token));
	pthread_mutex_unlock(&http->lock);
}

bool http_set_certificate(
    struct http *http, const char *cert, const char *key, struct gcs_error *err)
{
	struct http_old *place = http->old;
	while (place < http->old + HTTP_OLD && place->daemon != NULL)
		place++;
	if (place == http->old + HTTP_OLD)
		return gcs_fail(err, GCS_LIMIT, "too many earlier ones are in use"), false;
	/* For a moment both accept connections, so that none is refused. */
	struct MHD_Daemon *daemon = start(http, cert, key, err);
	if (daemon == NULL)
		return false;
	*place = (struct http_old){http->daemon, MHD_quiesce_daemon(http->daemon)};
	http->daemon = daemon;
	return true;
}

static void end_old(struct http_old *old)
{
	MHD_stop_daemon(old->daemon); /* does not close a socket that it has given back */
	net_close(old->listener);
	old->daemon = NULL;
}

void http_look(struct http *http)
{
	for (int i = 0; i < HTTP_OLD; i++) {
		const union MHD_DaemonInfo *info = http->old[i].daemon == NULL
						       ? NULL
						       : MHD_get_daemon_info(http->old[i].daemon,
							     MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
		if (info != NULL && info->num_connections == 0)
			end_old(&http->old[i]);
	}
}

void http_stop(struct http *http)
{
	atomic_store(&http->stopping, true);
	if (http->daemon == NULL)
		return;
	http_tunnels_end(http);
	for (int i = 0; i < HTTP_OLD; i++)
		if (http->old[i].daemon != NULL)
			end_old(&http->old[i]);
	MHD_stop_daemon(http->daemon);
	http->daemon = NULL;
	net_close(http->listener);
	http_tunnels_fini(http);
}
