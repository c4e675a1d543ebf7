/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/tick.h - the scheduler's tick: how often it comes.
 *
 * Source: clock_getres(2), whose answers for coarse clocks and for others are what the kernel
 * counts its time in (kernel/time/posix-timers.c). Where there is none: cpus__tickless().
 */
#ifndef PMUTRACE_MACHINE_TICK_H
#define PMUTRACE_MACHINE_TICK_H

#include <stdbool.h>
#include <stdint.h>

/* Time from one tick to the next: 1/CONFIG_HZ s, as the kernel rounds it. */
uint64_t tick__period_ns(void);

/* CONFIG_HZ. */
unsigned tick__hz(void);

/*
 * The tick is one of the timers of high resolution. Else (highres=off, or no clock for them) it is
 * the interrupt of the clock itself.
 */
bool tick__is_timer(void);

#endif
