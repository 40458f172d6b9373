/* A trace file as text: trace-text FILE */
#include "trace_text.h"

int main(int argc, char **argv)
{
	struct gcs_error err;
	if (argc != 2)
		return fprintf(stderr, "usage: trace-text FILE\n"), 2;
	struct gcs_trace *t = gcs_trace_open(argv[1], &err);
	if (t == NULL)
		return fprintf(stderr, "trace-text: %s\n", err.text), 1;
	trace_print(stdout, t);
	gcs_trace_close(t);
	return 0;
}
