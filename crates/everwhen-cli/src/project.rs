//! The memory of a project: one for each repository, wherever in it a command runs.

use std::path::{Path, PathBuf};

/// Letters of the hash that keep projects of one name apart.
const HASH_LETTERS: usize = 6;
/// Letters of the folder's name that are used.
const NAME_LETTERS: usize = 60;

/// The name of the memory for the project that `folder` is in, such as `website-3fa9c1`. Work trees of
/// a repository share its memory.
pub(crate) fn memory_name(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let root = root(&folder);
    let hash = blake3::hash(root.to_string_lossy().as_bytes()).to_hex();
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = slug(&name.unwrap_or_default());
    let name = if name.is_empty() { "project" } else { name.as_str() };
    format!("{name}-{}", &hash[..HASH_LETTERS])
}

/// The root of the repository or work tree that a folder is in; the folder itself if it is in none.
pub(crate) fn top(folder: &Path) -> PathBuf {
    let marked = folder.ancestors().find(|one| one.join(".git").exists());
    marked.unwrap_or(folder).to_owned()
}

/// The root of the repository that a folder is in, also if that is a work tree of it.
fn root(folder: &Path) -> PathBuf {
    let top = top(folder);
    main_work_tree(&top).unwrap_or(top)
}

/// The root of the repository that a linked work tree belongs to: its `.git` is a file that says where.
fn main_work_tree(root: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(root.join(".git")).ok()?;
    let place = PathBuf::from(text.strip_prefix("gitdir:")?.trim());
    let git = place.ancestors().find(|one| one.ends_with(".git"))?;
    let linked = place.strip_prefix(git).ok()?.starts_with("worktrees");
    git.parent().filter(|_| linked && git.is_absolute()).map(Path::to_owned)
}

/// Letters, digits and single hyphens.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for letter in text.chars().take(NAME_LETTERS) {
        match letter {
            letter if letter.is_alphanumeric() || letter == '_' || letter == '.' => {
                slug.extend(letter.to_lowercase());
            }
            _ if slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.trim_matches(|letter| letter == '-' || letter == '.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folder_of_a_repository_has_its_memory_and_a_work_tree_too() {
        let place = tempfile::tempdir().unwrap();
        let (main, tree) = (place.path().join("My Site"), place.path().join("fix"));
        std::fs::create_dir_all(main.join(".git/worktrees/fix")).unwrap();
        std::fs::create_dir_all(main.join("src/deep")).unwrap();
        std::fs::create_dir_all(&tree).unwrap();
        let git = main.canonicalize().unwrap().join(".git/worktrees/fix");
        std::fs::write(tree.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
        let name = memory_name(&main);
        assert!(name.starts_with("my-site-"), "{name}");
        assert_eq!(memory_name(&main.join("src/deep")), name);
        assert_eq!(memory_name(&tree), name);
        assert_ne!(memory_name(place.path()), name);
    }

    #[test]
    fn two_projects_of_one_name_have_two_memories() {
        let place = tempfile::tempdir().unwrap();
        let [one, other] = ["a/app", "b/app"].map(|name| place.path().join(name));
        for folder in [&one, &other] {
            std::fs::create_dir_all(folder.join(".git")).unwrap();
        }
        assert_ne!(memory_name(&one), memory_name(&other));
    }

    #[test]
    fn odd_names_become_plain_ones() {
        assert_eq!(slug("..Böse: Sache!!"), "böse-sache");
        assert_eq!(slug("日本 語"), "日本-語");
        assert_eq!(slug("///"), "");
    }
}
