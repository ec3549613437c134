// Where the rim of a turned part is nearest to a face of another one between its nodes (the CPU's `rim_places.rs`).
//
//   p(u) = c + r (e1 cos u + e2 sin u);   d(u) = a (rho - r0) + b (z - z0);   d'(u) = 0, d''(u) > 0
#pragma once
#include "crossings.h"

constexpr double TILTED = 0.02;
constexpr int OF_RIM = 4;

/// Derivative of the distance to a face.
FN double slope_to(const Circle& circle, double a, double b, double angle) {
  SineCosine u = sine_cosine(angle);
  V3 point = circle.at(u.cosine, u.sine), along = circle.rim.radius * (u.cosine * circle.second - u.sine * circle.first);
  double away = sqrt(fma(point.x, point.x, point.y * point.y));
  double outwards = away > 0.0 ? fma(point.x, along.x, point.y * along.y) / away : 0.0;
  return fma(a, outwards, b * along.z);
}

/// Angle of least distance to a face between two others.
CALL double lowest_between(const Circle& circle, double a, double b, double low, double high) {
  double middle = 0.5 * (low + high);
  for (int k = 0; k < 30; ++k) {
    double slope = slope_to(circle, a, b, middle);
    if (fabs(slope) < 1e-10) break;
    if (slope < 0.0) low = middle;
    else high = middle;
    middle = 0.5 * (low + high);
  }
  return middle;
}

/// Largest identity of the crossings of two turned parts, and one.
FN u32 past_crossings(const Common& common, const Query& q) {
  int own = 0, other = 0;
  for (int v = 0; v < q.of->vertices; ++v) own += (q.of->convex >> v) & 1u;
  for (int w = 0; w < q.against->vertices; ++w) other += (q.against->convex >> w) & 1u;
  return (u32)(common.nodes[0].count + common.nodes[1].count) + OF_TWO_RIMS * (u32)(own * other);
}

/// Appends the places of the rims of one side; those of the second side follow those of the first.
CALL void detect_rim_places(const Lanes& lanes, const Common& common, const Query& q, int side, double horizon, double margin, Contacts& contacts, Scratch& scratch) {
  V3 e1 = column(q.turn, 0), e2 = column(q.turn, 1), axis = column(q.turn, 2);
  double rise = sqrt(fma(e1.z, e1.z, e2.z * e2.z));
  if (rise < TILTED) return;
  u32 first = past_crossings(common, q);
  if (side == 1) {
    int rims = 0;
    for (int w = 0; w < q.against->vertices; ++w) rims += (q.against->convex >> w) & 1u;
    first += OF_RIM * (u32)(rims * q.of->vertices);
  }
  int place = 0;
  for (int v = 0; v < q.of->vertices; ++v) {
    if (!((q.of->convex >> v) & 1u)) continue;
    Rim rim = rim_of(*q.of, v);
    Circle circle = {rim, scaled_sum(rim.height, axis, q.shift), e1, e2, axis};
    double beside = sqrt(fma(circle.middle.x, circle.middle.x, circle.middle.y * circle.middle.y));
    double least = rim.radius * fabs(axis.z) - beside - margin, most = rim.radius + beside + margin;
    double low = circle.middle.z - rim.radius * rise - margin, high = circle.middle.z + rim.radius * rise + margin;
    for (int w = 0; w < q.against->vertices; ++w) {
      if (!((q.against->faces >> w) & 1u)) continue;
      int end = w + 1 == q.against->vertices ? 0 : w + 1;
      double r0 = q.against->vertex[w][0], z0 = q.against->vertex[w][1], r1 = q.against->vertex[end][0], z1 = q.against->vertex[end][1];
      if (larger(r0, r1) < least || lesser(r0, r1) > most || larger(z0, z1) < low || lesser(z0, z1) > high) continue;
      double a = q.against->normal[w][0], b = q.against->normal[w][1];
      lanes.sync();
      lanes.each(SAMPLES, [&](int i) {
        V3 point = circle.at(common.samples[i][0], common.samples[i][1]);
        scratch.around[i] = fma(a, sqrt(fma(point.x, point.x, point.y * point.y)) - r0, b * (point.z - z0));
      });
      const double step = TAU / SAMPLES, near = margin + rim.radius * step;
      u32 number = first + OF_RIM * (u32)(place * q.against->vertices + w), last = number + OF_RIM;
      for (int sample = 0; sample < SAMPLES; ++sample) {
        double before = scratch.around[(sample + SAMPLES - 1) % SAMPLES], here = scratch.around[sample], next = scratch.around[(sample + 1) % SAMPLES];
        if (!(here <= before && here < next && here < near && number < last)) continue;
        SineCosine u = sine_cosine(lowest_between(circle, a, b, (sample - 1) * step, (sample + 1) * step));
        V3 point = circle.at(u.cosine, u.sine);
        Found found;
        found.count = 0;
        NodeContacts choice(point, q.moving + cross(q.turning, point), horizon, margin, number * PIECES, found);
        pieces_of(*q.against, point, margin, choice);
        number += 1;
        for (int k = 0; k < found.count; ++k) {
          const Contact own = k == 0 ? found.at[0] : k == 1 ? found.at[1] : found.at[2];
          // at an edge the crossing is the contact
          if (own.id & HAS_OTHER) continue;
          if (lanes.leads()) contacts.put(contacts.count, mul(q.out, own.point) + q.out_shift, q.sign * mul(q.out, own.normal), own.gap, own.id);
          contacts.count += 1;
        }
      }
      lanes.sync();
    }
    place += 1;
  }
}
