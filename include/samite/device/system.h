/* SPDX-License-Identifier: Apache-2.0 */
/* For programs on the hart of `--machine system`: console, power, cycles and what machine this is.
 * docs/system.md explains it. */
#ifndef SAMITE_DEVICE_SYSTEM_H
#define SAMITE_DEVICE_SYSTEM_H

#include "device.h"
#include "layout.h"

/* A control register, SAM_SYSTEM_EXIT. Accesses are ordered: earlier stores are in memory before a
 * write takes effect, and later loads follow a read. */
SAM_DEVICE uint32_t sam_register_read(const uint32_t address)
{
    const uint32_t value = *(const volatile uint32_t *)(uintptr_t)address;
    __asm__ volatile("fence" : : : "memory");
    return value;
}

SAM_DEVICE void sam_register_write(const uint32_t address, uint32_t value)
{
    __asm__ volatile("fence" : : : "memory");
    *(volatile uint32_t *)(uintptr_t)address = value;
}

/* Addresses in records have 32 bits; the hart reaches no others. */
SAM_DEVICE uint32_t sam_address(const volatile void *pointer)
{
    return (uint32_t)(uintptr_t)pointer;
}

SAM_DEVICE __attribute__((noreturn)) void sam_exit(uint32_t code)
{
    sam_register_write(SAM_SYSTEM_EXIT, code);
    for (;;)
        ;
}

/* The functions of each queue, here of the weight unit: sam_weight_submit appends a record, and
 * waits while the queue is full; sam_weight_submitted and sam_weight_done count records submitted,
 * and those that have ended; sam_weight_status is 0, or what the first record that failed left
 * (units.def), until sam_weight_clear_status; sam_weight_wait waits until every record submitted
 * has ended, and returns the status. */
#define SAM_QUEUE(AGENT, QUEUE, record, ...)                                                       \
    SAM_DEVICE void sam_##record##_submit(const struct sam_##record##_record *r)                   \
    {                                                                                              \
        sam_register_write(SAM_SYSTEM_##QUEUE##_SUBMIT, sam_address(r));                           \
    }                                                                                              \
    SAM_DEVICE uint32_t sam_##record##_submitted(void)                                             \
    {                                                                                              \
        return sam_register_read(SAM_SYSTEM_##QUEUE##_SUBMITTED);                                  \
    }                                                                                              \
    SAM_DEVICE uint32_t sam_##record##_done(void)                                                  \
    {                                                                                              \
        return sam_register_read(SAM_SYSTEM_##QUEUE##_DONE);                                       \
    }                                                                                              \
    SAM_DEVICE uint32_t sam_##record##_status(void)                                                \
    {                                                                                              \
        return sam_register_read(SAM_SYSTEM_##QUEUE##_STATUS);                                     \
    }                                                                                              \
    SAM_DEVICE void sam_##record##_clear_status(void)                                              \
    {                                                                                              \
        sam_register_write(SAM_SYSTEM_##QUEUE##_STATUS, 0);                                        \
    }                                                                                              \
    SAM_DEVICE uint32_t sam_##record##_wait(void)                                                  \
    {                                                                                              \
        return sam_register_read(SAM_SYSTEM_##QUEUE##_WAIT);                                       \
    }
#include "units.def"

/* Cycles since the start; instructions, when time is off. */
SAM_DEVICE uint64_t sam_system_cycles(void)
{
    uint32_t high, low;
    do {
        high = sam_register_read(SAM_SYSTEM_CYCLE_HIGH);
        low = sam_register_read(SAM_SYSTEM_CYCLE_LOW);
    } while (high != sam_register_read(SAM_SYSTEM_CYCLE_HIGH));
    return (uint64_t)high << 32 | low;
}

/* SMs of the GPU. */
SAM_DEVICE unsigned sam_system_sms(void)
{
    return sam_register_read(SAM_SYSTEM_IDENTITY) & 0xff;
}

/* Bits of a row of a matrix register. */
SAM_DEVICE unsigned sam_system_mlen(void)
{
    return sam_register_read(SAM_SYSTEM_IDENTITY) >> 16;
}

/* A bit per matrix register: it may be md of a product. Unless all may, these are not its sources.
 */
SAM_DEVICE unsigned sam_system_acc_regs(void)
{
    return sam_register_read(SAM_SYSTEM_IDENTITY) >> 8 & 0xff;
}

/* A record without anything in it. */
SAM_DEVICE void sam_clear_words(void *record, unsigned words)
{
    for (unsigned i = 0; i < words; i++)
        ((uint32_t *)record)[i] = 0;
}

/* --- the console */
SAM_DEVICE void sam_put_char(char c)
{
    sam_register_write(SAM_SYSTEM_CONSOLE, (uint8_t)c);
}

SAM_DEVICE_FUNCTION void sam_put_text(const char *text)
{
    while (*text)
        sam_put_char(*text++);
}

/* In decimal, at least `width` wide. */
SAM_DEVICE_FUNCTION void sam_put_number(uint64_t number, unsigned width)
{
    char digits[20];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    for (unsigned i = count; i < width; i++)
        sam_put_char(' ');
    while (count)
        sam_put_char(digits[--count]);
}

#endif
