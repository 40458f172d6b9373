/* `gcspy attach` as a child: what it says is the reason, and one that does not end is ended. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach_program.h"

static char folder[] = "/tmp/gcspy-attach-XXXXXX", program[64], why[200];

/* A program in its place. */
static void stands_in(const char *script)
{
	cr_assert_not_null(mkdtemp(folder));
	snprintf(program, sizeof program, "%s/gcspy", folder);
	FILE *file = fopen(program, "w");
	cr_assert_not_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", script);
	cr_assert_eq(fclose(file), 0);
	cr_assert_eq(chmod(program, 0700), 0);
}

static void tidy(void)
{
	unlink(program);
	rmdir(folder);
}

Test(attach_program, gets_what_is_to_be_done, .fini = tidy)
{
	stands_in("[ \"$*\" = 'attach 4711 port=0 --timeout 30 --agent /a b' ]");
	cr_assert(
	    attach_by_program(program, 4711, "port=0", "/a b", 30, why, sizeof why), "%s", why);
	cr_assert_not(attach_by_program(program, 4711, "port=0", NULL, 30, why, sizeof why));
	cr_assert_str_eq(why, "`gcspy attach 4711` failed without a reason");
}

Test(attach_program, its_message_is_the_reason, .fini = tidy)
{
	stands_in("echo 'gcspy: process 4711 is shy' >&2; echo more >&2; exit 1");
	cr_assert_not(attach_by_program(program, 4711, "", NULL, 30, why, sizeof why));
	cr_assert_str_eq(why, "process 4711 is shy");
	cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1, "no child is left");
}

Test(attach_program, one_that_does_not_end_is_ended, .fini = tidy)
{
	stands_in("exec sleep 600");
	cr_assert_not(attach_by_program(program, 4711, "", NULL, 0, why, sizeof why));
	cr_assert_str_eq(why, "`gcspy attach 4711` does not end");
	cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
}

Test(attach_program, none_there)
{
	cr_assert_not(attach_by_program("/no/gcspy", 4711, "", NULL, 30, why, sizeof why));
	cr_assert_str_eq(why, "cannot execute /no/gcspy: No such file or directory");
}
