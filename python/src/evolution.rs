//! CMA-ES by ask and tell, so that candidates can be evaluated anywhere.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use tightfit::interaction_training::cma_es::{self, CmaOptions, Covariance};

use crate::errors;

/// An evolution strategy that minimises. Its candidates depend on the seed and on the values told, and on nothing else.
#[pyclass(module = "tightfit")]
pub struct CmaEs {
    inner: cma_es::CmaEs,
}

#[pymethods]
impl CmaEs {
    /// Starts at `mean` with standard deviation `sigma`; a population of 0 is 4 + 3 ln n.
    #[new]
    #[pyo3(signature = (mean, sigma, *, population = 0, seed = 1, separable = false))]
    fn new(mean: Vec<f64>, sigma: f64, population: usize, seed: u64, separable: bool) -> PyResult<Self> {
        let covariance = if separable { Covariance::Separable } else { Covariance::Full };
        let options = CmaOptions { population, seed, covariance, ..CmaOptions::default() };
        Ok(Self { inner: cma_es::CmaEs::new(mean, sigma, options).map_err(errors::general)? })
    }

    /// The candidates of the next generation (population, n).
    fn ask<'py>(&mut self, python: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let candidates = self.inner.ask();
        let (rows, flat): (usize, Vec<f64>) = (candidates.len(), candidates.into_iter().flatten().collect());
        let width = flat.len() / rows.max(1);
        PyArray1::from_vec(python, flat).reshape([rows, width])
    }

    /// Tells the values of the candidates, in the order of `ask`; small is good.
    fn tell(&mut self, values: Vec<f64>) -> PyResult<()> {
        self.inner.tell(&values).map_err(errors::general)
    }

    /// The mean of the distribution.
    #[getter]
    fn mean<'py>(&self, python: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(python, self.inner.mean())
    }

    /// The standard deviation.
    #[getter]
    fn sigma(&self) -> f64 {
        self.inner.sigma()
    }

    /// Candidates per generation.
    #[getter]
    fn population(&self) -> usize {
        self.inner.population()
    }

    /// Generations told.
    #[getter]
    fn generation(&self) -> u64 {
        self.inner.generation()
    }

    /// Whether a criterion ended the search.
    #[getter]
    fn stopped(&self) -> bool {
        self.inner.stopped().is_some()
    }
}
