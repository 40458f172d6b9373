#include "container.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool container_parse(const char *text, size_t length, char id[CONTAINER_ID])
{
	size_t digits = 0;
	id[0] = '\0';
	for (size_t i = 0; i <= length; i++) {
		const bool is =
		    i < length && text[i] != '\0' && strchr("0123456789abcdef", text[i]) != NULL;
		if (!is && digits == CONTAINER_DIGITS) {
			memcpy(id, text + i - CONTAINER_DIGITS, CONTAINER_DIGITS);
			id[CONTAINER_DIGITS] = '\0';
		}
		digits = is ? digits + 1 : 0;
	}
	return id[0] != '\0';
}

bool container_of(long pid, char id[CONTAINER_ID])
{
	enum { MOST = 16384 };
	char path[48], text[MOST];
	size_t length = 0;
	ssize_t n;
	id[0] = '\0';
	snprintf(path, sizeof path, "/proc/%ld/cgroup", pid);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return false;
	while ((n = read(fd, text + length, sizeof text - length)) > 0)
		length += (size_t)n;
	close(fd);
	return container_parse(text, length, id);
}
