//! Numbers written down for one question: mostly zero, and wiped by what was touched.
//!
//! A large memory has a million entries, a question touches a few thousand. So the room for all of
//! them is kept between questions and only the touched places are wiped.

use std::sync::{Mutex, PoisonError};

/// Rooms that wait for the next question; every number in them is zero.
#[derive(Debug, Default)]
pub(crate) struct Slates {
    idle: Mutex<Vec<Vec<f32>>>,
}

/// Rooms kept for later; more are only made while several questions are asked at once.
const IDLE: usize = 8;

impl Slates {
    /// A slate for numbers below `len`.
    pub(crate) fn slate(&self, len: usize) -> Slate<'_> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut values = idle.unwrap_or_default();
        if values.len() < len {
            values.resize(len, 0.0);
        }
        Slate { home: self, values, touched: Vec::new() }
    }
}

/// One value per number, zero until something is added.
#[derive(Debug)]
pub(crate) struct Slate<'s> {
    home: &'s Slates,
    values: Vec<f32>,
    touched: Vec<u32>,
}

impl Slate<'_> {
    /// Adds a positive value.
    pub(crate) fn add(&mut self, number: u32, value: f32) {
        let known = &mut self.values[number as usize];
        if *known == 0.0 {
            self.touched.push(number);
        }
        *known += value;
    }

    /// Raises a value to at least this one.
    pub(crate) fn raise(&mut self, number: u32, value: f32) {
        let known = &mut self.values[number as usize];
        if value > *known {
            if *known == 0.0 {
                self.touched.push(number);
            }
            *known = value;
        }
    }

    /// The value of a number.
    pub(crate) fn get(&self, number: u32) -> f32 {
        self.values[number as usize]
    }

    /// The numbers with a value.
    pub(crate) fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// Takes all values out.
    pub(crate) fn drain(&mut self, mut each: impl FnMut(u32, f32)) {
        for number in self.touched.drain(..) {
            each(number, std::mem::take(&mut self.values[number as usize]));
        }
    }
}

impl Drop for Slate<'_> {
    fn drop(&mut self) {
        self.drain(|_, _| ());
        let mut idle = self.home.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.push(std::mem::take(&mut self.values));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_question_wrote_the_next_does_not_read() {
        let slates = Slates::default();
        let mut first = slates.slate(3);
        first.add(2, 0.5);
        first.add(2, 0.25);
        first.raise(0, 0.1);
        first.raise(0, 0.05);
        assert_eq!((first.get(2), first.get(0), first.touched()), (0.75, 0.1, &[2, 0][..]));
        drop(first);
        let second = slates.slate(5);
        assert!((0..5).all(|number| second.get(number) == 0.0));
    }
}
