#include "marks_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "whole_file.h"

#define LONGEST (1 << 17) /* bytes of the file */

struct marks_job {
	pthread_t thread;
	char path[1024];
	char *text;
	bool writes;
	struct gcs_error err;
	atomic_bool done;
	void (*wake)(void *context);
	void *context;
};

static void read_file(struct marks_job *job)
{
	FILE *f = fopen(job->path, "r");
	if (f == NULL) {
		if (errno != ENOENT && errno != ENOTDIR)
			gcs_fail(&job->err, GCS_IO, "%.200s: %s", job->path, strerror(errno));
		return;
	}
	job->text = malloc(LONGEST + 1);
	if (job->text != NULL)
		job->text[fread(job->text, 1, LONGEST, f)] = 0;
	fclose(f);
}

static void write_file(struct marks_job *job)
{
	struct whole_file file;
	FILE *f = whole_file_stream(&file, job->path, 0666);
	bool ok = f != NULL && fputs(job->text, f) >= 0;
	if (f != NULL)
		ok = whole_file_finish(&file, f, ok) && ok;
	if (!ok)
		gcs_fail(&job->err, GCS_IO, "%.200s: %s", job->path, strerror(errno));
	free(job->text);
	job->text = NULL;
}

static void *run(void *context)
{
	struct marks_job *job = context;
	if (job->writes)
		write_file(job);
	else
		read_file(job);
	atomic_store(&job->done, true);
	if (job->wake != NULL)
		job->wake(job->context);
	return NULL;
}

struct marks_job *marks_job_start(
    const char *path, char *text, void (*wake)(void *context), void *context)
{
	struct marks_job *job = calloc(1, sizeof *job);
	if (job == NULL) {
		free(text);
		return NULL;
	}
	snprintf(job->path, sizeof job->path, "%s", path);
	job->text = text;
	job->writes = text != NULL;
	job->wake = wake;
	job->context = context;
	atomic_init(&job->done, false);
	if (pthread_create(&job->thread, NULL, run, job) == 0)
		return job;
	free(text);
	free(job);
	return NULL;
}

bool marks_job_end(struct marks_job *job, bool wait, char **text, struct gcs_error *err)
{
	*text = NULL;
	if (!wait && !atomic_load(&job->done))
		return false;
	pthread_join(job->thread, NULL);
	*text = job->text;
	*err = job->err;
	free(job);
	return true;
}
