// How far detection must search (the CPU's `search_margin.rs`): margin = max(0.01 mm, 1.5 T v), v a bound on how fast the gap of
// any node can close. Parts on one axis:   v = |v_across| + |w_tilt| R + |v_z - k w_z|
#pragma once
#include "contacts.h"

constexpr double LEAST_MARGIN = 0.01e-3;
constexpr double AHEAD = 1.5;
constexpr double LARGEST_MARGIN = 200e-3;
constexpr double PARALLEL = 0.995;

/// By how much the gap of any node closes within a time, at most [m]; negative where the parts are not on one axis.
CALL double closed_within(const Common& common, const Environment& env, const Body& body, const V6& velocity, double time) {
  int free = common.free_side;
  M3 fixed_turn = matrix({common.fixed_rotation[0], common.fixed_rotation[1], common.fixed_rotation[2], common.fixed_rotation[3]});
  V3 origins[2], axes[2];
  origins[free] = body.origin;
  axes[free] = column(body.turn, 2);
  origins[1 - free] = load3(common.fixed_position);
  axes[1 - free] = column(fixed_turn, 2);
  double up = dot(axes[0], axes[1]);
  if (!(fabs(up) > PARALLEL)) return -1.0;
  int narrow = env.shape[1].radii[1] < env.shape[0].radii[1] ? 1 : 0;
  const Shape &own = env.shape[narrow], &other = env.shape[1 - narrow];
  double place = dot(axes[narrow], origins[1 - narrow] - origins[narrow]);
  double one = fma(up, other.heights[0], place), two = fma(up, other.heights[1], place);
  double low = larger(own.heights[0], lesser(one, two)), high = lesser(own.heights[1], larger(one, two));
  V3 middle = scaled_sum(0.5 * (low + high), axes[narrow], origins[narrow]);
  double half = 0.5 * (high - low), reach = sqrt(fma(own.radii[1], own.radii[1], half * half));
  V3 moved = time * velocity_at(velocity, middle - body.center), turn = time * angular(velocity), axis = axes[0];
  double along = dot(moved, axis), about = dot(turn, axis);
  double across = norm(scaled_sum(-along, axis, moved)), tilt = norm(scaled_sum(-about, axis, turn));
  double rise = is_round(env.shape[0]) ? 0.0 : env.shape[0].rise;
  return across + tilt * reach + fabs(fma(-rise, about, along));
}
FN double search_margin(double closed) { return lesser(larger(closed, LEAST_MARGIN), LARGEST_MARGIN); }
