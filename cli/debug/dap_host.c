/* SPDX-License-Identifier: Apache-2.0 */
/* The surroundings of the adapter: standard input and output belong to the protocol, and what the
 * program prints goes through pipes to the client. One thread reads messages, so that they can
 * interrupt a run, and one reads the pipes. */
#include "dap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_QUEUED = 4096, OUT = 0, ERR = 1, MOST_TEXT = 4096 };

struct item {
    enum frames_result result;
    json_t *message;
    struct sam_error error;
    bool ends; /* pause, terminate, disconnect, or the end */
};

/* A pipe that a stream of the process has been redirected to. */
struct stream {
    int original;         /* the descriptor before */
    int read;             /* the end of the pipe */
    char text[MOST_TEXT]; /* read, not sent: an incomplete character */
    size_t size;
};

struct host {
    struct dap dap;
    dap_runner *runner;
    int in;       /* of the protocol */
    int wake[2];  /* a byte per message */
    int leave[2]; /* closed for writing: the threads end */
    pthread_t reader, printer;
    pthread_mutex_t lock; /* of the queue and the attention */
    pthread_cond_t room;
    struct item *queue;
    size_t first, count;
    enum dap_attention attention;
    bool leaving;
    struct frames frames;
    pthread_mutex_t printing; /* of the streams */
    struct stream streams[2];
    char *problem; /* receives what is printed on standard error; NULL: not needed */
    size_t problem_size;
};

/* -------------------------------------------------------------------------------- messages */

/* Wait for bytes; false: the threads end. */
static bool wait_for(const struct host *h, int descriptor)
{
    struct pollfd polled[] = {{.fd = descriptor, .events = POLLIN},
                              {.fd = h->leave[0], .events = POLLIN}};
    while (poll(polled, 2, -1) < 0)
        if (errno != EINTR)
            return false;
    return !polled[1].revents;
}

static size_t read_bytes(void *context, char *bytes, size_t size)
{
    const struct host *h = context;
    for (;;) {
        if (!wait_for(h, h->in))
            return 0;
        const ssize_t got = read(h->in, bytes, size);
        if (got >= 0)
            return (size_t)got;
        if (errno != EINTR && errno != EAGAIN)
            return 0;
    }
}

static bool ends_run(const json_t *message)
{
    const char *command = cli_json_text(message, "command", "");
    return cli_choice("pause terminate disconnect", command, strlen(command)) >= 0;
}

/* Interrupt the run if a message that waits asks for it. */
static void interrupt(const struct host *h)
{
    bool found = false;
    for (size_t i = 0; i < h->count && !found; i++)
        found = h->attention == DAP_ANY || h->queue[(h->first + i) % MOST_QUEUED].ends;
    if (found && h->attention != DAP_STOPPED)
        cli_interrupt();
}

static void *read_messages(void *context)
{
    struct host *h = context;
    struct item item;
    do {
        item = (struct item){.error = {.text = ""}};
        item.result = frames_next(&h->frames, &item.message, &item.error);
        item.ends = item.result != FRAMES_INVALID && (!item.message || ends_run(item.message));
        pthread_mutex_lock(&h->lock);
        while (h->count == MOST_QUEUED && !h->leaving)
            pthread_cond_wait(&h->room, &h->lock);
        if (h->leaving) {
            json_decref(item.message);
            item.result = FRAMES_END;
        } else {
            h->queue[(h->first + h->count++) % MOST_QUEUED] = item;
            interrupt(h);
        }
        const bool woken = write(h->wake[1], "", 1) == 1;
        pthread_mutex_unlock(&h->lock);
        if (!woken)
            break;
    } while (item.result == FRAMES_MESSAGE || item.result == FRAMES_INVALID);
    return NULL;
}

/* Wait for a message. A signal ends the wait, and the conversation. */
static enum frames_result next(void *context, json_t **message, struct sam_error *error)
{
    struct host *h = context;
    char byte;
    while (read(h->wake[0], &byte, 1) != 1)
        if (cli_stopped())
            return FRAMES_END;
    pthread_mutex_lock(&h->lock);
    const struct item item = h->queue[h->first];
    h->first = (h->first + 1) % MOST_QUEUED;
    h->count--;
    pthread_cond_signal(&h->room);
    pthread_mutex_unlock(&h->lock);
    *message = item.message;
    *error = item.error;
    return item.result;
}

static bool pending(void *context)
{
    struct host *h = context;
    pthread_mutex_lock(&h->lock);
    const bool any = h->count != 0;
    pthread_mutex_unlock(&h->lock);
    return any;
}

static void attend(void *context, enum dap_attention attention)
{
    struct host *h = context;
    pthread_mutex_lock(&h->lock);
    h->attention = attention;
    interrupt(h);
    pthread_mutex_unlock(&h->lock);
    if (attention == DAP_STOPPED)
        cli_forget_interrupt();
}

static void write_bytes(void *context, const char *bytes, size_t size)
{
    const struct host *h = context;
    while (size) {
        const ssize_t written = write(h->streams[OUT].original, bytes, size);
        if (written < 0 && errno != EINTR)
            return; /* the client has gone: its messages end as well */
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
}

/* ---------------------------------------------------------------------------------- output */

/* The size of a text without an incomplete character at its end. */
static size_t whole_characters(const char *text, size_t size)
{
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        const uint8_t byte = (uint8_t)text[size - back];
        const size_t needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        if ((byte & 0xc0) != 0x80)
            return needed > back ? size - back : size;
    }
    return size;
}

/* End a text, without zeros and bytes that are not UTF-8. */
static void make_text(char *text, size_t size)
{
    for (size_t i = 0, bytes; i < size; i += bytes) {
        bytes = sam_text_character(text + i, size - i);
        if (!bytes && ((uint8_t)text[i] >= 0x80 || !text[i]))
            text[i] = '?';
        bytes += !bytes;
    }
    text[size] = '\0';
}

/* Send what a pipe has; false at its end. */
static bool drain(struct host *h, unsigned which)
{
    static const char *const categories[] = {[OUT] = "stdout", [ERR] = "stderr"};
    struct stream *s = &h->streams[which];
    char text[MOST_TEXT + 1];
    for (;;) {
        const ssize_t got = read(s->read, s->text + s->size, MOST_TEXT - s->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0;
        s->size += (size_t)got;
        size_t whole = whole_characters(s->text, s->size);
        memcpy(text, s->text, whole);
        memmove(s->text, s->text + whole, s->size - whole);
        s->size -= whole;
        make_text(text, whole);
        if (whole)
            dap_output(&h->dap, categories[which], text);
        if (which == ERR && h->problem) {
            const size_t used = strlen(h->problem);
            snprintf(h->problem + used, h->problem_size - used, "%s", text);
        }
    }
}

static bool drain_both(struct host *h)
{
    pthread_mutex_lock(&h->printing);
    const bool out = drain(h, OUT), err = drain(h, ERR);
    pthread_mutex_unlock(&h->printing);
    return out || err;
}

static void flush(void *context)
{
    fflush(stdout);
    fflush(stderr);
    drain_both(context);
}

static void *read_output(void *context)
{
    struct host *h = context;
    struct pollfd polled[] = {{.fd = h->streams[OUT].read, .events = POLLIN},
                              {.fd = h->streams[ERR].read, .events = POLLIN},
                              {.fd = h->leave[0], .events = POLLIN}};
    do {
        if (poll(polled, 3, -1) < 0 && errno != EINTR)
            break;
    } while (drain_both(h) && !polled[2].revents);
    return NULL;
}

/* ---------------------------------------------------------------------------------- launch */

static void collect_problem(struct host *h, char *text, size_t size)
{
    pthread_mutex_lock(&h->printing);
    h->problem = text;
    h->problem_size = size;
    pthread_mutex_unlock(&h->printing);
}

/* Without the command's name, which a message begins with, and the end of its line. */
static void shorten(char *text)
{
    static const char mark[] = "error: ";
    char *begin = strncmp(text, "samite", 6) == 0 ? strstr(text, mark) : NULL;
    for (size_t end = strlen(text); end && text[end - 1] == '\n';)
        text[--end] = '\0';
    if (begin)
        memmove(text, begin + sizeof mark - 1, strlen(begin + sizeof mark - 1) + 1);
}

static int launch(void *context, struct dap *dap, char **words, size_t count, char *problem,
                  size_t size)
{
    struct host *h = context;
    const struct run_driver driver = {dap_drive, dap};
    if (count > INT16_MAX)
        return cli_error("%zu arguments: expected at most %d", count, INT16_MAX);
    flush(h);
    collect_problem(h, problem, size);
    const int code = h->runner(words, (int)count, &dap->options, &driver);
    flush(h);
    collect_problem(h, NULL, 0);
    shorten(problem);
    return code;
}

static bool make_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

/* Keep a stream of the process elsewhere, and replace it by a pipe. */
static bool redirect(struct stream *s, int descriptor)
{
    int ends[2];
    s->original = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (s->original < 0 || !make_pipe(ends))
        return false;
    s->read = ends[0];
    fcntl(s->read, F_SETFL, O_NONBLOCK);
    const bool done = dup2(ends[1], descriptor) >= 0;
    close(ends[1]);
    return done;
}

static bool begin(struct host *h)
{
    sigset_t all, before;
    h->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    const int null = open("/dev/null", O_RDONLY);
    if (h->in < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0)
        return false;
    close(null);
    fflush(stdout);
    if (!make_pipe(h->wake) || !make_pipe(h->leave) || !redirect(&h->streams[OUT], STDOUT_FILENO) ||
        !redirect(&h->streams[ERR], STDERR_FILENO))
        return false;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    signal(SIGPIPE, SIG_IGN); /* a client that has gone is an error like another */
    cli_answer_interrupts();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main thread */
    const bool reads = pthread_create(&h->reader, NULL, read_messages, h) == 0,
               prints = reads && pthread_create(&h->printer, NULL, read_output, h) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (reads && !prints) {
        close(h->leave[1]);
        pthread_join(h->reader, NULL);
    }
    return prints;
}

static void end(struct host *h)
{
    pthread_mutex_lock(&h->lock);
    h->leaving = true;
    pthread_cond_signal(&h->room);
    pthread_mutex_unlock(&h->lock);
    flush(h);
    dup2(h->streams[OUT].original, STDOUT_FILENO);
    dup2(h->streams[ERR].original, STDERR_FILENO);
    close(h->leave[1]);
    pthread_join(h->reader, NULL);
    pthread_join(h->printer, NULL);
    for (; h->count; h->count--, h->first = (h->first + 1) % MOST_QUEUED)
        json_decref(h->queue[h->first].message);
    const int opened[] = {h->in,
                          h->wake[0],
                          h->wake[1],
                          h->leave[0],
                          h->streams[OUT].read,
                          h->streams[ERR].read,
                          h->streams[OUT].original,
                          h->streams[ERR].original};
    for (size_t i = 0; i < sizeof opened / sizeof opened[0]; i++)
        close(opened[i]);
}

int dap_host_serve(dap_runner *runner)
{
    struct sam_error error = {.text = ""};
    struct host *h = calloc(1, sizeof *h);
    struct item *queue = calloc(MOST_QUEUED, sizeof *queue);
    if (!h || !queue) {
        free(queue);
        free(h);
        return cli_no_memory();
    }
    const struct dap_host host = {.context = h,
                                  .next = next,
                                  .pending = pending,
                                  .write = write_bytes,
                                  .launch = launch,
                                  .attend = attend,
                                  .flush = flush};
    h->runner = runner;
    h->queue = queue;
    h->frames = (struct frames){.read = read_bytes, .context = h};
    pthread_mutex_init(&h->lock, NULL);
    pthread_mutex_init(&h->printing, NULL);
    pthread_cond_init(&h->room, NULL);
    dap_init(&h->dap, &host);
    if (!begin(h)) {
        const int code = cli_error("cannot redirect the standard streams: %s", strerror(errno));
        free(queue);
        free(h);
        return code;
    }
    int code = dap_serve(&h->dap, &error);
    end(h);
    dap_free(&h->dap);
    frames_free(&h->frames);
    free(queue);
    free(h);
    return code == CLI_OK ? CLI_OK : cli_report(&error);
}
