/* How many connections there may be, and how many requests may wait: clients that hang must not keep scrapers
 * out. */
#include <gcspy/memory.h>

#include "http.h"
#include "now.h"
#include "tool.h"

enum { WARN_MS = 60000 };

/* Lock held. Standard error is the only place where whoever runs this program sees it. */
static bool should_warn(struct http *http)
{
	const uint64_t now = now_ms();
	if (http->warned_ms != 0 && now < http->warned_ms + WARN_MS)
		return false;
	http->warned_ms = now;
	return true;
}

static void count_in(struct http *http, struct http_place *place)
{
	pthread_mutex_lock(&http->lock);
	const bool spare = ++http->connections > HTTP_CONNECTIONS;
	const bool warn = spare && should_warn(http);
	pthread_mutex_unlock(&http->lock);
	if (place != NULL)
		place->spare = spare;
	if (warn)
		cli_warn("%d connections are open, as many as there may be: more are refused",
		    HTTP_CONNECTIONS);
}

static void count_out(struct http *http, struct http_place *place)
{
	pthread_mutex_lock(&http->lock);
	http->connections--;
	pthread_mutex_unlock(&http->lock);
	if (place != NULL && place->tunnel)
		http_leave_tunnel(http);
	gcs_free(place);
}

void http_places_notify(void *context, struct MHD_Connection *connection, void **place,
    enum MHD_ConnectionNotificationCode what)
{
	(void)connection;
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*place = gcs_zalloc(sizeof(struct http_place));
		count_in(context, *place);
	} else {
		count_out(context, *place);
		*place = NULL;
	}
}

struct http_place *http_place_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	return info == NULL ? NULL : info->socket_context;
}

bool http_begin_wait(struct http *http, struct http_answer *answer)
{
	if (atomic_fetch_add(&http->waiting, 1) < HTTP_WAITING)
		return true;
	http_end_wait(http);
	http_say(answer, MHD_HTTP_SERVICE_UNAVAILABLE,
	    "%d requests wait for their seconds, as many as there may be", HTTP_WAITING);
	return false;
}

void http_end_wait(struct http *http)
{
	atomic_fetch_sub(&http->waiting, 1);
}

int http_socket(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	return info == NULL ? -1 : info->connect_fd;
}
