//! Arrays on a graphics device, handed to torch, JAX or CuPy without a copy by the DLPack protocol.
//!
//! Layout of the records: DLPack 0.8, `dlpack.h` (<https://dmlc.github.io/dlpack/latest/c_api.html>).

use std::ffi::{CStr, c_char, c_void};

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

const CUDA: i32 = 2;
const FLOAT: u8 = 2;
const NAME: &CStr = c"dltensor";

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: [i32; 2],
    dimensions: i32,
    /// Kind, bits, and lanes in two bytes.
    kind: [u8; 4],
    shape: *mut i64,
    strides: *mut i64,
    offset: u64,
}

#[repr(C)]
struct Managed {
    tensor: Tensor,
    owner: *mut c_void,
    delete: unsafe extern "C" fn(*mut Managed),
}

/// What a managed tensor keeps alive.
struct Owner {
    shape: [i64; 2],
    _array: tightfit_environments::DeviceArray,
}

/// Numbers on a graphics device, (n, columns); `torch.from_dlpack` takes them where they are, once.
#[pyclass(module = "tightfit._native")]
pub struct DeviceArray {
    array: Option<tightfit_environments::DeviceArray>,
    #[pyo3(get)]
    shape: (usize, usize),
    device: i32,
}

impl DeviceArray {
    pub(crate) fn new(array: tightfit_environments::DeviceArray, columns: usize) -> Self {
        let (shape, device) = ((array.len() / columns, columns), array.device() as i32);
        Self { array: Some(array), shape, device }
    }
}

#[pymethods]
impl DeviceArray {
    /// Kind and number of the device.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (CUDA, self.device)
    }

    /// The array as a DLPack capsule. The numbers are complete: the stream of the reader does not matter.
    #[pyo3(signature = (**_options))]
    fn __dlpack__(
        &mut self,
        python: Python<'_>,
        _options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let taken =
            || PyBufferError::new_err("the array was taken already; ask the environments for another one");
        let array = self.array.take().ok_or_else(taken)?;
        let (data, device) = (array.address() as *mut c_void, [CUDA, self.device]);
        let owner = Box::new(Owner { shape: [self.shape.0 as i64, self.shape.1 as i64], _array: array });
        let owner = Box::into_raw(owner);
        let kind = [FLOAT, 32, 1, 0];
        // SAFETY: the owner was just made and lives until `delete`.
        let shape = unsafe { (*owner).shape.as_mut_ptr() };
        let tensor =
            Tensor { data, device, dimensions: 2, kind, shape, strides: std::ptr::null_mut(), offset: 0 };
        let managed = Box::into_raw(Box::new(Managed { tensor, owner: owner.cast(), delete }));
        // SAFETY: the capsule owns the record until a reader renames it; `drop_unused` frees it if nobody does. The interpreter is held.
        unsafe {
            let capsule = ffi::PyCapsule_New(managed.cast(), NAME.as_ptr(), Some(drop_unused));
            Ok(Bound::from_owned_ptr_or_err(python, capsule)?.unbind())
        }
    }

    fn __repr__(&self) -> String {
        format!("DeviceArray(shape=({}, {}), device='cuda:{}')", self.shape.0, self.shape.1, self.device)
    }
}

unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: both were made by `Box::into_raw` in `__dlpack__`, and DLPack calls this once.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.owner.cast::<Owner>()));
    }
}

unsafe extern "C" fn drop_unused(capsule: *mut ffi::PyObject) {
    let name: *const c_char = NAME.as_ptr();
    // SAFETY: Python calls this with the capsule; one that a reader has taken has another name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, name) == 1 {
            delete(ffi::PyCapsule_GetPointer(capsule, name).cast());
        }
    }
}
