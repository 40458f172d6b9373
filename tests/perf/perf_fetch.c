/*
 * How long a client waits for a profile of sampled allocations: perf-fetch ADDRESS [TIMES]. Prints for
 * each kind the entries and stacks of the last one, its bytes, and the median and longest time from
 * the question to the complete answer, and to the decoded profile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <gcspy/client.h>
#include <gcspy/profile.h>

enum { MOST = 1000, TIMEOUT_MS = 20000 };

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1000 + (double)t.tv_nsec / 1e6;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* False after a message. */
static bool fetch(struct gcs_client *client, enum gcs_profile_kind kind, int times)
{
	double answered[MOST], decoded[MOST];
	struct gcs_info parameter = {"kind", gcs_profile_kind_word(kind)};
	uint32_t entries = 0, stacks = 0;
	size_t bytes = 0;
	for (int i = 0; i < times; i++) {
		uint32_t id;
		struct gcs_error err;
		double begin = now_ms();
		if (gcs_client_query(client, "sites", 1, &parameter, &id) != GCS_OK)
			return false;
		struct gcs_answer *answer = gcs_client_answer(client, id, TIMEOUT_MS);
		answered[i] = now_ms() - begin;
		if (answer == NULL || answer->status != GCS_OK) {
			fprintf(stderr, "perf-fetch: %s\n",
			    answer == NULL ? "no answer" : answer->message);
			gcs_answer_free(answer);
			return false;
		}
		struct gcs_profile *p = gcs_profile_decode(answer->bytes, answer->length, &err);
		decoded[i] = now_ms() - begin;
		bytes = answer->length;
		gcs_answer_free(answer);
		if (p == NULL)
			return false;
		entries = gcs_profile_entry_count(p);
		stacks = gcs_profile_stack_count(p);
		gcs_profile_free(p);
	}
	qsort(answered, (size_t)times, sizeof answered[0], by_size);
	qsort(decoded, (size_t)times, sizeof decoded[0], by_size);
	printf("%-10s %7u entries %7u stacks %9zu bytes  answer %6.2f ms (%.2f)  decoded %6.2f ms "
	       "(%.2f)\n",
	    parameter.value, entries, stacks, bytes, answered[times / 2], answered[times - 1],
	    decoded[times / 2], decoded[times - 1]);
	return true;
}

int main(int count, char **words)
{
	struct gcs_error err;
	int times = count > 2 ? atoi(words[2]) : 50;
	if (count < 2 || times < 1 || times > MOST) {
		fprintf(stderr, "perf-fetch: usage: perf-fetch ADDRESS [TIMES 1..%d]\n", MOST);
		return 2;
	}
	struct gcs_client_options options = {.address = words[1], .name = "perf-fetch"};
	struct gcs_client *client = gcs_client_open(&options, &err);
	bool ok = client != NULL && gcs_client_wait(client, TIMEOUT_MS) == GCS_CLIENT_LIVE;
	if (!ok)
		fprintf(stderr, "perf-fetch: %s cannot be reached\n", words[1]);
	for (int kind = 0; ok && kind < GCS_PROFILE_KIND_COUNT; kind++)
		ok = fetch(client, (enum gcs_profile_kind)kind, times);
	gcs_client_close(client);
	return ok ? 0 : 1;
}
