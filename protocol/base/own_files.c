#include "own_files.h"

#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gcspy/server.h>

#include "thread.h"

enum { OWN_FILES = 32, HIGH_NUMBER = 1024, BELOW_LIMIT = 32, LOST_WAKE_MS = 100 };

static struct own_file {
	bool used;
	int fd;
	dev_t device;
	ino_t inode;
} own_files[OWN_FILES];

static bool apart;          /* before any thread */
static atomic_bool refused; /* a thread could not get a table */
static _Thread_local bool own_table;

void gcs_keep_files_apart(void)
{
	apart = true;
}

bool own_files_apart(void)
{
	return apart;
}

bool own_files_shared(void)
{
	return !apart || atomic_load(&refused);
}

/* NULL: it is something else. Only the thread that starts or stops the server changes the list. */
static struct own_file *find(int fd)
{
	struct stat st;
	for (int i = 0; i < OWN_FILES; i++) {
		struct own_file *f = &own_files[i];
		if (f->used && f->fd == fd && fstat(fd, &st) == 0 && st.st_dev == f->device &&
		    st.st_ino == f->inode)
			return f;
	}
	return NULL;
}

/* Above what programs close in a loop or wait for with select, if the limit allows it. */
static int move_up(int fd)
{
	struct rlimit limit;
	int lowest = HIGH_NUMBER;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < HIGH_NUMBER + BELOW_LIMIT)
		lowest = limit.rlim_cur > BELOW_LIMIT ? (int)limit.rlim_cur - BELOW_LIMIT : 0;
	const int moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
	if (moved == -1)
		return fd;
	close(fd);
	return moved;
}

int own_files_add(int fd)
{
	struct stat st;
	if (!apart || own_table || fd == -1)
		return fd;
	fd = move_up(fd);
	for (int i = 0; i < OWN_FILES; i++) {
		struct own_file *f = &own_files[i];
		if (f->used && find(f->fd) == f)
			continue; /* else the program has closed it */
		if (fstat(fd, &st) == 0)
			*f = (struct own_file){true, fd, st.st_dev, st.st_ino};
		break;
	}
	return fd;
}

bool own_files_has(int fd)
{
	return !apart || own_table || find(fd) != NULL;
}

int own_files_close(int fd)
{
	struct own_file *f = apart && !own_table ? find(fd) : NULL;
	if (fd == -1 || (apart && !own_table && f == NULL))
		return 0;
	if (f != NULL)
		f->used = false;
	return close(fd);
}

void own_files_leave(int fd)
{
	if (!own_table && !own_files_shared())
		(void)own_files_close(fd);
}

/* The least number from `from` on that is kept; INT_MAX: none. */
static int next_kept(int from)
{
	int next = INT_MAX;
	for (int i = 0; i < OWN_FILES; i++) {
		const struct own_file *f = &own_files[i];
		if (f->used && f->fd >= from && f->fd < next && find(f->fd) == f)
			next = f->fd;
	}
	return next;
}

void own_files_enter(void)
{
	if (!apart)
		return;
	if (!thread_own_table()) {
		atomic_store(&refused, true);
		return;
	}
	for (int from = 0, stays; from != INT_MAX; from = stays == INT_MAX ? stays : stays + 1) {
		stays = next_kept(from);
		if (stays > from)
			thread_close_range(from, stays - 1);
	}
	own_table = true;
	/* What anything writes to standard error must not get into a socket. */
	for (int fd = 0; fd <= STDERR_FILENO && open("/dev/null", O_RDWR | O_CLOEXEC) == fd; fd++)
		continue;
}

int own_files_wait_ms(int ms)
{
	return apart && (ms < 0 || ms > LOST_WAKE_MS) ? LOST_WAKE_MS : ms;
}
