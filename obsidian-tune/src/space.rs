//! The variants of an entry as points of a space: one dimension for each parameter that has several values.

use std::collections::HashMap;

use obsidian_abi::ParamValue;
use obsidian_lang::driver::Variant;

/// The number of threads, as a dimension.
pub const THREADS: &str = "threads";

/// A parameter and the values that it takes, in the order of the attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    /// Its name.
    pub name: String,
    /// Its values, as they are shown.
    pub values: Vec<String>,
}

/// Points, by their places in the list of variants.
#[derive(Debug, Clone)]
pub struct Space {
    dimensions: Vec<Dimension>,
    /// Of each point, the place of its value in each dimension.
    points: Vec<Vec<usize>>,
    places: HashMap<Vec<usize>, usize>,
    /// The points, the most promising first; empty where nothing is known of that.
    promising: Vec<usize>,
}

impl Space {
    /// The space of these variants.
    pub fn of<'a>(variants: impl IntoIterator<Item = &'a Variant>) -> Space {
        Space::of_values(variants.into_iter().map(values))
    }

    /// The space of points with these names and values; all have the same names, in the same order.
    pub fn of_values(all: impl IntoIterator<Item = Vec<(String, String)>>) -> Space {
        let mut dimensions: Vec<Dimension> = Vec::new();
        let mut points = Vec::new();
        for values in all {
            let mut point = Vec::new();
            for (i, (name, value)) in values.into_iter().enumerate() {
                if dimensions.len() == i {
                    dimensions.push(Dimension { name, values: Vec::new() });
                }
                let known = &mut dimensions[i].values;
                let place = known.iter().position(|v| *v == value);
                point.push(place.unwrap_or(known.len()));
                if place.is_none() {
                    known.push(value);
                }
            }
            points.push(point);
        }
        let places = points.iter().cloned().zip(0..).collect();
        Space { dimensions, points, places, promising: Vec::new() }
    }

    /// The same, with what is expected of each point before it is measured: the less, the sooner it is worth a try.
    #[must_use]
    pub fn expecting(self, work: &[f64]) -> Space {
        let mut promising: Vec<usize> = (0..self.len().min(work.len())).collect();
        promising.sort_by(|&a, &b| work[a].total_cmp(&work[b]));
        Space { promising, ..self }
    }

    /// The points, the most promising first; none where nothing is known of that.
    pub fn promising(&self) -> &[usize] {
        &self.promising
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Its dimensions.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// The places of a point's values.
    pub fn point(&self, place: usize) -> &[usize] {
        self.points.get(place).map_or(&[], Vec::as_slice)
    }

    /// A point's value in a dimension.
    pub fn value(&self, place: usize, dimension: usize) -> &str {
        let value = self.point(place).get(dimension).and_then(|&at| self.dimensions[dimension].values.get(at));
        value.map_or("", String::as_str)
    }

    /// The point with these values, if `where(..)` has left it.
    pub fn find(&self, point: &[usize]) -> Option<usize> {
        self.places.get(point).copied()
    }

    /// Points that differ from one in a single dimension.
    pub fn neighbours(&self, place: usize) -> Vec<usize> {
        let own = self.point(place);
        let differs = |other: &[usize]| own.iter().zip(other).filter(|(a, b)| a != b).count() == 1;
        (0..self.len()).filter(|&other| differs(self.point(other))).collect()
    }

    /// The point that is nearest to these values: it differs in the fewest dimensions, and then by the fewest steps.
    pub fn nearest(&self, values: &[usize]) -> Option<usize> {
        let distance = |place: usize| {
            let steps = self.point(place).iter().zip(values).map(|(&a, &b)| a.abs_diff(b));
            (steps.clone().filter(|&d| d > 0).count(), steps.sum::<usize>(), place)
        };
        (0..self.len()).min_by_key(|&place| distance(place))
    }
}

/// Names and values of a variant, its threads first.
pub fn values(variant: &Variant) -> Vec<(String, String)> {
    let threads = (THREADS.to_string(), variant.native.threads.to_string());
    let shown = |(name, value): &(String, ParamValue)| (name.clone(), value.to_string());
    std::iter::once(threads).chain(variant.values.iter().map(shown)).collect()
}

/// `threads = 64, SEQ = 8`: how a variant is named in records, and shown by the host.
pub fn name(values: &[(String, String)]) -> String {
    values.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_neighbours() {
        let point = |a: u32, b: u32| vec![("a".to_string(), a.to_string()), ("b".to_string(), b.to_string())];
        // Of three by two, less one that is left out.
        let space = Space::of_values([point(1, 5), point(1, 6), point(2, 5), point(3, 5), point(3, 6)]);
        assert_eq!(space.dimensions().iter().map(|d| d.values.len()).collect::<Vec<_>>(), [3, 2]);
        assert_eq!(space.neighbours(0), [1, 2, 3]);
        assert_eq!(space.neighbours(4), [1, 3]);
        assert_eq!((space.find(&[1, 1]), space.find(&[2, 1])), (None, Some(4)));
        assert_eq!(space.nearest(&[1, 1]), Some(1));
        assert_eq!((space.value(3, 0), space.value(3, 1)), ("3", "5"));
    }
}
