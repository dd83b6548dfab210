/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"
#include "samite/file.h"

enum sam_status sam_file_load(const char *path, uint64_t limit, char **data, size_t *size,
                              struct sam_error *error)
{
    struct sam_buffer buffer = {0};
    if (data)
        *data = NULL;
    if (SAM_LACKS(error, path, data, size))
        return SAM_ERR_USAGE;
    *size = 0;
    enum sam_status status = sam_file_read(path, limit, &buffer, error);
    if (status == SAM_OK && !buffer.data && !sam_buffer_append(&buffer, "", 0))
        status = sam_fail_memory(error); /* an empty file is also a string */
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
    if (SAM_LACKS(error, path))
        return SAM_ERR_USAGE;
    if (size && !data)
        return sam_fail_null(error, "data");
    return sam_file_write(path, data, size, error);
}
