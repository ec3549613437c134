// How far impulses are from Coulomb's law without softness (the CPU's `single_contact.rs`, `residual.rs`).
//
//   coulomb  max |diag(D)(p* - p)|,  p* solution of one contact while the others are held;  D = J W J^T
//   slip     (u D~ + (1 - u) d I) pt = -u c~,   g(u) = |pt| - mu pn = 0,   u in (0, 1)
#pragma once
#include "ladder.h"

constexpr double CONVERGED = 1e-5, GOOD_ENOUGH = 2e-6, SMALLEST_IMPULSE = 1e-15;

struct SingleContact {
  double normal, nx, ny, xn, yn, a, b, c, d, mean, friction, gap_rate, drive_x, drive_y;
  V3 diagonal;

  FN bool is_sound() const { return normal > 0.0 && mean > 0.0 && a * d - c * b > 0.0; }
  FN V3 at(double u) const {
    double rest = (1.0 - u) * mean, aa = a * u + rest, bb = b * u, cc = c * u, dd = d * u + rest;
    double x = drive_x * -u, y = drive_y * -u, determinant = aa * dd - cc * bb;
    double px = (dd * x - bb * y) / determinant, py = (aa * y - cc * x) / determinant;
    return v3(-(gap_rate + (nx * px + ny * py)) / normal, px, py);
  }
  FN double excess(V3 p) const { return sqrt(fma(p.y, p.y, p.z * p.z)) - friction * p.x; }
  FN double distance(V3 p, V3 q) const { return norm(times(diagonal, p - q)); }
  /// Root of g between two u of different sign, on the side inside the cone.
  CALL V3 bisect(double low, double high) const {
    bool rising = excess(at(low)) <= 0.0;
    for (int k = 0; k < 60; ++k) {
      double middle = 0.5 * (low + high);
      if ((excess(at(middle)) <= 0.0) == rising) low = middle; else high = middle;
    }
    return at(rising ? low : high);
  }
  /// Distance of an impulse to a solution found near it; negative where secants find none.
  FN double near(V3 p, double slip_speed) const {
    if (gap_rate >= 0.0) return distance(v3(0, 0, 0), p);
    V3 stick = at(1.0);
    if (excess(stick) <= 0.0) return distance(stick, p);
    double push = mean * sqrt(fma(p.y, p.y, p.z * p.z)), u = push / (push + slip_speed);
    double low = 0.0, high = 1.0, before = 1.0, excess_before = excess(stick);
    if (!(u > 0.0 && u < 1.0)) u = 0.5;
    V3 q = at(u);
    for (int k = 0; k < 12; ++k) {
      double e = excess(q);
      if (fabs(e) <= 1e-13 * friction * q.x) return distance(q, p);
      if (e <= 0.0) low = u; else high = u;
      double next = u - e * (u - before) / (e - excess_before);
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      before = u;
      excess_before = e;
      u = next;
      q = at(u);
    }
    return fabs(excess(q)) <= 1e-13 * friction * q.x ? distance(q, p) : -1.0;
  }
  /// Distance of an impulse to the nearest of all solutions.
  CALL double nearest(V3 p) const {
    if (!is_sound()) return infinity();
    V3 zero = v3(0, 0, 0), stick = at(1.0);
    bool sticks = excess(stick) <= 0.0;
    double best = distance(gap_rate >= 0.0 ? zero : sticks ? stick : bisect(0.0, 1.0), p);
    if (stick.x > 0.0 && sticks) best = lesser(best, distance(stick, p));
    double before = excess(at(0.0));
    for (int cell = 1; cell <= 64; ++cell) {
      double high = cell / 64.0, after = excess(at(high));
      if ((before <= 0.0) != (after <= 0.0)) {
        V3 root = bisect((cell - 1) / 64.0, high);
        if (root.x >= 0.0) best = lesser(best, distance(root, p));
      }
      before = after;
    }
    return best;
  }
};

struct Residuals { double coulomb, complementarity, cone; };

/// Residuals of the impulses of a solve.
CALL Residuals judge(const Lanes& lanes, const Ladder& ladder) {
  const Set& set = ladder.set;
  const Problem& p = ladder.p;
  auto single = [&](int i, V3& impulse, V3& velocity) {
    LawRow row = set.row(i);
    V3 n = row.normal, t;
    // normal to n and to the axis that is least along n
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    if (x <= lesser(y, z)) t = v3(0.0, n.z, -n.y); else if (y <= z) t = v3(-n.z, 0.0, n.x); else t = v3(n.y, -n.x, 0.0);
    t = (1.0 / norm(t)) * t;
    V3 f[3] = {n, t, cross(n, t)};
    double D[3][3];
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      V3 answer = times(p.response, f[j]) + cross(mul(p.turning_response, cross(row.arm, f[j])), row.arm);
#pragma unroll
      for (int k = 0; k < 3; ++k) D[k][j] = dot(f[k], answer);
    }
    V3 world = set.impulse(i), v = row.velocity(ladder.velocity);
    impulse = v3(dot(f[0], world), dot(f[1], world), dot(f[2], world));
    velocity = v3(dot(f[0], v), dot(f[1], v), dot(f[2], v));
    SingleContact s;
    s.normal = D[0][0];
    s.nx = D[0][1]; s.ny = D[0][2]; s.xn = D[1][0]; s.yn = D[2][0];
    s.a = D[1][1] - s.xn * s.nx / s.normal; s.b = D[1][2] - s.xn * s.ny / s.normal;
    s.c = D[2][1] - s.yn * s.nx / s.normal; s.d = D[2][2] - s.yn * s.ny / s.normal;
    s.mean = 0.5 * (s.a + s.d);
    s.friction = p.friction;
    s.diagonal = v3(D[0][0], D[1][1], D[2][2]);
    V3 others = velocity - v3(D[0][0] * impulse.x + D[0][1] * impulse.y + D[0][2] * impulse.z,
                              D[1][0] * impulse.x + D[1][1] * impulse.y + D[1][2] * impulse.z,
                              D[2][0] * impulse.x + D[2][1] * impulse.y + D[2][2] * impulse.z);
    s.gap_rate = others.x + row.approach;
    double stopped = s.gap_rate / s.normal;
    s.drive_x = others.y - s.xn * stopped;
    s.drive_y = others.z - s.yn * stopped;
    return s;
  };
  auto acts = [&](int i) { LawRow row = set.row(i); return row.depth(row.velocity(ladder.root)) > 0.0; };
  Residuals r;
  r.complementarity = larger(0.0, largest(lanes, set.count, [&](int i) {
    if (!acts(i)) return 0.0;
    LawRow row = set.row(i);
    return dot(row.normal, set.impulse(i)) > 0.0 ? fabs(row.depth(row.velocity(ladder.velocity))) : 0.0;
  }));
  r.cone = larger(0.0, largest(lanes, set.count, [&](int i) {
    if (!acts(i)) return 0.0;
    V3 n = set.row(i).normal, impulse = set.impulse(i);
    double normal = dot(n, impulse), tangential = norm(scaled_sum(-normal, n, impulse));
    return (tangential - p.friction * normal) / larger(normal, SMALLEST_IMPULSE);
  }));
  r.coulomb = larger(0.0, largest(lanes, set.count, [&](int i) {
    if (!acts(i)) return 0.0;
    V3 impulse, velocity;
    SingleContact s = single(i, impulse, velocity);
    double bound = s.is_sound() ? s.near(impulse, sqrt(fma(velocity.y, velocity.y, velocity.z * velocity.z))) : -1.0;
    return bound >= 0.0 && bound <= GOOD_ENOUGH ? bound : s.nearest(impulse);
  }));
  r.coulomb = larger(r.coulomb, -ladder.slowest_open);
  return r;
}
