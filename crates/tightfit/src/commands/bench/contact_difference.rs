//! How far the contacts of a device are from those of the processor at one pose.

use tightfit::gpu::PoseContact;
use tightfit_pipeline::records::Contacts;

use super::detection_task::OPTIONS;

/// Largest difference of a gap [m]; a contact that one of them lacks might be as deep there as the margin.
pub(super) fn largest_difference(mut own: Vec<PoseContact>, cpu: &Contacts) -> f64 {
    let mut other: Vec<(u32, f64)> = cpu.id.iter().copied().zip(cpu.gap.iter().copied()).collect();
    own.sort_by_key(|contact| contact.id);
    other.sort_by_key(|contact| contact.0);
    let (mut largest, mut others) = (0.0_f64, other.into_iter().peekable());
    let lacking = |gap: f64| (OPTIONS.margin - gap).abs();
    for contact in own {
        while let Some((_, gap)) = others.next_if(|other| other.0 < contact.id) {
            largest = largest.max(lacking(gap));
        }
        largest = largest.max(match others.next_if(|other| other.0 == contact.id) {
            Some((_, gap)) => (contact.gap - gap).abs(),
            None => lacking(contact.gap),
        });
    }
    others.fold(largest, |largest, (_, gap)| largest.max(lacking(gap)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(id: u32, gap: f64) -> PoseContact {
        PoseContact::new([0.0; 3], [0.0; 3], gap, id)
    }

    #[test]
    fn a_contact_that_only_one_of_them_has_differs_by_its_whole_gap() {
        let mut cpu = Contacts::default();
        cpu.id.extend([16, 8]);
        cpu.gap.extend([-2e-6, -1e-6]);
        let both = vec![contact(8, -1e-6), contact(16, -2e-6)];
        assert_eq!(largest_difference(both.clone(), &cpu), 0.0);
        assert_eq!(largest_difference(both[..1].to_vec(), &cpu), 2e-6);
        let more = [both.clone(), vec![contact(24, -3e-6)]].concat();
        assert_eq!(largest_difference(more, &cpu), 3e-6);
        let other = vec![contact(8, -1e-6), contact(16, -2.5e-6)];
        assert!((largest_difference(other, &cpu) - 0.5e-6).abs() < 1e-18);
    }
}
