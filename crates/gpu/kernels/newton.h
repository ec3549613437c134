// The velocity problem of one body over a working set, and Newton's method on it (the CPU's `system.rs`, `mixed_newton.rs`,
// `primal_newton.rs`, `continuation.rs`). Sums and H are on the board of the lanes.
//
//   r(V) = A (V - Vf) - sum J^T p(J V) = 0      H = A + sum J^T K J      merit sqrt(r^T sym(W) r)
#pragma once
#include "contact_law.h"

constexpr int AT_ONCE = 6, MOST_WRONG = 5, MIXED_ITERATIONS = 22;
constexpr double TOLERANCE = 1e-9;

struct Problem {
  V3 response, mass;   // W, linear part, and its inverse
  M3 turning_response; // W, angular part, world axes
  M3 mobility;         // its symmetric part
  M3 inertia;          // inverse of W
  M3 metric;           // inverse of the symmetric part
  V6 free, free_momentum;
  double friction, scale, trace;
  int iterations, evaluations;
  int most, limit;     // passes of an attempt; of all so far with this one

  FN static Problem of(V3 response, const M3& turning_response, const V6& free, double friction, int most) {
    Problem p;
    p.response = response;
    p.mass = v3(1.0 / response.x, 1.0 / response.y, 1.0 / response.z);
    p.turning_response = turning_response;
    p.mobility = scaled(0.5, sum(turning_response, transpose(turning_response)));
    p.inertia = inverse(turning_response);
    p.free = free;
    p.free_momentum = p.momentum(free);
    p.friction = friction;
    p.metric = inverse(p.mobility);
    p.scale = sqrt(p.product(free, free));
    p.trace = p.mobility.a[0] + p.mobility.a[4] + p.mobility.a[8];
    p.iterations = p.evaluations = 0;
    p.most = p.limit = most;
    return p;
  }
  /// a^T sym(W)^-1 b.
  FN double product(const V6& a, const V6& b) const {
    return dot(linear(a), times(mass, linear(b))) + dot(angular(a), mul(metric, angular(b)));
  }
  FN bool gave_up() const { return evaluations > limit; }
  FN void allow(int passes) { limit = evaluations + (passes < most ? passes : most); }
  FN V6 momentum(const V6& v) const {
    return stack(times(mass, linear(v)), mul(inertia, angular(v)));
  }
  FN V6 respond(const V6& p) const {
    return stack(linear(free) + times(response, linear(p)), angular(free) + mul(turning_response, angular(p)));
  }
  FN double accepted() const {
    double a = TOLERANCE * larger(scale, 1.0);
    return a * a;
  }
  /// 1/d, d = tr(J sym(W) J^T)/3.
  FN double rate(V3 arm) const {
    double linear = response.x + response.y + response.z;
    double turned = trace * dot(arm, arm) - dot(arm, mul(mobility, arm));
    return 3.0 / (linear + turned);
  }
  /// Shows A to the lanes.
  FN void post(const Lanes& lanes) const {
    lanes.sync();
    if (lanes.leads()) {
      double* a = lanes.board().inertia;
#pragma unroll 1
      for (int i = 0; i < 36; ++i) a[i] = 0.0;
      a[0] = mass.x; a[7] = mass.y; a[14] = mass.z;
#pragma unroll
      for (int i = 0; i < 9; ++i) a[21 + 6 * (i / 3) + i % 3] = inertia.a[i];
    }
    lanes.sync();
  }
  FN V6 residual(const V6& v, const double* force) const {
    V6 r = momentum(v - free);
#pragma unroll
    for (int k = 0; k < 6; ++k) r.a[k] -= force[k];
    return r;
  }
  FN double merit(const V6& r) const {
    V3 f = linear(r), t = angular(r);
    return response.x * f.x * f.x + response.y * f.y * f.y + response.z * f.z * f.z + dot(t, mul(mobility, t));
  }
};

/// The working set, in scratch memory.
struct Set {
  Scratch& s;
  int count;

  FN LawRow row(int i) const {
    return {{s.arm[0][i], s.arm[1][i], s.arm[2][i]}, {s.normal[0][i], s.normal[1][i], s.normal[2][i]}, s.approach[i], s.rate[i]};
  }
  FN V3 impulse(int i) const { return {s.impulse[0][i], s.impulse[1][i], s.impulse[2][i]}; }
  FN void set_impulse(int i, V3 p) const { s.impulse[0][i] = p.x; s.impulse[1][i] = p.y; s.impulse[2][i] = p.z; }
  FN V3 trial(int i) const { return {s.trial[0][i], s.trial[1][i], s.trial[2][i]}; }
  FN void set_trial(int i, V3 p) const { s.trial[0][i] = p.x; s.trial[1][i] = p.y; s.trial[2][i] = p.z; }
  FN Stiffness slope(int i) const {
    return {{s.ahead[0][i], s.ahead[1][i], s.ahead[2][i]}, {s.across[0][i], s.across[1][i], s.across[2][i]}, s.resistance[i], s.isotropic[i]};
  }
  FN V3 offset(int i) const { return {s.offset[0][i], s.offset[1][i], s.offset[2][i]}; }
  FN void keep(int i, V3 q, const Stiffness& k) const {
    s.offset[0][i] = q.x; s.offset[1][i] = q.y; s.offset[2][i] = q.z;
    s.ahead[0][i] = k.ahead.x; s.ahead[1][i] = k.ahead.y; s.ahead[2][i] = k.ahead.z;
    s.across[0][i] = k.across.x; s.across[1][i] = k.across.y; s.across[2][i] = k.across.z;
    s.resistance[i] = k.resistance;
    s.isotropic[i] = k.isotropic;
  }
};

/// Level 0: Newton in velocities and impulses from `root` and the impulses of the set; true where `root` is the solution.
CALL bool mixed_newton(const Lanes& lanes, const Set& set, Problem& p, double softness, V6& root) {
  double accepted = p.accepted();
  V6 current = root;
  lanes.each(set.count, [&](int i) { set.set_trial(i, set.impulse(i)); });
  for (int iteration = 0; iteration <= MIXED_ITERATIONS; ++iteration) {
    bool holds = iteration >= AT_ONCE;
    if (holds) {
      // all rows keep their state but the most wrong one, later the last wrong one
      bool by_size = iteration < AT_ONCE + MOST_WRONG;
      int wrong, chosen;
      lanes.smallest_and_below(set.count, infinity(), chosen, wrong, [&](int i) {
        LawRow row = set.row(i);
        double depth = row.depth(row.velocity(current));
        bool is_closed = set.slope(i).is_closed();
        if (is_closed == (depth > 0.0)) return infinity();
        double speed = is_closed ? -depth / softness : depth;
        return by_size ? -speed : -(double)i;
      });
      lanes.sync();
      lanes.each(set.count, [&](int i) {
        bool is_closed = set.slope(i).is_closed();
        set.s.held[i] = (is_closed != (wrong > 0 && i == chosen)) ? 1.0 : 0.0;
      });
      if (wrong > MIXED_ITERATIONS - iteration + 1) return false;
    }
    p.evaluations += 1;
    if (p.gave_up()) return false;
    post_sums(lanes, set.count, [&](int i, double* terms) {
      LawRow row = set.row(i);
      V3 v = row.velocity(current);
      V3 own = iteration == 0 ? set.trial(i) : set.offset(i) - set.slope(i).times(row.normal, v);
      set.set_trial(i, own);
      Stiffness slope;
      V3 offset = mixed_law(row, v, own, p.friction, softness, holds ? set.s.held[i] : -1.0, slope);
      set.keep(i, offset, slope);
      put_terms(terms, row.arm, row.normal, slope, law_impulse(row, v, p.friction, softness), offset);
    });
    const double* sums = lanes.board().sums;
    if (p.merit(p.residual(current, sums + FORCE_AT)) < accepted) {
      root = current;
      lanes.sync();
      lanes.each(set.count, [&](int i) { set.set_impulse(i, set.trial(i)); });
      return true;
    }
    if (iteration == MIXED_ITERATIONS) return false;
#pragma unroll
    for (int k = 0; k < 6; ++k) current.a[k] = p.free_momentum.a[k] + sums[OFFSET_AT + k];
    p.iterations += 1;
    if (solve6(lanes, current) == 0.0) return false;
    lanes.sync();
  }
  return false;
}

/// F and H of the law itself at a velocity, on the board, and r; squared merit.
CALL double evaluate(const Lanes& lanes, const Set& set, Problem& p, const V6& v, double softness, V6& residual) {
  p.evaluations += 1;
  post_sums(lanes, set.count, [&](int i, double* terms) {
    LawRow row = set.row(i);
    Stiffness slope;
    V3 impulse = law_with_slope(row, row.velocity(v), p.friction, softness, slope);
    put_terms(terms, row.arm, row.normal, slope, impulse, v3(0, 0, 0));
  });
  residual = p.residual(v, lanes.board().sums + FORCE_AT);
  return p.merit(residual);
}

/// Newton at one softness with a halving line search; true where `v` is the root.
CALL bool primal_newton(const Lanes& lanes, const Set& set, Problem& p, double softness, int iterations, int halvings, V6& v) {
  double accepted = p.accepted();
  V6 r;
  double merit = evaluate(lanes, set, p, v, softness, r);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    if (merit < accepted) return true;
    V6 direction, trial = v;
#pragma unroll
    for (int k = 0; k < 6; ++k) direction.a[k] = -r.a[k];
    p.iterations += 1;
    if (solve6(lanes, direction) == 0.0) return false;
    double best = 1e308, best_length = 1.0, length = 1.0;
    bool is_found = false;
    for (int k = 0; k < halvings && !is_found; ++k) {
      if (p.gave_up()) return false;
      trial = scaled_sum(length, direction, v);
      double reached = evaluate(lanes, set, p, trial, softness, r);
      if (reached < (1.0 - 1e-4 * length) * merit) {
        merit = reached;
        is_found = true;
        break;
      }
      if (reached < best) { best = reached; best_length = length; }
      length *= 0.5;
    }
    if (!is_found) {
      trial = scaled_sum(best_length, direction, v);
      merit = evaluate(lanes, set, p, trial, softness, r);
    }
    v = trial;
  }
  return merit < accepted;
}

/// Level 1: roots of ever stiffer laws. `prefix` is the last root before any failure, at the softness `from`, zero without one.
/// The short one (`is_short`) ends where it fails, the long one where it fails after a root: what follows needs fewer passes.
CALL bool continuation(const Lanes& lanes, const Set& set, Problem& p, double first, double last, int halvings, bool is_short, V6& v, V6& prefix, double& from) {
  bool is_unbroken = true;
  from = 0.0;
  for (double softness = first;;) {
    bool is_solved = primal_newton(lanes, set, p, softness, 12, halvings, v);
    if (softness <= last || p.gave_up() || (!is_solved && (is_short || from > 0.0))) return is_solved && softness <= last;
    is_unbroken = is_unbroken && is_solved;
    if (is_unbroken) { prefix = v; from = softness; }
    double next = 0.1 * softness;
    softness = next < last * 1.0001 ? last : next;
  }
}
