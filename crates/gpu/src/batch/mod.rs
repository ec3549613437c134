//! Many environments of one scene on a graphics processor.

mod policy_steps;

use std::path::PathBuf;

use bytemuck::Zeroable;
use rayon::prelude::*;
use tightfit_simulation::batch::{AdvanceSummary, Batch, BatchError, Control, Fault, Observations, Setup};
use tightfit_simulation::{BodyId, Certificate, Scene, State};

use crate::backend::Backend;
use crate::compiler::{KernelOptions, Parts};
use crate::cuda::Cuda;
use crate::depth_network::DepthNetworkRecord;
use crate::error::GpuError;
use crate::fallback::{Fallback, Known};
use crate::host::HostKernels;
use crate::node_table::NodeTable;
use crate::records::{BLOCKS, Common, Environment, FROZEN, REASONS, ROWS_BYTES, Shape};
use crate::setup_record::{certificate, environment_record, read_state};
use crate::shape_record::shape_record;
use crate::support::{Sides, check_scene, network_record, unsupported_method, unsupported_pair};

/// Where a batch runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Device {
    /// A CUDA device by its number.
    Cuda(usize),
    /// Kernels compiled for the host, from a library made of `kernels/host.cpp`: for tests.
    Host(PathBuf),
}

/// Steps that the kernels left to the host, since the batch was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// Steps of all environments.
    pub steps: u64,
    /// Steps that the host took, by reason.
    pub by_reason: Vec<(&'static str, u64)>,
    /// Steps without a converged certificate. The kernels write none, so these are among the host's.
    pub unconverged: u64,
}

impl Tail {
    /// Steps that the host took.
    #[must_use]
    pub fn host_steps(&self) -> u64 {
        self.by_reason.iter().map(|(_, count)| count).sum()
    }
}

/// Environments of one scene; the counterpart of [`Batch`].
pub struct GpuBatch {
    scene: Scene,
    sides: Sides,
    pair: [BodyId; 2],
    tables: [NodeTable; 2],
    /// None or one for the part of each side.
    networks: [Vec<DepthNetworkRecord>; 2],
    are_tables_sent: bool,
    known: Vec<Known>,
    backend: Backend,
    fallback: Fallback,
    /// Steps by status.
    counts: [u64; REASONS.len()],
    steps: u64,
    unconverged: u64,
}

impl GpuBatch {
    /// `count` environments with the start of the scene.
    ///
    /// # Errors
    /// When the scene has something that the kernels do not have, or the device cannot be used.
    pub fn new(scene: Scene, count: usize, device: &Device) -> Result<Self, GpuError> {
        let options = match parts_of(&scene) {
            Parts::Turned => KernelOptions::default(),
            Parts::Threads => KernelOptions::for_threads(),
        };
        Self::with_options(scene, count, device, options)
    }

    /// The same with other options of the kernels; the kind of the parts is that of the scene.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_options(
        scene: Scene,
        count: usize,
        device: &Device,
        options: KernelOptions,
    ) -> Result<Self, GpuError> {
        let sides = check_scene(&scene)?;
        let pair = scene.contacts[0].bodies;
        // those that cannot be taken are refused above
        let networks = pair.map(|body| network_record(&scene.bodies[body]).unwrap_or_default());
        let has_networks = networks.iter().any(|own| !own.is_empty());
        let options = KernelOptions { parts: parts_of(&scene), networks: has_networks, ..options };
        let tables = pair.map(|body| NodeTable::new(&scene.bodies[body]));
        for (body, table) in pair.iter().zip(&tables) {
            if table.boxes.len() > BLOCKS {
                return Err(GpuError::Unsupported {
                    what: format!("{} nodes, the part `{}`", table.len(), scene.bodies[*body].name),
                    scene: scene.name.clone(),
                    remedy: "use coarser nodes",
                });
            }
        }
        let backend = match device {
            Device::Cuda(ordinal) => Backend::Cuda(Cuda::open(*ordinal, count, options)?),
            Device::Host(path) => Backend::Host(HostKernels::open(path, count)?),
        };
        let usual = Setup::of(&scene);
        let summary = AdvanceSummary::default();
        let known =
            Known { setup: usual.clone(), summary, control: Control::Drive, fault: None, by_host: None };
        let mut batch = Self {
            fallback: Fallback::new(&scene),
            scene,
            sides,
            pair,
            tables,
            networks,
            are_tables_sent: false,
            known: vec![known; count],
            backend,
            counts: [0; REASONS.len()],
            steps: 0,
            unconverged: 0,
        };
        let setups = (0..count).map(|index| (index, usual.clone())).collect();
        batch.reset_many(setups)?;
        Ok(batch)
    }

    /// The scene of all environments.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Number of environments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The device, in words.
    #[must_use]
    pub fn device_name(&self) -> String {
        self.backend.name()
    }

    /// Device memory of one environment [bytes].
    #[must_use]
    pub fn environment_bytes(&self) -> usize {
        size_of::<Environment>() + ROWS_BYTES
    }

    /// Restarts one environment, frozen or not. An invalid setup freezes it at once and appears in [`Self::faults`].
    ///
    /// # Errors
    /// When there is no such environment, or the kernels do not have something of the setup.
    pub fn reset(&mut self, index: usize, setup: Setup) -> Result<(), GpuError> {
        self.reset_many(vec![(index, setup)])
    }

    /// Restarts many environments at once.
    ///
    /// # Errors
    /// As [`Self::reset`]; then none is restarted.
    pub fn reset_many(&mut self, setups: Vec<(usize, Setup)>) -> Result<(), GpuError> {
        for (index, _) in &setups {
            self.check_index(*index)?;
        }
        for (_, setup) in &setups {
            for (table, body) in self.tables.iter_mut().zip(self.pair) {
                if setup.parameters.bodies.len() == self.scene.bodies.len() {
                    let before = table.spread;
                    let own = &setup.parameters.bodies[body].part;
                    if before == 0.0 && *own != self.scene.bodies[body].part {
                        table.adopt(&self.scene.bodies[body], own);
                        self.are_tables_sent = false;
                    }
                }
            }
        }
        // the CPU's batch says whether a setup is sound
        let judge = || Batch::new(self.scene.clone(), 1, 1);
        let made: Vec<_> = setups
            .par_iter()
            .map_init(judge, |judge, (index, setup)| match judge {
                Ok(judge) => self.record(*index, setup, judge),
                Err(error) => Err(error.clone().into()),
            })
            .collect();
        let made = made.into_iter().collect::<Result<Vec<_>, _>>()?;
        let list: Vec<i32> = setups.iter().map(|(index, _)| *index as i32).collect();
        let mut records = Vec::with_capacity(made.len());
        for ((index, setup), (record, fault)) in setups.into_iter().zip(made) {
            let summary = AdvanceSummary::default();
            self.known[index] = Known { setup, summary, control: Control::Drive, fault, by_host: None };
            records.push(record);
        }
        self.send_tables()?;
        self.backend.write(&list, &records)
    }

    /// Sets the source of an environment's inputs: its drive, or a given input.
    ///
    /// # Errors
    /// When there is no such environment, or the kernels do not have something of it.
    pub fn control(&mut self, index: usize, control: Control) -> Result<(), GpuError> {
        self.control_many(vec![(index, control)])
    }

    /// The same for many environments at once.
    ///
    /// # Errors
    /// As [`Self::control`].
    pub fn control_many(&mut self, controls: Vec<(usize, Control)>) -> Result<(), GpuError> {
        let list = controls.iter().map(|(index, _)| self.check_index(*index).map(|()| *index as i32));
        let list = list.collect::<Result<Vec<i32>, _>>()?;
        let mut records = self.backend.read(&list)?;
        for ((index, control), record) in controls.into_iter().zip(&mut records) {
            let known = &mut self.known[index];
            let made = environment_record(&self.scene, &known.setup, &control);
            record.drive = made.map_err(|what| unsupported_setup(index, what))?.drive;
            known.control = control;
        }
        self.backend.write(&list, &records)
    }

    /// One step of every environment that is not frozen.
    ///
    /// # Errors
    /// When the device fails.
    pub fn step(&mut self) -> Result<(), GpuError> {
        self.advance(1)
    }

    /// Several steps of every environment that is not frozen.
    ///
    /// # Errors
    /// When the device fails.
    pub fn advance(&mut self, steps: usize) -> Result<(), GpuError> {
        self.advance_list(None, steps)
    }

    fn advance_list(&mut self, list: Option<&[i32]>, steps: usize) -> Result<(), GpuError> {
        let mut left = self.backend.take_steps(list, steps)?;
        let goes = |known: &Known| known.fault.is_none();
        let going = match list {
            Some(list) => list.iter().filter(|index| goes(&self.known[**index as usize])).count(),
            None => self.known.iter().filter(|known| goes(known)).count(),
        };
        self.steps += (going * steps) as u64;
        while !left.is_empty() {
            let mut records = self.backend.read(&left)?;
            for record in &records {
                self.counts[(record.status as usize).min(REASONS.len() - 1)] += 1;
            }
            let mut chosen = pick(&mut self.known, &left);
            self.fallback.take_steps(&self.scene, &mut chosen, &mut records);
            let is_unconverged = |record: &&Environment| record.status != FROZEN && record.report.limits != 0;
            self.unconverged += records.iter().filter(is_unconverged).count() as u64;
            self.backend.write(&left, &records)?;
            let goes_on = |record: &Environment| record.status != FROZEN && record.steps < record.target;
            let rest: Vec<i32> = left
                .iter()
                .zip(&records)
                .filter(|(_, record)| goes_on(record))
                .map(|(index, _)| *index)
                .collect();
            left = match rest.is_empty() {
                true => rest,
                false => self.backend.take_steps(Some(&rest), 0)?,
            };
        }
        Ok(())
    }

    /// State of an environment.
    ///
    /// # Errors
    /// When there is no such environment, or the device fails.
    pub fn state(&mut self, index: usize) -> Result<State, GpuError> {
        Ok(self.states(&[index])?.remove(0))
    }

    /// States of some environments.
    ///
    /// # Errors
    /// As [`Self::state`].
    pub fn states(&mut self, indices: &[usize]) -> Result<Vec<State>, GpuError> {
        let records = self.read(indices)?;
        let state = |record: &Environment| {
            let mut state = State::default();
            read_state(record, &mut state);
            state
        };
        Ok(records.iter().map(state).collect())
    }

    /// Parameters and drives of an environment, and its motion at its start or after the last [`Self::advance_where`].
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn setup(&self, index: usize) -> Result<&Setup, GpuError> {
        self.check_index(index)?;
        Ok(&self.known[index].setup)
    }

    /// Certificate of an environment's last step.
    ///
    /// # Errors
    /// When there is no such environment, or the device fails.
    pub fn certificate(&mut self, index: usize) -> Result<Certificate, GpuError> {
        Ok(self.certificates(&[index])?.remove(0))
    }

    /// Certificates of the last steps of some environments.
    ///
    /// # Errors
    /// As [`Self::certificate`].
    pub fn certificates(&mut self, indices: &[usize]) -> Result<Vec<Certificate>, GpuError> {
        let records = self.read(indices)?;
        let one = |(index, record): (&usize, &Environment)| {
            let by_host = self.known[*index].by_host.as_deref().filter(|_| record.by_host != 0);
            by_host.cloned().unwrap_or_else(|| certificate(&record.report))
        };
        Ok(indices.iter().zip(&records).map(one).collect())
    }

    /// Why an environment is frozen, if it is.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn fault(&self, index: usize) -> Result<Option<&Fault>, GpuError> {
        self.check_index(index)?;
        Ok(self.known[index].fault.as_ref())
    }

    /// The frozen environments, each with its index and the reason.
    pub fn faults(&self) -> impl Iterator<Item = (usize, &Fault)> {
        self.known.iter().enumerate().filter_map(|(index, known)| Some((index, known.fault.as_ref()?)))
    }

    /// Steps that the host took.
    #[must_use]
    pub fn tail(&self) -> Tail {
        let by_reason = REASONS.iter().zip(self.counts).skip(2).filter(|(_, count)| *count > 0);
        let by_reason = by_reason.map(|(reason, count)| (*reason, count)).collect();
        Tail { steps: self.steps, by_reason, unconverged: self.unconverged }
    }

    /// Reads the free body of every environment, in columns; frozen environments give their last state.
    ///
    /// # Errors
    /// When no free body has this name, or the device fails.
    pub fn observe(&mut self, body: &str, into: &mut Observations) -> Result<(), GpuError> {
        let free = self.pair[self.sides.free];
        if self.scene.bodies[free].name != body {
            let known = self.scene.bodies[free].name.clone();
            return Err(BatchError::UnknownBody { name: body.into(), known }.into());
        }
        into.clear();
        let all: Vec<usize> = (0..self.len()).collect();
        for record in self.read(&all)? {
            let mut state = State::default();
            read_state(&record, &mut state);
            let motion = &state.motions[0];
            let pose = motion.world_from_part(record.center_of_mass.into());
            into.time.push(record.steps as f64 * self.scene.dt);
            into.position.push(pose.translation);
            for (column, value) in into.quaternion.iter_mut().zip(pose.rotation.coords.iter()) {
                column.push(*value);
            }
            into.velocity.push(motion.twist.linear_in_world);
            into.turning_in_body.push(motion.twist.angular_in_body);
            let impulse = record.impulse.map(|value| value / self.scene.dt);
            into.contact_force.push(nalgebra::Vector3::new(impulse[0], impulse[1], impulse[2]));
            into.contact_torque.push(nalgebra::Vector3::new(impulse[3], impulse[4], impulse[5]));
            into.penetration.push(record.report.penetration);
            into.converged.push(record.report.limits == 0);
            into.frozen.push(record.status == FROZEN);
        }
        Ok(())
    }

    fn read(&mut self, indices: &[usize]) -> Result<Vec<Environment>, GpuError> {
        let list = indices.iter().map(|index| self.check_index(*index).map(|()| *index as i32));
        let list = list.collect::<Result<Vec<i32>, _>>()?;
        self.backend.read(&list)
    }

    fn check_index(&self, index: usize) -> Result<(), GpuError> {
        let count = self.len();
        match index < count {
            true => Ok(()),
            false => Err(BatchError::NoEnvironment { index, count }.into()),
        }
    }

    /// Record of a setup, and the fault of one that cannot be stepped.
    fn record(
        &self,
        index: usize,
        setup: &Setup,
        judge: &mut Batch,
    ) -> Result<(Environment, Option<Fault>), GpuError> {
        judge.reset(0, setup.clone())?;
        if let Some(fault) = judge.fault(0)?.cloned() {
            let mut record = Environment::zeroed();
            record.rotation[3] = 1.0;
            record.status = FROZEN;
            return Ok((record, Some(fault)));
        }
        let refuse = |what: String| unsupported_setup(index, what);
        if let Some(what) = unsupported_method(&setup.parameters.methods) {
            return Err(refuse(what));
        }
        let parts = self.pair.map(|body| &setup.parameters.bodies[body].part);
        if let Some(what) = unsupported_pair(parts[0], parts[1]) {
            return Err(refuse(what));
        }
        let mut record = environment_record(&self.scene, setup, &Control::Drive).map_err(refuse)?;
        for (side, part) in parts.into_iter().enumerate() {
            let (body, table) = (&self.scene.bodies[self.pair[side]], &self.tables[side]);
            let mut shape: Shape = shape_record(part).map_err(refuse)?;
            let parameter = table.parameter(body, part);
            shape.parameter = parameter.ok_or_else(|| {
                refuse(format!(
                    "dimensions of `{}` that move its nodes otherwise than in the first environment",
                    body.name
                ))
            })?;
            shape.spread = table.spread;
            // as on the CPU, a part of other dimensions is not answered by the network
            shape.is_of_network = i32::from(body.network.is_some() && *part == body.part);
            record.shape[side] = shape;
        }
        Ok((record, None))
    }

    fn send_tables(&mut self) -> Result<(), GpuError> {
        if self.are_tables_sent {
            return Ok(());
        }
        let fixed = self.scene.bodies[self.pair[1 - self.sides.free]].world_from_part;
        let mut common = Common::zeroed();
        common.gravity = self.scene.gravity.into();
        common.fixed_position = fixed.translation.into();
        common.fixed_rotation = fixed.rotation.coords.into();
        common.free_side = self.sides.free as i32;
        common.most_passes = KernelOptions::default().most_passes as i32;
        common.samples = std::array::from_fn(|k| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / 64.0).sin_cos();
            [cos, sin]
        });
        for (nodes, table) in common.nodes.iter_mut().zip(&self.tables) {
            (nodes.count, nodes.blocks, nodes.apart) =
                (table.len() as i32, table.boxes.len() as i32, table.apart);
        }
        self.backend.set_common(&common, &self.tables, &self.networks)?;
        self.are_tables_sent = true;
        Ok(())
    }
}

fn parts_of(scene: &Scene) -> Parts {
    Parts::of(scene.bodies.iter().map(|body| &body.part))
}

fn unsupported_setup(index: usize, what: String) -> GpuError {
    GpuError::UnsupportedSetup { index, what, remedy: "step it on the CPU" }
}

/// The listed environments; the list is sorted and has each once.
fn pick<'a>(known: &'a mut [Known], list: &[i32]) -> Vec<&'a mut Known> {
    let mut wanted = list.iter().peekable();
    let chosen = known
        .iter_mut()
        .enumerate()
        .filter(|(index, _)| wanted.next_if(|own| **own as usize == *index).is_some());
    chosen.map(|(_, known)| known).collect()
}
