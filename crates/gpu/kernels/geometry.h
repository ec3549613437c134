// Faces of a part near a point, in the part's frame, as the CPU's `Part::each_piece` gives them.
//
//   turned part   faces of its outline in (r, z), pieces between concave vertices
//   thread        core (or sleeve), the nearer ridge, the ridge across the groove; each with end planes and cones
//
// A flank is F = +-s + r tan(30 deg) - const = 0 with |grad F| = sqrt(1 + tan^2 + k^2/r^2); d = F/|grad F| half way to the foot.
// s height above the middle of the nearest ridge [m], k rise per radian [m/rad].
#pragma once
#include "angles.h"
#include "environment.h"

constexpr double TAN_HALF_ANGLE = 0.5773502691896258;
constexpr double STEEPNESS = 1.0 + TAN_HALF_ANGLE * TAN_HALF_ANGLE;
constexpr double FARTHEST_LEAD = 3.061862;
constexpr double STEEPEST = 1.2;
constexpr double HALF_ROOT = 0.70710678118654752440;

/// Kernels for one kind of parts leave out the code of the other.
FN bool is_round(const Shape& shape) {
#if defined(ONLY_TURNED)
  return true;
#elif defined(ONLY_THREADS)
  return false;
#else
  return shape.kind == ROUND;
#endif
}

/// Distance of a face, positive outside the material, and its outward normal.
struct Face { double distance; V3 normal; };

/// 1/sqrt(x) for 4/3 <= x <= 1.45.
FN double inverse_root(double x) {
  double t = x - 1.3916666666666666;
  double y = fma(fma(fma(fma(0.06190659777654933, t, -0.0984528575366049), t, 0.16413188319306726), t, -0.3045558599037683), t, 0.8476808799610248);
  return y * fma(-0.5 * x * y, y, 1.5);
}

FN double half_width_at(const Shape& s, double radius) { return fma(s.pitch_radius - radius, TAN_HALF_ANGLE, s.half_width); }

/// Height above the middle of the nearest ridge.
FN double phase(const Shape& shape, double angle, double z) {
  double s = fma(-shape.rise, angle, z);
  return fma(-shape.pitch, nearest_whole(s * shape.per_pitch), s);
}

/// Distance to one flank of the ridge, extended beyond crest and root: positive outside the ridge.
FN Face flank(const Shape& shape, V3 point, double radius, double s, double side) {
  double least = FARTHEST_LEAD * fabs(shape.rise);
  radius = radius > least ? radius : least;
  double excess = fma(side, s, -half_width_at(shape, radius));
  double curvature = 1.0 / radius, lead = shape.rise * curvature;
  double w = lead * lead * (1.0 / STEEPNESS);
  double shortening = excess * (-TAN_HALF_ANGLE / STEEPNESS);
  double foot = fma(shortening, fma(w, w, 1.0 - w), radius);
  double nearest = 0.5 * radius > least ? 0.5 * radius : least;
  foot = foot > nearest ? foot : nearest;
  double foot_curvature = 1.0 / foot;
  double half_lead = shape.rise * (0.5 * (curvature + foot_curvature)), foot_lead = shape.rise * foot_curvature;
  double distance = excess * inverse_root(fma(half_lead, half_lead, STEEPNESS));
  double inverse = inverse_root(fma(foot_lead, foot_lead, STEEPNESS));
  double normal_r = TAN_HALF_ANGLE * inverse, normal_t = -side * shape.rise * inverse * foot_curvature;
  double cosine = point.x * curvature, sine = point.y * curvature, turn = -distance * normal_t * foot_curvature;
  double keep = fma(-0.5 * turn, turn, 1.0);
  double foot_cosine = fma(keep, cosine, -(turn * sine)), foot_sine = fma(keep, sine, turn * cosine);
  V3 normal = v3(fma(normal_r, foot_cosine, -(normal_t * foot_sine)), fma(normal_r, foot_sine, normal_t * foot_cosine), side * inverse);
  double along = distance * normal_t, bulge = 0.5 * normal_r * along * foot_curvature;
  return {fma(-bulge, along, distance), normal};
}

/// Visits the pieces of a turned part within reach: `begin(number)`, `offer(face)` for its faces, `end()`.
template <class Choice> FN void pieces_of_round(const Shape& shape, V3 point, double reach, Choice& choice) {
  double radius = sqrt(fma(point.x, point.x, point.y * point.y));
  for (int piece = 0; piece < shape.pieces; ++piece) {
    bool is_far = false;
    for (int edge = 0; edge < shape.vertices && !is_far; ++edge) {
      if (edge == shape.omitted[piece] || !((shape.faces >> edge) & 1u)) continue;
      double d = fma(radius - shape.vertex[edge][0], shape.normal[edge][0], (point.z - shape.vertex[edge][1]) * shape.normal[edge][1]);
      is_far = !(d <= reach);
    }
    if (is_far) continue;
    double inverse = 1.0 / radius;
    double cosine = radius > 0.0 ? point.x * inverse : 1.0, sine = radius > 0.0 ? point.y * inverse : 0.0;
    choice.begin(piece);
    for (int edge = 0; edge < shape.vertices; ++edge) {
      if (edge == shape.omitted[piece] || !((shape.faces >> edge) & 1u)) continue;
      double na = shape.normal[edge][0], nz = shape.normal[edge][1];
      double d = fma(radius - shape.vertex[edge][0], na, (point.z - shape.vertex[edge][1]) * nz);
      choice.offer({d, v3(cosine * na, sine * na, nz)});
    }
    choice.end();
  }
}

/// The same of a thread with its ends.
template <class Choice> FN void pieces_of_thread(const Shape& shape, V3 point, double reach, Choice& choice) {
  bool is_bolt = shape.kind == BOLT;
  double sign = is_bolt ? 1.0 : -1.0;
  double from_high = point.z - shape.ends[1], from_low = shape.ends[0] - point.z;
  if (from_high > reach || from_low > reach) return;
  double radius = sqrt(fma(point.x, point.x, point.y * point.y));
  double tip_radius = is_bolt ? shape.crest : shape.root, body_radius = is_bolt ? shape.root : shape.crest;
  double tip = sign * (radius - tip_radius), body = sign * (radius - body_radius);
  if (tip > reach) return;
  double cone_distance[2];
  bool has_cone[2];
#pragma unroll
  for (int end = 0; end < 2; ++end) {
    double depth = end == 0 ? point.z - shape.ends[0] : shape.ends[1] - point.z;
    double cone = fma(sign, depth, shape.cone_radius[end]);
    has_cone[end] = shape.cone[end] && (is_bolt ? cone < tip_radius + reach : cone > tip_radius - reach);
    cone_distance[end] = sign * (radius - cone) * HALF_ROOT;
    if (has_cone[end] && cone_distance[end] > reach) return;
  }
  double s = phase(shape, angle_of(point.x, point.y), point.z), size = fabs(s), width = half_width_at(shape, radius);
  double from_near = sign * (size - width), from_across = is_bolt ? shape.pitch - size - width : width + size;
  bool is_near = from_near <= STEEPEST * reach, is_across = from_across <= STEEPEST * reach;
  if (!is_near && !is_across && body > reach) return;
  double inverse = 1.0 / radius;
  double cosine = radius > 0.0 ? point.x * inverse : 1.0, sine = radius > 0.0 ? point.y * inverse : 0.0;
  V3 outward = v3(sign * cosine, sign * sine, 0.0);
  double toward = s < 0.0 ? -1.0 : 1.0;
  Face near = flank(shape, point, radius, s, toward);
  near = {sign * near.distance, sign * near.normal};
  auto cuts = [&]() {
    choice.offer({from_high, v3(0, 0, 1)});
    choice.offer({from_low, v3(0, 0, -1)});
#pragma unroll
    for (int end = 0; end < 2; ++end)
      if (has_cone[end]) choice.offer({cone_distance[end], v3(HALF_ROOT * outward.x, HALF_ROOT * outward.y, end == 0 ? -HALF_ROOT : HALF_ROOT)});
    choice.end();
  };
  auto core = [&]() {
    if (body <= reach) {
      choice.begin(0);
      choice.offer({body, outward});
      cuts();
    }
  };
  bool is_core_first = body < larger(near.distance, tip);
  if (is_core_first) core();
  if (near.distance <= reach) {
    choice.begin(1);
    choice.offer(near);
    choice.offer({tip, outward});
    cuts();
  }
  if (!is_core_first) core();
  if (!is_across) return;
  Face across = flank(shape, point, radius, is_bolt ? s - toward * shape.pitch : s, -toward);
  across = {sign * across.distance, sign * across.normal};
  if (across.distance <= reach) {
    choice.begin(2);
    choice.offer(across);
    choice.offer({tip, outward});
    cuts();
  }
}

template <class Choice> FN void pieces_of(const Shape& shape, V3 point, double reach, Choice& choice) {
  if (is_round(shape)) pieces_of_round(shape, point, reach, choice); else pieces_of_thread(shape, point, reach, choice);
}

/// Whether a piece may be within reach: what `pieces_of` leaves out at once.
FN bool may_touch(const Shape& shape, V3 point, double reach) {
  double radius = sqrt(fma(point.x, point.x, point.y * point.y));
  if (is_round(shape)) {
    for (int piece = 0; piece < shape.pieces; ++piece) {
      bool is_far = false;
      for (int edge = 0; edge < shape.vertices && !is_far; ++edge) {
        if (edge == shape.omitted[piece] || !((shape.faces >> edge) & 1u)) continue;
        is_far = !(fma(radius - shape.vertex[edge][0], shape.normal[edge][0], (point.z - shape.vertex[edge][1]) * shape.normal[edge][1]) <= reach);
      }
      if (!is_far) return true;
    }
    return false;
  }
  bool is_bolt = shape.kind == BOLT;
  double sign = is_bolt ? 1.0 : -1.0, tip_radius = is_bolt ? shape.crest : shape.root, body_radius = is_bolt ? shape.root : shape.crest;
  if (point.z - shape.ends[1] > reach || shape.ends[0] - point.z > reach || sign * (radius - tip_radius) > reach) return false;
  if (sign * (radius - body_radius) <= reach) return true;
  double size = fabs(phase(shape, angle_of(point.x, point.y), point.z)), width = half_width_at(shape, radius);
  return sign * (size - width) <= STEEPEST * reach || (is_bolt ? shape.pitch - size - width : width + size) <= STEEPEST * reach;
}
