// SPDX-License-Identifier: BSD-2-Clause
/* A request of Pyroscope's: one series, one file of pprof. */
#include "proto/pyroscope.pb-c.h"
#include "serve/push_body.h"

static int pack(struct buf *out, const Pyroscope__PushRequest *request)
{
	const size_t len = pyroscope__push_request__get_packed_size(request);
	int err = buf__reserve(out, len);

	if (err)
		return err;
	out->len += pyroscope__push_request__pack(request, (uint8_t *)out->data + out->len);
	out->data[out->len] = '\0';
	return 0;
}

int push_pyroscope__make(struct push_body *out, const struct push_profile *p,
			 const struct push_labels *labels)
{
	Pyroscope__PushRequest request = PYROSCOPE__PUSH_REQUEST__INIT;
	Pyroscope__RawProfileSeries series = PYROSCOPE__RAW_PROFILE_SERIES__INIT, *all = &series;
	Pyroscope__RawSample sample = PYROSCOPE__RAW_SAMPLE__INIT, *samples = &sample;
	Pyroscope__LabelPair pairs[PUSH_LABELS], *refs[PUSH_LABELS];
	struct buf pprof = {}, id_text = {};
	uint8_t id[16];
	int err = push_body__pprof(&pprof, p, &out->unpacked);

	if (!err)
		err = push_body__id(id);
	if (!err)
		err = push_body__id_text(&id_text, id);
	for (size_t i = 0; i < labels->nr; i++) {
		pyroscope__label_pair__init(&pairs[i]);
		pairs[i].name = (char *)labels->items[i].name;
		pairs[i].value = (char *)labels->items[i].value;
		refs[i] = &pairs[i];
	}
	series.n_labels = labels->nr;
	series.labels = refs;
	sample.raw_profile = (ProtobufCBinaryData){ pprof.len, (uint8_t *)pprof.data };
	sample.id = id_text.data;
	series.n_samples = 1;
	series.samples = &samples;
	request.n_series = 1;
	request.series = &all;
	if (!err)
		err = pack(&out->bytes, &request);
	buf__free(&pprof);
	buf__free(&id_text);
	return err;
}
