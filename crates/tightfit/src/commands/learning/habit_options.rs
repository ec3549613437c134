//! Options of a new interaction network: what its clusters are.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use tightfit::interaction::InteractionOptions;

#[derive(Args)]
pub(super) struct HabitOptions {
    /// Choose what clusters are: contacts that are reached within the step (the default), or the paper's averages over all near ones.
    #[arg(long, value_enum)]
    habits: Option<Habits>,
    /// Count a contact as reached up to this gap at the end of the step [um].
    #[arg(long, default_value_t = 1.0, value_name = "UM", allow_negative_numbers = true)]
    within_um: f64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Habits {
    /// Clusters are contacts that the part reaches within the step.
    Touching,
    /// Clusters are averages on the surface over all near contacts.
    Paper,
    /// The same to the letter of the paper: quaternions in, normals averaged by the learnt weights.
    Printed,
}

impl HabitOptions {
    /// Whether the user chose a kind of clusters.
    pub(super) fn are_given(&self) -> bool {
        self.habits.is_some()
    }

    pub(super) fn options(&self) -> Result<InteractionOptions> {
        let within = self.within_um;
        if !(0.0..=1000.0).contains(&within) {
            bail!("--within-um is {within}; give a gap of 0 to 1000 um");
        }
        Ok(match self.habits.unwrap_or(Habits::Touching) {
            Habits::Touching => {
                InteractionOptions { widest_gap: Some(within * 1e-6), ..InteractionOptions::TOUCHING }
            }
            Habits::Paper => InteractionOptions::PAPER,
            Habits::Printed => InteractionOptions::PRINTED,
        })
    }
}
