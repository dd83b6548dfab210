/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of gdb.h. */
#include "test.h"

#include "samite/gdb.h"

TEST(arguments)
{
    struct sam_gdb_link *link = NULL;
    struct sam_gdb *gdb = NULL;
    refuses(sam_gdb_listen, 0, NULL);
    refuses(sam_gdb_listen, 65536, &link);
    refuses(sam_gdb_connect, 0, 1, NULL);
    refuses(sam_gdb_connect, -1, 1, &link);
    refuses(sam_gdb_accept, NULL, NULL);
    assert_int_equal(sam_gdb_connect(0, 1, &link, NULL), SAM_OK);
    assert_int_equal(sam_gdb_port(link), 0);
    const struct sam_gdb_transport transport = sam_gdb_transport(link);
    const struct sam_gdb_options sized = {.size = 3};
    const struct sam_gdb_options nameless = {
        .size = sizeof nameless, .program = "x", .program_size = 1};
    refuses(sam_gdb_open, NULL, NULL, &gdb);
    refuses(sam_gdb_open, &transport, NULL, NULL);
    refuses(sam_gdb_open, &transport, &sized, &gdb);
    refuses(sam_gdb_open, &transport, &nameless, &gdb);
    assert_null(gdb);
    assert_int_equal(sam_gdb_open(&transport, NULL, &gdb, NULL), SAM_OK);
    refuses(sam_gdb_serve, NULL, NULL, true, NULL);
    refuses(sam_gdb_serve, gdb, NULL, true, NULL);
    sam_gdb_close(gdb);
    sam_gdb_close(NULL);
    sam_gdb_hang_up(link);
    sam_gdb_hang_up(NULL);
}
