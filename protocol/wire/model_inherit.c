/* Relating two separately decoded descriptions of one server. */
#include <string.h>

#include "codec.h"
#include "model_internal.h"

enum { MOST_BYTES = 16 << 20 };

/* Descriptions are equal if their encodings are. */
static bool same_encoding(const struct wr *a, const struct wr *b)
{
	return a->status == GCS_OK && b->status == GCS_OK && a->length == b->length &&
	       memcmp(a->data, b->data, a->length) == 0;
}

void model_inherit(struct gcs_model *model, const struct gcs_model *from)
{
	struct wr a, b;
	wr_init(&a, MOST_BYTES);
	wr_init(&b, MOST_BYTES);
	for (uint32_t i = 0; i < model->space_count && i < from->space_count; i++) {
		if (model->spaces[i].gone != from->spaces[i].gone)
			continue;
		a.length = b.length = 0;
		put_space(&a, i, &model->spaces[i], NULL);
		put_space(&b, i, &from->spaces[i], NULL);
		if (same_encoding(&a, &b))
			model_set_edition(model, i, model_edition(from, i));
	}
	a.length = b.length = 0;
	put_info(&a, model, NULL);
	put_info(&b, from, NULL);
	if (same_encoding(&a, &b))
		model_set_info_edition(model, model_info_edition(from));
	a.length = b.length = 0;
	put_plugins(&a, model, NULL);
	put_plugins(&b, from, NULL);
	if (same_encoding(&a, &b))
		model_set_plugins_edition(model, model_plugins_edition(from));
	wr_fini(&a);
	wr_fini(&b);
}
