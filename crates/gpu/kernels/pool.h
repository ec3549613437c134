// The environments that a block has in hand, and which of their stages its warps take.
//
// The code of a step is larger than the instruction cache of a multiprocessor, and a warp that is elsewhere in it than the others costs
// them more than its own work. So the warps of a block go in waves: the stage for which most environments wait is opened, as many
// as there are groups take it at the same time, and the next wave begins when all have ended. Those that took about as long
// last time go together. Rounds of the solver differ most: all that wait take them, the longest first. A solve by all levels
// holds up nobody. What is taken when changes no result: a stage reads and writes only its environment.
#pragma once
#include "step.h"

#ifndef BLOCK
#define BLOCK 64
#endif
#ifndef SLOTS
#define SLOTS 32
#endif

constexpr int GROUPS = 32 / G;          // of a warp
constexpr int WORDS = SLOTS / 32;       // slots of a lane
constexpr bool BY_COST = GROUPS == 1;   // where a warp has several environments, they wait for one another anyway
static_assert(SLOTS % 32 == 0, "lanes look at one slot each");
enum SlotState : int { BUSY = STAGES, EMPTY = STAGES + 1 };  // or the stage for which it waits

/// Groups of a block, and how many of them are at solves by all levels at most.
constexpr int ALL_GROUPS = BLOCK / G, MOST_HARD = ALL_GROUPS / 4 > 0 ? ALL_GROUPS / 4 : 1;

/// In shared memory.
struct Pool {
  int state[SLOTS], index[SLOTS];
  int cost[2][SLOTS];  // how long the last detection and the last rounds took
  int lock, current, is_exhausted;
  int tickets;        // environments that the wave still takes, the last one first
  int ticket[SLOTS];  // their slots
  int working, hard;  // groups at the stages of waves; at solves by all levels
};

/// What the launch is to do: environments from a list (all without one) and the steps that each has to take.
struct Work {
  Environment* environments;
  const int* list;
  int count, more;
  int* counters;  // next place in the list, length of `left`
  int* left;      // environments that the host must step
};

FN void leave(const Work& work, int index) {
  if (work.environments[index].status > FROZEN) work.left[atomicAdd(work.counters + 1, 1)] = index;
}

/// Fills empty slots until all are full or the list is at its end.
FN void refill(volatile Pool& pool, const Work& work) {
  int lane = threadIdx.x & 31;
  while (!pool.is_exhausted) {
    int empty = 0, first = 0, before = 0;
    for (int w = 0; w < WORDS; ++w) empty += __popc(__ballot_sync(0xffffffffu, pool.state[32 * w + lane] == EMPTY));
    if (empty == 0) return;
    if (lane == 0) first = atomicAdd(work.counters, empty);
    first = __shfl_sync(0xffffffffu, first, 0);
    for (int w = 0; w < WORDS; ++w) {
      int slot = 32 * w + lane;
      u32 all = __ballot_sync(0xffffffffu, pool.state[slot] == EMPTY);
      int place = first + before + __popc(all & ((1u << lane) - 1u));
      before += __popc(all);
      // a slot that another warp has emptied since is not counted
      if (((all >> lane) & 1u) && place < first + empty && place < work.count) {
        int index = work.list == nullptr ? place : work.list[place];
        if (first_stage(work.environments[index], work.more) == DONE) {
          leave(work, index);
        } else {
          pool.index[slot] = index;
          pool.state[slot] = BEGIN;
        }
      }
    }
    __syncwarp();
    if (lane == 0 && first + empty >= work.count) pool.is_exhausted = 1;
    __syncwarp();
  }
}

/// How many of those that wait cost less than a slot.
FN int rank_by_cost(const u32 (&is_waiting)[WORDS], volatile int* cost, int slot) {
  int own = cost[slot], rank = 0;
#pragma unroll
  for (int w = 0; w < WORDS; ++w)
    for (u32 rest = is_waiting[w]; rest != 0; rest &= rest - 1u) {
      int other = 32 * w + __ffs(rest) - 1, its = cost[other];
      rank += its < own || (its == own && other < slot) ? 1 : 0;
    }
  return rank;
}

/// Opens a wave where the last one has ended; false where nothing waits.
FN bool open_wave(volatile Pool& pool) {
  int lane = threadIdx.x & 31, most = 0, next = 0, all = 0;
  for (int stage = 0; stage < STAGES; ++stage) {
    int waiting = 0;
    for (int w = 0; w < WORDS; ++w) waiting += __popc(__ballot_sync(0xffffffffu, pool.state[32 * w + lane] == stage));
    all += waiting;
    // solves by all levels are long: they begin as soon as they can
    if (stage == HARD) waiting = pool.hard < MOST_HARD ? waiting * SLOTS : 0;
    if (waiting > most) { most = waiting; next = stage; }
  }
  if (most > 0) {
    // as they stand now: a solve by all levels may end meanwhile
    u32 is_waiting[WORDS];
    int waiting = 0;
#pragma unroll
    for (int w = 0; w < WORDS; ++w) {
      is_waiting[w] = __ballot_sync(0xffffffffu, pool.state[32 * w + lane] == next);
      waiting += __popc(is_waiting[w]);
    }
    int room = next == HARD ? MOST_HARD - pool.hard : next == ROUNDS ? SLOTS : ALL_GROUPS;
    int tickets = waiting < room ? waiting : room;
    volatile int* cost = pool.cost[next == ROUNDS];
    int before = 0;
#pragma unroll
    for (int w = 0; w < WORDS; ++w) {
      int rank = before + __popc(is_waiting[w] & ((1u << lane) - 1u));
      before += __popc(is_waiting[w]);
      if (BY_COST) rank = rank_by_cost(is_waiting, cost, 32 * w + lane);
      if (((is_waiting[w] >> lane) & 1u) && rank < tickets) pool.ticket[rank] = 32 * w + lane;
    }
    __syncwarp();
    if (lane == 0) {
      pool.current = next;
      pool.tickets = tickets;
    }
  }
  __syncwarp();
  return all > 0;
}

/// Gives each group of a warp a slot of the same stage, -1 where too few wait; returns the stage, DONE where none waits.
CALL Stage pick(Pool* shared, const Work& work, int& slot) {
  volatile Pool& pool = *shared;
  int lane = threadIdx.x & 31;
  bool is_work = true;
  for (;;) {
    if (lane == 0) {
      while (pool.tickets == 0 && pool.working > 0) __nanosleep(40);
      while (atomicCAS(&shared->lock, 0, 1) != 0) __nanosleep(20);
    }
    __syncwarp();
    __threadfence_block();
    refill(pool, work);
    if (pool.tickets == 0 && pool.working == 0) is_work = open_wave(pool);
    if (pool.tickets > 0 || !is_work) break;
    __syncwarp();
    if (lane == 0) {
      atomicExch(&shared->lock, 0);
      __nanosleep(200);
    }
    __syncwarp();
  }
  int current = pool.current, tickets = pool.tickets, taken = tickets < GROUPS ? tickets : GROUPS, group = lane / G;
  slot = is_work && group < taken ? pool.ticket[tickets - 1 - group] : -1;
  __syncwarp();
  if (slot >= 0 && lane % G == 0) pool.state[slot] = BUSY;
  if (lane == 0 && is_work) {
    pool.tickets = tickets - taken;
    atomicAdd(current == HARD ? &shared->hard : &shared->working, taken);
  }
  __syncwarp();
  __threadfence_block();
  if (lane == 0) atomicExch(&shared->lock, 0);
  __syncwarp();
  return is_work ? (Stage)current : DONE;
}
