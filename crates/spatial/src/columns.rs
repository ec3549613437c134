//! Columns of points: one array per coordinate (structure of arrays). Pipeline stages exchange points in this form.

use nalgebra::Vector3;

/// Points (or directions) as three columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns3 {
    /// First coordinate [m] (or component [-]) of every point.
    pub x: Vec<f64>,
    /// Second coordinate of every point.
    pub y: Vec<f64>,
    /// Third coordinate of every point.
    pub z: Vec<f64>,
}

impl Columns3 {
    /// Empty columns with memory for `capacity` points.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        let column = || Vec::with_capacity(capacity);
        Self { x: column(), y: column(), z: column() }
    }

    /// Reserves memory so that the columns can hold `count` points in total.
    pub fn reserve_total(&mut self, count: usize) {
        for column in [&mut self.x, &mut self.y, &mut self.z] {
            column.reserve_exact(count.saturating_sub(column.len()));
        }
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Keeps the first `count` points.
    pub fn truncate(&mut self, count: usize) {
        self.x.truncate(count);
        self.y.truncate(count);
        self.z.truncate(count);
    }

    /// Removes all points and keeps the memory.
    pub fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
        self.z.clear();
    }

    /// Appends one point.
    pub fn push(&mut self, point: Vector3<f64>) {
        self.x.push(point.x);
        self.y.push(point.y);
        self.z.push(point.z);
    }

    /// Point `index`; panics when the index is out of range.
    #[must_use]
    pub fn get(&self, index: usize) -> Vector3<f64> {
        Vector3::new(self.x[index], self.y[index], self.z[index])
    }

    /// Replaces point `index`; panics when the index is out of range.
    pub fn set(&mut self, index: usize, point: Vector3<f64>) {
        (self.x[index], self.y[index], self.z[index]) = (point.x, point.y, point.z);
    }

    /// The points in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Vector3<f64>> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl FromIterator<Vector3<f64>> for Columns3 {
    fn from_iter<I: IntoIterator<Item = Vector3<f64>>>(points: I) -> Self {
        let points = points.into_iter();
        let mut columns = Self::with_capacity(points.size_hint().0);
        points.for_each(|point| columns.push(point));
        columns
    }
}
