/* process_vm_readv is Linux, not POSIX. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "vm_read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/uio.h>
#include <unistd.h>

static bool copy_by_process(void *to, uintptr_t from, size_t bytes)
{
	const struct iovec local = {.iov_base = to, .iov_len = bytes};
	const struct iovec remote = {.iov_base = (void *)from, .iov_len = bytes};
	const ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	return got >= 0 && (size_t)got == bytes;
}

static bool retried_read(int fd, unsigned char *to, size_t bytes)
{
	while (bytes > 0) {
		const ssize_t got = read(fd, to, bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		bytes -= (size_t)got;
	}
	return true;
}

/* Each copy uses a pipe of its own, so that threads need no lock. A chunk of PIPE_BUF bytes always
 * fits into an empty pipe. */
static bool copy_by_pipe(void *to, uintptr_t from, size_t bytes)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return false;
	unsigned char *out = to;
	bool good = true;
	while (good && bytes > 0) {
		const size_t want = bytes < PIPE_BUF ? bytes : PIPE_BUF;
		const ssize_t put = write(ends[1], (const void *)from, want);
		if (put < 0 && errno == EINTR)
			continue;
		good = put > 0 && retried_read(ends[0], out, (size_t)put);
		if (good) {
			out += put;
			from += (size_t)put;
			bytes -= (size_t)put;
		}
	}
	close(ends[0]);
	close(ends[1]);
	return good;
}

bool vm_reader_copy(const struct vm_reader *reader, void *to, uintptr_t from, size_t bytes)
{
	const int saved = errno;
	bool good = false;
	if (bytes > UINTPTR_MAX - from)
		return false;
	if (reader->method == VM_READ_PROCESS)
		good = copy_by_process(to, from, bytes);
	else if (reader->method == VM_READ_PIPE)
		good = copy_by_pipe(to, from, bytes);
	errno = saved;
	return good;
}

/* A method works if it copies readable memory and rejects unreadable memory, such as address 1. */
static bool method_works(enum vm_read_method method)
{
	const struct vm_reader reader = {.method = method};
	const uint64_t source = UINT64_C(0x6763737079617274);
	uint64_t copy = 0;
	return vm_reader_copy(&reader, &copy, (uintptr_t)&source, sizeof copy) && copy == source &&
	       !vm_reader_copy(&reader, &copy, 1, sizeof copy);
}

void vm_reader_init(struct vm_reader *reader)
{
	if (method_works(VM_READ_PROCESS))
		reader->method = VM_READ_PROCESS;
	else if (method_works(VM_READ_PIPE))
		reader->method = VM_READ_PIPE;
	else
		reader->method = VM_READ_NONE;
}

bool vm_reader_pointer(const struct vm_reader *reader, uintptr_t *to, uintptr_t from)
{
	return vm_reader_copy(reader, to, from, sizeof *to);
}

bool vm_reader_u32(const struct vm_reader *reader, uint32_t *to, uintptr_t from)
{
	return vm_reader_copy(reader, to, from, sizeof *to);
}

uintptr_t vm_probe_word(struct vm_probe *probe, uintptr_t from)
{
	uintptr_t word = 0;
	probe->failed = probe->failed || !vm_reader_pointer(probe->reader, &word, from);
	return probe->failed ? 0 : word;
}

uint32_t vm_probe_u32(struct vm_probe *probe, uintptr_t from)
{
	uint32_t word = 0;
	probe->failed = probe->failed || !vm_reader_u32(probe->reader, &word, from);
	return probe->failed ? 0 : word;
}

const char *vm_reader_text(enum vm_read_method method)
{
	switch (method) {
	case VM_READ_PROCESS:
		return "Memory is read safely with process_vm_readv.";
	case VM_READ_PIPE:
		return "Memory is read safely through a pipe, because process_vm_readv is not "
		       "allowed here.";
	case VM_READ_NONE:
		break;
	}
	return "Memory cannot be read safely: neither process_vm_readv nor a pipe works here.";
}
