// Entry points on the device: a group of LANES lanes takes one pose after another.
#include "network_poses.h"

#ifdef POSE_CONTACT_BYTES
static_assert(sizeof(Shape) == SHAPE_BYTES, "src/records.rs and kernels/environment.h differ");
static_assert(sizeof(Common) == COMMON_BYTES, "src/records.rs and kernels/environment.h differ");
static_assert(sizeof(PartPose) == PART_POSE_BYTES, "src/poses/records.rs and kernels/poses.h differ");
static_assert(sizeof(PoseContact) == POSE_CONTACT_BYTES, "src/poses/records.rs and kernels/poses.h differ");
static_assert(sizeof(PoseSummary) == POSE_SUMMARY_BYTES, "src/poses/records.rs and kernels/poses.h differ");
static_assert(sizeof(FieldRanges) == FIELD_RANGES_BYTES, "src/poses/records.rs and kernels/network_poses.h differ");
static_assert(sizeof(NetworkColumns) == NETWORK_COLUMNS_BYTES, "src/poses/records.rs and kernels/network_poses.h differ");
static_assert(sizeof(PoseRange) == POSE_RANGE_BYTES, "src/poses/records.rs and kernels/network_poses.h differ");
static_assert(sizeof(PoseMemory) <= POSE_MEMORY_BYTES, "src/poses/records.rs and kernels/poses.h differ");
#endif

/// `memory` has a place for every group of the grid, `contacts` `room` places for every pose.
extern "C" __global__ void __launch_bounds__(BLOCK)
detect_poses(const Common* common, const Shape* shapes, const PartPose* poses, int count, double margin, int room, PoseMemory* memory,
             PoseContact* contacts, PoseSummary* summaries) {
  Lanes lanes;
  int groups = gridDim.x * (BLOCK / LANES), group = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
  for (int i = group; i < count; i += groups)
    detect_at(lanes, *common, shapes, poses[i], margin, room, memory[group], contacts + (size_t)i * room, summaries[i]);
}

/// Lists the points of both sides at every pose; `taken` counts those of either side. Two ranges for each pose.
extern "C" __global__ void __launch_bounds__(BLOCK)
list_points(const Common* common, const Shape* shapes, const PartPose* poses, int count, double margin, const FieldRanges* ranges,
            const NetworkColumns* columns, PoseMemory* memory, int* taken, PoseRange* range) {
  Lanes lanes;
  int groups = gridDim.x * (BLOCK / LANES), group = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
  for (int i = group; i < count; i += groups)
    for (int side = 0; side < 2; ++side)
      list_at(lanes, *common, shapes, poses[i], side, margin, ranges[1 - side], columns[side], memory[group], taken + side, range[2 * i + side]);
}

/// Contacts at every pose from the values and gradients of the networks.
extern "C" __global__ void __launch_bounds__(BLOCK)
network_contacts(const Common* common, const Shape* shapes, const PartPose* poses, int count, double margin, const FieldRanges* ranges,
                 const NetworkColumns* columns, PoseMemory* memory, const PoseRange* range, int room, PoseContact* contacts, PoseSummary* summaries) {
  Lanes lanes;
  int groups = gridDim.x * (BLOCK / LANES), group = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
  for (int i = group; i < count; i += groups)
    network_contacts_at(lanes, *common, shapes, poses[i], margin, ranges, columns, range + 2 * i, room, memory[group], contacts + (size_t)i * room, summaries[i]);
}
