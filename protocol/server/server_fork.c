/*
 * fork: the child has no server. Its copy of a server is stopped, with no client and no socket, so that
 * the parent's clients notice nothing and the child's events cost what they cost without a client.
 *
 * The handlers take the server's locks around fork, in the order in which other code nests them. What
 * belongs to the I/O thread may be in the middle of a change: of it the child reads descriptors only,
 * and leaves its memory.
 */
#include "server_fork.h"

#include "server_internal.h"
#include "thread.h"

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
	}
}

static void unlock(struct gcs_server *s)
{
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
	for (uint32_t i = 0; i < SERVER_PENDING; i++)
		if (s->pending[i] != NULL)
			net_close(s->pending[i]->fd);
	for (uint32_t i = 0; i < GCS_MAX_CLIENTS; i++)
		if (s->peers[i] != NULL)
			net_close(s->peers[i]->fd);
	for (int i = 0; i < 2; i++) {
		net_close(s->listeners[i]);
		net_close(s->wake[i]);
		s->listeners[i] = s->wake[i] = -1;
	}
	(void)net_pipe(s->wake);
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
	atomic_store(&s->attached, 0);
	atomic_store(&s->record_over, false);
	s->recorder = NULL; /* its thread is the parent's, and so is its file */
	s->recording = s->running = s->threaded = false;
	s->port = -1;
	s->accept_backoff_until_ns = 0;
}

static void in_child(void)
{
	for (struct gcs_server *s = servers; s != NULL; s = s->next) {
		close_sockets(s);
		forget_clients(s);
		gate_forget(&s->gate, s->wake[1]);
		unlock(s);
	}
	servers = NULL;
	pthread_mutex_unlock(&servers_lock);
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
