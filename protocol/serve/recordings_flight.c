/* Flight recordings: what an agent has kept of the last seconds, from the file that it writes of them. */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "now.h"
#include "recordings.h"

enum { FLIGHT_ANSWER_MS = 5000, FLIGHT_FILE_MS = 20000, FLIGHT_TURN_MS = 100 };

/* The file that the agent has written last, as it names it, or "". */
static void find_flight(struct target *target, char path[PATH_MAX])
{
	struct gcs_model *model = gcs_client_model(target->client);
	path[0] = '\0';
	for (uint32_t i = 0; model != NULL && i < model->info_count; i++)
		if (strcmp(model->info[i].key, "Flight recording") == 0)
			snprintf(path, PATH_MAX, "%s", model->info[i].value);
	gcs_model_unref(model);
}

/* False with the reason, in the words of the agent where it has some. */
static bool ask_for_flight(struct target *target, struct gcs_error *err)
{
	const struct gcs_info save = {"save", "yes"};
	uint32_t id;
	if (gcs_client_query(target->client, "flight-ring", 1, &save, &id) != GCS_OK)
		return gcs_fail(err, GCS_STATE, "the JVM is not connected"), false;
	struct gcs_answer *answer = gcs_client_answer(target->client, id, FLIGHT_ANSWER_MS);
	const enum gcs_status status = answer == NULL ? GCS_TIMEOUT : answer->status;
	if (status == GCS_TIMEOUT)
		gcs_fail(err, status, "the JVM does not answer");
	else if (status == GCS_UNSUPPORTED || status == GCS_ARGUMENT)
		gcs_fail(err, GCS_UNSUPPORTED,
		    "its agent keeps no flight ring: its option record-ring=, or --flight where "
		    "gcspy "
		    "serve loads it");
	else if (status != GCS_OK)
		gcs_fail(err, status, "%s", answer->message);
	gcs_answer_free(answer);
	return status == GCS_OK;
}

/*
 * Opens the file in the JVM's file system, or in ours where its process is not known. The JVM may lead us
 * anywhere by a link in its path; what is opened must be a plain file of its own user, which could read it itself.
 */
static int open_flight(const struct target *target, const char *path)
{
	char whole[PATH_MAX + 64], process[32];
	struct stat st, owner;
	snprintf(process, sizeof process, "/proc/%ld", target->is.pid);
	if (target->is.pid == 0)
		snprintf(whole, sizeof whole, "%s", path);
	else
		snprintf(whole, sizeof whole, "%s/%s/%s", process, path[0] == '/' ? "root" : "cwd",
		    path);
	if (stat(target->is.pid == 0 ? target->is.socket : process, &owner) != 0)
		return -1;
	const int fd = open(whole, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd != -1 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == owner.st_uid)
		return fd;
	if (fd != -1)
		close(fd);
	return -1;
}

bool recordings_fly(
    struct recordings *r, struct target *target, char name[RECORDING_NAME], struct gcs_error *err)
{
	char before[PATH_MAX], path[PATH_MAX];
	const uint64_t deadline = now_ms() + FLIGHT_FILE_MS;
	if (target->client == NULL)
		return gcs_fail(err, GCS_STATE, "the JVM is not connected"), false;
	find_flight(target, before);
	if (!ask_for_flight(target, err))
		return false;
	do {
		poll(NULL, 0, FLIGHT_TURN_MS);
		find_flight(target, path);
	} while (strcmp(path, before) == 0 && now_ms() < deadline);
	if (strcmp(path, before) == 0)
		return gcs_fail(err, GCS_TIMEOUT,
			   "its agent has not saved the ring; it writes ten files at "
			   "most (record-ring-files)"),
		       false;
	const int source = open_flight(target, path);
	if (source == -1)
		return gcs_fail(err, GCS_IO,
			   "%.200s, which its agent has written, cannot be read from here", path),
		       false;
	const bool good = recordings_keep(r, target, source, name, err);
	close(source);
	return good;
}
