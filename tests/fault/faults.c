#include "faults.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

static atomic_uint_least64_t state;
static atomic_uint rarity_now, made;
static const char *_Atomic only;

void faults_set(uint64_t seed, uint32_t rarity)
{
	atomic_store(&rarity_now, 0);
	atomic_store(&state, seed);
	atomic_store(&made, 0);
	atomic_store(&only, NULL);
	atomic_store(&rarity_now, rarity);
}

void faults_only(const char *call)
{
	atomic_store(&only, call);
}

unsigned faults_made(void)
{
	return atomic_load(&made);
}

static bool fails(const char *call)
{
	unsigned rarity = atomic_load(&rarity_now);
	const char *chosen = atomic_load(&only);
	if (rarity == 0 || (chosen != NULL && strcmp(chosen, call) != 0))
		return false;
	uint64_t z = atomic_fetch_add(&state, UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	if ((z ^ z >> 31) % rarity != 0)
		return false;
	atomic_fetch_add(&made, 1);
	return true;
}

/* The linker's names for the real functions and for ours. */
#define WRAP(type, name, parameters, arguments, failure, number)                                   \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		if (fails(#name)) {                                                                \
			errno = number;                                                            \
			return failure;                                                            \
		}                                                                                  \
		return __real_##name arguments;                                                    \
	}

WRAP(void *, malloc, (size_t n), (n), NULL, ENOMEM)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), NULL, ENOMEM)
WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL, ENOMEM)
WRAP(int, pthread_create, (pthread_t * t, const pthread_attr_t *a, void *(*run)(void *), void *p),
    (t, a, run, p), EAGAIN, 0)
WRAP(
    int, pthread_mutex_init, (pthread_mutex_t * m, const pthread_mutexattr_t *a), (m, a), EAGAIN, 0)
WRAP(int, pthread_cond_init, (pthread_cond_t * c, const pthread_condattr_t *a), (c, a), EAGAIN, 0)
WRAP(int, socket, (int family, int type, int protocol), (family, type, protocol), -1, EMFILE)
WRAP(int, pipe, (int ends[2]), (ends), -1, EMFILE)
WRAP(int, bind, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n), -1, EADDRINUSE)
WRAP(int, listen, (int fd, int backlog), (fd, backlog), -1, EADDRINUSE)
WRAP(int, accept, (int fd, struct sockaddr *a, socklen_t *n), (fd, a, n), -1, EMFILE)
WRAP(int, connect, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n), -1, ECONNREFUSED)
WRAP(ssize_t, send, (int fd, const void *bytes, size_t n, int flags), (fd, bytes, n, flags), -1,
    (fails("send hard") ? ECONNRESET : EAGAIN))
WRAP(ssize_t, recv, (int fd, void *bytes, size_t n, int flags), (fd, bytes, n, flags), -1,
    (fails("recv hard") ? ECONNRESET : EINTR))
