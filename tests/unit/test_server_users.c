/*
 * Who may connect to a TCP port (Q1). The part with other users needs root: another process, made
 * before the server has threads, becomes the other user and takes commands through a pipe.
 */
#include <criterion/criterion.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target_suite.h"

enum { OWNER = 54321, STRANGER = 54322 };

/* Both ways to ask the kernel, for all kinds of addresses. */

struct wires {
	int listener, client, server;
};

static struct wires wires_open(const char *host, const char *connect_to)
{
	struct wires w;
	struct gcs_error err;
	struct net_address address;
	char text[80];
	int port = 0;
	w.listener = net_listen_tcp(host, 0, &port, &err);
	cr_assert_neq(w.listener, -1, "%s", err.text);
	snprintf(text, sizeof text, "%s:%d", connect_to, port);
	cr_assert(net_parse(text, &address, &err));
	w.client = net_connect(&address, 5000, -1, &err);
	cr_assert_neq(w.client, -1, "%s", err.text);
	kit_until((w.server = net_accept(w.listener)) >= 0);
	return w;
}

static void wires_close(struct wires *w)
{
	net_close(w->client);
	net_close(w->server);
	net_close(w->listener);
}

Test(server_users, the_kernel_knows_the_other_end)
{
	static const char *const table[][2] = {{"127.0.0.1", "127.0.0.1"},
	    {"127.0.0.1", "[::ffff:127.0.0.1]"}, {"127.0.0.2", "127.0.0.2"}, {"::1", "[::1]"},
	    {"0.0.0.0", "127.0.0.1"}, {"::", "[::1]"}, {"::", "127.0.0.1"}};
	bool direct = false;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct wires w = wires_open(table[i][0], table[i][1]);
		struct net_lookup lookup, tables = {.direct = false};
		uint32_t uid = 4711;
		net_lookup_init(&lookup, w.listener);
		direct = direct || lookup.direct;
		cr_assert(net_peer_user(&lookup, w.server, &uid), "%s", table[i][1]);
		cr_assert_eq(uid, geteuid());
		uid = 4711;
		cr_assert(net_peer_user(&tables, w.server, &uid), "%s by tables", table[i][1]);
		cr_assert_eq(uid, geteuid());
		wires_close(&w);
	}
	if (!direct)
		printf("skipped: this kernel answers by its tables only\n");
}

/* Orphans are nobody's: the kernel shows them as root's. */
Test(server_users, a_closed_end_is_nobodys)
{
	for (int direct = 0; direct < 2; direct++) {
		struct wires w = wires_open("127.0.0.1", "127.0.0.1");
		struct net_lookup lookup;
		uint32_t uid;
		net_lookup_init(&lookup, w.listener);
		lookup.direct = lookup.direct && direct != 0;
		net_close(w.client);
		cr_assert_not(net_peer_user(&lookup, w.server, &uid));
		w.client = -1;
		wires_close(&w);
	}
}

/* The other process. */

struct order {
	/* 'j'oin, 'a'bandon: say hello and close, 'h'old, 'e'nd the hold,
	 * 's'ilent connections, 'f'lood with connections until the process is killed, 'q'uit */
	char what;
	char address[32];
};

struct report {
	enum gcs_status status;
	char text[320];
};

struct other {
	pid_t pid;
	int orders[2], reports[2];
};

static void abandon(const char *text)
{
	struct net_address address;
	struct wr w;
	wr_init(&w, 1000);
	frame_preamble(&w);
	put_hello(&w, &(struct hello){.flags = GCS_HELLO_PAUSE, .name = "gone", .token = ""});
	net_parse(text, &address, NULL);
	for (unsigned i = 0; i < 2000; i++) {
		int fd = net_connect(&address, 1000, -1, NULL);
		if (fd == -1)
			continue;
		(void)net_write(fd, w.data, w.length);
		net_close(fd);
	}
	wr_fini(&w);
}

/* Keeps as many connections open as it can have, all of them silent or with half a hello. */
static void crowd(const char *text, unsigned turns)
{
	enum { AT_ONCE = 200 };
	static int fds[AT_ONCE];
	struct net_address address;
	net_parse(text, &address, NULL);
	for (unsigned i = 0; turns == 0 || i < turns; i++) {
		int *fd = &fds[i % AT_ONCE];
		if (*fd > 0)
			net_close(*fd);
		*fd = net_connect(&address, 1000, -1, NULL);
		if (*fd > 0 && i % 2 == 0)
			(void)net_write(*fd, "GCSP\1\0\3\0\7", 9);
	}
}

static void obey(struct other *o)
{
	struct order order;
	struct gcs_client *held = NULL;
	while (read(o->orders[0], &order, sizeof order) == (ssize_t)sizeof order) {
		struct report report = {.status = GCS_OK};
		if (order.what == 'q')
			break;
		struct gcs_error err = {.status = GCS_OK};
		if (order.what == 'a') {
			abandon(order.address);
		} else if (order.what == 's') {
			crowd(order.address, 40);
		} else if (order.what == 'f') {
			crowd(order.address, 0);
		} else if (order.what == 'e') {
			gcs_client_close(held);
			held = NULL;
		} else {
			struct gcs_client_options options = {
			    .address = order.address, .name = "other"};
			struct gcs_client *c = gcs_client_open(&options, &err);
			if (c != NULL && gcs_client_wait(c, 10000) != GCS_CLIENT_LIVE)
				gcs_client_error(c, &err);
			if (order.what == 'h')
				gcs_client_pause(held = c);
			else
				gcs_client_close(c);
		}
		report.status = err.status;
		memcpy(report.text, err.text, sizeof report.text);
		if (write(o->reports[1], &report, sizeof report) != (ssize_t)sizeof report)
			break;
	}
	_exit(0);
}

/* Call before the server is made. */
static void other_start(struct other *o, uid_t uid)
{
	cr_assert(pipe(o->orders) == 0 && pipe(o->reports) == 0);
	o->pid = fork();
	cr_assert_neq(o->pid, -1);
	if (o->pid == 0) {
		/* What is the test framework's must not stay open here. */
		for (int fd = 3; fd < 1024; fd++)
			if (fd != o->orders[0] && fd != o->reports[1])
				close(fd);
		if (setgid((gid_t)uid) != 0 || setuid(uid) != 0)
			_exit(1);
		obey(o);
	}
	close(o->orders[0]);
	close(o->reports[1]);
}

static void order_it(struct other *o, char what)
{
	struct order order = {.what = what};
	memcpy(order.address, target.address, sizeof order.address);
	cr_assert_eq(write(o->orders[1], &order, sizeof order), (ssize_t)sizeof order);
}

static struct report tell(struct other *o, char what)
{
	struct report report;
	order_it(o, what);
	cr_assert_eq(read(o->reports[0], &report, sizeof report), (ssize_t)sizeof report);
	return report;
}

static void other_end(struct other *o)
{
	struct order order = {.what = 'q'}; /* others have the pipe's end, too */
	cr_assert_eq(write(o->orders[1], &order, sizeof order), (ssize_t)sizeof order);
	close(o->orders[1]);
	close(o->reports[0]);
	cr_assert_eq(waitpid(o->pid, NULL, 0), o->pid);
}

static bool is_root(void)
{
	if (geteuid() == 0)
		return true;
	printf("skipped: clients of other users (only root can make them)\n");
	return false;
}

/* The server's process is its owner's: the real user stays root, as the effective one counts. */
static void become_owner(void)
{
	cr_assert_eq(seteuid(OWNER), 0);
}

static void become_root(void)
{
	cr_assert_eq(seteuid(0), 0);
}

Test(server_users, only_the_owner_and_root_are_let_in, .timeout = 60)
{
	struct other stranger, owner, root;
	if (!is_root())
		return;
	other_start(&stranger, STRANGER);
	other_start(&owner, OWNER);
	other_start(&root, 0);
	become_owner();
	kit_count_memory(0);
	cr_assert(target_init(&target, &(struct gcs_server_options){.name = "users"}));
	struct report report = tell(&stranger, 'j');
	cr_assert_eq(report.status, GCS_REJECTED);
	cr_assert_str_eq(report.text,
	    "this server admits only user 54321 and root, not user 54322; "
	    "allow=any or token-file= admits others");
	kit_until(atomic_load(&target.lines) == 1);
	cr_assert_eq(target_stats(&target).clients_rejected, 1);
	cr_assert_not_null(strstr(target.line, "not user 54322"), "%s", target.line);
	cr_assert_eq(target_stats(&target).clients_ever, 0);
	cr_assert_eq(tell(&owner, 'j').status, GCS_OK);
	cr_assert_eq(tell(&root, 'j').status, GCS_OK);
	cr_assert_eq(target_stats(&target).clients_ever, 2);
	target_fini(&target);
	become_root();
	other_end(&stranger);
	other_end(&owner);
	other_end(&root);
	cr_assert_eq(kit_live_blocks(), 0);
}

/* What a stranger has said before it closed must not count as root's. */
Test(server_users, nobody_is_let_in_by_closing, .timeout = 120)
{
	struct other stranger;
	if (!is_root())
		return;
	other_start(&stranger, STRANGER);
	become_owner();
	cr_assert(target_init(&target, &(struct gcs_server_options){.name = "users"}));
	(void)tell(&stranger, 'a');
	kit_until(target_stats(&target).clients_rejected >= 1000);
	cr_assert_eq(target_stats(&target).clients_ever, 0);
	cr_assert_eq(atomic_load(&target.comings), 0);
	target_fini(&target);
	become_root();
	other_end(&stranger);
}

Test(server_users, the_options_let_others_in, .timeout = 60)
{
	static const struct gcs_server_options open[] = {
	    {.name = "any", .allow_any_user = true}, {.name = "token", .token = "t"}};
	for (size_t i = 0; i < 2; i++) {
		struct other stranger;
		if (!is_root())
			return;
		other_start(&stranger, STRANGER);
		become_owner();
		cr_assert(target_init(&target, &open[i]), "%s", target.err.text);
		/* The token decides: any user with it is admitted, and no other. */
		cr_assert_eq(
		    tell(&stranger, 'j').status, open[i].token == NULL ? GCS_OK : GCS_DENIED);
		struct gcs_client *mine =
		    join(&(struct gcs_client_options){.token = open[i].token});
		gcs_client_close(mine);
		if (open[i].token == NULL) {
			/* The owner ends the hold of another user. */
			cr_assert_eq(tell(&stranger, 'h').status, GCS_OK);
			struct gcs_client *c =
			    join(&(struct gcs_client_options){.resume_only = true});
			uint32_t others = 0;
			kit_until((gcs_client_run_state(c, NULL, &others), others == 1));
			cr_assert_eq(gcs_client_resume(c, true), GCS_OK);
			kit_until(gcs_client_run_state(c, NULL, NULL) == GCS_RUNNING);
			gcs_client_close(c);
			(void)tell(&stranger, 'e');
		}
		target_fini(&target);
		become_root();
		other_end(&stranger);
	}
}

/* Forty silent connections, then a flood, of another user: the owner and root come as if they were
 * not there. */
Test(server_users, strangers_make_way, .timeout = 120)
{
	enum { ROUNDS = 20 };
	struct other stranger, owner, root;
	if (!is_root())
		return;
	other_start(&stranger, STRANGER);
	other_start(&owner, OWNER);
	other_start(&root, 0);
	become_owner();
	cr_assert(target_init(&target, &(struct gcs_server_options){.name = "users"}));
	struct gcs_client *first = join(&plain);
	kit_until(wants(KIT_TICK, 1));
	(void)tell(&stranger, 's');
	cr_assert_eq(tell(&owner, 'j').status, GCS_OK);
	order_it(&stranger, 'f');
	kit_until(target_stats(&target).clients_rejected > 200);
	for (unsigned i = 0; i < ROUNDS; i++) {
		target_event(&target, KIT_TICK, 0);
		(void)next_sequence(first);
		struct report report = tell(i % 2 == 0 ? &owner : &root, 'j');
		cr_assert_eq(report.status, GCS_OK, "%s", report.text);
		gcs_client_close(join(&(struct gcs_client_options){.resume_only = true}));
	}
	cr_assert_eq(gcs_client_state(first), GCS_CLIENT_LIVE);
	gcs_client_close(first);
	become_root();
	kill(stranger.pid, SIGKILL);
	cr_assert_eq(waitpid(stranger.pid, NULL, 0), stranger.pid);
	target_fini(&target);
	other_end(&owner);
	other_end(&root);
}
