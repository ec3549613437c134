// Where the edges at the ends of two threads cross (the CPU's `start_edges.rs`, `thread_crossings.rs`, `crossing_query.rs`).
//
//   every edge is a spiral: radius and height are linear in the angle
//   (p - q).a = (p - q).b = 0;   n = +-a x b/|a x b|, gap = n.(p - q), between the normals of the faces of both edges
//
// First the pairs of stretches whose tangents may cross are listed, then their crossings are found, one per lane.
#pragma once
#include "search_margin.h"

constexpr double STRETCH = 0.25, RIDGE = 1.0, NOT_PARALLEL = 2e-4, PLACED = 1e-11, LEANS = 1e-3, TOUCHES = 1e-6, DEEP = 5e-6;
constexpr double ALONG = 1e-8, INSIDE = 50e-6, TURNED = 0.5, GRAZING = 0.7, SAME_PLACE = 1e-7;
constexpr int CLOSER = 12;

FN V3 face_normal(const EdgeFace& face, V3 point) {
  if (face.up != 0.0) return v3(0, 0, face.up);
  double inverse = 1.0 / sqrt(fma(point.x, point.x, point.y * point.y)), x = point.x * inverse, y = point.y * inverse, turn = face.around * inverse;
  V3 n = v3(fma(turn, y, x), fma(-turn, x, y), -face.along);
  return (face.sign / norm(n)) * n;
}
FN V3 spiral_at(const StartEdge& edge, double angle, V3& slope) {
  SineCosine u = sine_cosine(angle);
  double radius = fma(edge.radius[1], angle, edge.radius[0]);
  slope = v3(edge.radius[1] * u.cosine - radius * u.sine, edge.radius[1] * u.sine + radius * u.cosine, edge.height[1]);
  return v3(radius * u.cosine, radius * u.sine, fma(edge.height[1], angle, edge.height[0]));
}

/// Height at which the cone of an end has this radius; false where that is not between the ends.
FN bool cone_height(const Shape& s, int end, double radius, double& z) {
  if (!s.cone[end]) return false;
  double depth = s.kind == BOLT ? radius - s.cone_radius[end] : s.cone_radius[end] - radius;
  z = end == 0 ? s.ends[0] + depth : s.ends[1] - depth;
  return depth >= 0.0 && z >= s.ends[0] && z <= s.ends[1];
}

/// The edges of one end.
struct EdgeList {
  const Shape& shape;
  StartEdges& out;

  struct Place { double angle, radius, z; };

  CALL void push(EdgeFace one, EdgeFace two, Place from, Place to) const {
    if (!(from.angle < to.angle)) { Place swapped = from; from = to; to = swapped; }
    double angle = to.angle - from.angle;
    if (angle < 1e-9 || out.edges >= START_EDGES) return;
    double count = ceil(angle / STRETCH), beyond = angle == TAU ? TAU : 0.0;
    if (out.stretches + (int)count > STRETCHES) return;
    double grows = (to.radius - from.radius) / angle, rises = (to.z - from.z) / angle;
    out.edge[out.edges] = {{from.radius - grows * from.angle, grows}, {from.z - rises * from.angle, rises},
                           {from.angle - beyond, to.angle + beyond}, from.angle, angle / count, {one, two}, out.stretches};
    out.edges += 1;
    out.stretches += (int)count;
  }
  FN Place at(double radius, double z, double side) const { return {(z - side * half_width_at(shape, radius)) / shape.rise, radius, z}; }
  FN Place next(Place place) const {
    place.angle += shape.rise < 0.0 ? -TAU : TAU;
    return place;
  }
  FN EdgeFace flank(double side, double sign) const {
    double slope = -side / TAN_HALF_ANGLE;
    return {0.0, -slope * shape.rise, slope, sign};
  }
  CALL void fill(int end) const {
    bool is_bolt = shape.kind == BOLT;
    double root = shape.root, crest = shape.crest, sign = is_bolt ? 1.0 : -1.0, up = end == 0 ? -1.0 : 1.0, z = shape.ends[end];
    EdgeFace plane = {up, 0, 0, 0}, wall = {0, 0, 0, sign}, cone = {0, 0, -sign * up, sign};
    double at_plane = shape.cone[end] ? shape.cone_radius[end] : is_bolt ? infinity() : 0.0;
    out.edges = out.stretches = 0;
    double low = is_bolt ? root : larger(root, at_plane), high = is_bolt ? lesser(crest, at_plane) : crest;
    if (low < high) {
      for (int k = 0; k < 2; ++k) push(plane, flank(2 * k - 1, sign), at(low, z, 2 * k - 1), at(high, z, 2 * k - 1));
      push(plane, is_bolt && at_plane < crest ? cone : wall, at(high, z, 1.0), at(high, z, -1.0));
      push(plane, !is_bolt && at_plane > root ? cone : wall, at(low, z, -1.0), next(at(low, z, 1.0)));
    } else {
      push(plane, cone, {0.0, at_plane, z}, {TAU, at_plane, z});
    }
    double inner = is_bolt ? larger(root, at_plane) : root, outer = is_bolt ? crest : lesser(crest, at_plane), inner_z, outer_z;
    if (cone_height(shape, end, inner, inner_z) && cone_height(shape, end, outer, outer_z)) {
      for (int k = 0; k < 2; ++k) push(cone, flank(2 * k - 1, sign), at(inner, inner_z, 2 * k - 1), at(outer, outer_z, 2 * k - 1));
      if (is_bolt || at_plane > crest) push(cone, wall, at(outer, outer_z, 1.0), at(outer, outer_z, -1.0));
      if (!is_bolt || at_plane < root) push(cone, wall, at(inner, inner_z, -1.0), next(at(inner, inner_z, 1.0)));
    }
    out.contours = out.stretches;
    double tip = is_bolt ? crest : root, cut = z, inwards = (end == 0 ? RIDGE : -RIDGE) * shape.pitch, height;
    if (cone_height(shape, end, tip, height)) cut = height;
    for (int k = 0; k < 2; ++k) push(wall, flank(2 * k - 1, sign), at(tip, cut, 2 * k - 1), at(tip, cut + inwards, 2 * k - 1));
  }
};

/// Middle and half size of the box around the contours of an end, or with the beginning of the ridge.
FN void start_box(const Shape& s, int end, bool with_ridge, V3& middle, V3& half) {
  double radius = s.kind == BOLT || !s.cone[end] ? s.crest : larger(s.crest, s.cone_radius[end]), depth = 0.0, z;
  if (cone_height(s, end, s.root, z)) depth = larger(depth, fabs(z - s.ends[end]));
  if (cone_height(s, end, s.crest, z)) depth = larger(depth, fabs(z - s.ends[end]));
  if (with_ridge) depth += RIDGE * s.pitch;
  middle = v3(0, 0, s.ends[end] + (end == 0 ? 0.5 : -0.5) * depth);
  half = v3(radius, radius, 0.5 * depth);
}

/// Whether a place is inside the material of a thread.
FN bool is_inside_thread(const Shape& s, V3 p) {
  if (!(p.z > s.ends[0] && p.z < s.ends[1])) return false;
  double radius = sqrt(fma(p.x, p.x, p.y * p.y)), size = fabs(phase(s, angle_of(p.x, p.y), p.z));
  double surface = lesser(larger(s.pitch_radius + (s.half_width - size) / TAN_HALF_ANGLE, s.root), s.crest);
  for (int end = 0; end < 2; ++end) {
    if (!s.cone[end]) continue;
    double depth = end == 0 ? p.z - s.ends[0] : s.ends[1] - p.z;
    surface = s.kind == BOLT ? lesser(surface, s.cone_radius[end] + depth) : larger(surface, s.cone_radius[end] - depth);
  }
  return s.kind == BOLT ? radius < surface : radius > surface;
}

/// The tangent in the middle of a stretch; `edge` and `range` say where it is.
FN Chord chord_of(const StartEdges& edges, int index) {
  int e = 0;
  while (e + 1 < edges.edges && edges.edge[e + 1].first <= index) ++e;
  const StartEdge& edge = edges.edge[e];
  double low = edge.from + edge.step * (index - edge.first);
  Chord out;
  V3 slope;
  V3 middle = spiral_at(edge, low + 0.5 * edge.step, slope);
  double half = 0.5 * edge.step;
  out.middle = middle;
  out.half = half * slope;
  out.sag = 0.55 * half * half * (sqrt(fma(middle.x, middle.x, middle.y * middle.y)) + 2.0 * fabs(edge.radius[1]));
  out.rise = fabs(out.half.z);
  out.low = low;
  out.edge = e;
  return out;
}

FN bool may_cross(const Chord& one, const Chord& other, double gap) {
  V3 from = other.middle - one.middle;
  double reach = norm(one.half) + norm(other.half) + one.sag + other.sag + gap;
  if (!(dot(from, from) < reach * reach)) return false;
  V3 across = cross(one.half, other.half);
  // where the edges are nearest they have turned, and with them the direction of the gap
  double area = norm(across), sag = one.sag + other.sag, squared = area * area, slack = fma(TURNED, gap, sag) * area;
  double lengths[2] = {norm(one.half), norm(other.half)};
  // edges that may be parallel somewhere are near one another where they cross
  if (area < 2.0 * (one.sag * lengths[1] + other.sag * lengths[0])) {
    double near = fma(1.0 + TURNED, gap, sag);
    return norm(cross(from, one.half)) <= fma(near, lengths[0], area) && norm(cross(from, other.half)) <= fma(near, lengths[1], area);
  }
  if (fabs(dot(from, across)) > fma(1.0 + TURNED, gap, sag) * area) return false;
  return fabs(dot(cross(from, other.half), across)) <= squared + slack * lengths[1] &&
         fabs(dot(cross(from, one.half), across)) <= squared + slack * lengths[0];
}

FN bool is_between(V3 direction, V3 along, V3 first, V3 second) {
  double area = dot(along, cross(first, second));
  return dot(along, cross(direction, second)) / area >= -LEANS && dot(along, cross(first, direction)) / area >= -LEANS;
}

/// `is_acute` tells whether the faces of the own and of the other edge meet at less than a right angle.
struct EdgeCrossing { V3 point, other, normal; double gap, to_end; bool is_acute[2]; };

/// Places on two edges after a time of the expected motion: own place in its frame; both, and the edges' directions, in the other's.
struct EdgePlaces { V3 own, p, a, r, b; };
FN EdgePlaces places_at(const Query& q, const StartEdge& own, const StartEdge& other, double time, double s, double t) {
  EdgePlaces out;
  out.own = spiral_at(own, s, out.a);
  out.r = spiral_at(other, t, out.b);
  V3 p = mul(q.turn, out.own) + q.shift;
  out.a = mul(q.turn, out.a);
  out.p = scaled_sum(time, q.moving + cross(q.turning, p), p);
  out.a = scaled_sum(time, cross(q.turning, out.a), out.a);
  return out;
}

/// Parameters at which two stretches cross, from a guess: closest points of their tangents, repeated, after a time of the expected motion.
/// False where the edges are parallel or cross outside the stretches, or outside `whole` edges.
CALL bool settle(const Query& q, const StartEdges* edges, const Chord& one, const Chord& two, double time, bool whole, double& s, double& t) {
  const StartEdge &own = edges[0].edge[one.edge], &other = edges[1].edge[two.edge];
  for (int k = 0; k < CLOSER; ++k) {
    EdgePlaces at = places_at(q, own, other, time, s, t);
    V3 a = at.a, b = at.b;
    double aa = dot(a, a), bb = dot(b, b), ab = dot(a, b), across = aa * bb - ab * ab;
    if (across < NOT_PARALLEL * NOT_PARALLEL * aa * bb) return false;
    V3 from = at.p - at.r;
    double fa = dot(from, a), fb = dot(from, b);
    double next_s = lesser(larger(s + (ab * fb - bb * fa) / across, one.low - own.step), one.low + 2.0 * own.step);
    double next_t = lesser(larger(t + (aa * fb - ab * fa) / across, two.low - other.step), two.low + 2.0 * other.step);
    double change = larger((next_s - s) * (next_s - s) * aa, (next_t - t) * (next_t - t) * bb);
    s = next_s;
    t = next_t;
    if (change < PLACED * PLACED) break;
  }
  double low = whole ? own.whole[0] : one.low, high = whole ? own.whole[1] : one.low + own.step;
  double other_low = whole ? other.whole[0] : two.low, other_high = whole ? other.whole[1] : two.low + other.step;
  return s >= low && s < high && t >= other_low && t < other_high;
}

/// The crossing at these parameters after a time of the expected motion; false where its normal leaves the faces.
CALL bool crossing_at(const Query& q, const StartEdges* edges, const Chord& one, const Chord& two, double time, double s, double t, EdgeCrossing& out) {
  const StartEdge &own = edges[0].edge[one.edge], &other = edges[1].edge[two.edge];
  EdgePlaces at = places_at(q, own, other, time, s, t);
  V3 a = at.a, b = at.b, p = at.p, r = at.r;
  V3 across = cross(a, b);
  V3 normal = (1.0 / norm(across)) * across, between = p - r;
  // edges that bend away from each other have no such places
  V3 along = between - dot(normal, between) * normal;
  if (dot(along, along) > ALONG * ALONG) return false;
  V3 n1[2], n2[2];
  for (int k = 0; k < 2; ++k) {
    V3 n = mul(q.turn, face_normal(own.face[k], at.own));
    n1[k] = scaled_sum(time, cross(q.turning, n), n);
    n2[k] = face_normal(other.face[k], r);
  }
  if (dot(n2[0] + n2[1] - n1[0] - n1[1], normal) < 0.0) normal = -normal;
  double to_end = lesser(norm(a) * lesser(s - own.whole[0], own.whole[1] - s), norm(b) * lesser(t - other.whole[0], other.whole[1] - t));
  out = {p, r, normal, dot(normal, between), to_end, {dot(n1[0], n1[1]) < 0.0, dot(n2[0], n2[1]) < 0.0}};
  return is_between(normal, b, n2[0], n2[1]) && is_between(-normal, a, n1[0], n1[1]);
}

/// Whether each edge is inside the other part where they cross; what is behind an acute edge may be beyond its other face.
FN bool is_inside_both(const Query& q, const EdgeCrossing& now) {
  bool own = is_inside_thread(*q.of, mul_t(q.turn, now.other - q.shift)), other = is_inside_thread(*q.against, now.point);
  return (own || now.is_acute[0]) && (other || now.is_acute[1]) && (own || other);
}

CALL bool crossing_contact(const Query& q, const StartEdges* edges, const Chord& one, const Chord& two, double margin, double horizon, double s, double t, EdgeCrossing& now) {
  if (!crossing_at(q, edges, one, two, 0.0, s, t, now) || now.gap >= margin) return false;
  // an edge that ends on a face: what lies beside that face is no depth
  if (now.gap < -TOUCHES && now.to_end < -now.gap) return false;
  if (now.gap < -DEEP && !is_inside_both(q, now)) return false;
  double foretold = fma(dot(now.normal, q.moving + cross(q.turning, now.point)), horizon, now.gap);
  if (now.gap <= TOUCHES || foretold >= 0.0) return true;
  EdgeCrossing end;
  if (!settle(q, edges, one, two, horizon, true, s, t)) return false;
  if (!crossing_at(q, edges, one, two, horizon, s, t, end) || !(dot(end.normal, now.normal) > 0.0)) return false;
  now.gap += larger(end.gap - foretold, 0.0);
  return true;
}

/// Places (s, t) where two stretches cross, at most two: from their middles and, where these lead out of the stretches or the edges graze
/// one another, from both ends of the own one.
CALL int settle_all(const Query& q, const StartEdges* edges, const Chord& one, const Chord& two, double (*places)[2]) {
  const StartEdge &own = edges[0].edge[one.edge], &other = edges[1].edge[two.edge];
  double t = two.low + 0.5 * other.step;
  int count = 0;
  auto seek = [&](double s, double t) {
    if (count == 2 || !settle(q, edges, one, two, 0.0, false, s, t)) return;
    V3 slope, place = spiral_at(own, s, slope);
    if (count == 1) {
      V3 from = place - spiral_at(own, places[0][0], slope);
      if (!(dot(from, from) > SAME_PLACE * SAME_PLACE)) return;
    }
    places[count][0] = s;
    places[count++][1] = t;
  };
  seek(one.low + 0.5 * own.step, t);
  if (count == 1) {
    EdgePlaces at = places_at(q, own, other, 0.0, places[0][0], places[0][1]);
    V3 across = cross(at.a, at.b);
    if (!(dot(across, across) < GRAZING * GRAZING * dot(at.a, at.a) * dot(at.b, at.b))) return count;
    t = places[0][1];
  }
  for (int end = 0; end < 2; ++end) seek(one.low + end * own.step, t);
  return count;
}

/// Appends the crossings of two threads; false where they are more than there is room to list.
CALL bool detect_thread_crossings(const Lanes& lanes, const Common& common, const Query& q, double horizon, double margin, Contacts& contacts, Scratch& scratch) {
  double reach = larger(margin, INSIDE);
  u32 first = (u32)(common.nodes[0].count + common.nodes[1].count);
  for (int pair = 0; pair < 4; ++pair) {
    int end = pair >> 1, other_end = pair & 1;
    bool is_near = false;
    for (int turned = 0; turned < 2; ++turned) {
      V3 middle, half, other_middle, other_half;
      start_box(*q.of, end, turned == 1, middle, half);
      start_box(*q.against, other_end, turned == 0, other_middle, other_half);
      V3 from = mul(q.turn, middle) + q.shift - other_middle;
      double gap[3] = {fabs(from.x) - other_half.x, fabs(from.y) - other_half.y, fabs(from.z) - other_half.z};
      bool overlaps = true;
      for (int k = 0; k < 3; ++k) {
        V3 r = row(q.turn, k);
        overlaps &= gap[k] <= fabs(r.x) * half.x + fabs(r.y) * half.y + fabs(r.z) * half.z + reach;
      }
      is_near |= overlaps;
    }
    if (!is_near) continue;
    StartEdges* edges = scratch.start;
    lanes.sync();
    lanes.each(2, [&](int k) { EdgeList{k == 0 ? *q.of : *q.against, edges[k]}.fill(k == 0 ? end : other_end); });
    int own = edges[0].stretches, others = edges[1].stretches;
    lanes.each(own, [&](int i) {
      Chord chord = chord_of(edges[0], i);
      chord.middle = mul(q.turn, chord.middle) + q.shift;
      chord.half = mul(q.turn, chord.half);
      // what bends out of the tangent is level in the own frame
      V3 up = row(q.turn, 2);
      chord.rise = fma(1.2 * chord.sag, sqrt(fma(up.x, up.x, up.y * up.y)), fabs(chord.half.z)) + 1e-7;
      scratch.chord[0][i] = chord;
    });
    lanes.each(others, [&](int i) { scratch.chord[1][i] = chord_of(edges[1], i); });
    lanes.sync();
    // stretches at heights of the other end; the few that remain are taken in pairs
    double wide = reach + 1e-9;
    auto between_heights = [&](const Chord* chords, int count, int side, const Chord* limits, const u16* of, int limited) {
      int index;
      double low = lanes.smallest(limited, index, [&](int k) { const Chord& c = limits[of ? of[k] : k]; return c.middle.z - c.rise; });
      double high = largest(lanes, limited, [&](int k) { const Chord& c = limits[of ? of[k] : k]; return c.middle.z + c.rise; });
      return lanes.collect<BlockFound>(count, 0,
        [&](int i, BlockFound& found) {
          double z = chords[i].middle.z, far = chords[i].rise + wide;
          if (z - far > high || z + far < low) return;
          found.count = 1;
          found.at[0] = i;
        },
        [&](int place, int i) { scratch.level[side][place] = (u16)i; });
    };
    int near_own = between_heights(scratch.chord[0], own, 0, scratch.chord[1], nullptr, others);
    int near_others = between_heights(scratch.chord[1], others, 1, scratch.chord[0], scratch.level[0], near_own);
    int listed = lanes.collect<BlockFound>(near_own * near_others, 0,
      [&](int pair_number, BlockFound& found) {
        int i = scratch.level[0][pair_number / near_others], j = scratch.level[1][pair_number % near_others], k = i * others + j;
        // ridges meet on their flanks
        if (i >= edges[0].contours && j >= edges[1].contours) return;
        const Chord &one = scratch.chord[0][i], &other = scratch.chord[1][j];
        if (fabs(one.middle.z - other.middle.z) > one.rise + other.rise + reach) return;
        if (!may_cross(one, other, reach)) return;
        found.count = 1;
        found.at[0] = k;
      },
      [&](int place, int k) { if (place < LISTED) scratch.listed[place] = (u16)k; });
    if (listed > LISTED) return false;
    contacts.count = lanes.collect<Found>(listed, contacts.count,
      [&](int at, Found& found) {
        int k = scratch.listed[at], i = k / others, j = k % others;
        const Chord &one = scratch.chord[0][i], &two = scratch.chord[1][j];
        double places[2][2];
        int count = settle_all(q, edges, one, two, places);
        u32 id = (first + (u32)((pair * STRETCHES + i) * STRETCHES + j)) * PIECES;
        for (int number = 0; number < count; ++number) {
          EdgeCrossing now;
          if (crossing_contact(q, edges, one, two, margin, horizon, places[number][0], places[number][1], now))
            found.at[found.count++] = {now.point, now.normal, now.gap, id + (u32)number};
        }
      },
      [&](int place, const Contact& crossing) {
        contacts.put(place, mul(q.out, crossing.point) + q.out_shift, q.sign * mul(q.out, crossing.normal), crossing.gap, crossing.id);
      });
  }
  return true;
}
