// The regularised Coulomb law of one contact and its slope (the CPU's `contact_law.rs`, `law_block.rs`).
//
//   pn = (-(vn + b))+ / e     pt = -min(mu pn, |vt|/e) vt/|vt|     e = softness * d,  d mean compliance, rate = 1/d
//   K = -dp/dv:  open 0,  stick I/e,  slip (n - mu e) n^T/e + (mu pn/|vt|) h h^T        K = ahead n^T + resistance h h^T + isotropic I
#pragma once
#include "contacts.h"
#include "linear_system.h"

constexpr double LARGEST_RATIO = 0.9999999;

/// A contact of the working set.
struct LawRow {
  V3 arm, normal;
  double approach, rate;

  FN V3 velocity(const V6& v) const { return velocity_at(v, arm); }
  FN double depth(V3 v) const { return -(dot(normal, v) + approach); }
};
struct Stiffness {
  V3 ahead, across;
  double resistance, isotropic;

  FN V3 times(V3 normal, V3 x) const {
    return dot(normal, x) * ahead + (resistance * dot(across, x)) * across + isotropic * x;
  }
  FN bool is_closed() const { return isotropic > 0.0 || ahead.x != 0.0 || ahead.y != 0.0 || ahead.z != 0.0; }
};

/// Impulse at a relative velocity, zero when open.
FN V3 law_impulse(const LawRow& row, V3 v, double friction, double softness) {
  double normal_speed = dot(row.normal, v), depth = -(normal_speed + row.approach);
  if (!(depth > 0.0)) return v3(0, 0, 0);
  V3 tangential = scaled_sum(-normal_speed, row.normal, v);
  double speed = norm(tangential), limit = friction * depth, ratio = speed <= limit ? 1.0 : limit / speed;
  return (row.rate * (1.0 / softness)) * (depth * row.normal - ratio * tangential);
}

/// Impulse and stiffness at a relative velocity.
FN V3 law_with_slope(const LawRow& row, V3 v, double friction, double softness, Stiffness& slope) {
  V3 n = row.normal;
  double normal_speed = dot(n, v), depth = -(normal_speed + row.approach);
  V3 tangential = scaled_sum(-normal_speed, n, v);
  double speed = norm(tangential), limit = friction * depth;
  double stiffness = depth > 0.0 ? row.rate * (1.0 / softness) : 0.0;
  bool sticks = speed <= limit;
  double inverse = sticks ? 0.0 : 1.0 / speed, slipping = sticks ? 0.0 : stiffness;
  V3 e = inverse * tangential;
  slope = {slipping * scaled_sum(-friction, e, n), cross(n, e), slipping * limit * inverse, stiffness - slipping};
  double ratio = sticks ? 1.0 : limit * inverse;
  return stiffness * (depth * n - ratio * tangential);
}

/// Affine law p = offset - K v for the state of the trial impulse from p (the CPU's `mixed_newton.rs`); `held` is negative where the
/// state is free, else whether the row is closed.
FN V3 mixed_law(const LawRow& row, V3 v, V3 p, double friction, double softness, double held, Stiffness& slope) {
  V3 n = row.normal;
  double kept = 1.0 - softness, normal_impulse = dot(n, p), normal_speed = dot(n, v);
  double trial_normal = fma(kept, normal_impulse, -(row.rate * (normal_speed + row.approach)));
  bool is_open = (held < 0.0 ? trial_normal : held) <= 0.0;
  trial_normal = trial_normal > 0.0 ? trial_normal : 0.0;
  double stiff = is_open ? 0.0 : row.rate * (1.0 / softness);
  V3 trial = kept * scaled_sum(-normal_impulse, n, p) - row.rate * scaled_sum(-normal_speed, n, v);
  double length = norm(trial);
  bool sticks = length <= friction * trial_normal;
  double inverse = length > 0.0 ? 1.0 / length : 0.0;
  V3 along = inverse * trial, across = cross(n, along);
  double ratio = lesser(friction * trial_normal * inverse, LARGEST_RATIO), gain = 1.0 / (1.0 - ratio * kept);
  double resistance = lesser(ratio * row.rate * gain, stiff);
  double w = resistance * dot(across, v) - ratio * kept * gain * dot(across, p);
  bool no_slip = sticks || is_open;
  double slipping = no_slip ? 0.0 : stiff;
  V3 ray = scaled_sum(no_slip ? 0.0 : friction, along, n);
  slope = {slipping * ray, across, no_slip ? 0.0 : resistance, stiff - slipping};
  return (-(stiff * row.approach)) * ray + (no_slip ? 0.0 : w) * across;
}

/// Adds J^T x to six sums.
FN void add_impulse(double* sums, V3 arm, V3 x) {
  V3 torque = cross(arm, x);
  sums[0] += x.x; sums[1] += x.y; sums[2] += x.z;
  sums[3] += torque.x; sums[4] += torque.y; sums[5] += torque.z;
}

/// Shows what a row adds to the sums: J^T p, J^T q and J^T K J.
FN void put_terms(double* row, V3 arm, V3 n, const Stiffness& k, V3 impulse, V3 offset) {
  V3 d = k.resistance * k.across;
  store3(row + ARM_IN, arm);
  put_generalised(row + COLUMNS_IN, arm, n.x * k.ahead + k.across.x * d + v3(k.isotropic, 0, 0));
  put_generalised(row + COLUMNS_IN + 6, arm, n.y * k.ahead + k.across.y * d + v3(0, k.isotropic, 0));
  put_generalised(row + COLUMNS_IN + 12, arm, n.z * k.ahead + k.across.z * d + v3(0, 0, k.isotropic));
  put_generalised(row + FORCE_IN, arm, impulse);
  put_generalised(row + OFFSET_IN, arm, offset);
  row[ONE_IN] = 1.0;
  row[ZERO_IN] = 0.0;
}
