// Keeps the pose increment from penetrating: a dual active-set quadratic program (the CPU's `pose_projection.rs`;
// Goldfarb & Idnani, Math. Prog. 27, 1983).
//
//   min 1/2 |U - V|^2_M   subject to   gap_i + T Jn_i U >= 0
#pragma once
#include "contacts.h"

constexpr double SLOP = 20e-9, OPEN = 1e-9, INDEPENDENT = 1e-10, LEVER = 4.0;
constexpr int PIVOTS = 100;

struct Projection {
  int pivots;
  bool is_complete;
};

FN double worst_gap(const Lanes& lanes, const Contacts& c, double horizon, const V6& u, int& index) {
  double per_horizon = 1.0 / horizon;
  return horizon * lanes.smallest(c.count, index, [&](int i) { return c.normal_speed(i, u) + per_horizon * c.gap(i); });
}

/// Moves `u` to the nearest velocity that opens all gaps within `horizon`; where that fails it is unchanged.
CALL Projection project(const Lanes& lanes, const Contacts& c, double horizon, double reach, double inverse_mass, const M3& inverse_moment, V6& u) {
  int contact;
  double worst = worst_gap(lanes, c, horizon, u, contact);
  if (!(worst < -SLOP)) return {0, true};
  reach -= LEVER * worst;
  V6 at = u, gradients[6], responses[6];
  double multipliers[6], longest = 0.0;
  int count = 0, pivots = 0;
  for (;;) {
    V3 n = c.normal(contact), arm = c.arm(contact);
    V6 gradient = stack(n, cross(arm, n));
    V6 response = stack(inverse_mass * n, mul(inverse_moment, angular(gradient)));
    longest = larger(longest, dot(arm, arm));
    double multiplier = 0.0;
    for (bool enters = false; !enters;) {
      if (pivots++ == PIVOTS) return {pivots, false};
      double slack = c.gap(contact) / horizon + dot(gradient, at);
      double gram[6][6], shares[6];
      for (int i = 0; i < count; ++i) {
        shares[i] = dot(gradients[i], response);
        for (int j = 0; j <= i; ++j) gram[i][j] = dot(gradients[i], responses[j]);
      }
      for (int i = 0; i < count; ++i) {
        double diagonal = gram[i][i];
        for (int j = 0; j <= i; ++j) {
          double s = gram[i][j];
          for (int k = 0; k < j; ++k) s = fma(-gram[i][k], gram[j][k], s);
          gram[i][j] = i == j ? sqrt(larger(s, 1e-14 * diagonal)) : s / gram[j][j];
        }
      }
      for (int i = 0; i < count; ++i) {
        for (int k = 0; k < i; ++k) shares[i] = fma(-gram[i][k], shares[k], shares[i]);
        shares[i] /= gram[i][i];
      }
      for (int i = count - 1; i >= 0; --i) {
        for (int k = i + 1; k < count; ++k) shares[i] = fma(-gram[k][i], shares[k], shares[i]);
        shares[i] /= gram[i][i];
      }
      V6 direction = response;
      for (int i = 0; i < count; ++i) direction = scaled_sum(-shares[i], responses[i], direction);
      double curvature = dot(gradient, direction), dual = infinity();
      int drop = -1;
      for (int i = 0; i < count; ++i)
        if (shares[i] > 1e-12 && multipliers[i] / shares[i] < dual) { dual = multipliers[i] / shares[i]; drop = i; }
      bool is_independent = count < 6 && curvature > INDEPENDENT * dot(gradient, response);
      double primal = is_independent ? -slack / curvature : infinity(), step = lesser(dual, primal);
      if (!(step < infinity())) return {pivots, false};
      for (int i = 0; i < count; ++i) multipliers[i] = larger(fma(-step, shares[i], multipliers[i]), 0.0);
      multiplier += step;
      if (is_independent) at = scaled_sum(step, direction, at);
      if (primal <= dual) {
        gradients[count] = gradient;
        responses[count] = response;
        multipliers[count++] = multiplier;
        enters = true;
      } else {
        for (int i = drop; i + 1 < count; ++i) {
          gradients[i] = gradients[i + 1];
          responses[i] = responses[i + 1];
          multipliers[i] = multipliers[i + 1];
        }
        count -= 1;
      }
    }
    worst = worst_gap(lanes, c, horizon, at, contact);
    if (worst >= -OPEN) break;
  }
  V6 moved = at - u;
  if (!(horizon * (norm(linear(moved)) + norm(angular(moved)) * sqrt(longest)) <= reach)) return {pivots, false};
  u = at;
  return {pivots, true};
}
