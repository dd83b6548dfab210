/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"
#include "samite/file.h"

enum sam_status sam_file_load(const char *path, uint64_t limit, char **data, size_t *size,
                              struct sam_error *error)
{
    struct sam_buffer buffer = {0};
    *data = NULL;
    *size = 0;
    enum sam_status status = sam_file_read(path, limit, &buffer, error);
    if (status == SAM_OK && !buffer.data && !sam_buffer_append(&buffer, "", 0))
        status = sam_fail_memory(error); /* an empty file is a string too */
    if (status != SAM_OK) {
        sam_buffer_free(&buffer);
        return status;
    }
    *data = (char *)buffer.data;
    *size = buffer.size;
    return SAM_OK;
}

enum sam_status sam_file_save(const char *path, const void *data, size_t size,
                              struct sam_error *error)
{
    return sam_file_write(path, data, size, error);
}
