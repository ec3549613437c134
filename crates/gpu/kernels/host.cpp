// The kernels for the host: the tests compile this file and step environments with it.
#include "network_poses.h"
#include "step.h"

extern "C" {
void tightfit_sizes(unsigned long long* out) {
  out[0] = sizeof(Environment);
  out[1] = sizeof(KeptRows);
  out[2] = sizeof(Common);
  out[3] = sizeof(Scratch);
  out[4] = LANES;
  out[5] = sizeof(Flight);
  out[6] = sizeof(DepthNetwork);
}
/// Takes the steps of the listed environments; returns how many wait for the host, whose places are in `left`.
int tightfit_take_steps(const Common* common, Environment* environments, KeptRows* rows, const int* list, int count, int more, int* left) {
  static thread_local Scratch scratch;
  static thread_local Board board;
  static thread_local Flight flight;
  int waiting = 0;
  for (int k = 0; k < count; ++k) {
    int index = list[k];
    Environment& env = environments[index];
    for (Stage stage = first_stage(env, more); stage != DONE;)
      stage = take(stage, Lanes{&board}, *common, env, rows[index], scratch, flight);
    if (env.status > FROZEN) left[waiting++] = index;
  }
  return waiting;
}

void tightfit_pose_sizes(unsigned long long* out) {
  out[0] = sizeof(Shape);
  out[1] = sizeof(Common);
  out[2] = sizeof(PartPose);
  out[3] = sizeof(PoseContact);
  out[4] = sizeof(PoseSummary);
  out[5] = sizeof(FieldRanges);
  out[6] = sizeof(NetworkColumns);
  out[7] = sizeof(PoseRange);
}
/// Finds the contacts at every pose; `contacts` has `room` places for each.
void tightfit_detect_poses(const Common* common, const Shape* shapes, const PartPose* poses, int count, double margin, int room,
                           PoseContact* contacts, PoseSummary* summaries) {
  static thread_local PoseMemory memory;
  static thread_local Board board;
  for (int i = 0; i < count; ++i)
    detect_at(Lanes{&board}, *common, shapes, poses[i], margin, room, memory, contacts + (size_t)i * room, summaries[i]);
}
/// Lists the points of both sides at every pose; `taken` counts those of either side.
void tightfit_list_points(const Common* common, const Shape* shapes, const PartPose* poses, int count, double margin, const FieldRanges* ranges,
                          const NetworkColumns* columns, int* taken, PoseRange* range) {
  static thread_local PoseMemory memory;
  static thread_local Board board;
  for (int i = 0; i < count; ++i)
    for (int side = 0; side < 2; ++side)
      list_at(Lanes{&board}, *common, shapes, poses[i], side, margin, ranges[1 - side], columns[side], memory, taken + side, range[2 * i + side]);
}
/// Contacts at every pose from the values and gradients of the networks.
void tightfit_network_contacts(const Common* common, const Shape* shapes, const PartPose* poses, int count, double margin, const FieldRanges* ranges,
                               const NetworkColumns* columns, const PoseRange* range, int room, PoseContact* contacts, PoseSummary* summaries) {
  static thread_local PoseMemory memory;
  static thread_local Board board;
  for (int i = 0; i < count; ++i)
    network_contacts_at(Lanes{&board}, *common, shapes, poses[i], margin, ranges, columns, range + 2 * i, room, memory, contacts + (size_t)i * room, summaries[i]);
}
}
