/* SPDX-License-Identifier: Apache-2.0 */
/* Passes text to a sink, on a thread of its own if a log is to be made while it is written. */
#include <pthread.h>
#include <stdlib.h>

#include "base/writer.h"

struct sam_writer {
    struct sam_sink sink;
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t changed;
    struct sam_buffer text; /* being written if `busy` */
    bool busy, leaving, failed;
    bool apart, started; /* the thread; the caller's alone */
    pthread_t thread;
};

struct sam_writer *sam_writer_new(const struct sam_sink *sink, bool apart)
{
    struct sam_writer *writer = sam_alloc(1, sizeof *writer);
    if (!writer)
        return NULL;
    writer->sink = *sink;
    writer->apart = apart;
    pthread_mutex_init(&writer->lock, NULL);
    pthread_cond_init(&writer->changed, NULL);
    return writer;
}

static void *serve(void *argument)
{
    struct sam_writer *writer = argument;
    pthread_mutex_lock(&writer->lock);
    while (!writer->leaving) {
        if (!writer->busy) {
            pthread_cond_wait(&writer->changed, &writer->lock);
            continue;
        }
        pthread_mutex_unlock(&writer->lock);
        const bool good =
            writer->sink.write(writer->sink.context, writer->text.data, writer->text.size);
        pthread_mutex_lock(&writer->lock);
        writer->failed |= !good;
        writer->busy = false;
        pthread_cond_signal(&writer->changed);
    }
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

/* Wait for what has been put. False: the sink has failed. */
static bool wait_for(struct sam_writer *writer)
{
    pthread_mutex_lock(&writer->lock);
    while (writer->busy)
        pthread_cond_wait(&writer->changed, &writer->lock);
    const bool good = !writer->failed;
    pthread_mutex_unlock(&writer->lock);
    return good;
}

/* On this thread. */
static bool write_now(struct sam_writer *writer, struct sam_buffer *text, size_t size)
{
    writer->failed |=
        text->failed || (size && !writer->sink.write(writer->sink.context, text->data, size));
    text->size -= size;
    if (text->size)
        memmove(text->data, text->data + size, text->size);
    return !writer->failed;
}

bool sam_writer_put(struct sam_writer *writer, struct sam_buffer *text, size_t size)
{
    bool good = wait_for(writer);
    if (!good) {
        text->size = 0;
        return false;
    }
    if (writer->apart && !writer->started)
        writer->started = pthread_create(&writer->thread, NULL, serve, writer) == 0;
    if (!writer->started)
        return write_now(writer, text, size);
    struct sam_buffer next = writer->text;
    next.size = 0;
    good = sam_buffer_append(&next, text->data + size, text->size - size) && !text->failed;
    text->size = size;
    pthread_mutex_lock(&writer->lock);
    writer->text = *text;
    writer->busy = good;
    writer->failed = !good;
    pthread_cond_signal(&writer->changed);
    pthread_mutex_unlock(&writer->lock);
    *text = next;
    return good;
}

bool sam_writer_flush(struct sam_writer *writer, struct sam_buffer *text)
{
    const bool good = wait_for(writer);
    if (!good)
        text->size = 0;
    return good && write_now(writer, text, text->size);
}

void sam_writer_free(struct sam_writer *writer)
{
    if (!writer)
        return;
    wait_for(writer);
    if (writer->started) {
        pthread_mutex_lock(&writer->lock);
        writer->leaving = true;
        pthread_cond_signal(&writer->changed);
        pthread_mutex_unlock(&writer->lock);
        pthread_join(writer->thread, NULL);
    }
    pthread_mutex_destroy(&writer->lock);
    pthread_cond_destroy(&writer->changed);
    sam_buffer_free(&writer->text);
    free(writer);
}
