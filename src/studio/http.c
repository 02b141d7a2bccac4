// The page's files, and those of the folder.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "studio/page.h"
#include "studio/studio.h"

/// One request and its answer.
typedef struct exchange {
    const unsigned char *body; ///< what is sent
    size_t size, sent;
    char *owned;  ///< body, when it has to be freed
    char *upload; ///< what comes with PUT
    size_t upload_size;
    char name[FOLDER_NAME_MOST + 1]; ///< of the file that is put
    char was[FOLDER_STAMP];
} exchange;
_Static_assert(sizeof(exchange) <= EXCHANGE, "studio.h has the room");

static void clear(exchange *x)
{
    free(x->owned);
    free(x->upload);
    *x = (exchange){0};
}

// --------------------------------------------------------------------------------------- answering

// Scripts, styles and connections of our own only; WebAssembly may be compiled.
static const char policy[] =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self' data: blob:; worker-src "
    "'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static const struct {
    const char *name, *value;
} headers[] = {{"content-security-policy:", policy},
               {"x-content-type-options:", "nosniff"},
               {"referrer-policy:", "no-referrer"},
               {"cross-origin-opener-policy:", "same-origin"},
               {"cross-origin-resource-policy:", "same-origin"},
               {"cache-control:", "no-store"}};

static bool put_header(struct lws *wsi, const char *name, const char *value, unsigned char **at,
                       unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), at,
                                       end) == 0;
}

// Sends the head; the body follows when the socket takes it. Nonzero closes the connection.
static int answer(struct lws *wsi, exchange *x, int status, const char *type, const char *more,
                  const char *value)
{
    unsigned char buffer[LWS_PRE + 2048], *at = buffer + LWS_PRE, *end = buffer + sizeof buffer;
    if (lws_add_http_common_headers(wsi, (unsigned)status, type, x->size, &at, end)) return -1;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (!put_header(wsi, headers[i].name, headers[i].value, &at, end)) return -1;
    if (more && !put_header(wsi, more, value, &at, end)) return -1;
    if (lws_finalize_write_http_header(wsi, buffer + LWS_PRE, &at, end)) return -1;
    lws_callback_on_writable(wsi);
    return 0;
}

static int answer_text(struct lws *wsi, exchange *x, int status, const char *text)
{
    size_t size = strlen(text);
    x->owned = malloc(size + 2);
    if (!x->owned) return -1;
    memcpy(x->owned, text, size);
    memcpy(x->owned + size, "\n", 2);
    x->body = (unsigned char *)x->owned, x->size = size + 1;
    return answer(wsi, x, status, "text/plain; charset=utf-8", NULL, NULL);
}

static int continue_body(struct lws *wsi, exchange *x)
{
    unsigned char buffer[LWS_PRE + 16384];
    size_t count = x->size - x->sent;
    if (!x->body) return 0;
    if (count > sizeof buffer - LWS_PRE) count = sizeof buffer - LWS_PRE;
    memcpy(buffer + LWS_PRE, x->body + x->sent, count);
    x->sent += count;
    bool last = x->sent == x->size;
    if (lws_write(wsi, buffer + LWS_PRE, count, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0)
        return -1;
    if (!last) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    clear(x);
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

// ------------------------------------------------------------------------------------------- files

static int answer_folder(struct lws *wsi, exchange *x, folder_result result)
{
    char text[256];
    switch (result) {
    case FOLDER_NAME:
        return answer_text(wsi, x, 404, "a model's name must be plain and end with .mo or .json");
    case FOLDER_NONE: return answer_text(wsi, x, 404, "there is no such file");
    case FOLDER_KIND: return answer_text(wsi, x, 403, "this is not a regular file of the folder");
    case FOLDER_LARGE: return answer_text(wsi, x, 413, "a model has at most 1 000 000 bytes");
    case FOLDER_CHANGED:
        return answer_text(wsi, x, 409, "the file on disk is not the one that was opened");
    case FOLDER_FINE:
    case FOLDER_FAILED: break;
    }
    snprintf(text, sizeof text, "the file system says: %s", strerror(errno));
    return answer_text(wsi, x, 500, text);
}

static int send_file(struct lws *wsi, exchange *x, const char *name)
{
    char stamp[FOLDER_STAMP];
    folder_result result = folder_read(&studio_of(wsi)->models, name, &x->owned, &x->size, stamp);
    if (result != FOLDER_FINE) return answer_folder(wsi, x, result);
    x->body = (unsigned char *)x->owned;
    return answer(wsi, x, 200, "text/plain; charset=utf-8", "x-stamp:", stamp);
}

static int send_list(struct lws *wsi, exchange *x)
{
    x->owned = folder_list(&studio_of(wsi)->models, &x->size);
    if (!x->owned) return answer_text(wsi, x, 500, "the folder cannot be listed");
    x->body = (unsigned char *)x->owned;
    return answer(wsi, x, 200, "application/json", NULL, NULL);
}

static int begin_put(struct lws *wsi, exchange *x, const char *name)
{
    char length[32] = "";
    const char *was;
    char argument[FOLDER_STAMP + 8];
    if (lws_hdr_copy(wsi, length, sizeof length, WSI_TOKEN_HTTP_CONTENT_LENGTH) < 1)
        return answer_text(wsi, x, 411, "the header Content-Length is missing");
    if (!folder_is_name(name)) return answer_folder(wsi, x, FOLDER_NAME);
    if (strtoull(length, NULL, 10) > FOLDER_FILE_MOST) return answer_folder(wsi, x, FOLDER_LARGE);
    was = lws_get_urlarg_by_name(wsi, "was=", argument, sizeof argument);
    if (!was) return answer_text(wsi, x, 400, "?was= is missing: which version is replaced");
    memcpy(x->name, name, strlen(name) + 1); // a name is short
    snprintf(x->was, sizeof x->was, "%.*s", FOLDER_STAMP - 1, was);
    x->upload = malloc(FOLDER_FILE_MOST);
    return x->upload ? 0 : -1; // the body comes, then finish_put
}

static int take_body(exchange *x, const void *bytes, size_t count)
{
    if (!x->upload) return 0; // it was refused
    if (count > FOLDER_FILE_MOST - x->upload_size) return -1;
    memcpy(x->upload + x->upload_size, bytes, count);
    x->upload_size += count;
    return 0;
}

static int finish_put(struct lws *wsi, exchange *x)
{
    char stamp[FOLDER_STAMP] = "";
    if (!x->upload) return 0;
    folder_result result =
        folder_write(&studio_of(wsi)->models, x->name, x->was, x->upload, x->upload_size, stamp);
    if (result != FOLDER_FINE) return answer_folder(wsi, x, result);
    return answer_text(wsi, x, 200, stamp);
}

// -------------------------------------------------------------------------------------------- page

static int send_page(struct lws *wsi, exchange *x, const char *path)
{
    char accepted[256] = "";
    const page_file *file = page_files;
    while (file->path && strcmp(file->path, path) != 0) file++;
    if (!file->path) return answer_text(wsi, x, 404, "there is nothing of this name");
    lws_hdr_copy(wsi, accepted, sizeof accepted, WSI_TOKEN_HTTP_ACCEPT_ENCODING);
    if (!strstr(accepted, "gzip"))
        return answer_text(wsi, x, 406,
                           "the page is sent as gzip, which the request does not accept");
    x->body = file->bytes, x->size = file->size;
    return answer(wsi, x, 200, file->type, "content-encoding:", "gzip");
}

static int begin(struct lws *wsi, exchange *x)
{
    visit v;
    const char *why = "";
    clear(x);
    int refused = studio_guard(wsi, &v, &why);
    if (refused == 405) { // a body may be on its way, which nobody waits for
        lws_return_http_status(wsi, 405, why);
        return -1;
    }
    if (refused) return answer_text(wsi, x, refused, why);
    bool file = strncmp(v.path, "files/", 6) == 0;
    if (v.put) return begin_put(wsi, x, v.path + 6);
    if (file && v.path[6]) return send_file(wsi, x, v.path + 6);
    return file ? send_list(wsi, x) : send_page(wsi, x, v.path);
}

int studio_on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t length)
{
    exchange *x = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP: return begin(wsi, x);
    case LWS_CALLBACK_HTTP_BODY: return take_body(x, in, length);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: return finish_put(wsi, x);
    case LWS_CALLBACK_HTTP_WRITEABLE: return continue_body(wsi, x);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        if (x) clear(x);
        return 0;
    // a socket that does not say what it speaks
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return -1;
    default: return 0;
    }
}
