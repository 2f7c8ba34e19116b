//! Numbers written down for one question: mostly zero, and wiped by what was touched.
//!
//! A large memory has a million entries, a question touches a few thousand. So the room for all of
//! them is kept between questions and only the touched places are wiped.

use std::sync::{Mutex, PoisonError};

/// Rooms that wait for the next question; every value in them is zero.
#[derive(Debug, Default)]
pub(crate) struct Slates {
    idle: Mutex<Vec<Room>>,
}

/// Where a slate writes.
#[derive(Debug, Default)]
struct Room {
    values: Vec<f32>,
    /// The numbers with a value come first, the rest is of no meaning.
    touched: Vec<u32>,
}

/// Rooms kept for later; more are only made while several questions are asked at once.
const IDLE: usize = 8;

impl Slates {
    /// A slate for numbers below `len`.
    pub(crate) fn slate(&self, len: usize) -> Slate<'_> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut room = idle.unwrap_or_default();
        if room.values.len() < len {
            room.values.resize(len, 0.0);
        }
        Slate { home: self, room, count: 0 }
    }
}

/// One value per number, zero until something is added.
#[derive(Debug)]
pub(crate) struct Slate<'s> {
    home: &'s Slates,
    room: Room,
    /// So many numbers have a value.
    count: usize,
}

impl Slate<'_> {
    /// Adds a positive value.
    pub(crate) fn add(&mut self, number: u32, value: f32) {
        self.add_each(&[number], &[value]);
    }

    /// Adds a positive value to each of some numbers.
    #[inline(never)]
    pub(crate) fn add_each(&mut self, numbers: &[u32], values: &[f32]) {
        let (known, touched) = self.place(numbers.len());
        let mut count = 0;
        for (number, value) in numbers.iter().zip(values) {
            let known = &mut known[*number as usize];
            // Written down always, counted if new: a branch would take longer, because nobody can
            // foresee which way it goes.
            touched[count] = *number;
            count += usize::from(*known == 0.0);
            *known += value;
        }
        self.count += count;
    }

    /// Raises a value to at least this one.
    pub(crate) fn raise(&mut self, number: u32, value: f32) {
        let (values, touched) = self.place(1);
        let known = &mut values[number as usize];
        if value > *known {
            touched[0] = number;
            let is_new = std::mem::replace(known, value) == 0.0;
            self.count += usize::from(is_new);
        }
    }

    /// The values, and a place for so many more touched numbers.
    fn place(&mut self, more: usize) -> (&mut [f32], &mut [u32]) {
        let end = self.count + more;
        if self.room.touched.len() < end {
            self.room.touched.resize((2 * end).max(LEAST), 0);
        }
        (&mut self.room.values, &mut self.room.touched[self.count..end])
    }

    /// The value of a number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> f32 {
        self.room.values[number as usize]
    }

    /// The numbers with a value.
    pub(crate) fn touched(&self) -> &[u32] {
        &self.room.touched[..self.count]
    }

    /// Their values.
    pub(crate) fn values(&self) -> Vec<f32> {
        self.touched().iter().map(|number| self.get(*number)).collect()
    }

    /// Takes all values out and adds what becomes of them to another slate.
    pub(crate) fn pour_into(&mut self, other: &mut Self, value: impl Fn(f32) -> f32) {
        let numbers = &self.room.touched[..std::mem::take(&mut self.count)];
        let (known, touched) = other.place(numbers.len());
        let mut count = 0;
        for number in numbers {
            let known = &mut known[*number as usize];
            touched[count] = *number;
            count += usize::from(*known == 0.0);
            *known += value(std::mem::take(&mut self.room.values[*number as usize]));
        }
        other.count += count;
    }

    fn wipe(&mut self) {
        for number in &self.room.touched[..std::mem::take(&mut self.count)] {
            self.room.values[*number as usize] = 0.0;
        }
    }
}

/// Room for so many touched numbers is made at first.
const LEAST: usize = 1_024;

impl Drop for Slate<'_> {
    fn drop(&mut self) {
        self.wipe();
        let mut idle = self.home.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.push(std::mem::take(&mut self.room));
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
        let mut other = slates.slate(3);
        other.add(2, 1.0);
        first.pour_into(&mut other, |value| 2.0 * value);
        assert_eq!((other.get(2), other.get(0), other.touched()), (2.5, 0.2, &[2, 0][..]));
        assert_eq!((first.get(2), first.touched()), (0.0, &[][..]));
        first.add(1, 1.0);
        drop((first, other));
        let second = slates.slate(5);
        assert!((0..5).all(|number| second.get(number) == 0.0));
    }
}
