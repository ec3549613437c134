//! Bodies of a file with their names and places: products, assemblies and mapped items.
//!
//! A representation holds bodies and placements. Representations without transformation between them are one group.
//! A group holds others: `child → parent` with the transformation A_parent · A_child⁻¹ (ISO 10303-43
//! `item_defined_transformation`, `mapped_item`).

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Units;
use super::fields::{Fields, frame};
use crate::CadError;
use crate::geometry::Frame;
use crate::part21::{Table, Value};

/// Deepest assembly, and most bodies of a file.
const DEEPEST: usize = 64;
const MOST_BODIES: usize = 100_000;

/// A body in its place.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    /// Unique in the file.
    pub name: String,
    /// Number of the solid's instance.
    pub solid: u64,
    /// `file_from_solid`.
    pub frame: Frame,
    pub units: Units,
}

struct Child {
    rep: u64,
    frame: Frame,
}

#[derive(Default)]
struct Representation {
    solids: Vec<u64>,
    children: Vec<Child>,
    units: Option<Units>,
    /// Representations of the same thing, without transformation.
    same: Vec<u64>,
    is_child: bool,
    name: String,
}

const SOLIDS: [&str; 4] =
    ["MANIFOLD_SOLID_BREP", "BREP_WITH_VOIDS", "FACETED_BREP", "SHELL_BASED_SURFACE_MODEL"];

/// All bodies of a file in their places.
pub(crate) fn bodies(table: &Table) -> Result<Vec<Placed>, CadError> {
    let mut reps = representations(table)?;
    let owners = owners(table);
    for (rep, (_, name)) in &owners {
        if let Some(known) = reps.get_mut(rep) {
            known.name.clone_from(name);
        }
    }
    relationships(table, &mut reps, &owners)?;
    mapped_items(table, &mut reps)?;
    let mut found = Vec::new();
    let children: HashSet<u64> =
        reps.values().flat_map(|rep| rep.children.iter().map(|child| child.rep)).collect();
    for child in children {
        let mut group = Vec::new();
        collect_group(&reps, child, &mut group);
        for member in group {
            if let Some(rep) = reps.get_mut(&member) {
                rep.is_child = true;
            }
        }
    }
    leave_out_repeated(&mut reps, &owners);
    let mut seen = HashSet::new();
    let mut visits = 0;
    let roots: Vec<u64> = reps.iter().filter(|(_, rep)| !rep.is_child).map(|(id, _)| *id).collect();
    for root in roots {
        let mut group = Vec::new();
        collect_group(&reps, root, &mut group);
        if group.iter().any(|member| !seen.insert(*member)) {
            continue;
        }
        visit(&reps, root, Frame::identity(), &mut Vec::new(), &mut visits, &mut found)?;
    }
    // several exports of one body into overlapping representations are one body
    let mut known = HashSet::new();
    found.retain(|body: &Placed| {
        let key = |x: f64| x.to_bits();
        let f = &body.frame;
        let place: Vec<u64> = [f.origin, f.x, f.z].iter().flat_map(|v| v.iter().map(|x| key(*x))).collect();
        known.insert((body.solid, place))
    });
    unique_names(&mut found);
    if found.is_empty() {
        let count = |kind: &str| table.instances.iter().filter(|i| i.record(kind).is_some()).count();
        let found = format!(
            "{} faces, {} open shells, {} curve sets",
            count("ADVANCED_FACE"),
            count("OPEN_SHELL"),
            count("GEOMETRIC_CURVE_SET")
        );
        return Err(CadError::NoBody { found });
    }
    Ok(found)
}

/// Leaves out what representations without a product repeat of others: properties for validation name solids again, where no
/// assembly has placed them.
fn leave_out_repeated(reps: &mut BTreeMap<u64, Representation>, owners: &HashMap<u64, (u64, String)>) {
    let belongs = |id: &u64, reps: &BTreeMap<u64, Representation>| {
        let mut group = Vec::new();
        collect_group(reps, *id, &mut group);
        group.iter().any(|member| owners.contains_key(member) || reps[member].is_child)
    };
    let (owned, free): (Vec<u64>, Vec<u64>) = reps.keys().copied().partition(|id| belongs(id, reps));
    let known: HashSet<u64> = owned.iter().flat_map(|id| reps[id].solids.iter().copied()).collect();
    for id in free {
        if let Some(rep) = reps.get_mut(&id) {
            rep.solids.retain(|solid| !known.contains(solid));
        }
    }
}

fn representations(table: &Table) -> Result<BTreeMap<u64, Representation>, CadError> {
    let solids: HashSet<u64> = table
        .instances
        .iter()
        .filter(|instance| instance.records.iter().any(|record| SOLIDS.contains(&record.kind)))
        .map(|instance| instance.id)
        .collect();
    let mut reps = BTreeMap::new();
    for instance in &table.instances {
        let Some(record) = instance.records.iter().find(|record| {
            record.kind.ends_with("SHAPE_REPRESENTATION")
                && record.kind != "CONTEXT_DEPENDENT_SHAPE_REPRESENTATION"
        }) else {
            continue;
        };
        // complex instances keep the fields in REPRESENTATION
        let record = if record.fields.len() < 3 {
            instance.record("REPRESENTATION").unwrap_or(record)
        } else {
            record
        };
        let [_, Value::List(items), Value::Reference(context), ..] = &record.fields[..] else { continue };
        let mut rep =
            Representation { units: Some(Units::of_context(table, *context)?), ..Default::default() };
        for item in items {
            if let Value::Reference(id) = item
                && solids.contains(id)
            {
                rep.solids.push(*id);
            }
        }
        reps.insert(instance.id, rep);
    }
    Ok(reps)
}

/// Product definition and product name of each representation.
fn owners(table: &Table) -> HashMap<u64, (u64, String)> {
    let mut owners = HashMap::new();
    for instance in &table.instances {
        if instance.record("SHAPE_DEFINITION_REPRESENTATION").is_none() {
            continue;
        }
        let owner = || -> Result<(u64, u64, String), CadError> {
            let fields = Fields::of(table, instance.id, &["SHAPE_DEFINITION_REPRESENTATION"])?;
            let shape = fields.follow(0, &["PRODUCT_DEFINITION_SHAPE"])?;
            let definition = Fields::of(table, shape.reference(2)?, &[])?;
            if !definition.kind.starts_with("PRODUCT_DEFINITION") {
                return Err(definition.wrong("no product"));
            }
            let formation = Fields::of(table, definition.reference(2)?, &[])?;
            let product = formation.follow(2, &["PRODUCT"])?;
            let name = if product.text(1).is_empty() { product.text(0) } else { product.text(1) };
            Ok((fields.reference(1)?, definition.id, name.replace("''", "'")))
        };
        // other uses of the entity (a shape aspect, an assembly) have no product
        if let Ok((rep, definition, name)) = owner() {
            owners.insert(rep, (definition, name));
        }
    }
    owners
}

fn relationships(
    table: &Table,
    reps: &mut BTreeMap<u64, Representation>,
    owners: &HashMap<u64, (u64, String)>,
) -> Result<(), CadError> {
    // product definition of the child of each relationship, where an assembly names it
    let mut child_of = HashMap::new();
    for instance in &table.instances {
        if instance.record("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION").is_none() {
            continue;
        }
        let fields = Fields::of(table, instance.id, &["CONTEXT_DEPENDENT_SHAPE_REPRESENTATION"])?;
        let usage = || -> Result<u64, CadError> {
            let shape = fields.follow(1, &["PRODUCT_DEFINITION_SHAPE"])?;
            shape.follow(2, &["NEXT_ASSEMBLY_USAGE_OCCURRENCE"])?.reference(4)
        };
        if let Ok(child) = usage() {
            child_of.insert(fields.reference(0)?, child);
        }
    }
    for instance in &table.instances {
        let Some(link) = instance.records.iter().find(|record| {
            matches!(record.kind, "REPRESENTATION_RELATIONSHIP" | "SHAPE_REPRESENTATION_RELATIONSHIP")
                && record.fields.len() >= 4
        }) else {
            continue;
        };
        let [_, _, Value::Reference(first), Value::Reference(second), ..] = &link.fields[..] else {
            continue;
        };
        if !reps.contains_key(first) || !reps.contains_key(second) {
            continue;
        }
        let Some(with) = instance.record("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION") else {
            for (a, b) in [(first, second), (second, first)] {
                reps.entry(*a).or_default().same.push(*b);
            }
            continue;
        };
        let Some(Value::Reference(transformation)) = with.fields.first() else { continue };
        let fields = Fields::of(table, *transformation, &["ITEM_DEFINED_TRANSFORMATION"])?;
        let units =
            |rep: &u64| reps.get(rep).and_then(|rep| rep.units).unwrap_or(Units { length: 1e-3, angle: 1.0 });
        let a = frame(table, fields.reference(2)?, units(first))?;
        let b = frame(table, fields.reference(3)?, units(second))?;
        // the first representation is the child; some files write it the other way round
        let swapped = child_of.get(&instance.id).is_some_and(|child| {
            let owns = |rep: &u64| owners.get(rep).is_some_and(|(definition, _)| definition == child);
            owns(second) && !owns(first)
        });
        let (child, parent, frame) = if swapped {
            (second, first, a.place(&b.inverse()))
        } else {
            (first, second, b.place(&a.inverse()))
        };
        reps.entry(*parent).or_default().children.push(Child { rep: *child, frame });
    }
    Ok(())
}

fn mapped_items(table: &Table, reps: &mut BTreeMap<u64, Representation>) -> Result<(), CadError> {
    for instance in &table.instances {
        let Some(record) =
            instance.records.iter().find(|record| record.kind.ends_with("SHAPE_REPRESENTATION"))
        else {
            continue;
        };
        let record = if record.fields.len() < 3 {
            instance.record("REPRESENTATION").unwrap_or(record)
        } else {
            record
        };
        let Some(Value::List(items)) = record.fields.get(1) else { continue };
        for item in items {
            let Value::Reference(id) = item else { continue };
            let is_mapped = table.get(*id).is_some_and(|item| item.record("MAPPED_ITEM").is_some());
            if !is_mapped {
                continue;
            }
            let fields = Fields::of(table, *id, &["MAPPED_ITEM"])?;
            let map = fields.follow(1, &["REPRESENTATION_MAP"])?;
            let (origin, child) = (map.reference(0)?, map.reference(1)?);
            let Some(inner) = reps.get(&child).and_then(|rep| rep.units) else { continue };
            let Some(outer) = reps.get(&instance.id).and_then(|rep| rep.units) else { continue };
            let target = Fields::of(table, fields.reference(2)?, &[])?;
            if target.kind != "AXIS2_PLACEMENT_3D" {
                return Err(CadError::Unsupported {
                    id: *id,
                    kind: format!("MAPPED_ITEM with {}", target.kind),
                    remedy: "export the assembly without scaled or mirrored instances",
                });
            }
            let to = frame(table, target.id, outer)?;
            let from = frame(table, origin, inner)?;
            let child = Child { rep: child, frame: to.place(&from.inverse()) };
            reps.entry(instance.id).or_default().children.push(child);
        }
    }
    Ok(())
}

/// A representation and all that are the same.
fn collect_group(reps: &BTreeMap<u64, Representation>, start: u64, group: &mut Vec<u64>) {
    let mut open = vec![start];
    let mut seen = HashSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            group.push(id);
            if let Some(rep) = reps.get(&id) {
                open.extend(&rep.same);
            }
        }
    }
    group.sort_unstable();
}

fn visit(
    reps: &BTreeMap<u64, Representation>,
    start: u64,
    place: Frame,
    path: &mut Vec<u64>,
    visits: &mut usize,
    found: &mut Vec<Placed>,
) -> Result<(), CadError> {
    *visits += 1;
    if *visits > MOST_BODIES {
        return Err(CadError::TooLarge { limit: MOST_BODIES, what: "placed components" });
    }
    let mut group = Vec::new();
    collect_group(reps, start, &mut group);
    let Some(first) = group.first() else { return Ok(()) };
    if path.contains(first) || path.len() >= DEEPEST {
        let what = "an assembly that contains itself, or more than 64 levels".into();
        return Err(CadError::Instance { id: *first, kind: "SHAPE_REPRESENTATION".into(), what });
    }
    path.push(*first);
    let members = || group.iter().filter_map(|id| reps.get(id));
    let name = members().map(|rep| rep.name.as_str()).find(|name| !name.is_empty()).unwrap_or("body");
    for rep in members() {
        let units = rep.units.unwrap_or(Units { length: 1e-3, angle: 1.0 });
        for solid in &rep.solids {
            found.push(Placed { name: name.to_owned(), solid: *solid, frame: place, units });
            if found.len() > MOST_BODIES {
                return Err(CadError::TooLarge { limit: MOST_BODIES, what: "bodies" });
            }
        }
    }
    for child in members().flat_map(|rep| &rep.children) {
        let placed = if place.is_identity() { child.frame } else { place.place(&child.frame) };
        visit(reps, child.rep, placed, path, visits, found)?;
    }
    path.pop();
    Ok(())
}

/// Numbers the bodies that share a name: `bolt`, `bolt 2`, `bolt 3`.
fn unique_names(bodies: &mut [Placed]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for body in bodies {
        let count = counts.entry(body.name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            body.name = format!("{} {count}", body.name);
        }
    }
}
