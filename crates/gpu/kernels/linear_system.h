// The 6 x 6 system of one body by eight lanes, a column of [H + A | b c] each.
//
//   Gauss-Jordan elimination with exchange of rows. The pivot's row goes to the end of the column, so that each of the six rounds
//   names the same registers: the loop stays a loop, and its code stays in the instruction cache.
#pragma once
#include "linear.h"

constexpr int FORCE_AT = 0, STIFFNESS_AT = 6, OFFSET_AT = 42;  // places of the sums on the board
// what a row shows: its arm, J^T K e_k for the three axes, J^T p, J^T q, and the numbers one and zero
constexpr int ARM_IN = 0, COLUMNS_IN = 3, FORCE_IN = 21, OFFSET_IN = 27, ONE_IN = 33, ZERO_IN = 34;

/// One round on one column: `pivot` is the column of the pivot, with its row exchanged and its first number inverted.
FN void eliminate(double (&a)[6], int best, const double (&pivot)[6]) {
#pragma unroll
  for (int i = 1; i < 6; ++i)
    if (best == i) { double t = a[i]; a[i] = a[0]; a[0] = t; }
  double first = a[0] * pivot[0];
#pragma unroll
  for (int i = 1; i < 6; ++i) a[i - 1] = fma(-pivot[i], first, a[i]);
  a[5] = first;
}
/// Row of the pivot among the first `rows` of a column.
FN int pivot_row(const double (&a)[6], int rows, double& most) {
  int best = 0;
  most = fabs(a[0]);
#pragma unroll
  for (int i = 1; i < 6; ++i)
    if (i < rows && fabs(a[i]) > most) { most = fabs(a[i]); best = i; }
  return best;
}
FN double column_entry(const Board& board, const V6& b, const V6& c, int row, int column) {
  if (column < 6) return board.sums[STIFFNESS_AT + 6 * row + column] + board.inertia[6 * row + column];
  return column == 6 ? b.a[row] : c.a[row];
}

/// Solves (H + A) x = b and = c with H and A of the board; sign of the determinant, 0 where singular.
CALL double solve6(const Lanes& lanes, V6& b, V6& c) {
  double sign = 1.0;
#if ON_DEVICE
  double a[6];
#pragma unroll
  for (int i = 0; i < 6; ++i) a[i] = column_entry(lanes.board(), b, c, i, lanes.lane() & 7);
#pragma unroll 1
  for (int k = 0; k < 6; ++k) {
    double most, pivot[6];
    int best = __shfl_sync(lanes.group(), pivot_row(a, 6 - k, most), k, G);
#pragma unroll
    for (int i = 0; i < 6; ++i) pivot[i] = __shfl_sync(lanes.group(), a[i], k, G);
#else
  double columns[8][6];
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 6; ++i) columns[j][i] = column_entry(lanes.board(), b, c, i, j);
  for (int k = 0; k < 6; ++k) {
    double most, pivot[6];
    int best = pivot_row(columns[k], 6 - k, most);
    for (int i = 0; i < 6; ++i) pivot[i] = columns[k][i];
#endif
#pragma unroll
    for (int i = 1; i < 6; ++i)
      if (best == i) { double t = pivot[i]; pivot[i] = pivot[0]; pivot[0] = t; }
    most = fabs(pivot[0]);
    if (!(most > 1e-300) || !(most < infinity())) return 0.0;
    if ((best != 0) != (pivot[0] < 0.0)) sign = -sign;
    pivot[0] = 1.0 / pivot[0];
#if ON_DEVICE
    eliminate(a, best, pivot);
  }
#pragma unroll
  for (int i = 0; i < 6; ++i) {
    b.a[i] = __shfl_sync(lanes.group(), a[i], 6, G);
    c.a[i] = __shfl_sync(lanes.group(), a[i], 7, G);
  }
#else
    for (int j = 0; j < 8; ++j) eliminate(columns[j], best, pivot);
  }
  for (int i = 0; i < 6; ++i) {
    b.a[i] = columns[6][i];
    c.a[i] = columns[7][i];
  }
#endif
  return sign;
}
/// The same for one right side.
FN double solve6(const Lanes& lanes, V6& b) {
  V6 unused = b;
  return solve6(lanes, b, unused);
}

FN void put_generalised(double* row, V3 arm, V3 x) {
  store3(row, x);
  store3(row + 3, cross(arm, x));
}

/// Adds up what the rows show. Every lane has some of the 48 sums and adds the rows in their order, so the sums do not depend on the
/// number of lanes:   (J^T K J)_ij = sum_k (J^T K e_k)_i (J^T e_k)_j,   J^T e_k = [e_k; arm x e_k].
template <class Make> FN void post_sums(const Lanes& lanes, int count, Make make) {
  Board& board = lanes.board();
  lanes.by_rows(count, make, [&](bool is_first, int rows) {
    lanes.own_sums([&](int e) {
      int one = ONE_IN, other = ZERO_IN, by = FORCE_IN + e, less = FORCE_IN;
      if (e >= OFFSET_AT) by = OFFSET_IN + e - OFFSET_AT;
      else if (e >= STIFFNESS_AT) {
        int i = (e - STIFFNESS_AT) / 6, j = (e - STIFFNESS_AT) % 6;
        by = less = COLUMNS_IN + 6 * (j % 3) + i;
        if (j >= 3) {
          one = (j + 1) % 3;
          other = (j + 2) % 3;
          by = COLUMNS_IN + 6 * other + i;
          less = COLUMNS_IN + 6 * one + i;
        }
      }
      double total = is_first ? 0.0 : board.sums[e];
#pragma unroll 2
      for (int k = 0; k < rows; ++k) {
        const double* row = board.row[k];
        total += fma(row[one], row[by], -(row[other] * row[less]));
      }
      board.sums[e] = total;
    });
  });
}
