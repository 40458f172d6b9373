#include "own_jvm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net.h"
#include "now.h"
#include "thread.h"

/* How long another one that has asked the JVM to listen may take. */
enum { OTHERS_TURNS = 25 };

enum { TURN_MS = 20, REQUEST = 256, NAME = 64 };

static bool listens(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == geteuid();
}

/* NULL, or why no signal may be sent: it would end the program, or do nothing. */
static const char *why_no_signal(const struct vm *vm)
{
	struct sigaction action;
	bool off = false;
	if (vm_flag_bool(vm, "DisableAttachMechanism", &off) && off)
		return "the JVM does not listen for tools (-XX:+DisableAttachMechanism)";
	/* With -Xrs it listens from the beginning. */
	if (sigaction(SIGQUIT, NULL, &action) != 0 || action.sa_handler == SIG_DFL ||
	    action.sa_handler == SIG_IGN)
		return "the JVM does not handle SIGQUIT, which asks it to listen for tools";
	return NULL;
}

/* The file that makes the JVM take the signal for a request, in a folder where it looks for one. */
static bool make_trigger(char path[NAME])
{
	static const char *const folders[] = {"/tmp", "."};
	for (int i = 0; i < 2; i++) {
		snprintf(path, NAME, "%s/.attach_pid%ld", folders[i], (long)getpid());
		const int fd =
		    open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd != -1) {
			close(fd);
			return true;
		}
		if (errno == EEXIST) { /* a tool's, which removes it */
			path[0] = '\0';
			return true;
		}
	}
	return false;
}

static enum gcs_status begin_to_listen(
    const struct vm *vm, const char *socket, uint64_t deadline, struct gcs_error *err)
{
	const char *why = why_no_signal(vm);
	char trigger[NAME];
	if (why != NULL)
		return gcs_fail(err, GCS_UNSUPPORTED, "%s", why);
	if (!make_trigger(trigger))
		return gcs_fail(err, GCS_STATE,
		    "the JVM does not listen for tools, and no file can be made in /tmp");
	bool ready = false;
	/* A JVM that another one has made listen by now would print a thread dump. */
	for (int i = 0; i < OTHERS_TURNS && trigger[0] == '\0' && !listens(socket); i++)
		thread_sleep_us(TURN_MS * 1000);
	if (!listens(socket))
		(void)kill(getpid(), SIGQUIT);
	while (!(ready = listens(socket)) && now_ns() < deadline)
		thread_sleep_us(TURN_MS * 1000);
	if (trigger[0] != '\0')
		(void)unlink(trigger);
	return ready ? GCS_OK
		     : gcs_fail(err, GCS_TIMEOUT, "the JVM has not begun to listen for tools");
}

static uint32_t left_ms(uint64_t deadline)
{
	const uint64_t now = now_ns();
	return now < deadline ? (uint32_t)((deadline - now) / 1000000) : 0;
}

static bool wait_for(int fd, short events, uint64_t deadline)
{
	struct pollfd p = {.fd = fd, .events = events};
	return poll(&p, 1, (int)left_ms(deadline)) > 0;
}

static bool send_request(int fd, const char *command, uint64_t deadline)
{
	char request[REQUEST];
	const char *const words[] = {"1", "jcmd", command, "", ""};
	size_t length = 0;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		const size_t bytes = strlen(words[i]) + 1;
		if (length + bytes > sizeof request)
			return false;
		memcpy(request + length, words[i], bytes);
		length += bytes;
	}
	for (size_t sent = 0; sent < length;) {
		const long n = wait_for(fd, POLLOUT, deadline)
				   ? net_write(fd, request + sent, length - sent)
				   : -1;
		if (n < 0)
			return false;
		sent += (size_t)n;
	}
	return true;
}

/* Up to the end of the connection; false if that does not come in time. */
static bool read_answer(int fd, char *text, size_t bytes, uint64_t deadline)
{
	char more[REQUEST];
	size_t length = 0;
	long n = 0;
	while (n >= 0) {
		if (!wait_for(fd, POLLIN, deadline))
			return false;
		const bool full = length == bytes - 1;
		n = net_read(
		    fd, full ? more : text + length, full ? sizeof more : bytes - 1 - length);
		if (n > 0 && !full)
			length += (size_t)n;
	}
	text[length] = '\0';
	return true;
}

enum gcs_status own_jvm_command(const struct vm *vm, const char *command, uint32_t ms, char *text,
    size_t bytes, struct gcs_error *err)
{
	const uint64_t deadline = now_ns() + (uint64_t)ms * 1000000;
	struct net_address at = {.is_unix = true};
	snprintf(at.host, sizeof at.host, "/tmp/.java_pid%ld", (long)getpid());
	const enum gcs_status status =
	    listens(at.host) ? GCS_OK : begin_to_listen(vm, at.host, deadline, err);
	if (status != GCS_OK)
		return status;
	const int fd = net_connect(&at, left_ms(deadline), -1, err);
	if (fd == -1)
		return err->status;
	const bool good =
	    send_request(fd, command, deadline) && read_answer(fd, text, bytes, deadline);
	net_close(fd);
	if (!good)
		return gcs_fail(err, GCS_TIMEOUT,
		    "the JVM has not answered in time: it may be busy, or paused by a client");
	if (strncmp(text, "0\n", 2) != 0)
		return gcs_fail(err, GCS_STATE, "the JVM's answer: %.120s", text);
	memmove(text, text + 2, strlen(text + 2) + 1);
	return GCS_OK;
}
