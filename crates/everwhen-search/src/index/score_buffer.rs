//! Reusable buffers with one score per document or group, mostly zero.
//!
//! A large index has a million documents, a search touches a few thousand. So buffers are kept in a
//! pool between searches, and only the touched values are reset.

use std::sync::{Mutex, PoisonError};

/// A pool of buffers in which every value is zero.
#[derive(Debug, Default)]
pub(crate) struct BufferPool {
    idle: Mutex<Vec<Buffer>>,
}

/// The memory of a [`ScoreBuffer`].
#[derive(Debug, Default)]
struct Buffer {
    values: Vec<f32>,
    /// The numbers with a value come first; the rest is unused space.
    touched: Vec<u32>,
}

/// The largest number of idle buffers in a pool.
const MAX_IDLE: usize = 8;
/// The initial capacity for touched numbers.
const INITIAL_TOUCHED: usize = 1_024;

/// A copy has buffers of its own.
impl Clone for BufferPool {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl BufferPool {
    /// Takes a buffer for numbers below `len` out of the pool.
    pub(crate) fn take(&self, len: usize) -> ScoreBuffer<'_> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut buffer = idle.unwrap_or_default();
        if buffer.values.len() < len {
            buffer.values.resize(len, 0.0);
        }
        ScoreBuffer { pool: self, buffer, count: 0 }
    }
}

/// One value per number, zero until something is added. It returns to its pool when dropped.
#[derive(Debug)]
pub(crate) struct ScoreBuffer<'p> {
    pool: &'p BufferPool,
    buffer: Buffer,
    /// How many numbers have a value.
    count: usize,
}

impl ScoreBuffer<'_> {
    /// Adds a positive value.
    pub(crate) fn add(&mut self, number: u32, value: f32) {
        self.add_each(&[number], &[value]);
    }

    /// Adds a positive value to each of some numbers.
    #[inline(never)]
    pub(crate) fn add_each(&mut self, numbers: &[u32], values: &[f32]) {
        let (known, touched) = self.reserve(numbers.len());
        let mut count = 0;
        for (number, value) in numbers.iter().zip(values) {
            let known = &mut known[*number as usize];
            // Always written, but counted only if new: a branch would be mispredicted too often.
            touched[count] = *number;
            count += usize::from(*known == 0.0);
            *known += value;
        }
        self.count += count;
    }

    /// Raises a value to at least this one.
    pub(crate) fn raise(&mut self, number: u32, value: f32) {
        let (values, touched) = self.reserve(1);
        let known = &mut values[number as usize];
        if value > *known {
            touched[0] = number;
            let is_new = std::mem::replace(known, value) == 0.0;
            self.count += usize::from(is_new);
        }
    }

    /// Returns the values, and space for `more` touched numbers.
    fn reserve(&mut self, more: usize) -> (&mut [f32], &mut [u32]) {
        let end = self.count + more;
        if self.buffer.touched.len() < end {
            self.buffer.touched.resize((2 * end).max(INITIAL_TOUCHED), 0);
        }
        (&mut self.buffer.values, &mut self.buffer.touched[self.count..end])
    }

    /// Returns the value of a number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> f32 {
        self.buffer.values[number as usize]
    }

    /// Returns the numbers with a value.
    pub(crate) fn touched(&self) -> &[u32] {
        &self.buffer.touched[..self.count]
    }

    /// Returns the values of the touched numbers.
    pub(crate) fn values(&self) -> Vec<f32> {
        self.touched().iter().map(|number| self.get(*number)).collect()
    }

    /// Moves all values to another buffer, where `map` of each is added.
    pub(crate) fn drain_into(&mut self, other: &mut Self, map: impl Fn(f32) -> f32) {
        let numbers = &self.buffer.touched[..std::mem::take(&mut self.count)];
        let (known, touched) = other.reserve(numbers.len());
        let mut count = 0;
        for number in numbers {
            let known = &mut known[*number as usize];
            touched[count] = *number;
            count += usize::from(*known == 0.0);
            *known += map(std::mem::take(&mut self.buffer.values[*number as usize]));
        }
        other.count += count;
    }

    fn reset(&mut self) {
        for number in &self.buffer.touched[..std::mem::take(&mut self.count)] {
            self.buffer.values[*number as usize] = 0.0;
        }
    }
}

impl Drop for ScoreBuffer<'_> {
    fn drop(&mut self) {
        self.reset();
        let mut idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE {
            idle.push(std::mem::take(&mut self.buffer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_does_not_see_values_of_the_search_before() {
        let pool = BufferPool::default();
        let mut first = pool.take(3);
        first.add(2, 0.5);
        first.add(2, 0.25);
        first.raise(0, 0.1);
        first.raise(0, 0.05);
        assert_eq!((first.get(2), first.get(0), first.touched()), (0.75, 0.1, &[2, 0][..]));
        let mut other = pool.take(3);
        other.add(2, 1.0);
        first.drain_into(&mut other, |value| 2.0 * value);
        assert_eq!((other.get(2), other.get(0), other.touched()), (2.5, 0.2, &[2, 0][..]));
        assert_eq!((first.get(2), first.touched()), (0.0, &[][..]));
        first.add(1, 1.0);
        drop((first, other));
        let second = pool.take(5);
        assert!((0..5).all(|number| second.get(number) == 0.0));
    }
}
