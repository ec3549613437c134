// Which of the faces that meet at an edge is the contact of a node (the CPU's `face_choice.rs`).
//
//   score = d + T n.v   if d >= -(5 um + 0.01 T |v|), else d - 1 m;   the face with the largest score is the contact
//
// v velocity of the node against the other body, expected at the end of the step [m/s].
#pragma once
#include "geometry.h"

constexpr double BEHIND = -5e-6;
constexpr double BENT_PATH = 0.01;

struct Contact {
  V3 point, normal;
  double gap;
  u32 id;
};
/// Contacts of one node.
struct Found {
  int count;
  Contact at[3];
};

/// Numbers of blocks, nodes or pairs.
struct BlockFound { int count; int at[3]; };

constexpr u32 IN_SET = 0x80000000u, HAS_OTHER = 0x40000000u, IDENTITY = 0x3fffffffu;

/// Distance of a face, not negative where the node is in front of any face.
FN double raised(double distance, double outside) {
  double least = outside < 0.0 ? outside : 0.0;
  return distance > least ? distance : least;
}

/// Collects the faces of one piece after the other.
struct FaceChoice {
  V3 velocity;
  double horizon, behind;
  int number;
  double score[2], outside;
  Face face[2];

  FN FaceChoice(V3 velocity, double horizon)
      : velocity(velocity), horizon(horizon), behind(BEHIND - BENT_PATH * (horizon * norm(velocity))) {}
  FN void start(int piece) {
    number = piece;
    score[0] = score[1] = outside = -infinity();
  }
  FN void offer(Face own) {
    double value = own.distance >= behind ? fma(horizon, dot(own.normal, velocity), own.distance) : own.distance - 1.0;
    outside = larger(outside, own.distance);
    if (value > score[0]) {
      score[1] = score[0];
      face[1] = face[0];
      score[0] = value;
      face[0] = own;
    } else if (value > score[1]) {
      score[1] = value;
      face[1] = own;
    }
  }
  FN bool has_other() const { return score[1] > -infinity() && face[1].distance >= behind; }
};

/// Writes the contacts of a node that are within the margin.
struct NodeContacts : FaceChoice {
  V3 point;
  double margin;
  u32 first_id;
  Found& found;

  FN NodeContacts(V3 point, V3 velocity, double horizon, double margin, u32 first_id, Found& found)
      : FaceChoice(velocity, horizon), point(point), margin(margin), first_id(first_id), found(found) {}
  FN void begin(int piece) { start(piece); }
  FN void end() {
    double gap = raised(face[0].distance, outside);
    if (!(gap < margin)) return;
    Contact own = {point, face[0].normal, gap, (first_id + (u32)number) | (has_other() ? HAS_OTHER : 0u)};
    // by number, so that they stay in registers
    if (found.count == 0) found.at[0] = own;
    else if (found.count == 1) found.at[1] = own;
    else found.at[2] = own;
    found.count += found.count < 3 ? 1 : 0;
  }
};

/// The other face of one piece of a node.
struct OtherFace : FaceChoice {
  int wanted;
  bool is_found;
  Face other;

  FN OtherFace(V3 velocity, double horizon, int wanted) : FaceChoice(velocity, horizon), wanted(wanted), is_found(false) {}
  FN void begin(int piece) { start(piece); }
  FN void end() {
    if (number == wanted && has_other()) {
      is_found = true;
      other = {raised(face[1].distance, outside), face[1].normal};
    }
  }
};
