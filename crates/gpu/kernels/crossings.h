// Where the rims of two turned parts cross (the CPU's `edge_crossings.rs`).
//
//   p(u) = c + r (e1 cos u + e2 sin u);   d1 = d2, (n1.t)(n2.t) < 0;   n ~ |n2.t| n1 + |n1.t| n2
//
// Roots are bracketed by 64 samples around the circle and refined by the Illinois rule.
#pragma once
#include "search_margin.h"

constexpr int SAMPLES = 64;
constexpr int OF_TWO_RIMS = 4;

struct Rim { double radius, height, normal[2][2]; };

FN Rim rim_of(const Shape& shape, int vertex) {
  int before = (vertex + shape.vertices - 1) % shape.vertices;
  return {shape.vertex[vertex][0], shape.vertex[vertex][1],
          {{shape.normal[before][0], shape.normal[before][1]}, {shape.normal[vertex][0], shape.normal[vertex][1]}}};
}
FN void distances(const Rim& rim, double radius, double height, double (&d)[2]) {
  double across = radius - rim.radius, up = height - rim.height;
  d[0] = fma(rim.normal[0][0], across, rim.normal[0][1] * up);
  d[1] = fma(rim.normal[1][0], across, rim.normal[1][1] * up);
}

/// A rim in the frame of the other part.
struct Circle {
  Rim rim;
  V3 middle, first, second, axis;

  FN V3 at(double cosine, double sine) const {
    return middle + rim.radius * (cosine * first + sine * second);
  }
  FN double difference(const Rim& other, double cosine, double sine) const {
    V3 p = at(cosine, sine);
    double d[2];
    distances(other, sqrt(fma(p.x, p.x, p.y * p.y)), p.z, d);
    return d[0] - d[1];
  }
  FN bool comes_near(const Rim& other, double reach) const {
    double radius = rim.radius, rise = sqrt(fma(first.z, first.z, second.z * second.z));
    double beside = sqrt(fma(middle.x, middle.x, middle.y * middle.y));
    double least = radius * fabs(axis.z) - beside, most = radius + beside;
    return fabs(other.height - middle.z) <= radius * rise + reach && other.radius <= most + reach && other.radius >= least - reach;
  }
  /// Point, normal out of the other part and gap at a crossing; false where the edges do not meet.
  FN bool contact(const Rim& other, double angle, Contact& out) const {
    SineCosine u = sine_cosine(angle);
    V3 point = at(u.cosine, u.sine), outward = u.cosine * first + u.sine * second, along = u.cosine * second - u.sine * first;
    double radius = sqrt(fma(point.x, point.x, point.y * point.y));
    double ax = radius > 0.0 ? point.x / radius : 1.0, ay = radius > 0.0 ? point.y / radius : 0.0;
    V3 one = v3(ax * other.normal[0][0], ay * other.normal[0][0], other.normal[0][1]);
    V3 two = v3(ax * other.normal[1][0], ay * other.normal[1][0], other.normal[1][1]);
    double s1 = dot(one, along), s2 = dot(two, along);
    if (s1 * s2 >= 0.0) return false;
    V3 total = fabs(s2) * one + fabs(s1) * two;
    double length = norm(total);
    V3 normal = (1.0 / length) * total;
    double push = -dot(normal, outward), lift = -dot(normal, axis);
    double r1 = rim.normal[0][0], z1 = rim.normal[0][1], r2 = rim.normal[1][0], z2 = rim.normal[1][1], area = r1 * z2 - z1 * r2;
    if (!((push * z2 - lift * r2) / area >= 0.0 && (r1 * lift - z1 * push) / area >= 0.0)) return false;
    double d[2];
    distances(other, radius, point.z, d);
    out.point = point;
    out.normal = normal;
    out.gap = larger(d[0], d[1]) * (fabs(s1) + fabs(s2)) / length;
    return true;
  }
};

/// Zero of the difference between two angles of opposite sign.
CALL double crossing_between(const Circle& circle, const Rim& other, double low, double low_value, double high, double high_value) {
  for (int k = 0; k < 20; ++k) {
    double angle = high - high_value * (high - low) / (high_value - low_value);
    SineCosine u = sine_cosine(angle);
    double value = circle.difference(other, u.cosine, u.sine);
    if ((value < 0.0) == (high_value < 0.0)) low_value *= 0.5;
    else { low = high; low_value = high_value; }
    high = angle;
    high_value = value;
    if (fabs(value) < 1e-12) break;
  }
  return high;
}

CALL void detect_crossings(const Lanes& lanes, const Common& common, const Query& q, double margin, Contacts& contacts, Scratch& scratch) {
  u32 first = (u32)(common.nodes[0].count + common.nodes[1].count);
  int rims_of_other = 0;
  for (int v = 0; v < q.against->vertices; ++v) rims_of_other += (q.against->convex >> v) & 1u;
  int place = 0;
  for (int v = 0; v < q.of->vertices; ++v) {
    if (!((q.of->convex >> v) & 1u)) continue;
    Rim rim = rim_of(*q.of, v);
    V3 axis = column(q.turn, 2);
    Circle circle = {rim, scaled_sum(rim.height, axis, q.shift), column(q.turn, 0), column(q.turn, 1), axis};
    int other_place = 0;
    for (int w = 0; w < q.against->vertices; ++w) {
      if (!((q.against->convex >> w) & 1u)) continue;
      Rim other = rim_of(*q.against, w);
      u32 number = first + OF_TWO_RIMS * (u32)(place * rims_of_other + other_place), last = number + OF_TWO_RIMS;
      other_place += 1;
      if (!circle.comes_near(other, margin)) continue;
      lanes.sync();
      lanes.each(SAMPLES, [&](int i) { scratch.around[i] = circle.difference(other, common.samples[i][0], common.samples[i][1]); });
      const double step = TAU / SAMPLES;
      auto bracket = [&](double low, double low_value, double high, double high_value) {
        if ((low_value < 0.0) == (high_value < 0.0)) return;
        double angle = crossing_between(circle, other, low, low_value, high, high_value);
        Contact own;
        if (circle.contact(other, angle, own) && own.gap < margin && number < last) {
          if (lanes.leads()) contacts.put(contacts.count, mul(q.out, own.point) + q.out_shift, q.sign * mul(q.out, own.normal), own.gap, number * PIECES);
          contacts.count += 1;
          number += 1;
        }
      };
      double before = scratch.around[SAMPLES - 1], here = scratch.around[0];
      for (int sample = 1; sample <= SAMPLES; ++sample) {
        double next = scratch.around[sample % SAMPLES], bend = before - 2.0 * here + next;
        double vertex = bend == 0.0 ? 0.0 : 0.5 * (before - next) / bend, at = (sample - 1) * step;
        bool one_side = (before < 0.0) == (here < 0.0) && (here < 0.0) == (next < 0.0);
        if (one_side && fabs(vertex) <= 0.5 && here * bend > 0.0) {
          double angle = fma(vertex, step, at);
          SineCosine u = sine_cosine(angle);
          double turning = circle.difference(other, u.cosine, u.sine);
          bracket(at - step, before, angle, turning);
          bracket(angle, turning, sample * step, next);
        } else {
          bracket(at, here, sample * step, next);
        }
        before = here;
        here = next;
      }
      lanes.sync();
    }
    place += 1;
  }
}
