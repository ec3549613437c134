// The whole solve of one stage: rounds of the working set, levels within a round, softness, impulses (the CPU's `ladder.rs`,
// `working_set.rs`, `extrapolation.rs`). Level 3 has the first of its four velocity scales; what is beyond, and
// solves with too many passes, are left to the host.
#pragma once
#include "path.h"

constexpr double USUAL = 1e-6, TOO_SOFT = 1e-6, SHARED = 0.5e-6, SOFTEST_SHARED = 1.0001e-4, SOFTER = 1e-5, SLIDING = 1e-3, HARDER = 0.1, HARDEST = 1.01e-8;
constexpr double YIELD = 4.0, ALIKE = 0.5, LARGEST_CHANGE = 1e-4, NEAR_SOFTNESS = 1e-4;
constexpr int BEYOND = 100;  // status of a quick solve that needs higher levels
constexpr int FEW = 8, FEW_VIOLATED = 4, PATIENT_ROUNDS = 40, MOST_ROUNDS = 200, SHARED_PASSES = 200, HARDER_PASSES = 200, SOFTER_PASSES = 200;

/// The last impulses by identity, ascending.
struct Warm {
  int count;
  const u32* id;
  const double (*impulse)[3];

  FN int find(u32 wanted) const {
    int low = 0, high = count;
    while (low < high) {
      int middle = (low + high) >> 1;
      if (id[middle] < wanted) low = middle + 1; else high = middle;
    }
    return low < count && id[low] == wanted ? low : -1;
  }
};


/// One solve.
struct Ladder {
  const Lanes& lanes;
  Contacts& contacts;
  Problem& p;
  Set set;
  Warm warm;
  V6 root, velocity, generalised;
  double slowest_open;
  double softness;           // that of the root
  int level, status;
  bool is_converged, is_quick;  // quick: level 0 only, else BEYOND

  FN double slack(int i, const V6& v) const {
    if (contacts.rows.id(i) & IN_SET) return infinity();
    return contacts.normal_speed(i, v) + contacts.approach(i);
  }
  FN void load_row(int place, int contact) {
    V3 arm = contacts.arm(contact), n = contacts.normal(contact);
    Scratch& s = set.s;
    s.arm[0][place] = arm.x; s.arm[1][place] = arm.y; s.arm[2][place] = arm.z;
    s.normal[0][place] = n.x; s.normal[1][place] = n.y; s.normal[2][place] = n.z;
    s.approach[place] = contacts.approach(contact);
    s.rate[place] = p.rate(arm);
    s.contact[place] = contact;
    contacts.rows.id(contact) |= IN_SET;
    int own = warm.find(contacts.id(contact));
    V3 impulse = own < 0 ? v3(0, 0, 0) : load3(warm.impulse[own]);
    set.set_impulse(place, impulse);
  }
  FN double deepest(const V6& v) const {
    return larger(largest(lanes, set.count, [&](int i) { LawRow row = set.row(i); return row.depth(row.velocity(v)); }), 0.0);
  }

  /// Adds violated contacts; returns how many are violated.
  CALL int grow(double violation, int round) {
    int index, violated;
    double worst = lanes.smallest_and_below(contacts.count, -violation, index, violated, [&](int i) { return slack(i, root); });
    if (violated == 0) return 0;
    bool few = round > 0 && violated <= FEW_VIOLATED * set.count, shared = round > 0 && -worst <= YIELD * deepest(root);
    double limit = round > PATIENT_ROUNDS ? -violation : few || shared ? lesser(ALIKE * worst, -violation) : worst;
    lanes.sync();
    if (limit == worst) {
      if (!(worst < infinity())) return violated;
      if (set.count < SET) {
        if (lanes.leads()) load_row(set.count, index);
        set.count += 1;
      } else {
        status = MANY_ACTIVE;
      }
      lanes.sync();
      return violated;
    }
    int before = set.count;
    set.count = lanes.collect<BlockFound>(contacts.count, set.count,
      [&](int i, BlockFound& found) { if (slack(i, root) <= limit) { found.count = 1; found.at[0] = i; } },
      [&](int place, int i) { if (place < SET) set.s.contact[place] = i; });
    // those without a place are found again in the next round
    if (set.count > SET) set.count = SET;
    int first = before, added = set.count - before;
    lanes.each(added, [&](int k) { load_row(first + k, set.s.contact[first + k]); });
    return violated;
  }

  /// Removes the contacts that `root` leaves open.
  FN void shrink(int round) {
    if (round > PATIENT_ROUNDS) return;
    int kept = 0;
    // places only fall, and all lanes have read theirs before any is written
    for (int base = 0; base < set.count; base += G) {
      kept = compact(base, kept);
    }
    set.count = kept;
  }
#if ON_DEVICE
  FN int compact(int base, int kept) {
    int i = base + lanes.lane();
    bool is_row = i < set.count, stays = false;
    LawRow row;
    V3 impulse = v3(0, 0, 0);
    int contact = 0;
    if (is_row) {
      row = set.row(i);
      impulse = set.impulse(i);
      contact = set.s.contact[i];
      stays = row.depth(row.velocity(root)) > 0.0;
    }
    u32 all = lanes.ballot(stays);
    lanes.sync();
    if (is_row) put_back(stays, kept + __popc(all & ((1u << lanes.lane()) - 1u)), row, impulse, contact);
    lanes.sync();
    return kept + __popc(all);
  }
#else
  int compact(int base, int kept) {
    for (int i = base; i < base + G && i < set.count; ++i) {
      LawRow row = set.row(i);
      V3 impulse = set.impulse(i);
      bool stays = row.depth(row.velocity(root)) > 0.0;
      put_back(stays, kept, row, impulse, set.s.contact[i]);
      kept += stays ? 1 : 0;
    }
    return kept;
  }
#endif
  FN void put_back(bool stays, int place, const LawRow& row, V3 impulse, int contact) {
    if (!stays) {
      contacts.rows.id(contact) &= ~IN_SET;
      return;
    }
    Scratch& s = set.s;
    s.arm[0][place] = row.arm.x; s.arm[1][place] = row.arm.y; s.arm[2][place] = row.arm.z;
    s.normal[0][place] = row.normal.x; s.normal[1][place] = row.normal.y; s.normal[2][place] = row.normal.z;
    s.approach[place] = row.approach;
    s.rate[place] = row.rate;
    s.contact[place] = contact;
    set.set_impulse(place, impulse);
  }

  /// Solves the working set from `root`.
  CALL bool climb(double softness) {
    if (set.count == 0) {
      root = p.free;
      return true;
    }
    if (mixed_newton(lanes, set, p, softness, root)) return true;
    if (is_quick) status = BEYOND;
    if (is_quick || p.gave_up()) return false;
    level = level > 1 ? level : 1;
    V6 attempt = root, prefix;
    double from;
    bool is_solved = continuation(lanes, set, p, NEAR_SOFTNESS, softness, 8, true, attempt, prefix, from);
    if (!is_solved && !p.gave_up()) {
      attempt = p.free;
      is_solved = continuation(lanes, set, p, 1e-2, softness, 12, false, attempt, prefix, from);
      if (!is_solved && from > 0.0 && !p.gave_up()) {
        level = level > 2 ? level : 2;
        RootPath path{lanes, set, p, 0.0};
        is_solved = path.follow(prefix, from, softness, PATH_STEPS, attempt);
      }
    }
    if (!is_solved && !p.gave_up()) {
      level = 3;
      prefix = p.free;
      RootPath path{lanes, set, p, 0.0};
      is_solved = primal_newton(lanes, set, p, SOFTEST, 50, 12, prefix) && path.follow(prefix, SOFTEST, softness, LONG_PATH_STEPS, attempt);
    }
    root = attempt;
    lanes.sync();
    lanes.each(set.count, [&](int i) {
      LawRow row = set.row(i);
      set.set_impulse(i, law_impulse(row, row.velocity(root), p.friction, softness));
    });
    return is_solved;
  }

  FN void solve_at(double softness, double violation) {
    for (int round = 1;; ++round) {
      is_converged = climb(softness);
      if (!is_converged) {
        if (status == BEYOND) return;
        // the host has more levels
        status = p.gave_up() ? MANY_PASSES : UNSOLVED;
        return;
      }
      shrink(round);
      int before = set.count;
      if (grow(violation, round) == 0 || status != STEPPED) return;
      if (round == MOST_ROUNDS || set.count == before) {
        is_converged = false;
        status = UNSOLVED;
        return;
      }
    }
  }

  /// Softness of conforming faces; zero where the usual one holds.
  FN double shared_softness(bool is_warm, const V6& warm_velocity) const {
    if (warm.count <= FEW || set.count <= FEW || !is_warm) return 0.0;
    bool all_slide = all_of(lanes, set.count, [&](int i) {
      LawRow row = set.row(i);
      V3 v = row.velocity(warm_velocity);
      return norm(scaled_sum(-dot(row.normal, v), row.normal, v)) > SLIDING;
    });
    if (!all_slide) return 0.0;
    double stopped = larger(largest(lanes, set.count, [&](int i) { return dot(set.row(i).normal, set.impulse(i)) / set.s.rate[i]; }), 0.0);
    double softness = SHARED / stopped;
    return softness > USUAL ? lesser(softness, SOFTEST_SHARED) : 0.0;
  }

  /// Root at half the softness, where the impulses are linear in it.
  FN bool solve_half(double softness, V6& half) {
    if (set.count == 0 || set.count > FEW) return false;
    half = root;
    if (!primal_newton(lanes, set, p, 0.5 * softness, 4, 2, half)) return false;
    return all_of(lanes, set.count, [&](int i) {
      LawRow row = set.row(i);
      V3 v = row.velocity(root), u = row.velocity(half);
      double dv = row.depth(v), du = row.depth(u);
      if (!(dv > 0.0) && !(du > 0.0)) return true;
      if (!(dv > 0.0) || !(du > 0.0)) return false;
      V3 soft = law_impulse(row, v, p.friction, softness), hard = law_impulse(row, u, p.friction, 0.5 * softness);
      bool sticks = norm(scaled_sum(-dot(row.normal, v), row.normal, v)) <= p.friction * dv;
      bool still = norm(scaled_sum(-dot(row.normal, u), row.normal, u)) <= p.friction * du;
      return sticks == still && norm(hard - soft) <= LARGEST_CHANGE * norm(soft);
    });
  }
  FN V3 extrapolated(const LawRow& row, double softness, const V6& half) const {
    V3 soft = law_impulse(row, row.velocity(root), p.friction, softness);
    V3 impulse = 2.0 * law_impulse(row, row.velocity(half), p.friction, 0.5 * softness) - soft;
    double normal = dot(row.normal, impulse);
    V3 tangential = scaled_sum(-normal, row.normal, impulse);
    double limit = p.friction * normal, length = norm(tangential), share = length > limit ? limit / length : 1.0;
    return normal * row.normal + share * tangential;
  }
  FN bool is_closer() const {
    auto miss = [&](int i, const V6& at) {
      LawRow row = set.row(i);
      V3 v = row.velocity(root);
      double depth = row.depth(v);
      if (!(depth > 0.0)) return 0.0;
      bool sticks = norm(scaled_sum(-dot(row.normal, v), row.normal, v)) <= p.friction * depth;
      V3 u = row.velocity(at);
      return sticks ? norm(scaled_sum(row.approach, row.normal, u)) : fabs(row.depth(u));
    };
    double soft = largest(lanes, set.count, [&](int i) { return miss(i, root); });
    double rigid = largest(lanes, set.count, [&](int i) { return miss(i, velocity); });
    return rigid <= soft;
  }

  /// Velocity and impulses of the root.
  CALL void finish() {
    V6 half;
    bool is_smooth = solve_half(softness, half);
    for (int pass = is_smooth ? 0 : 1; pass < 2; ++pass) {
      lanes.sync();
      double sums[6];
      lanes.sum(set.count, sums, [&](int i, double* a) {
        LawRow row = set.row(i);
        V3 impulse = pass == 0 && row.depth(row.velocity(root)) > 0.0 ? extrapolated(row, softness, half)
                                                                      : law_impulse(row, row.velocity(root), p.friction, softness);
        set.set_impulse(i, impulse);
        add_impulse(a, row.arm, impulse);
      });
      generalised = load6(sums);
      velocity = p.respond(generalised);
      lanes.sync();
      if (pass == 0 && is_closer()) break;
    }
    int index;
    slowest_open = lanes.smallest(contacts.count, index, [&](int i) { return slack(i, velocity); });
    double own = lanes.smallest(set.count, index, [&](int i) {
      LawRow row = set.row(i);
      return row.depth(row.velocity(root)) <= 0.0 ? -row.depth(row.velocity(velocity)) : infinity();
    });
    slowest_open = lesser(slowest_open, own);
  }

  /// Finds root and softness from a warm start; where that fails, without the working set of the last step, then with softer laws.
  CALL void solve(bool is_warm, const V6& warm_velocity, double violation) {
    level = 0;
    double shared = 0.0;
    p.post(lanes);
    start(is_warm, warm_velocity, violation);
    if (status == STEPPED) shared = shared_softness(is_warm, warm_velocity);
    if (status == STEPPED && shared > 0.0) {
      p.allow(SHARED_PASSES);
      solve_at(shared, TOO_SOFT);
      if (status == STEPPED && deepest(root) <= TOO_SOFT && set.count > FEW) {
        this->softness = shared;
        return;
      }
      // conforming faces that do not share the load within the passes for it: the usual law decides
      if (failed()) start(is_warm, warm_velocity, violation);
    }
    if (status == STEPPED) solve_hard(violation);
    if (failed() && warm.count > 0) {
      warm.count = 0;
      start(false, warm_velocity, violation);
      solve_hard(violation);
    }
    // a softer law yields more; the certificate of the step decides whether that is too much
    for (double softness = SOFTER; failed() && softness <= SOFTEST_SHARED; softness *= 1.0 / HARDER) {
      start(false, warm_velocity, violation);
      p.allow(SOFTER_PASSES);
      if (status == STEPPED) solve_at(softness, violation);
      this->softness = softness;
    }
  }
  FN bool failed() const { return status == UNSOLVED || status == MANY_PASSES; }

  /// The usual softness, and a harder one where contacts yield too much.
  CALL void solve_hard(double violation) {
    p.allow(p.most);
    double softness = USUAL;
    V6 softer = root;
    for (;;) {
      solve_at(softness, violation);
      if (softness < USUAL && failed()) {
        status = STEPPED;
        p.allow(p.most);
        softness *= 1.0 / HARDER;
        root = softer;
        solve_at(softness, violation);
        break;
      }
      if (status != STEPPED || deepest(root) <= TOO_SOFT || softness <= HARDEST) break;
      softer = root;
      softness *= HARDER;
      p.allow(HARDER_PASSES);
    }
    this->softness = softness;
  }

  /// The working set of the last step, and what is violated beside it.
  CALL void start(bool is_warm, const V6& warm_velocity, double violation) {
    status = STEPPED;
    is_converged = false;
    lanes.sync();
    lanes.each(contacts.count, [&](int i) { contacts.rows.id(i) &= ~IN_SET; });
    set.count = 0;
    if (warm.count > 0) {
      set.count = lanes.collect<BlockFound>(contacts.count, 0,
        [&](int i, BlockFound& found) { if (warm.find(contacts.id(i)) >= 0) { found.count = 1; found.at[0] = i; } },
        [&](int place, int i) { if (place < SET) set.s.contact[place] = i; });
      if (set.count > SET) { status = MANY_ACTIVE; return; }
      lanes.each(set.count, [&](int i) { load_row(i, set.s.contact[i]); });
    }
    root = is_warm && set.count > 0 ? warm_velocity : p.free;
    grow(violation, 0);
  }
};
