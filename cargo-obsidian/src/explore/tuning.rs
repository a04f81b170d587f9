//! What the records beside a source say of a kernel, for the page's plots; of one that cannot be used, why.

use obsidian_tune::cover::Times;
use obsidian_tune::source::Kernel;
use serde_json::{Value, json};

use crate::choose;

/// One for each record in the folder `tuning`.
pub fn beside(kernel: &Kernel) -> Vec<Value> {
    let paths = choose::beside(kernel, &kernel.path).unwrap_or_default();
    let one = |path: &std::path::PathBuf| match choose::read(path, kernel) {
        Err(refusal) => json!({ "record": path.display().to_string(), "refused": refusal.to_string() }),
        Ok(contents) => {
            let header = &contents.header;
            let failed = contents.measurements.iter().filter_map(|m| {
                let (stage, why) = m.found.as_ref().err()?;
                Some((m.variant.clone(), json!(format!("{stage}: {why}"))))
            });
            let failed: serde_json::Map<String, Value> = failed.collect();
            json!({
                "record": path.display().to_string(),
                "label": format!("{}, {}", header.device, header.problem),
                "driver": header.driver,
                "seconds": Times::of(&contents).seconds,
                "failed": failed,
                "chosen": contents.conclusion.as_ref().map(|c| c.chosen.clone()),
                "copy": contents.conclusion.as_ref().and_then(|c| c.roof).map(|r| json!({ "bytes": r.bytes, "seconds": r.seconds })),
                "verdict": contents.conclusion.as_ref().map(|c| c.verdict.clone()),
                "pruned": contents.conclusion.as_ref().map(|c| c.pruned.clone()),
            })
        }
    };
    paths.iter().map(one).collect()
}
