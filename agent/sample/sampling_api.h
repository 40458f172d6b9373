/* The sampler behind the exported calls of <gcspy/sampling.h>. */
#ifndef GCSPY_AGENT_SAMPLING_API_H
#define GCSPY_AGENT_SAMPLING_API_H

struct sampler;

/* NULL: none. Any thread. */
void sampling_api_set(struct sampler *s);

#endif
