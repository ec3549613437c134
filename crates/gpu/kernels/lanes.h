// One environment is stepped by a group of G lanes of a warp, G = 1, 2, 4, ... 32. One source serves
//   the device: lanes work in lockstep, sums go through shuffles;
//   the host:   one thread does the work of all lanes, in the same order of additions.
//
//   sum      lane l adds the terms l, l + G, l + 2G, ...; then a tree: lane j adds lane j + o for o = G/2, G/4, ... 1
//   collect  what the terms leave is written in the order of the terms, whatever the number of lanes
//
// No compiler may contract a*b + c (--fmad=false, -ffp-contract=off): every fused operation is written as fma(). So host and
// device give the same bits, and a result does not depend on the other environments.
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define ON_DEVICE 1
#define FN __device__ __forceinline__
#define CALL __device__ __noinline__
#else
#define ON_DEVICE 0
#include <cmath>
#include <cstdint>
#include <cstring>
#define FN inline
#define CALL inline
using std::fabs;
using std::floor;
using std::fma;
using std::rint;
using std::sqrt;
#endif

typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned long long u64;

#ifndef LANES
#define LANES 32
#endif
constexpr int G = LANES;
static_assert(G == 8 || G == 16 || G == 32, "the linear system has eight columns, one per lane");
constexpr int MOST_SUMS = 48, ROW_TERMS = 35;
constexpr int NEURONS = 64;  // of a layer of a depth network

/// A depth network at G nodes.
struct NetworkTile { float activation[NEURONS][G], value[G], gradient[3][G]; };

/// What the lanes of a group show one another, in shared memory.
struct Board {
  double sums[MOST_SUMS];
  double inertia[36];         // A of the problem at hand, row-major
  union {
    double row[G][ROW_TERMS]; // what G rows add to the sums; the odd length keeps lanes on different banks
    NetworkTile tile;
  };
};

/// Infinity without a header.
FN double infinity() {
#if ON_DEVICE
  return __longlong_as_double(0x7ff0000000000000ll);
#else
  return HUGE_VAL;
#endif
}
FN double lesser(double a, double b) { return a < b ? a : b; }
FN double larger(double a, double b) { return a > b ? a : b; }
FN bool is_finite(double a) { return fabs(a) < infinity(); }
FN u32 bits_of_float(float a) {
#if ON_DEVICE
  return __float_as_uint(a);
#else
  u32 bits;
  std::memcpy(&bits, &a, sizeof bits);
  return bits;
#endif
}
FN float float_of_bits(u32 bits) {
#if ON_DEVICE
  return __uint_as_float(bits);
#else
  float a;
  std::memcpy(&a, &bits, sizeof a);
  return a;
#endif
}

#if ON_DEVICE

extern __shared__ __align__(16) double boards[];

/// What every lane keeps for itself.
template <class T> struct PerLane {
  T own;
  FN T& operator[](int) { return own; }
};

/// Nothing is kept: all follows from the number of the thread, which takes no load, and the compiler knows where the board lies.
struct Lanes {
  FN int lane() const { return threadIdx.x & (G - 1); }
  FN int shift() const { return threadIdx.x & 31 & ~(G - 1); }
  FN Board& board() const { return ((Board*)boards)[threadIdx.x / G]; }
  FN u32 group() const { return G == 32 ? 0xffffffffu : ((1u << (G & 31)) - 1u) << shift(); }
  FN bool leads() const { return lane() == 0; }
  FN void sync() const { __syncwarp(group()); }
  FN u32 ballot(bool is) const {
    u32 all = __ballot_sync(group(), is);
    return G == 32 ? all : (all >> shift()) & ((1u << (G & 31)) - 1u);
  }
  FN int from_leader(int a) const { return G == 1 ? a : __shfl_sync(group(), a, 0, G); }

  template <class F> FN void each(int count, F work) const {
#pragma unroll 1
    for (int i = lane(); i < count; i += G) work(i);
    sync();
  }
  /// Every lane does its part of a common work; all see what all have done.
  template <class F> FN void as_lanes(F work) const {
    work(lane());
    sync();
  }
  /// Sums for every lane.
  template <int N, class F> FN void sum(int count, double (&total)[N], F term) const {
#pragma unroll
    for (int k = 0; k < N; ++k) total[k] = 0.0;
#pragma unroll 1
    for (int i = lane(); i < count; i += G) term(i, total);
#pragma unroll
    for (int k = 0; k < N; ++k)
#pragma unroll
      for (int o = G / 2; o > 0; o /= 2) total[k] += __shfl_xor_sync(group(), total[k], o, G);
  }
  /// Calls `make(i, row)` for G rows at a time, and `add(rows)` after each time.
  template <class Make, class Add> FN void by_rows(int count, Make make, Add add) const {
    int base = 0;
#pragma unroll 1
    do {
      sync();
      if (base + lane() < count) make(base + lane(), board().row[lane()]);
      sync();
      int rows = count - base < G ? count - base : G;
      add(base == 0, rows);
      base += G;
    } while (base < count);
    sync();
  }
  /// The sums of this lane.
  template <class F> FN void own_sums(F work) const {
#pragma unroll 1
    for (int e = lane(); e < MOST_SUMS; e += G) work(e);
  }
  /// Smallest value and the first index that has it; NaN is ignored.
  template <class F> FN double smallest(int count, int& index, F value) const {
    double least = infinity();
    int at = 0x7fffffff;
#pragma unroll 1
    for (int i = lane(); i < count; i += G) {
      double own = value(i);
      if (own < least) { least = own; at = i; }
    }
#pragma unroll
    for (int o = G / 2; o > 0; o /= 2) {
      double other = __shfl_xor_sync(group(), least, o, G);
      int place = __shfl_xor_sync(group(), at, o, G);
      if (other < least || (other == least && place < at)) { least = other; at = place; }
    }
    index = at;
    return least;
  }
  /// The same, and how many values are not at least `limit`, NaN included.
  template <class F> FN double smallest_and_below(int count, double limit, int& index, int& below, F value) const {
    double least = infinity();
    int at = 0x7fffffff, found = 0;
#pragma unroll 1
    for (int i = lane(); i < count; i += G) {
      double own = value(i);
      found += own >= limit ? 0 : 1;
      if (own < least) { least = own; at = i; }
    }
#pragma unroll
    for (int o = G / 2; o > 0; o /= 2) {
      double other = __shfl_xor_sync(group(), least, o, G);
      int place = __shfl_xor_sync(group(), at, o, G);
      found += __shfl_xor_sync(group(), found, o, G);
      if (other < least || (other == least && place < at)) { least = other; at = place; }
    }
    index = at;
    below = found;
    return least;
  }
  template <class F> FN int count_if(int count, F is) const {
    int total = 0;
#pragma unroll 1
    for (int base = 0; base < count; base += G) total += __popc(ballot(base + lane() < count && is(base + lane())));
    return total;
  }
  /// Calls `make(i, found)` for every i, and `put(place, found[k])` with consecutive places from `first` on, in the order of i
  /// and k; returns the place after the last. At most three are found for each i.
  template <class Found, class Make, class Put>
  FN int collect(int count, int first, Make make, Put put) const {
#pragma unroll 1
    for (int base = 0; base < count; base += G) {
      Found found;
      found.count = 0;
      if (base + lane() < count) make(base + lane(), found);
      u32 one = ballot(found.count > 0);
      if (one == 0) continue;
      u32 two = ballot(found.count > 1), three = ballot(found.count > 2), below = (1u << lane()) - 1u;
      int place = first + __popc(one & below) + __popc(two & below) + __popc(three & below);
#pragma unroll
      for (int k = 0; k < 3; ++k)
        if (k < found.count) put(place + k, found.at[k]);
      first += __popc(one) + __popc(two) + __popc(three);
    }
    sync();
    return first;
  }
};

#else

template <class T> struct PerLane {
  T of[G];
  T& operator[](int lane) { return of[lane]; }
};

struct Lanes {
  Board* own_board;

  Board& board() const { return *own_board; }
  bool leads() const { return true; }
  void sync() const {}
  int from_leader(int a) const { return a; }

  template <class F> void each(int count, F work) const {
    for (int i = 0; i < count; ++i) work(i);
  }
  template <class F> void as_lanes(F work) const {
    for (int lane = 0; lane < G; ++lane) work(lane);
  }
  template <int N, class F> void sum(int count, double (&total)[N], F term) const {
    double part[G][N];
    std::memset(part, 0, sizeof part);
    for (int lane = 0; lane < G; ++lane)
      for (int i = lane; i < count; i += G) term(i, part[lane]);
    for (int o = G / 2; o > 0; o /= 2)
      for (int lane = 0; lane < o; ++lane)
        for (int k = 0; k < N; ++k) part[lane][k] += part[lane + o][k];
    for (int k = 0; k < N; ++k) total[k] = part[0][k];
  }
  template <class Make, class Add> void by_rows(int count, Make make, Add add) const {
    int base = 0;
    do {
      int rows = count - base < G ? count - base : G;
      for (int k = 0; k < rows; ++k) make(base + k, board().row[k]);
      add(base == 0, rows);
      base += G;
    } while (base < count);
  }
  template <class F> void own_sums(F work) const {
    for (int e = 0; e < MOST_SUMS; ++e) work(e);
  }
  template <class F> double smallest(int count, int& index, F value) const {
    double least = infinity();
    index = 0x7fffffff;
    for (int i = 0; i < count; ++i) {
      double own = value(i);
      if (own < least) { least = own; index = i; }
    }
    return least;
  }
  template <class F> double smallest_and_below(int count, double limit, int& index, int& below, F value) const {
    below = count_if(count, [&](int i) { return !(value(i) >= limit); });
    return smallest(count, index, value);
  }
  template <class F> int count_if(int count, F is) const {
    int total = 0;
    for (int i = 0; i < count; ++i) total += is(i) ? 1 : 0;
    return total;
  }
  template <class Found, class Make, class Put>
  int collect(int count, int first, Make make, Put put) const {
    for (int i = 0; i < count; ++i) {
      Found found;
      found.count = 0;
      make(i, found);
      for (int k = 0; k < found.count; ++k) put(first++, found.at[k]);
    }
    return first;
  }
};
#endif

/// Largest value.
template <class F> FN double largest(const Lanes& lanes, int count, F value) {
  int index;
  return -lanes.smallest(count, index, [&](int i) { return -value(i); });
}
template <class F> FN bool all_of(const Lanes& lanes, int count, F is) { return lanes.count_if(count, is) == count; }
