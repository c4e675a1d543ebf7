// SPDX-License-Identifier: BSD-2-Clause
/* A request of Parca's: its message WriteRawRequest as the gateway takes it, in JSON. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "print/json.h"
#include "serve/push_body.h"

static int put_base64(struct buf *out, const struct buf *bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *in = (const unsigned char *)bytes->data;
	int err = buf__reserve(out, (bytes->len + 2) / 3 * 4);
	char *at = err ? NULL : out->data + out->len;

	for (size_t i = 0; i < bytes->len && !err; i += 3) {
		const size_t left = bytes->len - i;
		const unsigned word =
			in[i] << 16 | (left > 1 ? in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0);

		*at++ = digits[word >> 18];
		*at++ = digits[word >> 12 & 63];
		*at++ = left > 1 ? digits[word >> 6 & 63] : '=';
		*at++ = left > 2 ? digits[word & 63] : '=';
	}
	if (err)
		return err;
	*at = '\0';
	out->len = at - out->data;
	return 0;
}

static void put_labels(struct json *j, const struct push_labels *labels)
{
	json__open(j, "labels");
	json__open_array(j, "labels");
	for (size_t i = 0; i < labels->nr; i++) {
		json__open(j, NULL);
		json__string(j, "name", labels->items[i].name);
		json__string(j, "value", labels->items[i].value);
		json__close(j);
	}
	json__close_array(j);
	json__close(j);
}

static int put_request(FILE *f, const struct push_labels *labels, const char *pprof)
{
	struct json *j = calloc(1, sizeof(*j));
	int err;

	if (!j)
		return -ENOMEM;
	json__begin_foreign(j, f, false);
	json__open_array(j, "series");
	json__open(j, NULL);
	put_labels(j, labels);
	json__open_array(j, "samples");
	json__open(j, NULL);
	json__string(j, "rawProfile", pprof);
	json__close(j);
	json__close_array(j);
	json__close(j);
	json__close_array(j);
	/* Addresses are the files' own, not those of a process. */
	json__bool(j, "normalized", true);
	err = json__end(j);
	free(j);
	return err;
}

int push_parca__make(struct push_body *out, const struct push_profile *p,
		     const struct push_labels *labels)
{
	struct buf pprof = {}, text = {};
	char *bytes = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&bytes, &len);
	int err = f ? push_body__pprof(&pprof, p, &out->unpacked) : -ENOMEM;

	if (!err)
		err = put_base64(&text, &pprof);
	if (!err)
		err = put_request(f, labels, text.data);
	if (f && fclose(f) && !err)
		err = -ENOMEM;
	if (!err)
		err = buf__put(&out->bytes, bytes, len);
	free(bytes);
	buf__free(&pprof);
	buf__free(&text);
	return err;
}
