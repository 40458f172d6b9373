/* A program whose descriptors are its own: as they are without libgcspymalloc.so, whatever is closed twice,
 * and whatever is closed that it has not opened. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier) */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void churn(int times)
{
	for (int i = 0; i < times; i++) {
		void *volatile block = malloc((size_t)(i % 50) * 100 + 1);
		free(block);
	}
}

/* As bash does with the pipes of `a | b`: each end is closed twice, and the second time it is nobody's. */
static void twice(void)
{
	int lowest = 1 << 20, highest = 0;
	long closed = 0, lost = 0;
	for (int i = 0; i < 60000; i++) {
		int ends[2];
		char bytes[2];
		if (pipe(ends) != 0)
			exit(3);
		lowest = ends[0] < lowest ? ends[0] : lowest;
		highest = ends[1] > highest ? ends[1] : highest;
		(void)!write(ends[1], "x", 1);
		closed += close(ends[1]) != 0;
		closed += close(ends[1]) == 0 || errno != EBADF;
		churn(3);
		lost += read(ends[0], bytes, 2) != 1;
		closed += close(ends[0]) != 0;
		closed += close(ends[0]) == 0 || errno != EBADF;
	}
	printf("pipes %d to %d, %ld wrong ends, %ld bytes lost\n", lowest, highest, closed, lost);
}

/* What was closed is what open returns next. */
static void standard(void)
{
	long other = 0;
	for (int i = 0; i < 60000; i++) {
		close(0);
		churn(3);
		const int fd = open("/dev/null", O_RDONLY);
		other += fd != 0;
		if (fd > 0)
			close(fd);
	}
	printf("%ld of another number\n", other);
}

static void wait_for_line(void)
{
	char byte = 0;
	while (read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n')
		continue;
}

/* A file on each number that is free: whatever is written to one of them is in the file. */
static int take_all(int file, struct stat *st)
{
	int highest = file;
	for (int fd; (fd = dup(file)) != -1;)
		highest = fd > highest ? fd : highest;
	fstat(file, st);
	return highest;
}

static void check(const char *who, int file, int highest, const struct stat *was)
{
	long lost = 0;
	struct stat st;
	for (int fd = file; fd <= highest; fd++)
		lost += fstat(fd, &st) != 0 || st.st_ino != was->st_ino;
	fstat(file, &st);
	printf("%s: %ld descriptors lost, %ld bytes written\n", who, lost, (long)st.st_size);
	fflush(stdout);
}

/* As daemons do: closes all, and opens files of its own. Then it runs until there is a line to read, forks, and
 * ends. */
static void everything(void)
{
	char name[] = "descriptors-XXXXXX";
	struct stat st;
	puts("ready");
	fflush(stdout);
	wait_for_line();
	for (int fd = 3; fd < 1 << 16; fd++)
		close(fd);
	const int file = mkstemp(name);
	const int highest = take_all(file, &st);
	unlink(name);
	churn(100000);
	free(malloc(3 << 20));
	puts("closed");
	fflush(stdout);
	wait_for_line();
	const pid_t child = fork();
	if (child == 0) {
		churn(100000);
		check("child", file, highest, &st);
		exit(0);
	}
	int status = -1;
	waitpid(child, &status, 0);
	churn(100000);
	check("parent", file, highest, &st);
	printf("status %d, file %d\n", status, file);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} table[] = {{"twice", twice}, {"standard", standard}, {"everything", everything}};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (argc == 2 && strcmp(argv[1], table[i].name) == 0) {
			table[i].run();
			return 0;
		}
	return 2;
}
