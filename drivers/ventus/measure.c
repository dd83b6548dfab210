/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions and cycles of a device's launches, by location. */
#include <string.h>

#include "driver.h"

int measure_open(struct device *device)
{
    const struct environment *e = &device->environment;
    device->timing = (struct sam_gpu_timing){.size = sizeof device->timing, .config = &e->config};
    if (e->profile && !(device->profile = sam_profile_new()))
        return complain("out of memory");
    return 0;
}

void measure_close(struct device *device)
{
    sam_profile_free(device->profile);
    sam_gputime_result_free(&device->timing.result);
}

void measure_options(struct device *device, const uint64_t *meta, struct sam_gpu_options *options)
{
    options->profile = device->profile;
    if (!device->environment.cycles)
        return;
    device->timing.sgprs = (uint32_t)meta[VT_META_SGPRS];
    device->timing.vgprs = (uint32_t)meta[VT_META_VGPRS];
    options->timing = &device->timing;
}

void measure_print(struct device *device, const struct sam_launch *launch, const char *kernel)
{
    const struct sam_gputime_report_options options = {
        .size = sizeof options, .config = &device->environment.config, .image = launch->image};
    struct sam_error error;
    char *text;
    if (!device->environment.cycles)
        return;
    device->cycles += device->timing.result.cycles;
    if (sam_gputime_report(&device->timing.result, SAM_GPUTIME_TEXT, &options, &text, &error) !=
        SAM_OK) {
        complain("%s", error.text);
        return;
    }
    fprintf(stderr, "samite: cycles of launch %u: %s; %llu of all launches\n%s", device->launches,
            kernel, (unsigned long long)device->cycles, text);
    sam_text_free(text);
}

int measure_save(struct device *device, const struct sam_image *image)
{
    const char *path = device->environment.profile;
    const struct sam_profile_options options = {
        .size = sizeof options, .image = image, .title = "all launches"};
    enum sam_profile_format format;
    struct sam_error error;
    char *text;
    if (!device->profile)
        return 0;
    sam_profile_format_of(path, &format);
    enum sam_status status = sam_profile_print(device->profile, format, &options, &text, &error);
    if (status == SAM_OK)
        status = sam_file_save(path, text, strlen(text), &error);
    sam_text_free(text);
    return status == SAM_OK ? 0 : complain("%s", error.text);
}
