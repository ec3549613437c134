// What is known of a step between its stages.
#pragma once
#include "newton.h"

/// Memory of one environment while its step is in hand; nothing in it survives the step.
struct Flight {
  int is_known, is_exchanged, is_wide, count;  // of the contacts at hand
  int attempt, is_impact, exchange;            // searches so far; the solve in hand and how often faces were exchanged in it
  int set_count, level;                        // what its rounds found
  double softness, root[6];
  double wanted;                               // margin of the next search
  Problem problem;
  double start[6];                             // velocity before the solve in hand
  double margin, required;
  Report report;
  double end[6], mean[6], impulse[6];          // velocities at the end and of the pose, contact impulse
  double tank, next[7], unpushed[7];           // poses after the step: centre of mass, quaternion
  int is_found;                                // whether the contacts after the step are all found
  int is_pushed, is_warm, warm_count;
  double push_depth, push_tank, push_spent;    // before the early pushes
  u32 warm_id[WARM];                           // warm start of the smooth stage while it is solved
  double warm_impulse[WARM][3], warm_velocity[6];
  int wide[COLUMNS][WIDE_ROWS];                // candidates of a step with more than are kept
};

FN void store_pose(double* pose, const Body& body) {
  store3(pose, body.center);
  pose[3] = body.rotation.x; pose[4] = body.rotation.y; pose[5] = body.rotation.z; pose[6] = body.rotation.w;
}
