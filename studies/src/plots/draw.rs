//! Panels as one SVG.

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use super::Panel;

/// Pixels of a panel.
const WIDTH: u32 = 520;
const HEIGHT: u32 = 340;
/// Pixels around a panel's lines, and from the name of a line to the next.
const MARGIN_OF_PANEL: i32 = 12;
const LINE: i32 = 18;
/// Pixels beside a panel for the lines' names.
const NAMES: u32 = 100;
/// Where the values span less, the axis is linear.
const DECADE: f64 = 10.0;
/// What is left free above and below the lines.
const MARGIN: f64 = 1.1;
/// The colours of lines, which are told apart in grey and by those who see few colours, too (Okabe and Ito's, without yellow).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 0, 0),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 158, 115),
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(204, 121, 167),
];

/// A figure of panels side by side.
///
/// # Errors
/// What the library of plots says.
pub fn svg(panels: &[Panel]) -> Result<String, String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH * panels.len() as u32, HEIGHT)).into_drawing_area();
        root.fill(&WHITE).map_err(|e| e.to_string())?;
        for (area, panel) in root.split_evenly((1, panels.len())).iter().zip(panels) {
            let (lines, names) = area.split_horizontally(WIDTH - NAMES);
            draw(&lines, panel).and_then(|()| name_lines(&names, panel)).map_err(|e| e.to_string())?;
        }
        root.present().map_err(|e| e.to_string())?;
    }
    Ok(text)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn draw(area: &Area, panel: &Panel) -> Result<(), Box<dyn std::error::Error>> {
    let (least, most) = span(panel.lines.iter().flat_map(|(_, points)| points).map(|point| point.1));
    // Within a decade a logarithmic axis has no more than one number, and from zero lengths can be compared.
    if most < least * DECADE {
        draw_up(area, panel, 0.0..most * MARGIN)
    } else {
        draw_up(area, panel, (least / MARGIN..most * MARGIN).log_scale())
    }
}

fn draw_up<Y>(area: &Area, panel: &Panel, up: Y) -> Result<(), Box<dyn std::error::Error>>
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let (first, last) = span(panel.lines.iter().flat_map(|(_, points)| points).map(|point| point.0));
    let mut chart = ChartBuilder::on(area)
        .margin(MARGIN_OF_PANEL)
        .x_label_area_size(38)
        .y_label_area_size(58)
        .build_cartesian_2d((first..last).log_scale().base(2.0), up)?;
    chart
        .configure_mesh()
        .x_desc(&panel.over)
        .y_desc(&panel.of)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| label(*y))
        .light_line_style(WHITE)
        .draw()?;
    for ((_, points), colour) in panel.lines.iter().zip(COLOURS.iter().cycle()) {
        chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(3))?;
    }
    Ok(())
}

/// The lines' names beside a panel, each behind its colour.
fn name_lines(area: &Area, panel: &Panel) -> Result<(), Box<dyn std::error::Error>> {
    for (place, ((name, _), colour)) in panel.lines.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let y = MARGIN_OF_PANEL + LINE * place as i32;
        area.draw(&Rectangle::new([(0, y + 5), (14, y + 8)], colour.filled()))?;
        area.draw(&Text::new(name.clone(), (20, y), ("sans-serif", 13)))?;
    }
    Ok(())
}

/// From the least to the greatest.
fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(least, most), v| (v.min(least), v.max(most)))
}

/// Three digits.
fn label(y: f64) -> String {
    if y >= 100.0 || y == 0.0 {
        format!("{y:.0}")
    } else if y >= 10.0 {
        format!("{y:.1}")
    } else {
        format!("{y:.2}")
    }
}
