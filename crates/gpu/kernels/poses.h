// All contacts of two parts at many poses: the detection of a step (`detection.h`) without a step around it. Nothing is kept from
// one pose to the next. Contacts are stored in double; crossings of edges are not among them.
#pragma once
#include "detection.h"

/// Moving part in the fixed part's frame; quaternion x y z w.
struct PartPose { double position[3], rotation[4]; };

/// A contact; its arm from the origin of the moving part, in the axes of the fixed part.
struct PoseContact { double arm[3], normal[3], gap; u32 id, unused; };

/// What was found at a pose; the smallest gap is infinite where there is no contact.
struct PoseSummary { double smallest_gap; int count, unused; };

/// Memory of a pose while it is in hand.
struct PoseMemory {
  Query query;
  int block[BLOCKS];
  u16 listed[LISTED];
};

/// Contacts of one pose, in the order of the nodes; those beyond `room` are only counted.
struct PoseContacts {
  PoseContact* at;
  int room, count;

  FN void put(int i, V3 arm, V3 normal, double gap, u32 id) {
    if (i >= room) return;
    PoseContact& own = at[i];
    store3(own.arm, arm);
    store3(own.normal, normal);
    own.gap = gap;
    own.id = id & IDENTITY;
    own.unused = 0;
  }
};

/// The moving part at rest; its centre is its origin.
FN Body body_at(const PartPose& pose) {
  Quaternion rotation = {pose.rotation[0], pose.rotation[1], pose.rotation[2], pose.rotation[3]};
  return Body::at(load3(pose.position), rotation, v3(0, 0, 0), {{0, 0, 0, 0, 0, 0}});
}

/// Number and smallest gap of the contacts; those beyond the room are not compared.
FN void summarise(const Lanes& lanes, const PoseContacts& contacts, PoseSummary& summary) {
  int index, stored = contacts.count < contacts.room ? contacts.count : contacts.room;
  double smallest = lanes.smallest(stored, index, [&](int i) { return contacts.at[i].gap; });
  if (lanes.leads()) summary = {smallest, contacts.count, 0};
}

/// Finds all contacts nearer than `margin` at one pose of the parts at rest. The first side moves, the second is fixed.
FN void detect_at(const Lanes& lanes, const Common& common, const Shape* shapes, const PartPose& pose, double margin, int room, PoseMemory& memory,
                  PoseContact* found, PoseSummary& summary) {
  PoseContacts contacts{found, room, 0};
  for (int side = 0; side < 2; ++side) {
    const Query& q = shared_query(lanes, common, shapes, body_at(pose), side, memory.query);
    detect_nodes(lanes, q, common.nodes[1 - side].apart, 0.0, margin, contacts, memory);
    if (contacts.count > room) break;
  }
  summarise(lanes, contacts, summary);
}
