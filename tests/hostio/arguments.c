/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of hostio.h. */
#include "test.h"

#include "samite/hostio.h"

TEST(arguments)
{
    const struct sam_hostio_options sized = {.size = 3};
    const struct sam_hostio_options absent = {.size = sizeof absent, .folder = "/no/such/folder"};
    struct sam_hostio *hostio = (struct sam_hostio *)1;
    refuses(sam_hostio_new, NULL, NULL);
    refuses(sam_hostio_new, &sized, &hostio);
    assert_null(hostio);
    assert_int_equal(sam_hostio_new(&absent, &hostio, NULL), SAM_ERR_IO);
    assert_null(hostio);
    assert_int_equal(sam_hostio_new(NULL, &hostio, NULL), SAM_OK);
    sam_hostio_free(hostio);
    sam_hostio_free(NULL);
}
