// Records that host and device exchange: plain numbers, SI units, laid out as `src/records.rs` has them.
#pragma once
#include "linear.h"

constexpr int VERTICES = 12;      // most vertices of an outline
constexpr int WAYPOINTS = 8;      // most waypoints of a drive
constexpr int WARM = 248;         // most contacts whose impulses are kept for the next step
constexpr int ROWS = 1536;        // most candidate contacts that are kept for the next step
constexpr int WIDE_ROWS = 6144;   // most candidate contacts of a step
constexpr int SET = 512;          // most contacts of the working set
constexpr int MOST_NEAR = 128;     // most nodes that are detected early
constexpr int LISTED = 8192;        // most nodes of a side that may be near
constexpr int BLOCKS = 512;       // most blocks of 32 nodes of a body
constexpr int START_EDGES = 10;   // most edges at an end of a thread
constexpr int STRETCHES = 128;    // most stretches of these edges
constexpr int PIECES = 8;         // identities of a node, one per piece of the other part

enum Kind : int { ROUND = 0, BOLT = 1, NUT = 2 };

/// What became of an environment's step.
enum Status : int {
  STEPPED = 0,
  FROZEN = 1,          // not stepped here any more
  MANY_CONTACTS = 2,   // from here on: the state is that before the step, which the host takes
  MANY_ACTIVE = 3,
  MANY_PASSES = 4,
  UNSOLVED = 5,
  UNSURE = 6,          // the residual needs the search for the nearest solution
  FAR_OFF = 7,         // axes that are not parallel, or a motion beyond any search
  BENDS = 8,           // contacts must be detected early
  CANNOT_PROJECT = 9,
  NOT_FINITE = 10,
  CUT_SHORT = 11,      // the energy tank is empty
};

/// Where the contacts of the pose after the last step are. Those in flight are more than are kept: between calls they are lost, and found
/// again.
enum Known : int { NOWHERE = 0, KEPT = 1, IN_FLIGHT = 2 };

/// A part with the dimensions of one environment.
struct Shape {
  int kind;
  int vertices;        // of a turned part
  u32 faces;           // bit per edge that bounds material
  u32 convex;          // bit per vertex that is a rim
  int pieces;          // convex pieces
  int omitted[4];      // edge that does not bound the piece, -1: none
  int has_wall, is_bore;
  int cone[2];         // whether a thread's end has a cone
  int is_of_network;   // whether it is the part that its depth network was trained for
  double heights[2], radii[2];
  double vertex[VERTICES][2], normal[VERTICES][2];
  double wall_radius, wall_heights[2];
  double pitch, per_pitch, rise, pitch_radius, half_width, crest, root;
  double ends[2], cone_radius[2], endless[2];
  double parameter;    // t: nodes are at r + t dr, angle + t da, z + t dz
  double spread;       // most that a node moves per t [m]
};

struct Waypoint { double time, position[3], angle, rotation[4]; };  // attitude: rotation (x y z w) after a turn about z

/// Set-points of the driven part; a wiggle with equal span is none.
struct Drive {
  int is_driven, waypoints;
  int is_given;          // the targets below hold instead of the waypoints
  int has_rotations;     // else those of the waypoints are the identity
  double stiffness[3], turning_stiffness[3], damping, force[3], offset, tilt;
  Waypoint at[WAYPOINTS];
  double span[2], shift[2], swing[2];
  double target[7], next_target[7], linear_damping[3], turning_damping[3], twist;  // given: of the centre of mass; x y z, quaternion
  double wrench[6];      // beside the force: force in world axes, torque in body axes
};

/// The certificate of the last step.
struct Report {
  double penetration, coulomb, complementarity, cone, energy_injected, contact_work, projection_work;
  int candidates, active, level, iterations, evaluations, limits;
};

/// What the steps since the last call came to together.
struct Summary {
  double penetration, coulomb, impulse[6], peak_force;  // deepest, largest, sum, largest force of a step
  int steps, unconverged;
};

/// What the host reads after a call, and two waypoints that replace those of a drive.
struct MotionRecord {
  u64 steps;
  double center[3], rotation[4], linear[3], turning[3], spin;
  Summary summary;
  int status, unused;
};
struct WaypointPair { Waypoint at[2]; };

struct Environment {
  u64 steps, target;     // taken, and to be taken in all
  double center[3], rotation[4], linear[3], turning[3];  // turning in body axes
  double spin, tank;
  double dt, friction, mass, center_of_mass[3], moment[9];
  Shape shape[2];        // of the first and of the second side of the pair
  Drive drive;
  int status, is_warm, warm_count, is_known;  // is_known: whether there are contacts for the pose, a `Known`
  double margin, required;
  double warm_velocity[6];
  u32 warm_id[WARM];
  double warm_impulse[WARM][3];
  double impulse[6];     // contact impulse of the last step, impacts included, world axes
  Report report;
  int rows;
  int by_host;           // whether the host took the last step
  Summary summary;
};

FN void clear(Summary& s) {
  s.penetration = s.coulomb = s.peak_force = 0.0;
  for (int k = 0; k < 6; ++k) s.impulse[k] = 0.0;
  s.steps = s.unconverged = 0;
}
/// Adds the last step of an environment.
FN void add_step(Environment& env) {
  Summary& s = env.summary;
  s.penetration = larger(s.penetration, env.report.penetration);
  s.coulomb = larger(s.coulomb, env.report.coulomb);
  for (int k = 0; k < 6; ++k) s.impulse[k] += env.impulse[k];
  s.peak_force = larger(s.peak_force, norm(v3(env.impulse[0], env.impulse[1], env.impulse[2])) / env.dt);
  s.steps += 1;
}
FN void copy_motion(const Environment& env, MotionRecord& out) {
  out.steps = env.steps;
  for (int k = 0; k < 3; ++k) { out.center[k] = env.center[k]; out.linear[k] = env.linear[k]; out.turning[k] = env.turning[k]; }
  for (int k = 0; k < 4; ++k) out.rotation[k] = env.rotation[k];
  out.spin = env.spin;
  out.summary = env.summary;
  out.status = env.status;
}
FN void set_waypoint_pair(Environment& env, const WaypointPair& points) {
  env.drive.waypoints = 2;
  env.drive.has_rotations = 1;
  env.drive.at[0] = points.at[0];
  env.drive.at[1] = points.at[1];
}

/// Candidate contacts of one environment, in whole numbers of a unit: arms 0.06 nm, normals 5e-10, gaps and approach speeds 2^-30 of
/// the margin and 2^-28 of the margin per step. Single precision would be 2 nm, 6e-8 and 6e-8 of each gap, which decides which
/// of the nodes of conforming faces carry the load. Gaps are formed in double first.
struct Rows {
  int* at;   // nine columns of `room` numbers
  int room;

  FN int& arm(int axis, int i) const { return at[axis * room + i]; }
  FN int& normal(int axis, int i) const { return at[(3 + axis) * room + i]; }
  FN int& gap(int i) const { return at[6 * room + i]; }
  FN int& approach(int i) const { return at[7 * room + i]; }
  FN u32& id(int i) const { return ((u32*)at)[8 * room + i]; }
};
constexpr int COLUMNS = 9;
struct KeptRows { int number[COLUMNS][ROWS]; };

/// Nodes of one body, as cylindrical coordinates with their slopes in the dimension parameter: per block of 32 the columns radius,
/// cosine, sine, height, slopes of radius, angle and height.
struct Nodes {
  int count, blocks;
  const double* node;       // 7 x 32 x blocks
  const double* box;        // 6 x blocks: middle and half size at t = 0
  const double* box_slope;  // 6 x blocks
  const double* left;       // per block: spacing of the nodes that remain without it [m]
  double apart;             // largest of them that is finite; infinite without any
};

struct DepthNetwork;

/// What all environments share.
struct Common {
  Nodes nodes[2];
  const DepthNetwork* network[2];  // that answers for the part of a side; none where its distance is exact
  double gravity[3];
  double fixed_position[3], fixed_rotation[4];
  int free_side;         // 0 or 1: which side of the pair moves
  int most_passes;
  double samples[64][2]; // cosine, sine of the samples around a rim
};

/// One side of the pair against the other: what detection reads for every node, once for all lanes.
struct Query {
  const Nodes* nodes;
  const Shape *of, *against;
  M3 turn;             // frame of the nodes in the other part's frame
  V3 shift;
  V3 moving, turning;  // motion of the nodes in that frame
  M3 out;              // that frame in the world
  V3 out_shift;        // its origin - centre of mass
  double sign;         // -1 where the nodes belong to the fixed part
  u32 first;           // of the nodes among those of both sides
};

/// A face beside an edge: an end plane with its normal's z, or r = A + B angle + C z with B, C and the sign of its normal's radial part.
struct EdgeFace { double up, around, along, sign; };
/// A convex edge at the end of a thread.
struct StartEdge {
  double radius[2], height[2];  // at angle zero and their slopes
  double whole[2];              // angles of its ends
  double from, step;            // angle of the first stretch and of each
  EdgeFace face[2];
  int first;                    // number of the first stretch
};
/// Contours of end plane and cone, then the edges of the ridge where it begins.
struct StartEdges {
  int edges, stretches, contours;
  StartEdge edge[START_EDGES];
};
/// The tangent in the middle of a stretch, how far the edge leaves it, and the angle at which it begins.
struct Chord { V3 middle, half; double sag, low, rise; int edge; };

/// Memory of one environment while its step is in hand: working set, lists.
struct Scratch {
  Query query;
  double arm[3][SET], normal[3][SET], approach[SET], rate[SET];
  double impulse[3][SET], trial[3][SET], offset[3][SET], ahead[3][SET], across[3][SET], resistance[SET], isotropic[SET], held[SET];
  int contact[SET];
  double around[66];     // differences around a rim
  int block[BLOCKS];     // blocks of nodes that may be near
  u16 listed[LISTED];    // nodes that may be near
  u32 near[MOST_NEAR];      // contacts whose nodes are detected early, and those that they have then
  KeptRows early;
  StartEdges start[2];      // edges of the two ends that are near one another
  Chord chord[2][STRETCHES];
  u16 level[2][STRETCHES];  // stretches at heights of the other end
};
