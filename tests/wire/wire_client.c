/*
 * A client that asks, for the wire tests:
 *
 *	wire-client ADDRESS MILLISECONDS query TOPIC [KEY=VALUE]… | set KEY VALUE |
 *		zoom SPACE START END BLOCK | unzoom SPACE
 *
 * waits that long for the answer and prints its status, its words and its body, a profile as text, a
 * zoom as the name of its space. It
 * ends with 0 when it has an answer, 1 when it has none in time, 2 when it could not ask.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/client.h>
#include <gcspy/profile.h>

#include "profile_text.h"

/* Cuts KEY=VALUE in two. */
static struct gcs_info parameter(char *text)
{
	char *sign = strchr(text, '=');
	if (sign != NULL)
		*sign = '\0';
	return (struct gcs_info){.key = text, .value = sign == NULL ? "" : sign + 1};
}

static unsigned long long number(const char *text)
{
	return strtoull(text, NULL, 0);
}

static enum gcs_status ask(struct gcs_client *client, int count, char **words, uint32_t *id)
{
	struct gcs_info parameters[GCS_MAX_PARAMETERS];
	uint32_t used = 0;
	if (strcmp(words[0], "set") == 0)
		return count == 3 ? gcs_client_set(client, words[1], words[2], id) : GCS_ARGUMENT;
	if (strcmp(words[0], "zoom") == 0)
		return count != 5 ? GCS_ARGUMENT
				  : gcs_client_zoom(client, (uint32_t)number(words[1]),
					number(words[2]), number(words[3]), number(words[4]), id);
	if (strcmp(words[0], "unzoom") == 0)
		return gcs_client_unzoom(client, (uint32_t)number(words[1]), id);
	for (int i = 2; i < count && used < GCS_MAX_PARAMETERS; i++)
		parameters[used++] = parameter(words[i]);
	return gcs_client_query(client, words[1], used, parameters, id);
}

/* The answer to a zoom: its space is known already, by the description before it. */
static void print_zoom(struct gcs_client *client, const struct gcs_answer *answer)
{
	struct gcs_model *model = gcs_client_model(client);
	uint32_t space = gcs_answer_space(answer);
	bool there = space < model->space_count && !model->spaces[space].gone;
	printf("%s \"%s\" %s\n", gcs_status_name(answer->status), answer->message,
	    space == GCS_NONE ? "-"
	    : there           ? model->spaces[space].name
			      : "not there");
	gcs_model_unref(model);
}

static void print(const struct gcs_answer *answer, bool profile)
{
	struct gcs_error err;
	printf("%s \"%s\" %zu bytes\n", gcs_status_name(answer->status), answer->message,
	    answer->length);
	if (!profile && answer->length != 0)
		fwrite(answer->bytes, 1, answer->length, stdout);
	if (!profile)
		return;
	struct gcs_profile *p = gcs_profile_decode(answer->bytes, answer->length, &err);
	if (p == NULL)
		printf("%s\n", err.text);
	else
		profile_print(stdout, p);
	gcs_profile_free(p);
}

int main(int argc, char **argv)
{
	struct gcs_error err;
	if (argc < 5)
		return fprintf(stderr, "usage: wire-client ADDRESS MS query … | set … | zoom …\n"),
		       2;
	struct gcs_client_options options = {.address = argv[1], .name = "wire-client"};
	struct gcs_client *client = gcs_client_open(&options, &err);
	if (client == NULL)
		return fprintf(stderr, "wire-client: %s\n", err.text), 2;
	uint32_t id = 0;
	(void)gcs_client_wait(client, 10000);
	enum gcs_status status = ask(client, argc - 3, argv + 3, &id);
	struct gcs_answer *answer = NULL;
	if (status == GCS_OK)
		answer = gcs_client_answer(client, id, (uint32_t)atoi(argv[2]));
	gcs_client_error(client, &err);
	if (status != GCS_OK)
		fprintf(stderr, "wire-client: cannot ask: %s\n", gcs_status_name(status));
	if (err.status != GCS_OK)
		fprintf(stderr, "wire-client: %s\n", err.text);
	if (answer != NULL && strcmp(argv[3], "zoom") == 0)
		print_zoom(client, answer);
	else if (answer != NULL)
		print(answer, strcmp(argv[4], "sites") == 0 && answer->status == GCS_OK);
	int result = status != GCS_OK ? 2 : answer == NULL ? 1 : 0;
	gcs_answer_free(answer);
	gcs_client_close(client);
	return result;
}
