//! Depth networks on a CUDA device: value and gradient at many points at once.

use std::sync::Arc;
use std::time::Instant;

use cudarc::driver::sys::CUdevice_attribute;
use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use tightfit_network::{Activation, Network};

use crate::compiler::network_binary;
use crate::error::GpuError;

/// Neurons of a hidden layer.
pub(crate) const WIDTH: usize = 64;
const TILE: usize = 128;
const THREADS: u32 = 256;
const MOST_INPUTS: usize = 8;
/// `Shared` of kernels/network.cu.
const SHARED_FLOATS: usize =
    4 * WIDTH * WIDTH + WIDTH * (TILE + 4) + MOST_INPUTS * TILE + MOST_INPUTS * WIDTH + 4 * WIDTH;

/// A network with three hidden layers of 64 neurons on a CUDA device.
pub struct GpuNetwork {
    stream: Arc<CudaStream>,
    function: CudaFunction,
    fused_rate: CudaFunction,
    weights: CudaSlice<f32>,
    inputs: usize,
    left_slope: f32,
    output: i32,
    blocks: u32,
    processors: u32,
}

/// Points, values and gradients in the memory of the device.
pub struct GpuPoints {
    count: usize,
    points: CudaSlice<f32>,
    values: CudaSlice<f32>,
    gradients: CudaSlice<f32>,
}

impl GpuNetwork {
    /// Opens a device and gives it the network.
    ///
    /// # Errors
    /// When there is no device, or the network is not of the kind that the kernel has.
    pub fn open(network: &Network, ordinal: usize) -> Result<Self, GpuError> {
        supported(network)?;
        // SAFETY: only looks for the driver's library.
        if !unsafe { cudarc::driver::sys::is_culib_present() } {
            return Err(GpuError::NoDriver);
        }
        Self::beside(network, &CudaContext::new(ordinal)?)
    }

    /// The same in the context of others.
    pub(crate) fn beside(network: &Network, context: &Arc<CudaContext>) -> Result<Self, GpuError> {
        let (left_slope, output) = supported(network)?;
        let (major, minor) = context.compute_capability()?;
        let binary = network_binary(&format!("sm_{major}{minor}"))?;
        let module = context.load_module(Ptx::from_binary(binary))?;
        let function = module.load_function("network")?;
        let bytes = (SHARED_FLOATS * size_of::<f32>()) as i32;
        function.set_attribute(
            cudarc::driver::sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            bytes,
        )?;
        let processors =
            context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32;
        let resident =
            function.occupancy_max_active_blocks_per_multiprocessor(THREADS, bytes as usize, None)?;
        let stream = context.default_stream();
        let mut weights = Vec::with_capacity(network.parameter_count());
        for layer in network.layers() {
            weights.extend_from_slice(&layer.weights);
            weights.extend_from_slice(&layer.biases);
        }
        Ok(Self {
            function,
            fused_rate: module.load_function("fused_rate")?,
            weights: stream.clone_htod(&weights)?,
            inputs: network.inputs(),
            left_slope,
            output,
            blocks: processors * resident.max(1),
            processors,
            stream,
        })
    }

    /// Puts points on the device: one column of coordinates after another.
    ///
    /// # Errors
    /// When the columns do not have one length, or the device fails.
    pub fn put(&self, columns: &[f32]) -> Result<GpuPoints, GpuError> {
        let count = columns.len() / self.inputs;
        if count * self.inputs != columns.len() || count == 0 {
            let what = format!("{} numbers for {} columns", columns.len(), self.inputs);
            return Err(unsupported(what, "give columns of one length, not empty"));
        }
        Ok(GpuPoints {
            count,
            points: self.stream.clone_htod(columns)?,
            values: self.stream.alloc_zeros(count)?,
            gradients: self.stream.alloc_zeros(columns.len())?,
        })
    }

    /// Starts the evaluation at all points.
    ///
    /// # Errors
    /// When the device fails.
    pub fn evaluate(&self, at: &mut GpuPoints) -> Result<(), GpuError> {
        self.evaluate_columns([&at.points, &at.values, &at.gradients], at.count, at.count)
    }

    /// Starts the evaluation at the first `count` points of columns with `stride` places: points, values, gradients.
    pub(crate) fn evaluate_columns(
        &self,
        [points, values, gradients]: [&CudaSlice<f32>; 3],
        count: usize,
        stride: usize,
    ) -> Result<(), GpuError> {
        if count == 0 {
            return Ok(());
        }
        let config = LaunchConfig {
            grid_dim: (self.blocks.min(count.div_ceil(TILE) as u32), 1, 1),
            block_dim: (THREADS, 1, 1),
            shared_mem_bytes: (SHARED_FLOATS * size_of::<f32>()) as u32,
        };
        let (inputs, count, stride) = (self.inputs as i32, count as i32, stride as i32);
        let mut launch = self.stream.launch_builder(&self.function);
        launch.arg(&self.weights).arg(&inputs).arg(&self.left_slope).arg(&self.output);
        launch.arg(points).arg(&count).arg(&stride).arg(values).arg(gradients);
        // SAFETY: the arguments are those of the kernel; the columns have `stride` numbers each, no less than `count`.
        unsafe { launch.launch(config) }?;
        Ok(())
    }

    /// Values and gradients, the latter in columns like the points.
    ///
    /// # Errors
    /// When the device fails.
    pub fn read(&self, at: &GpuPoints) -> Result<(Vec<f32>, Vec<f32>), GpuError> {
        Ok((self.stream.clone_dtoh(&at.values)?, self.stream.clone_dtoh(&at.gradients)?))
    }

    /// Seconds of one evaluation at all points, the median of `rounds`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn time(&self, at: &mut GpuPoints, rounds: usize) -> Result<f64, GpuError> {
        self.evaluate(at)?;
        self.stream.synchronize()?;
        let mut seconds = Vec::new();
        for _ in 0..rounds.max(1) {
            let clock = Instant::now();
            self.evaluate(at)?;
            self.stream.synchronize()?;
            seconds.push(clock.elapsed().as_secs_f64());
        }
        seconds.sort_by(f64::total_cmp);
        Ok(seconds[seconds.len() / 2])
    }

    /// Multiplications and additions per second that the device reaches without memory [1/s].
    ///
    /// # Errors
    /// When the device fails.
    pub fn peak(&self) -> Result<f64, GpuError> {
        let (rounds, blocks, threads) = (20_000_i32, self.processors * 8, 256_u32);
        let mut out = self.stream.alloc_zeros::<f32>(1)?;
        let mut best = 0.0_f64;
        for _ in 0..4 {
            self.stream.synchronize()?;
            let clock = Instant::now();
            let config =
                LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };
            let mut launch = self.stream.launch_builder(&self.fused_rate);
            launch.arg(&rounds).arg(&0.999_f32).arg(&mut out);
            // SAFETY: the arguments are those of the kernel.
            unsafe { launch.launch(config) }?;
            self.stream.synchronize()?;
            let done = 2.0 * 8.0 * f64::from(rounds) * f64::from(blocks * threads);
            best = best.max(done / clock.elapsed().as_secs_f64());
        }
        Ok(best)
    }

    /// Multiplications and additions of value and gradient at one point.
    #[must_use]
    pub fn operations(&self) -> f64 {
        4.0 * (2 * WIDTH * WIDTH + self.inputs * WIDTH + WIDTH) as f64
    }
}

fn supported(network: &Network) -> Result<(f32, i32), GpuError> {
    kind_of(network).map_err(|(what, remedy)| unsupported(what, remedy))
}

/// Slope left of zero of the hidden layers, and the number of the output's activation; else what is not supported, and a remedy.
pub(crate) fn kind_of(network: &Network) -> Result<(f32, i32), (String, &'static str)> {
    let layers = network.layers();
    let sizes: Vec<usize> = layers.iter().map(|layer| layer.outputs()).collect();
    if sizes != [WIDTH, WIDTH, WIDTH, 1] || network.inputs() > MOST_INPUTS {
        let what = format!("a network with {} inputs and layers of {sizes:?}", network.inputs());
        return Err((what, "use three hidden layers of 64 and at most 8 inputs"));
    }
    let left = |activation: Activation| match activation {
        Activation::Identity => Some(1.0),
        Activation::Relu => Some(0.0),
        Activation::LeakyRelu { slope } => Some(slope),
        Activation::Tanh | Activation::Sigmoid | Activation::Silu => None,
    };
    let slope = left(layers[0].activation)
        .filter(|_| layers[..3].iter().all(|layer| layer.activation == layers[0].activation));
    let output = match layers[3].activation {
        Activation::Identity => Some(0),
        Activation::Tanh => Some(1),
        Activation::Sigmoid => Some(2),
        Activation::Relu | Activation::LeakyRelu { .. } | Activation::Silu => None,
    };
    slope.zip(output).ok_or_else(|| {
        let all: Vec<Activation> = layers.iter().map(|layer| layer.activation).collect();
        (
            format!("a network with the activations {all:?}"),
            "use one piecewise linear activation, and identity, tanh or sigmoid at the output",
        )
    })
}

fn unsupported(what: String, remedy: &'static str) -> GpuError {
    GpuError::Unsupported { what, scene: "depth network".into(), remedy }
}
