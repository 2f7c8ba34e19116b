//! How well recall finds what a question asks for: public data sets, an exam of our own, and the fit of the weights.

pub mod exam;
pub mod locomo;
pub mod longmemeval;
pub mod temporal;
pub mod tune;
