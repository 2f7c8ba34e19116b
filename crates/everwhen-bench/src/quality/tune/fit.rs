//! Fits weights: the gold of a question against everything else, with a softmax over the scores.
//!
//! All weights start equal and are pulled back to that start, so that a signal has to earn more. Every
//! set has the same influence, whatever the number of its questions.

/// How strongly weights are pulled back to where they started.
const PULL: f64 = 0.01;
/// The weight that every signal starts with.
const START: f64 = 0.5;
/// Of what is not gold, this many rows with the highest sums are compared: the others never win.
const RIVALS: usize = 150;
/// Steps of the descent.
const STEPS: usize = 250;
/// The length of the first step, and how fast the memory of earlier slopes fades.
const RATE: f64 = 0.05;
const FADE: (f64, f64) = (0.9, 0.99);

/// One gold row and the rows it has to beat.
struct Contest {
    gold: Vec<f32>,
    /// Row by row.
    rivals: Vec<f32>,
    /// The influence of the contest; all together are one.
    share: f64,
}

/// Collects contests, set by set.
pub(super) struct Contests {
    all: Vec<Contest>,
    width: usize,
}

impl Contests {
    pub(super) fn new(width: usize) -> Self {
        Self { all: Vec::new(), width }
    }

    /// Adds the questions of one set: rows of signals, and which of them are gold.
    pub(super) fn add_set<'r>(
        &mut self,
        questions: impl Iterator<Item = (Vec<Vec<f32>>, &'r [bool])>,
    ) {
        let first = self.all.len();
        let mut asked = 0usize;
        for (rows, gold) in questions {
            let wanted = gold.iter().filter(|gold| **gold).count();
            if wanted == 0 || wanted == rows.len() {
                continue;
            }
            asked += 1;
            let rivals = rivals(&rows, gold);
            let golds = rows.into_iter().zip(gold).filter(|(_, gold)| **gold);
            self.all.extend(golds.map(|(gold, _)| Contest {
                gold,
                rivals: rivals.clone(),
                share: 1.0 / wanted as f64,
            }));
        }
        for contest in &mut self.all[first..] {
            contest.share /= asked as f64;
        }
    }

    /// Returns the weights that let gold win most clearly; none is negative.
    pub(super) fn fit(&self) -> Vec<f32> {
        let total: f64 = self.all.iter().map(|contest| contest.share).sum();
        let mut weights = vec![START; self.width];
        let (mut mean, mut square) = (vec![0.0; self.width], vec![0.0; self.width]);
        for step in 1..=STEPS {
            let mut slope: Vec<f64> =
                weights.iter().map(|weight| 2.0 * PULL * (weight - START)).collect();
            self.all.iter().for_each(|contest| contest.add_slope(&weights, total, &mut slope));
            let (fade, progress) = (FADE, step as f64 / STEPS as f64);
            let rate = RATE * (1.0 - 0.9 * progress);
            for place in 0..self.width {
                mean[place] = fade.0 * mean[place] + (1.0 - fade.0) * slope[place];
                square[place] = fade.1 * square[place] + (1.0 - fade.1) * slope[place].powi(2);
                let direction = mean[place] / (1.0 - fade.0.powi(step as i32));
                let size = (square[place] / (1.0 - fade.1.powi(step as i32))).sqrt();
                weights[place] = (weights[place] - rate * direction / (size + 1e-9)).max(0.0);
            }
        }
        weights.into_iter().map(|weight| weight as f32).collect()
    }
}

impl Contest {
    /// Adds the slope of this contest's loss, by weight.
    fn add_slope(&self, weights: &[f64], total: f64, slope: &mut [f64]) {
        let score = |row: &[f32]| -> f64 {
            row.iter().zip(weights).map(|(value, weight)| f64::from(*value) * weight).sum()
        };
        let own = score(&self.gold);
        let rivals = self.rivals.chunks_exact(weights.len());
        let chances: Vec<f64> = rivals.clone().map(|row| (score(row) - own).exp()).collect();
        let all = 1.0 + chances.iter().sum::<f64>();
        for (row, chance) in rivals.zip(&chances) {
            let part = self.share / total * chance / all;
            for (place, slope) in slope.iter_mut().enumerate() {
                *slope += part * f64::from(row[place] - self.gold[place]);
            }
        }
    }
}

/// Returns the rows that are not gold, those with the highest sums if there are many.
fn rivals(rows: &[Vec<f32>], gold: &[bool]) -> Vec<f32> {
    let mut rivals: Vec<&Vec<f32>> =
        rows.iter().zip(gold).filter(|(_, gold)| !**gold).map(|(row, _)| row).collect();
    let sum = |row: &&Vec<f32>| row.iter().sum::<f32>();
    rivals.sort_by(|a, b| sum(b).total_cmp(&sum(a)));
    rivals.truncate(RIVALS);
    rivals.into_iter().flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signal_that_tells_gold_apart_gains_and_the_misleading_one_loses() {
        let rows = vec![vec![1.0, 0.0, 0.5], vec![0.0, 1.0, 0.5], vec![0.2, 0.8, 0.5]];
        let gold = [true, false, false];
        let mut contests = Contests::new(3);
        contests.add_set([(rows, &gold[..])].into_iter());
        let weights = contests.fit();
        assert!(weights[0] > 1.0 && weights[1] < 0.1, "{weights:?}");
        assert!((weights[2] - 0.5).abs() < 0.01, "what says nothing stays: {weights:?}");
    }

    #[test]
    fn a_small_set_counts_as_much_as_a_large_one() {
        // One question of the first set asks for the first signal, twenty of the second for the other.
        let gold = [true, false];
        let one = || (vec![vec![1.0, 0.0], vec![0.0, 1.0]], &gold[..]);
        let other = || (vec![vec![0.0, 1.0], vec![1.0, 0.0]], &gold[..]);
        let mut contests = Contests::new(2);
        contests.add_set(std::iter::once(one()));
        contests.add_set((0..20).map(|_| other()));
        let weights = contests.fit();
        assert!((weights[0] - weights[1]).abs() < 0.05, "{weights:?}");
    }
}
