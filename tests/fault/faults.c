#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_uint_least64_t state;
static atomic_uint rarity_now, made;
static const char *_Atomic only;
static atomic_bool files, full;

void faults_set(uint64_t seed, uint32_t rarity)
{
	atomic_store(&rarity_now, 0);
	atomic_store(&state, seed);
	atomic_store(&made, 0);
	atomic_store(&only, NULL);
	atomic_store(&files, false);
	atomic_store(&full, false);
	atomic_store(&rarity_now, rarity);
}

void faults_only(const char *call)
{
	atomic_store(&only, call);
}

void faults_files(bool fail)
{
	atomic_store(&files, fail);
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

/* Files. */

static bool file_fails(const char *call)
{
	return atomic_load(&files) && fails(call);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	const int mode = (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
	va_end(arguments);
	if (file_fails("open")) {
		errno = EMFILE;
		return -1;
	}
	return __real_open(path, flags, mode);
}

/* The disk has room for half of it; then it is full, until faults_set. */
ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
	if (atomic_load(&full) && atomic_load(&files)) {
		errno = ENOSPC;
		return -1;
	}
	if (!file_fails("write"))
		return __real_write(fd, bytes, n);
	atomic_store(&full, true);
	return __real_write(fd, bytes, n / 2 + 1);
}

ssize_t __real_pread(int fd, void *bytes, size_t n, off_t at);
ssize_t __wrap_pread(int fd, void *bytes, size_t n, off_t at);
ssize_t __wrap_pread(int fd, void *bytes, size_t n, off_t at)
{
	if (!file_fails("pread"))
		return __real_pread(fd, bytes, n > 3 && file_fails("pread short") ? n / 2 : n, at);
	errno = EIO;
	return -1;
}

int __real_ftruncate(int fd, off_t length);
int __wrap_ftruncate(int fd, off_t length);
int __wrap_ftruncate(int fd, off_t length)
{
	if (!file_fails("ftruncate"))
		return __real_ftruncate(fd, length);
	errno = EIO;
	return -1;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	const bool failing = file_fails("close");
	const int result = __real_close(fd);
	if (failing)
		errno = EIO;
	return failing ? -1 : result;
}
