//! Instances that lie in an output before it is written: what two buffers hold in turns needs one of the module's own where the other is
//! the result. In: when instances are in use; out: their homes.

use super::prepare::Event;
use super::walk::{Home, Instance, InstanceId, Lasting};

/// Gives instances of the module's own memory the place of an output of their length and fields, where they are gone before it is
/// defined and no other lies there at that time.
pub(super) fn lodge(events: &[Event], instances: &mut [Instance]) {
    let spans = spans(events, instances.len());
    let outputs: Vec<InstanceId> =
        (0..instances.len()).filter(|&id| matches!(instances[id].home, Home::Output(_))).collect();
    for output in outputs {
        let Some((defined, _)) = spans[output] else { continue };
        let (home, like) = (instances[output].home, instances[output].clone());
        // Those that begin first come first, since they were numbered so.
        let mut free_from = 0;
        for id in 0..instances.len() {
            let instance = &mut instances[id];
            let fits = instance.home == Home::Own
                && instance.lasting == Lasting::Run
                && (instance.len, instance.fields) == (like.len, like.fields);
            if let (true, Some((begin, Some(end)))) = (fits, spans[id])
                && free_from <= begin
                && end < defined
            {
                instance.home = home;
                free_from = end;
            }
        }
    }
}

/// When each instance begins and ends to be in use.
fn spans(events: &[Event], instances: usize) -> Vec<Option<(usize, Option<usize>)>> {
    let mut spans = vec![None; instances];
    for (at, event) in events.iter().enumerate() {
        match *event {
            Event::Take(id) => spans[id] = Some((at, None)),
            Event::Give(id) => {
                if let Some((_, end)) = &mut spans[id] {
                    *end = Some(at);
                }
            }
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use obsidian_abi::ScalarType;

    use super::*;

    fn instances(homes: &[Home]) -> Vec<Instance> {
        let of = |&home| Instance::of(&[ScalarType::U32], 100, home);
        homes.iter().map(of).collect()
    }

    fn homes(instances: &[Instance]) -> Vec<Home> {
        instances.iter().map(|instance| instance.home).collect()
    }

    /// 0 is read for 1, 1 for 2, 2 for 3, and 3 for the output.
    const TURNS: [Event; 9] = [
        Event::Take(0),
        Event::Take(1),
        Event::Give(0),
        Event::Take(2),
        Event::Give(1),
        Event::Take(3),
        Event::Give(2),
        Event::Take(4),
        Event::Give(3),
    ];

    #[test]
    fn two_buffers_take_turns_and_one_is_the_result() {
        let (own, output) = (Home::Own, Home::Output(0));
        let mut all = instances(&[own, own, own, own, output]);
        lodge(&TURNS, &mut all);
        assert_eq!(homes(&all), [output, own, output, own, output]);
    }

    #[test]
    fn what_is_in_use_with_the_result_or_is_another_stays() {
        let (own, output) = (Home::Own, Home::Output(0));
        let events = [Event::Take(0), Event::Take(1), Event::Give(0)];
        let mut all = instances(&[own, output]);
        lodge(&events, &mut all);
        assert_eq!(homes(&all), [own, output]);
        let mut all = instances(&[own, own, own, own, output]);
        (all[0].len, all[2].lasting) = (99, Lasting::Runs);
        lodge(&TURNS, &mut all);
        assert_eq!(homes(&all), [own, output, own, own, output]);
        // One that is never given back is in use to the end.
        let mut all = instances(&[own, output]);
        lodge(&[Event::Take(0), Event::Take(1)], &mut all);
        assert_eq!(homes(&all), [own, output]);
    }
}
