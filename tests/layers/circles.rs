//! Graphs of names: their circles, and their levels where there are none.

use std::collections::{BTreeMap, BTreeSet};

/// Each name with those that it uses.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// Every set of names that reach one another, sorted.
pub fn circles(graph: &Graph) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = graph.keys().map(|from| (from, reach(graph, from))).collect();
    let mut circles = BTreeSet::new();
    for (from, to) in &reached {
        if to.contains(from) {
            let circle: Vec<String> =
                to.iter().filter(|to| reached[*to].contains(*from)).map(|to| to.to_string()).collect();
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

/// What a name uses, directly or not.
fn reach<'g>(graph: &'g Graph, from: &String) -> BTreeSet<&'g String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&String> = graph[from].iter().collect();
    while let Some(name) = open.pop() {
        if found.insert(name) {
            open.extend(&graph[name]);
        }
    }
    found
}

/// The names of a graph without circles: each level uses only those before it.
pub fn levels(graph: &Graph) -> Vec<Vec<String>> {
    let mut placed: BTreeSet<&String> = BTreeSet::new();
    let mut levels = Vec::new();
    while placed.len() < graph.len() {
        let ready = |name: &&String| !placed.contains(name) && graph[*name].iter().all(|used| placed.contains(used));
        let level: Vec<&String> = graph.keys().filter(ready).collect();
        if level.is_empty() {
            return levels;
        }
        levels.push(level.iter().map(|name| name.to_string()).collect());
        placed.extend(level);
    }
    levels
}
