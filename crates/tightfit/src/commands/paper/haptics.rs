//! Figs. 18 and 19: a virtual person searches for the thread, turns the nut on and wrenches at it.

use anyhow::Result;
use tightfit::haptics::{
    HumanOptions, HumanPlan, Measures, Moment, RenderedScene, RunOptions, VirtualHuman, rehearse,
};
use tightfit::scene::{Scene, Simulation};

use super::item::Regenerated;

/// When the virtual person stops searching, and when it begins to wrench at the fastened nut [s].
const PHASES: [(&str, f64, f64); 3] =
    [("search", 0.0, 6.0), ("turned on", 6.0, 13.0), ("wrenched at random", 13.0, f64::INFINITY)];

/// A run in simulated time, audited.
fn bolting(is_quick: bool) -> Result<Measures> {
    let mut scene = RenderedScene::new(Simulation::new(Scene::find("bolting")?, 1))?;
    let mut human = VirtualHuman::new(HumanOptions { plan: HumanPlan::Bolt, ..HumanOptions::default() });
    let seconds = if is_quick { 23.0 } else { 73.0 };
    let options = RunOptions { seconds, audit_every: 10, ..RunOptions::default() };
    Ok(rehearse(&mut scene, &mut human, &options, &mut |_| {}))
}

/// Fig. 19: force to the user in each phase.
pub(super) fn force_to_the_user(is_quick: bool) -> Result<Regenerated> {
    let measures = bolting(is_quick)?;
    let mut item = Regenerated::with_head(&[
        "phase",
        "time s",
        "force mean N",
        "force max N",
        "torque max N·m",
        "contact force max N",
        "audited max um",
    ]);
    for (name, from, until) in PHASES {
        let moments: Vec<&Moment> =
            measures.moments.iter().filter(|moment| moment.time > from && moment.time <= until).collect();
        let most = |of: &dyn Fn(&Moment) -> f64| moments.iter().map(|moment| of(moment)).fold(0.0, f64::max);
        let mean =
            moments.iter().map(|moment| moment.felt.force.norm()).sum::<f64>() / moments.len().max(1) as f64;
        item.row(&[
            name.into(),
            format!("{from:.0} to {:.0}", until.min(measures.seconds)),
            format!("{mean:.2}"),
            format!("{:.2}", most(&|moment| moment.felt.force.norm())),
            format!("{:.2}", most(&|moment| moment.felt.torque.norm())),
            format!("{:.1}", most(&|moment| moment.contact_force.norm())),
            format!("{:.2}", 1e6 * most(&|moment| moment.penetration)),
        ]);
        item.bars.push((name.into(), mean));
    }
    item.unit = "N, mean force to the user".into();
    let deviation = measures.thread.map_or(0.0, |thread| 1e3 * thread.largest_deviation);
    item.note = format!(
        "A virtual person at a device of six axes, in simulated time: net energy at the port at least {:.1e} J, watchdog {} \
         times, deviation from the thread's pitch {deviation:.2} mm at most. Curves: `tightfit haptics bolting --seconds 23 \
         --report fig-19.html`.",
        measures.lowest_port_energy, measures.watchdog_trips,
    );
    Ok(item)
}

/// Fig. 18: the nut at four moments of the search and four of the fastened phase.
pub(super) fn snapshots(is_quick: bool) -> Result<Regenerated> {
    let measures = bolting(is_quick)?;
    let mut item =
        Regenerated::with_head(&["time s", "phase", "height mm", "turns", "engaged", "force to the user N"]);
    for time in [1.0, 2.5, 4.0, 5.5, 8.0, 11.0, 14.0, 20.0] {
        let Some(moment) = measures.moments.iter().find(|moment| moment.time >= time) else { continue };
        let phase = PHASES.iter().find(|(_, from, until)| (*from..*until).contains(&time));
        item.row(&[
            format!("{time:.1}"),
            phase.map_or("", |(name, ..)| *name).into(),
            format!("{:.2}", 1e3 * moment.height),
            format!("{:.2}", moment.angle / std::f64::consts::TAU),
            if moment.engaged { "yes" } else { "no" }.into(),
            format!("{:.2}", moment.felt.force.norm()),
        ]);
    }
    item.note =
        "A virtual person takes the place of the photographed one; the nut is not held by an arm here."
            .into();
    Ok(item)
}
