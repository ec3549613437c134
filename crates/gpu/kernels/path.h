// Levels 2 and 3: follow the roots V(softness) through their folds (the CPU's `arclength.rs`; Allgower & Georg 1990).
//
//   dr/dl = F, l = ln softness      tangent  l' = -sign(det H),  V' = -H^-1 F l',  scaled to V'^T A V'/s^2 + l'^2 = 1
//   predict y + d y';  correct by Newton on [r; plane through the prediction, normal to y']
#pragma once
#include "angles.h"
#include "newton.h"

constexpr int PATH_STEPS = 200, PATH_CORRECTIONS = 8;
constexpr double LARGEST_CORRECTION = 0.6, KINK_STEP = 0.05, SHORTEST_STEP = 1e-8, RELATIVE_SCALE = 0.3, LONGEST_STEP = 1.5;
// level 3 starts where contacts are so soft that Newton's method converges from V_f
constexpr double SOFTEST = 1e3;
constexpr int LONG_PATH_STEPS = 600;

struct Tangent { V6 velocity; double rate, sign; };

struct RootPath {
  const Lanes& lanes;
  const Set& set;
  Problem& p;
  double squared;  // of the velocity scale

  CALL Tangent tangent_at(const V6& v, double lambda) {
    V6 b;
    evaluate(lanes, set, p, v, exponential(lambda), b);
    b = load6(lanes.board().sums + FORCE_AT);
    p.iterations += 1;
    Tangent t;
    t.sign = solve6(lanes, b);
    t.rate = -t.sign;
#pragma unroll
    for (int k = 0; k < 6; ++k) t.velocity.a[k] = -b.a[k] * t.rate;
    double length = sqrt(p.product(t.velocity, t.velocity) / squared + t.rate * t.rate);
#pragma unroll
    for (int k = 0; k < 6; ++k) t.velocity.a[k] /= length;
    t.rate /= length;
    return t;
  }
  /// Newton in the plane through the prediction; true where `reached` is ln softness of the point `corrected`.
  CALL bool correct(const Tangent& t, const V6& predicted, double lambda, double step, V6& corrected, double& reached) {
    corrected = predicted;
    reached = lambda;
    for (int k = 0; k < PATH_CORRECTIONS && !p.gave_up(); ++k) {
      V6 by_residual, by_force;
      double merit = evaluate(lanes, set, p, corrected, exponential(reached), by_residual);
      V6 moved = corrected - predicted;
      double off_plane = p.product(t.velocity, moved) / squared + t.rate * (reached - lambda);
      if (merit < 1e-14 * squared && fabs(off_plane) < 1e-10) {
        double far = p.product(moved, moved) / squared + (reached - lambda) * (reached - lambda);
        return far < (LARGEST_CORRECTION * step) * (LARGEST_CORRECTION * step);
      }
      by_force = load6(lanes.board().sums + FORCE_AT);
      p.iterations += 1;
      if (solve6(lanes, by_residual, by_force) == 0.0) return false;
      double denominator = t.rate - p.product(t.velocity, by_force) / squared;
      double change = (p.product(t.velocity, by_residual) / squared - off_plane) / denominator;
      if (!(fabs(change) <= 5.0)) return false;
#pragma unroll
      for (int i = 0; i < 6; ++i) corrected.a[i] -= by_residual.a[i] + by_force.a[i] * change;
      reached += change;
    }
    return false;
  }
  /// Starts along the tangent of the piece beyond a kink.
  FN bool cross_kink(const V6& point, const V6& predicted, double lambda, double rate, double target, double& step, V6& corrected, double& reached) {
    Tangent beyond = tangent_at(predicted, fma(step, rate, lambda));
    if (beyond.sign == 0.0) return false;
    for (int k = 0; k < 2; ++k) {
      double length = (k == 0 ? 1.0 : 3.0) * step, next = fma(length, beyond.rate, lambda);
      if (next <= target) continue;
      if (!correct(beyond, scaled_sum(length, beyond.velocity, point), next, length, corrected, reached)) continue;
      if (tangent_at(corrected, reached).sign == beyond.sign) {
        step = length;
        return true;
      }
    }
    return false;
  }
  /// From the root `point` at one softness to the root at another; true where `v` is that.
  CALL bool follow(V6 point, double softness, double last, int steps, V6& v) {
    double target = logarithm(last), lambda = logarithm(softness), scale = larger(p.scale, 1e-6) * RELATIVE_SCALE, step = 1.0;
    squared = scale * scale;
    for (int k = 0; k < steps; ++k) {
      Tangent t = tangent_at(point, lambda);
      if (t.sign == 0.0) return false;
      bool has_moved = false;
      V6 corrected;
      double reached = lambda;
      while (step > SHORTEST_STEP) {
        if (p.gave_up()) return false;
        if (t.rate < 0.0 && fma(step, t.rate, lambda) <= target) {
          V6 guess = scaled_sum((target - lambda) / t.rate, t.velocity, point);
          if (primal_newton(lanes, set, p, last, 8, 4, guess)) {
            v = guess;
            return true;
          }
          step *= 0.5;
          continue;
        }
        V6 predicted = scaled_sum(step, t.velocity, point);
        has_moved = correct(t, predicted, fma(step, t.rate, lambda), step, corrected, reached);
        if (!has_moved && step < KINK_STEP) has_moved = cross_kink(point, predicted, lambda, t.rate, target, step, corrected, reached);
        if (has_moved) break;
        step *= 0.4;
      }
      if (!has_moved) return false;
      lambda = reached;
      point = corrected;
      step = lesser(2.0 * step, LONGEST_STEP);
    }
    return false;
  }
};
