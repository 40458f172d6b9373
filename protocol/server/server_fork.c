/*
 * fork: the child has no server. Its copy of a server is stopped, with no client and no socket, so that
 * the parent's clients notice nothing and the child's events cost what they cost without a client.
 *
 * The handlers take the server's locks around fork, in the order in which other code nests them. What
 * belongs to the I/O thread may be in the middle of a change: of it the child reads descriptors only,
 * and leaves its memory. The update thread is not waited for, because it may wait for a lock of the
 * target that the forking thread has: the child initialises its locks, and gathers everything.
 */
#include "server_fork.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "own_files.h"
#include "server_internal.h"
#include "thread.h"
#include "trace_format.h"
#include "updates_internal.h"

static pthread_mutex_t servers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct gcs_server *servers; /* that run */
static bool registered;

static void before(void)
{
	pthread_mutex_lock(&servers_lock);
	for (struct gcs_server *s = servers; s != NULL; s = s->next) {
		pthread_mutex_lock(&s->describing);
		pthread_mutex_lock(&s->lock);
		pthread_mutex_lock(&s->gate.lock);
		pthread_mutex_lock(&s->triggers.lock);
	}
}

static void unlock(struct gcs_server *s)
{
	pthread_mutex_unlock(&s->triggers.lock);
	pthread_mutex_unlock(&s->gate.lock);
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_unlock(&s->describing);
}

static void in_parent(void)
{
	for (struct gcs_server *s = servers; s != NULL; s = s->next)
		unlock(s);
	pthread_mutex_unlock(&servers_lock);
}

static void close_sockets(struct gcs_server *s)
{
	const bool any =
	    own_files_shared(); /* else clients are in the table of the parent's thread */
	for (uint32_t i = 0; any && i < SERVER_PENDING; i++)
		if (s->pending[i] != NULL)
			net_close(s->pending[i]->fd);
	for (uint32_t i = 0; any && i < GCS_MAX_CLIENTS; i++)
		if (s->peers[i] != NULL)
			net_close(s->peers[i]->fd);
	for (int i = 0; i < 2; i++) {
		own_files_close(s->listeners[i]);
		own_files_close(s->wake[i]);
		s->listeners[i] = s->wake[i] = -1;
	}
	(void)net_pipe(s->wake);
	for (int i = 0; i < 2; i++)
		s->wake[i] = own_files_add(s->wake[i]);
}

static void forget_clients(struct gcs_server *s)
{
	for (uint32_t i = 0; i < SERVER_PENDING; i++)
		s->pending[i] = NULL;
	for (uint32_t i = 0; i < GCS_MAX_CLIENTS; i++)
		s->peers[i] = NULL;
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++) {
		atomic_store(&s->wanted[i], 0);
		atomic_store(&s->periodic[i], 0);
		atomic_store(&s->delayed[i], 0);
		atomic_store(&s->pausing[i], 0);
	}
	for (uint32_t i = 0; i < GCS_MAX_SPACES; i++)
		atomic_store(&s->hidden[i], 0);
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++)
		for (uint32_t k = 0; k < GCS_MAX_ATTRIBUTES; k++)
			atomic_store(&s->interest[i][k], 0);
	atomic_store(&s->attached, 0);
	atomic_store(&s->everybody, 0);
	atomic_store(&s->paced, 0);
	atomic_store(&s->withheld, 0);
	atomic_store(&s->record_over, false);
	if (s->recorder != NULL)
		recorder_forget(s->recorder);
	s->recorder = NULL; /* its thread is the parent's, and so is its file */
	s->ring = NULL;
	s->recording = s->running = s->threaded = s->polls = false;
	s->port = -1;
	s->accept_backoff_until_ns = 0;
}

/* The last number of the path's file name that is the parent's; NULL: none. */
static char *find_number(char *path, const char *number)
{
	static const char decimal[] = "0123456789";
	char *slash = strrchr(path, '/'), *found = NULL;
	for (char *at = slash == NULL ? path : slash; *at != '\0';) {
		at += strcspn(at, decimal);
		const size_t digits = strspn(at, decimal);
		if (digits != 0 && digits == strlen(number) && strncmp(at, number, digits) == 0)
			found = at;
		at += digits;
	}
	return found;
}

/* The parent's with the child's number in place of the parent's, or behind a dot. */
static bool move_socket(struct gcs_server *s, long pid)
{
	enum { PID_CHARS = 24 };
	char parent[PID_CHARS];
	const int digits = snprintf(parent, sizeof parent, "%ld", s->process);
	const size_t length = strlen(s->socket_path);
	const char *at = find_number(s->socket_path, parent);
	char *path = gcs_alloc(length + PID_CHARS);
	if (path == NULL)
		return false;
	if (at != NULL)
		snprintf(path, length + PID_CHARS, "%.*s%ld%s", (int)(at - s->socket_path),
		    s->socket_path, pid, at + digits);
	else
		snprintf(path, length + PID_CHARS, "%s.%ld", s->socket_path, pid);
	gcs_free(s->socket_path);
	s->socket_path = path;
	return true;
}

/* Another name and address than the parent's. */
static enum gcs_status move(struct gcs_server *s, struct gcs_error *err)
{
	const long pid = (long)getpid();
	char name[GCS_MAX_NAME + 1];
	snprintf(name, sizeof name, "%.200s, fork %ld", s->model->server_name, pid);
	if (s->options.port != -1)
		s->options.port = 0;
	if (s->socket_path != NULL && !move_socket(s, pid))
		return gcs_fail(err, GCS_NOMEM, "no memory for its address");
	return gcs_server_set_name(s, name, err);
}

/* GCS_FORK_OWN. */
static void start_own(struct gcs_server *s, bool with_updates)
{
	char where[300];
	struct gcs_error err;
	if (move(s, &err) != GCS_OK || gcs_server_start(s, &err) != GCS_OK ||
	    (with_updates && gcs_updates_start(s->updates, &err) != GCS_OK)) {
		gcs_server_stop(s);
		server_log(s, "the child of fork has no server: %s", err.text);
		return;
	}
	if (s->port != -1)
		snprintf(where, sizeof where, "port %d", s->port);
	else
		snprintf(where, sizeof where, "unix:%.285s", s->socket_path);
	server_log(s, "the child of fork has a server of its own: %s", where);
}

static void in_child(void)
{
	for (struct gcs_server *s = servers; s != NULL; s = s->next) {
		close_sockets(s);
		forget_clients(s);
		gate_forget(&s->gate, s->wake[1]);
		triggers_forget(&s->triggers);
		pthread_mutex_init(&s->updates_lock, NULL);
		s->updates_ran = s->updates != NULL && updates_forget(s->updates);
		unlock(s);
	}
	struct gcs_server *next = servers;
	servers = NULL;
	pthread_mutex_unlock(&servers_lock);
	while (next != NULL) {
		struct gcs_server *s = next;
		next = s->next;
		zoom_spaces_forget(s);
		if (s->options.fork == GCS_FORK_OWN &&
		    (s->options.port != -1 || s->socket_path != NULL))
			start_own(s, s->updates_ran);
	}
}

bool server_fork_add(struct gcs_server *s)
{
	pthread_mutex_lock(&servers_lock);
	registered = registered || pthread_atfork(before, in_parent, in_child) == 0;
	if (registered) {
		s->next = servers;
		servers = s;
	}
	bool ok = registered;
	pthread_mutex_unlock(&servers_lock);
	return ok;
}

void server_fork_remove(struct gcs_server *s)
{
	pthread_mutex_lock(&servers_lock);
	for (struct gcs_server **at = &servers; *at != NULL; at = &(*at)->next)
		if (*at == s) {
			*at = s->next;
			break;
		}
	pthread_mutex_unlock(&servers_lock);
}
