//! The document check: paths and relative links of every document exist, and `docs/SUMMARY.md` lists every page.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};

/// First folders of paths that live in this repository; other backticked text is code.
const OUR_FOLDERS: [&str; 7] = ["crates/", "assets/", "docs/", "xtask/", "fuzz/", "experiments/", "python/"];

/// Folders that are searched for documents, beside those at the root.
const SEARCHED: [&str; 4] = ["crates", "docs", "fuzz", "experiments"];

/// Its entries keep the paths of their time; only its links are checked.
const CHANGELOG: &str = "CHANGELOG.md";

/// The table of contents of the manual.
const SUMMARY: &str = "docs/SUMMARY.md";

pub(crate) fn check(root: &Path) -> Result<()> {
    let mut wrong = Vec::new();
    let documents = documents(root)?;
    for document in &documents {
        let text = read(root, document)?;
        let name = document.display();
        if document != Path::new(CHANGELOG) {
            let missing = paths(&text).filter(|path| !root.join(path).exists());
            wrong.extend(missing.map(|path| format!("{name}: `{path}` does not exist")));
        }
        for link in links(&text).filter(|link| is_relative(link)) {
            wrong.extend(
                broken(root, document, link)?.map(|reason| format!("{name}: link `{link}` {reason}")),
            );
        }
    }
    wrong.extend(unlisted(&documents, &read(root, Path::new(SUMMARY))?));
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    Ok(())
}

fn read(root: &Path, document: &Path) -> Result<String> {
    std::fs::read_to_string(root.join(document))
        .with_context(|| format!("{} cannot be read", document.display()))
}

/// Every Markdown file, relative to the root, in order.
fn documents(root: &Path) -> Result<Vec<PathBuf>> {
    let mut folders: Vec<PathBuf> = SEARCHED.iter().map(PathBuf::from).collect();
    let mut documents = Vec::new();
    let is_document = |path: &Path| path.extension().is_some_and(|extension| extension == "md");
    for entry in std::fs::read_dir(root)? {
        let name = PathBuf::from(entry?.file_name());
        documents.extend(is_document(&name).then_some(name));
    }
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                if entry.file_name() != "target" {
                    folders.push(path);
                }
            } else if is_document(&path) {
                documents.push(path);
            }
        }
    }
    documents.sort();
    Ok(documents)
}

/// Backticked words that are paths of this repository.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.map(|word| word.trim_end_matches('/')).filter(|word| {
        OUR_FOLDERS.iter().any(|folder| word.starts_with(folder))
            && !word.contains([' ', '*', '<', '{', '\n'])
    })
}

/// Targets of links and pictures, without those in code blocks.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split("](").skip(1)).filter_map(|rest| rest.split(')').next())
}

fn is_relative(link: &str) -> bool {
    !link.contains("://") && !link.starts_with("mailto:")
}

/// Why a relative link of a document leads nowhere, if it does.
fn broken(root: &Path, document: &Path, link: &str) -> Result<Option<&'static str>> {
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let target = match path {
        "" => document.to_path_buf(),
        _ => document.parent().unwrap_or(Path::new("")).join(path),
    };
    let Some(target) = within(&target) else { return Ok(Some("leaves the repository")) };
    if !root.join(&target).exists() {
        return Ok(Some("does not exist"));
    }
    let Some(anchor) = anchor else { return Ok(None) };
    let text = read(root, &target)?;
    let is_found = headings(&text).any(|heading| heading == anchor);
    Ok((!is_found).then_some("names a heading that does not exist"))
}

/// A path without `.` and `..`; none where it leads out of the root.
fn within(path: &Path) -> Option<PathBuf> {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => result.push(name),
            Component::ParentDir => {
                if !result.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(result)
}

/// Anchors of the headings: lower case, spaces as hyphens, punctuation left out.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(str::lines).filter(|line| line.starts_with('#')).map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept =
            title.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    })
}

/// Pages of the manual that its table of contents does not list.
fn unlisted(documents: &[PathBuf], summary: &str) -> Vec<String> {
    let listed: Vec<&str> = links(summary).collect();
    let pages = documents.iter().filter_map(|document| document.strip_prefix("docs").ok());
    let missing = pages.filter(|page| {
        *page != Path::new("SUMMARY.md") && !listed.iter().any(|link| Path::new(link) == *page)
    });
    missing.map(|page| format!("{SUMMARY} does not list `{}`", page.display())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_in_backticks_and_code_is_not() {
        let text = "see `crates/shape`, `cargo test`, [picture](docs/fit.svg) and `crates/<name>`";
        assert_eq!(paths(text).collect::<Vec<_>>(), ["crates/shape"]);
    }

    #[test]
    fn links_are_found_in_prose_and_not_in_code() {
        let text = "[one](a.md) and ![two](b.svg)\n```text\n[not](c.md)\n```\n[three](d.md#part)";
        assert_eq!(links(text).collect::<Vec<_>>(), ["a.md", "b.svg", "d.md#part"]);
        assert!(is_relative("a.md") && !is_relative("https://example.org"));
    }

    #[test]
    fn a_link_is_resolved_from_the_folder_of_its_document() {
        let root = crate::root();
        let from = Path::new("docs/certificate.md");
        assert_eq!(broken(&root, from, "recordings.md").unwrap(), None);
        assert_eq!(broken(&root, from, "../README.md#install").unwrap(), None);
        assert_eq!(broken(&root, from, "docs/recordings.md").unwrap(), Some("does not exist"));
        assert_eq!(broken(&root, from, "../../elsewhere.md").unwrap(), Some("leaves the repository"));
        assert!(broken(&root, from, "#no-such-heading").unwrap().is_some());
    }

    #[test]
    fn headings_become_anchors() {
        let text = "# How exact\n```sh\n# a comment\n```\n## 4.3 The step, on one page";
        assert_eq!(headings(text).collect::<Vec<_>>(), ["how-exact", "43-the-step-on-one-page"]);
    }

    #[test]
    fn a_page_that_the_summary_leaves_out_is_reported() {
        let pages = ["README.md", "docs/SUMMARY.md", "docs/a.md", "docs/design/b.md"].map(PathBuf::from);
        assert_eq!(unlisted(&pages, "[A](a.md)"), ["docs/SUMMARY.md does not list `design/b.md`"]);
        assert!(unlisted(&pages, "[A](a.md) [B](design/b.md)").is_empty());
    }
}
