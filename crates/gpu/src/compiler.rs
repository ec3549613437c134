//! Compiles the kernels by NVRTC, and keeps the binaries.
//!
//! NVRTC is opened at run time: the library that `TIGHTFIT_NVRTC` names, else `libnvrtc.so.12` of the system. A binary is kept under
//! `~/.cache/tightfit` (or `XDG_CACHE_HOME`) by architecture, options and source; with it no compiler is needed.

use std::ffi::{CString, c_char, c_int, c_void};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use libloading::Library;
use tightfit_shape::Part;

use crate::depth_network::DepthNetworkRecord;
use crate::error::GpuError;
use crate::kernel_source::{kernel_source, pose_source};
use crate::poses::{
    FieldRanges, NetworkColumns, POSE_MEMORY_BYTES, PartPose, PoseContact, PoseRange, PoseSummary,
};
use crate::records::{
    Common, Environment, FLIGHT_BYTES, MotionRecord, ROWS_BYTES, SCRATCH_BYTES, Shape, WaypointPair,
};

/// Kernels for one kind of parts leave out the code of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parts {
    /// Pegs and holes.
    Turned,
    /// Bolts and nuts.
    Threads,
}

impl Parts {
    /// The kind of some parts.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Self {
        let is_threaded = parts.into_iter().any(|part| matches!(part, Part::Bolt(_) | Part::Nut(_)));
        if is_threaded { Self::Threads } else { Self::Turned }
    }
}

/// How the kernels are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelOptions {
    /// Kind of the parts.
    pub parts: Parts,
    /// Lanes of one environment: 8, 16 or 32.
    pub lanes: u32,
    /// Threads of a multiprocessor, which holds one block.
    pub block: u32,
    /// Environments that a block has in hand, a multiple of 32.
    pub slots: u32,
    /// Passes of the solver in one stage before the host takes the step.
    pub most_passes: u32,
    /// Whether depth networks may answer for parts; without, their code is left out.
    pub networks: bool,
}

impl Default for KernelOptions {
    fn default() -> Self {
        Self { parts: Parts::Turned, lanes: 8, block: 384, slots: 128, most_passes: 1000, networks: false }
    }
}

impl KernelOptions {
    /// What the lanes of an environment show one another, in shared memory [bytes]; `Board` of `kernels/lanes.h`.
    pub(crate) fn board_bytes(&self) -> u32 {
        8 * (48 + 36 + 35 * self.lanes)
    }

    /// Shared memory of a block [bytes].
    pub(crate) fn shared_bytes(&self) -> u32 {
        self.block / self.lanes * self.board_bytes()
    }

    /// The options that were fastest for threads: they have more candidates, and longer solves, than turned parts.
    #[must_use]
    pub fn for_threads() -> Self {
        Self { parts: Parts::Threads, lanes: 32, slots: 64, ..Self::default() }
    }
}

/// The kernels for an architecture such as `sm_90`, from the cache or compiled.
///
/// # Errors
/// When there is no compiler and no binary, or the kernels do not compile.
pub fn kernel_binary(architecture: &str, options: &KernelOptions) -> Result<Vec<u8>, GpuError> {
    let KernelOptions { lanes, block, slots, .. } = options;
    let mut definitions = vec![
        format!("-D{}", only(options.parts)),
        format!("-DLANES={lanes}"),
        format!("-DBLOCK={block}"),
        format!("-DSLOTS={slots}"),
        format!("-DENVIRONMENT_BYTES={}", size_of::<Environment>()),
        format!("-DROWS_BYTES={ROWS_BYTES}"),
        format!("-DCOMMON_BYTES={}", size_of::<Common>()),
        format!("-DSCRATCH_BYTES={SCRATCH_BYTES}"),
        format!("-DFLIGHT_BYTES={FLIGHT_BYTES}"),
        format!("-DBOARD_BYTES={}", options.board_bytes()),
        format!("-DMOTION_BYTES={}", size_of::<MotionRecord>()),
        format!("-DWAYPOINT_PAIR_BYTES={}", size_of::<WaypointPair>()),
        format!("-DDEPTH_NETWORK_BYTES={}", size_of::<DepthNetworkRecord>()),
    ];
    if !options.networks {
        definitions.push("-DONLY_EXACT".into());
    }
    // every fused operation of the step is written as fma(): host and device give the same bits
    binary_of("step", &kernel_source(), architecture, "--fmad=false", &definitions)
}

/// Lanes of a pose, and threads of a block of the kernel that detects.
pub(crate) const POSE_LANES: u32 = 32;
pub(crate) const POSE_BLOCK: u32 = 128;

/// The kernel that detects contacts at many poses.
///
/// # Errors
/// As [`kernel_binary`].
pub fn pose_binary(architecture: &str, parts: Parts) -> Result<Vec<u8>, GpuError> {
    let definitions = [
        format!("-D{}", only(parts)),
        format!("-DLANES={POSE_LANES}"),
        format!("-DBLOCK={POSE_BLOCK}"),
        format!("-DSHAPE_BYTES={}", size_of::<Shape>()),
        format!("-DCOMMON_BYTES={}", size_of::<Common>()),
        format!("-DPART_POSE_BYTES={}", size_of::<PartPose>()),
        format!("-DPOSE_CONTACT_BYTES={}", size_of::<PoseContact>()),
        format!("-DPOSE_SUMMARY_BYTES={}", size_of::<PoseSummary>()),
        format!("-DPOSE_MEMORY_BYTES={POSE_MEMORY_BYTES}"),
        format!("-DFIELD_RANGES_BYTES={}", size_of::<FieldRanges>()),
        format!("-DNETWORK_COLUMNS_BYTES={}", size_of::<NetworkColumns>()),
        format!("-DPOSE_RANGE_BYTES={}", size_of::<PoseRange>()),
    ];
    binary_of("poses", &pose_source(), architecture, "--fmad=false", &definitions)
}

/// The definition that leaves out the code of the other parts.
fn only(parts: Parts) -> &'static str {
    match parts {
        Parts::Turned => "ONLY_TURNED",
        Parts::Threads => "ONLY_THREADS",
    }
}

/// The kernel of depth networks.
///
/// # Errors
/// As [`kernel_binary`].
pub fn network_binary(architecture: &str) -> Result<Vec<u8>, GpuError> {
    binary_of("network", include_str!("../kernels/network.cu"), architecture, "--fmad=true", &[])
}

fn binary_of(
    name: &str,
    source: &str,
    architecture: &str,
    fused: &str,
    definitions: &[String],
) -> Result<Vec<u8>, GpuError> {
    let mut hash = DefaultHasher::new();
    (source, definitions, architecture).hash(&mut hash);
    let file = format!("{name}-{architecture}-{:016x}.cubin", hash.finish());
    let file = cache_folder().map(|folder| folder.join(file));
    if let Some(binary) = file.as_ref().and_then(|file| std::fs::read(file).ok()) {
        return Ok(binary);
    }
    let first = [format!("--gpu-architecture={architecture}"), "--std=c++17".into(), fused.into()];
    let options: Vec<String> = first.iter().chain(definitions).cloned().collect();
    let compiled = Nvrtc::open()?.compile(source, &options);
    let binary = compiled.map_err(|log| GpuError::Compile { architecture: architecture.into(), log })?;
    if let Some(file) = file {
        // without a cache the next start compiles again
        let _ = file.parent().map(std::fs::create_dir_all);
        let _ = std::fs::write(&file, &binary);
    }
    Ok(binary)
}

fn cache_folder() -> Option<PathBuf> {
    let usual = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let own = std::env::var_os("TIGHTFIT_KERNELS").map(PathBuf::from);
    own.or_else(|| {
        std::env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(usual)
            .map(|folder| folder.join("tightfit"))
    })
}

/// The compiler's library.
struct Nvrtc {
    library: Library,
}

type Program = *mut c_void;

impl Nvrtc {
    fn open() -> Result<Self, GpuError> {
        let named = std::env::var("TIGHTFIT_NVRTC").ok();
        let names = match &named {
            Some(path) => vec![path.as_str()],
            None => vec!["libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so", "nvrtc64_120_0.dll"],
        };
        let mut reason = String::new();
        for name in names.iter().copied() {
            // SAFETY: NVRTC's library; loading it runs only its own initialisation.
            match unsafe { Library::new(name) } {
                Ok(library) => return Ok(Self { library }),
                Err(error) => reason = error.to_string(),
            }
        }
        Err(GpuError::NoCompiler { tried: names.join(", "), reason })
    }

    fn compile(&self, source: &str, options: &[String]) -> Result<Vec<u8>, String> {
        let text = |own: &str| CString::new(own).map_err(|error| error.to_string());
        let (source, name) = (text(source)?, text("step.cu")?);
        let options: Vec<CString> = options.iter().map(|own| text(own)).collect::<Result<_, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|own| own.as_ptr()).collect();
        let mut program: Program = std::ptr::null_mut();
        // SAFETY: the types are those of nvrtc.h; all strings outlive the calls; sizes are asked for before buffers are filled.
        unsafe {
            type Create = unsafe extern "C" fn(
                *mut Program,
                *const c_char,
                *const c_char,
                c_int,
                *const *const c_char,
                *const *const c_char,
            ) -> c_int;
            type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
            type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
            type Get = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
            let missing = |error: libloading::Error| error.to_string();
            let create = self.library.get::<Create>(b"nvrtcCreateProgram\0").map_err(missing)?;
            let compile = self.library.get::<Compile>(b"nvrtcCompileProgram\0").map_err(missing)?;
            if create(&mut program, source.as_ptr(), name.as_ptr(), 0, std::ptr::null(), std::ptr::null())
                != 0
            {
                return Err("NVRTC could not start a program".into());
            }
            let read = |size: &[u8], get: &[u8]| {
                let (size, get) = (
                    self.library.get::<Size>(size).map_err(missing)?,
                    self.library.get::<Get>(get).map_err(missing)?,
                );
                let mut length = 0;
                if size(program, &mut length) != 0 {
                    return Err("its size is not known".to_string());
                }
                let mut out = vec![0_u8; length];
                match get(program, out.as_mut_ptr().cast()) {
                    0 => Ok(out),
                    code => Err(format!("NVRTC error {code}")),
                }
            };
            if compile(program, pointers.len() as c_int, pointers.as_ptr()) != 0 {
                let log = read(b"nvrtcGetProgramLogSize\0", b"nvrtcGetProgramLog\0")?;
                return Err(String::from_utf8_lossy(&log).trim_end_matches('\0').to_string());
            }
            read(b"nvrtcGetCUBINSize\0", b"nvrtcGetCUBIN\0")
        }
    }
}
