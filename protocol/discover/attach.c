#include "attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net.h"
#include "now.h"

/* Polling period of waits. */
enum { TURN_MS = 20 };

/* A starting JVM removes a socket that it created too early. If its start cannot be observed, it gets
 * this much time. */
enum { START_MS = 2000 };

/* How long another program may take that attaches to the same JVM. */
enum { OTHERS_TURNS = 25 };

/* The shortest wait after which a JVM without a socket gets a second signal. */
enum { AGAIN_MS = 1000 };

struct attempt {
	const struct jvm *jvm;
	uint64_t deadline_ms;
	struct net_address socket;
	char trigger[80]; /* the file that we made, or "" */
	sigset_t before;  /* signals that were blocked */
	bool woken;       /* the JVM was asked to listen, which is done once */
	bool started;     /* it had started before that, by its PerfData */
	bool early;       /* the JVM has answered that it is still starting */
	bool foreign;     /* another process has its socket */
	struct stat dead; /* a socket that refused a connection */
	char *why;        /* for the caller: one line */
	size_t size;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct attempt *a, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(a->why, a->size, format, list);
	va_end(list);
	return false;
}

/* Termination signals wait while there is a file to remove. */
static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

static bool is_interrupted(void)
{
	sigset_t pending;
	if (sigpending(&pending) != 0)
		return false;
	for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++)
		if (sigismember(&pending, ending[i]) == 1)
			return true;
	return false;
}

static void hold_signals(struct attempt *a)
{
	sigset_t held;
	struct sigaction action;
	sigemptyset(&held);
	for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++)
		if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&held, ending[i]);
	sigprocmask(SIG_BLOCK, &held, &a->before);
}

/* Removes our file; ends the program here if a signal is pending. */
static void clean_up(struct attempt *a)
{
	if (a->trigger[0] != '\0')
		(void)unlink(a->trigger);
	a->trigger[0] = '\0';
	sigprocmask(SIG_SETMASK, &a->before, NULL);
}

static double seconds_left(const struct attempt *a)
{
	uint64_t now = now_ms();
	return now < a->deadline_ms ? (double)(a->deadline_ms - now) / 1000 : 0;
}

/* False at the deadline. */
static bool wait_a_turn(struct attempt *a)
{
	if (is_interrupted())
		clean_up(a);
	if (seconds_left(a) <= 0)
		return false;
	poll(NULL, 0, TURN_MS);
	return true;
}

/* Whether it is the socket that refused. A later file may have the same inode number. */
static bool is_dead(const struct attempt *a, const struct stat *st)
{
	const struct stat *dead = &a->dead;
	return st->st_ino == dead->st_ino && st->st_dev == dead->st_dev &&
	       st->st_ctim.tv_sec == dead->st_ctim.tv_sec &&
	       st->st_ctim.tv_nsec == dead->st_ctim.tv_nsec;
}

/* Only the JVM's user or root can have created its socket. */
static bool is_socket(const struct attempt *a, const struct stat *st)
{
	return S_ISSOCK(st->st_mode) &&
	       ((long)st->st_uid == a->jvm->status.user || st->st_uid == 0) && !is_dead(a, st);
}

static bool has_socket(const struct attempt *a)
{
	struct stat st;
	return lstat(a->socket.host, &st) == 0 && is_socket(a, &st);
}

/* Another file is in place of the JVM's socket. */
static bool is_blocked(const struct attempt *a)
{
	struct stat st;
	return lstat(a->socket.host, &st) == 0 && !is_socket(a, &st);
}

/*
 * A descriptor, or -1. A JVM listens before it names its socket (a full queue would be EAGAIN), so
 * one that refuses was left by a killed process and is ignored from now on.
 */
static int connect_now(struct attempt *a, struct gcs_error *err)
{
	uint32_t left = (uint32_t)(seconds_left(a) * 1000);
	struct stat st;
	gcs_fail(err, GCS_UNREACHABLE, "it does not listen for requests to attach");
	if (lstat(a->socket.host, &st) != 0 || !is_socket(a, &st))
		return -1;
	errno = 0;
	int fd = net_connect(&a->socket, left, -1, err);
	if (fd == -1 && errno == ECONNREFUSED)
		a->dead = st;
	/* Programs of several PID namespaces may share /tmp, where the name of their sockets is the same. */
	const long peer = fd == -1 ? -1 : net_peer_pid(fd);
	if (peer == -1 || peer == a->jvm->pid)
		return fd;
	net_close(fd);
	a->foreign = true;
	gcs_fail(err, GCS_UNREACHABLE,
	    "its socket /tmp/.java_pid%ld is that of process %ld, which has the same number in "
	    "its own PID namespace and the same /tmp",
	    a->jvm->status.inner_pid, peer);
	return -1;
}

/* Creates the trigger file in one of the two folders where a JVM looks for it. */
static bool make_trigger(struct attempt *a)
{
	static const char *const folders[] = {"cwd", "root/tmp"};
	const struct jvm *jvm = a->jvm;
	char path[sizeof a->trigger];
	for (int i = 0; i < 2; i++) {
		struct stat st;
		snprintf(path, sizeof path, "/proc/%ld/%s/.attach_pid%ld", jvm->pid, folders[i],
		    jvm->status.inner_pid);
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		/* A file left by another attempt will do. */
		if (fd == -1 && errno == EEXIST && lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		    ((long)st.st_uid == jvm->status.user || st.st_uid == 0))
			return true;
		if (fd == -1)
			continue;
		/* A JVM before JDK 12 takes only a file of its own user, later ones root's too. */
		int failed = geteuid() != 0
				 ? 0
				 : fchown(fd, (uid_t)jvm->status.user, (gid_t)jvm->status.group);
		(void)failed;
		close(fd);
		memcpy(a->trigger, path, sizeof path);
		return true;
	}
	return false;
}

/* Checks again that the signal would reach the same JVM. NULL if so, else why not. */
static const char *why_no_signal(struct attempt *a, bool had_time)
{
	struct jvm now;
	const bool found = jvm_look(a->jvm->pid, &now) == JVM_FOUND;
	a->started = found && now.has_perfdata && now.is_live;
	if (!found || now.status.inner_pid != a->jvm->status.inner_pid)
		return "has ended";
	if (now.no_attach)
		return "does not allow it (-XX:+DisableAttachMechanism)";
	if (!now.status.takes_quit)
		return "does not handle SIGQUIT, which asks a JVM to listen and would end this one";
	return now.is_live || (had_time && !now.has_perfdata) ? NULL : "has not started in time";
}

/*
 * Waits until the JVM may get the signal, or has a socket without it (-XX:+StartAttachListener,
 * -Xrs). False with the reason in `why`.
 */
static bool wait_for_start(struct attempt *a)
{
	uint64_t had_time = now_ms() + START_MS;
	const char *why;
	while ((why = why_no_signal(a, now_ms() >= had_time)) != NULL && !has_socket(a))
		if (!wait_a_turn(a))
			return fail(a, "cannot attach to process %ld: it %s", a->jvm->pid, why);
	return true;
}

/* It listens at a socket whose name another file has taken: no signal makes it open another. */
static bool is_hidden(const struct attempt *a)
{
	return is_blocked(a) && jvm_has_thread(a->jvm->pid, "Attach Listener");
}

static bool send_signal(struct attempt *a)
{
	long pid = a->jvm->pid;
	/* A JVM that is listening by now would print a thread dump. */
	for (int i = 0; i < OTHERS_TURNS && (a->trigger[0] == '\0' || is_hidden(a)); i++)
		if (has_socket(a) || !wait_a_turn(a))
			break;
	if (is_hidden(a))
		return fail(a,
		    "process %ld listens for requests to attach, but another process "
		    "has left its file at /tmp/.java_pid%ld: remove that file",
		    pid, a->jvm->status.inner_pid);
	if (!has_socket(a) && kill((pid_t)pid, SIGQUIT) != 0)
		return fail(a, "process %ld: cannot send SIGQUIT: %s", pid, strerror(errno));
	return true;
}

/*
 * The signal is sent again at half of the time, as the JDK's own tools do: a JVM that got the first
 * one while it started may have removed the socket, and opens another (JDK 17's
 * AttachListener::vm_start and check_socket_file, attachListener_posix.cpp). One that had started has
 * the first one, however long a client holds it, and would print its threads at the second.
 */
static bool wait_for_socket(struct attempt *a)
{
	long pid = a->jvm->pid, inner = a->jvm->status.inner_pid;
	uint64_t half = a->started ? 0 : (uint64_t)(seconds_left(a) * 500);
	uint64_t again = now_ms() + half;
	while (!has_socket(a)) {
		if (half >= AGAIN_MS && now_ms() >= again && why_no_signal(a, true) == NULL) {
			half = 0;
			(void)kill((pid_t)pid, SIGQUIT);
		}
		if (kill((pid_t)pid, 0) != 0)
			return fail(a, "process %ld has ended", pid);
		if (wait_a_turn(a))
			continue;
		/* Only its user can replace a file in /tmp. */
		if (is_blocked(a))
			return fail(a,
			    "process %ld has not begun to listen in time: the file "
			    "/tmp/.java_pid%ld of another process may be in its way",
			    pid, inner);
		return fail(a,
		    "process %ld has not begun to listen in time: it may be stopped, "
		    "or paused by a client (`gcspy resume %ld`)",
		    pid, pid);
	}
	return true;
}

/* Makes the JVM open its socket. False with the reason in `why`. */
static bool wake_listener(struct attempt *a)
{
	if (!wait_for_start(a))
		return false;
	if (has_socket(a))
		return true;
	if (!make_trigger(a))
		return fail(a,
		    "process %ld: cannot make the file .attach_pid%ld in its folder or "
		    "its /tmp: %s",
		    a->jvm->pid, a->jvm->status.inner_pid, strerror(errno));
	return send_signal(a) && wait_for_socket(a);
}

/* A descriptor, or -1 with the reason in `why`. */
static int open_connection(struct attempt *a)
{
	struct gcs_error err;
	int fd;
	do {
		/* A JVM removes a dead socket of its number when it starts or begins to listen. */
		if (!a->woken && !has_socket(a)) {
			a->woken = true;
			if (!wake_listener(a))
				return -1;
		}
		fd = connect_now(a, &err);
		if (fd != -1)
			return fd;
	} while (!a->foreign && wait_a_turn(a));
	fail(a, "process %ld: %s", a->jvm->pid, err.text);
	return -1;
}

/* Waits until the socket can be written to or read from. */
static bool wait_for(const struct attempt *a, int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};
	while (seconds_left(a) > 0)
		if (poll(&p, 1, TURN_MS) > 0)
			return true;
	return false;
}

static bool send_request(const struct attempt *a, int fd, const char *library, const char *options)
{
	char request[2 * ATTACH_TEXT + 64];
	const char *const texts[] = {"1", "load", library, "true", options};
	size_t length = 0;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		memcpy(request + length, texts[i], strlen(texts[i]) + 1);
		length += strlen(texts[i]) + 1;
	}
	for (size_t sent = 0; sent < length;) {
		long n =
		    wait_for(a, fd, POLLOUT) ? net_write(fd, request + sent, length - sent) : -1;
		if (n < 0)
			return false;
		sent += (size_t)n;
	}
	return true;
}

/* The answer, cut to the buffer; false if its end is late. */
static bool read_answer(const struct attempt *a, int fd, char answer[ATTACH_ANSWER])
{
	size_t length = 0;
	while (length < ATTACH_ANSWER - 1) {
		if (!wait_for(a, fd, POLLIN))
			return false;
		long n = net_read(fd, answer + length, ATTACH_ANSWER - 1 - length);
		if (n < 0)
			break;
		for (long i = 0; i < n; i++, length++)
			if (answer[length] == '\0')
				answer[length] = '?';
	}
	answer[length] = '\0';
	return true;
}

static bool converse(
    struct attempt *a, int fd, const char *library, const char *options, int *result)
{
	char answer[ATTACH_ANSWER], why[600];
	long pid = a->jvm->pid;
	if (!send_request(a, fd, library, options) || !read_answer(a, fd, answer))
		return fail(a,
		    "process %ld has not answered in time, and may still do so (see `gcspy list`): "
		    "if a client holds it, `gcspy resume %ld` lets it go on",
		    pid, pid);
	if (answer[0] == '\0')
		return fail(a, "process %ld has closed the connection without an answer%s", pid,
		    kill((pid_t)pid, 0) != 0 ? ": it has ended" : "");
	if (attach_parse_answer(answer, result, why, sizeof why))
		return true;
	/* "Dynamic agent loading is only permitted in the live phase" (JDK 21 and later). */
	a->early = strstr(why, "live phase") != NULL && wait_a_turn(a);
	return fail(a, "process %ld did not load the agent: %s", pid, why);
}

bool attach_load(const struct jvm *jvm, const char *library, const char *options,
    uint64_t deadline_ms, int *result, char *why, size_t size)
{
	struct attempt a = {.jvm = jvm,
	    .deadline_ms = deadline_ms,
	    .socket = {.is_unix = true},
	    .why = why,
	    .size = size};
	bool done;
	snprintf(a.socket.host, sizeof a.socket.host, "/proc/%ld/root/tmp/.java_pid%ld", jvm->pid,
	    jvm->status.inner_pid);
	do {
		hold_signals(&a);
		int fd = open_connection(&a);
		clean_up(&a);
		a.early = false;
		done = fd != -1 && converse(&a, fd, library, options, result);
		net_close(fd);
	} while (a.early);
	return done;
}
