/* Which sampler the exported calls of <gcspy/sampling.h> use. */
#ifndef GCSPY_AGENT_SAMPLING_API_H
#define GCSPY_AGENT_SAMPLING_API_H

struct sampler;

/* NULL until the agent has come to life. Any thread. */
void sampling_api_set(struct sampler *s);

#endif
