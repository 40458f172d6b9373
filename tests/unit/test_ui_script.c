/* Scripts: every failure names its line, waits end, steps reach the window. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "script.h"
#include "ui_world.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

Test(script, fails_with_the_line, .fini = close_world)
{
	world_open(&w, 800, 600);
	world_live(&w, 1);
	static const struct {
		const char *text, *failure;
	} cases[] = {
	    {"# comment\n\nfrobnicate\n", "t:3: frobnicate: unknown step"},
	    {"theme dark\nselect Nowhere 3\n", "t:2: select Nowhere 3: No space named"},
	    {"select G1 regions 192", "t:1: select G1 regions 192: G1 regions has no tile 192"},
	    {"key Hyper\n", "t:1: key Hyper: unknown key"},
	    {"wait tomorrow\n", "t:1: wait tomorrow: expected event N"},
	    {"click 3\n", "t:1: click 3: expected X Y"},
	    {"size 3x3\n", "t:1: size 3x3: expected WxH"},
	    {"screenshot /nowhere/a.png\n", "t:1: screenshot /nowhere/a.png: image /nowhere/a.png"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct script script;
		struct gcs_error err;
		cr_assert(script_init(&script, "t", cases[i].text, &err));
		cr_assert_eq(script_run(&script, &w.app), SCRIPT_FAILED, "%s", cases[i].text);
		cr_assert_not_null(strstr(script.failure, cases[i].failure), "%s", script.failure);
		script_fini(&script);
	}
}

Test(script, waits_and_gives_up, .fini = close_world)
{
	world_open(&w, 800, 600);
	struct script script;
	struct gcs_error err;
	cr_assert(script_init(
	    &script, "t", "connect here\nwait live\nwait event 3\nsleep 50\nquit\n", &err));
	cr_assert_eq(script_run(&script, &w.app), SCRIPT_RUNNING);
	cr_assert_eq(script_wait_ms(&script, &w.app), SCRIPT_WAIT_MS);
	w.source.state = SOURCE_LIVE;
	world_event(&w);
	cr_assert_eq(script_run(&script, &w.app), SCRIPT_RUNNING);
	world_event(&w);
	world_event(&w);
	cr_assert_eq(script_run(&script, &w.app), SCRIPT_RUNNING);
	cr_assert_eq(script_wait_ms(&script, &w.app), 50);
	w.app.now_ms += 50;
	cr_assert_eq(script_run(&script, &w.app), SCRIPT_DONE);
	cr_assert(w.app.quit);
	script_fini(&script);
	w.app.quit = false;
	cr_assert(script_init(&script, "t", "wait more 2\nwait says used before\tx\n", &err));
	cr_assert_eq(script_run(&script, &w.app), SCRIPT_RUNNING);
	world_event(&w);
	cr_assert_eq(script_run(&script, &w.app), SCRIPT_RUNNING);
	cr_assert_eq(script.line, 1, "one more is not two");
	world_event(&w);
	cr_assert_eq(script_run(&script, &w.app), SCRIPT_RUNNING);
	cr_assert_eq(script.line, 2);
	script_fini(&script);
	cr_assert(script_init(&script, "t", "wait says On screen\n", &err));
	cr_assert_eq(script_run(&script, &w.app), SCRIPT_RUNNING);
	app_toast(&w.app, "On screen");
	cr_assert_eq(script_run(&script, &w.app), SCRIPT_DONE);
	script_fini(&script);
	cr_assert(script_init(&script, "t", "wait event 99\n", &err));
	cr_assert_eq(script_run(&script, &w.app), SCRIPT_RUNNING);
	w.app.now_ms += SCRIPT_WAIT_MS;
	cr_assert_eq(script_run(&script, &w.app), SCRIPT_FAILED);
	cr_assert_not_null(strstr(script.failure, "t:1: wait event 99: timed out after 30 s"));
	script_fini(&script);
}
