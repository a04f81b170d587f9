//! Plots of a study's points, as the papers have them: a count or a time over a parameter, a line for each form of the kernel. In: points
//! with the values of their parameters. Out: SVG for the guide. Always the same text for the same points.

mod draw;

use std::collections::BTreeMap;

pub use draw::svg;

/// The names and values of a point's parameters.
pub type Values = Vec<(String, String)>;

/// A panel of a figure: lines over one parameter, whose axis is logarithmic.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The parameter.
    pub over: String,
    /// What is drawn, with its unit; from zero, or on a logarithmic axis where it spans a decade.
    pub of: String,
    /// Each line's name and points, by the parameter.
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
}

/// A panel for each parameter that is a number and has several values: a line for each value of `by`, which has the least of all points
/// that agree in both. What is zero or unknown is left out: it has no place on a logarithmic axis.
pub fn panels(points: &[(Values, f64)], by: &str, of: &str) -> Vec<Panel> {
    let Some((first, _)) = points.first() else { return Vec::new() };
    let names = first.iter().map(|(name, _)| name).filter(|name| *name != by);
    let panels = names.map(|over| Panel { over: over.clone(), of: of.to_string(), lines: lines(points, by, over) });
    panels.filter(|panel| panel.lines.iter().any(|(_, points)| points.len() > 1)).collect()
}

/// A line over a parameter, of the least of all points that agree in it.
pub fn line(points: &[(Values, f64)], over: &str) -> Vec<(f64, f64)> {
    let mut least: BTreeMap<u64, f64> = BTreeMap::new();
    for (values, y) in points.iter().filter(|(_, y)| *y > 0.0 && y.is_finite()) {
        if let Some(x) = number(values, over) {
            let known = least.entry(x).or_insert(*y);
            *known = known.min(*y);
        }
    }
    least.into_iter().map(|(x, y)| (x as f64, y)).collect()
}

fn number(values: &Values, name: &str) -> Option<u64> {
    values.iter().find(|(own, _)| own == name).and_then(|(_, value)| value.parse().ok())
}

fn lines(points: &[(Values, f64)], by: &str, over: &str) -> Vec<(String, Vec<(f64, f64)>)> {
    let mut forms: BTreeMap<u64, Vec<(Values, f64)>> = BTreeMap::new();
    for (values, y) in points {
        if let Some(form) = number(values, by) {
            forms.entry(form).or_default().push((values.clone(), *y));
        }
    }
    let lines = forms.into_iter().map(|(form, own)| (format!("{by} = {form}"), line(&own, over)));
    lines.filter(|(_, points)| !points.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(threads: u32, red: u32, n: u32, y: f64) -> (Values, f64) {
        let values = [("threads", threads), ("RED", red), ("N", n)];
        (values.map(|(name, value)| (name.to_string(), value.to_string())).to_vec(), y)
    }

    #[test]
    fn a_line_has_the_least_of_what_agrees_and_nothing_that_is_unknown() {
        let points = [
            point(32, 1, 256, 3.0),
            point(64, 1, 256, 2.0),
            point(32, 1, 512, 5.0),
            point(64, 1, 512, f64::INFINITY),
            point(32, 2, 256, 0.0),
            point(64, 2, 256, 7.0),
        ];
        let panels = panels(&points, "RED", "us");
        let threads = vec![("RED = 1".into(), vec![(32.0, 3.0), (64.0, 2.0)]), ("RED = 2".into(), vec![(64.0, 7.0)])];
        let n = vec![("RED = 1".into(), vec![(256.0, 2.0), (512.0, 5.0)]), ("RED = 2".into(), vec![(256.0, 7.0)])];
        assert_eq!(panels.iter().map(|panel| &*panel.over).collect::<Vec<_>>(), ["threads", "N"]);
        assert_eq!((&panels[0].lines, &panels[1].lines), (&threads, &n));
    }

    #[test]
    fn what_has_one_value_has_no_panel() {
        assert!(panels(&[point(32, 1, 256, 3.0), point(32, 2, 256, 2.0)], "RED", "us").is_empty());
        assert!(panels(&[], "RED", "us").is_empty());
    }

    #[test]
    fn a_figure_names_its_lines_and_axes_and_is_the_same_each_time() {
        let points = [point(32, 1, 256, 3.0), point(32, 1, 512, 5.0), point(32, 2, 256, 4.0), point(32, 2, 512, 9.0)];
        let panels = panels(&points, "RED", "microseconds");
        let text = svg(&panels).unwrap();
        for word in ["<svg", "RED = 1", "RED = 2", "microseconds", "\nN\n", "\n256\n", "\n512\n"] {
            assert!(text.contains(word), "{word}: {text}");
        }
        assert_eq!(text.matches("<circle").count(), points.len(), "{text}");
        assert_eq!(svg(&panels).unwrap(), text);
    }
}
