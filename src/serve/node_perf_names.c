// SPDX-License-Identifier: BSD-2-Clause
/* The table of node_exporter's events. */
#include "serve/node_perf_names.h"

#include "base/array.h"

#define HARDWARE(flag, metric, help, event)                                                        \
	{                                                                                          \
		NODE_PERF_HARDWARE, flag, "node_perf_" metric "_total", help, event, NULL          \
	}
#define SOFTWARE(flag, metric, help, event)                                                        \
	{                                                                                          \
		NODE_PERF_SOFTWARE, flag, "node_perf_" metric "_total", help, event, NULL          \
	}
#define HITS(flag, metric, help, accesses, misses)                                                 \
	{                                                                                          \
		NODE_PERF_CACHE, flag, "node_perf_cache_" metric "_total", help, accesses, misses  \
	}
#define MISSES(flag, metric, help, misses)                                                         \
	{                                                                                          \
		NODE_PERF_CACHE, flag, "node_perf_cache_" metric "_total", help, misses, NULL      \
	}

static const struct node_perf_name names[] = {
	HARDWARE("CpuCycles", "cpucycles", "Number of CPU cycles (frequency scaled)", "cycles"),
	HARDWARE("CpuInstr", "instructions", "Number of CPU instructions", "instructions"),
	HARDWARE("BranchInstr", "branch_instructions", "Number of CPU branch instructions",
		 "branches"),
	HARDWARE("BranchMisses", "branch_misses", "Number of CPU branch misses", "branch-misses"),
	HARDWARE("CacheRef", "cache_refs", "Number of cache references (non frequency scaled)",
		 "cache-references"),
	HARDWARE("CacheMisses", "cache_misses", "Number of cache misses", "cache-misses"),
	HARDWARE("RefCpuCycles", "ref_cpucycles", "Number of CPU cycles", "ref-cycles"),
	HARDWARE("StalledCyclesBackend", "stalled_cycles_backend",
		 "Number of stalled backend CPU cycles", "stalled-cycles-backend"),
	HARDWARE("StalledCyclesFrontend", "stalled_cycles_frontend",
		 "Number of stalled frontend CPU cycles", "stalled-cycles-frontend"),
	SOFTWARE("PageFault", "page_faults", "Number of page faults", "page-faults"),
	SOFTWARE("ContextSwitch", "context_switches", "Number of context switches",
		 "context-switches"),
	SOFTWARE("CpuMigration", "cpu_migrations", "Number of CPU process migrations",
		 "cpu-migrations"),
	SOFTWARE("MinorFault", "minor_faults", "Number of minor page faults", "minor-faults"),
	SOFTWARE("MajorFault", "major_faults", "Number of major page faults", "major-faults"),
	HITS("L1DataReadHit", "l1d_read_hits", "Number L1 data cache read hits", "L1-dcache-loads",
	     "L1-dcache-load-misses"),
	MISSES("L1DataReadMiss", "l1d_read_misses", "Number L1 data cache read misses",
	       "L1-dcache-load-misses"),
	HITS("L1DataWriteHit", "l1d_write_hits", "Number L1 data cache write hits",
	     "L1-dcache-stores", "L1-dcache-store-misses"),
	MISSES("L1InstrReadMiss", "l1_instr_read_misses",
	       "Number instruction L1 instruction read misses", "L1-icache-load-misses"),
	HITS("InstrTLBReadHit", "tlb_instr_read_hits", "Number instruction TLB read hits",
	     "iTLB-loads", "iTLB-load-misses"),
	MISSES("InstrTLBReadMiss", "tlb_instr_read_misses", "Number instruction TLB read misses",
	       "iTLB-load-misses"),
	HITS("DataTLBReadHit", "tlb_data_read_hits", "Number of data TLB read hits", "dTLB-loads",
	     "dTLB-load-misses"),
	MISSES("DataTLBReadMiss", "tlb_data_read_misses", "Number of data TLB read misses",
	       "dTLB-load-misses"),
	HITS("DataTLBWriteHit", "tlb_data_write_hits", "Number of data TLB write hits",
	     "dTLB-stores", "dTLB-store-misses"),
	MISSES("DataTLBWriteMiss", "tlb_data_write_misses", "Number of data TLB write misses",
	       "dTLB-store-misses"),
	HITS("LLReadHit", "ll_read_hits", "Number last level read hits", "LLC-loads",
	     "LLC-load-misses"),
	MISSES("LLReadMiss", "ll_read_misses", "Number last level read misses", "LLC-load-misses"),
	HITS("LLWriteHit", "ll_write_hits", "Number last level write hits", "LLC-stores",
	     "LLC-store-misses"),
	MISSES("LLWriteMiss", "ll_write_misses", "Number last level write misses",
	       "LLC-store-misses"),
	HITS("BPUReadHit", "bpu_read_hits", "Number BPU read hits", "branch-loads",
	     "branch-load-misses"),
	MISSES("BPUReadMiss", "bpu_read_misses", "Number BPU read misses", "branch-load-misses"),
};

const struct node_perf_name *node_perf_name(size_t i)
{
	return i < ARRAY_SIZE(names) ? &names[i] : NULL;
}
