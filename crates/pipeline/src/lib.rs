/*!
The stages of a step, in the order of the paper's Fig. 1, and the records that pass between them.

Stages do not import one another: each reads and writes [`records`] only.
*/

pub mod detection;
pub mod integration;
pub mod records;
pub mod solving;
