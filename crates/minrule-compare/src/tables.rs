//! Which tables there are.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use minrule::{Error, Result};

/// A table, and the name it is shown by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTable {
    /// Relative to the folder or list that it was found in, if there was one.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

/// All tables of some places, each a folder of CSV and CSV.gz files, a text file (.txt) that lists them, or
/// a table. Whether they can be read is found out when they are.
pub fn tables(places: &[PathBuf]) -> Result<Vec<NamedTable>> {
    let mut tables = Vec::new();
    for place in places {
        let name = place.display().to_string();
        let read = |cause| Error::Read { place: name.clone(), cause };
        if place.is_dir() {
            let mut found = Vec::new();
            below(place, &mut found).map_err(read)?;
            found.sort();
            tables.extend(found.into_iter().map(|path| {
                let name = path.strip_prefix(place).unwrap_or(&path).display().to_string();
                NamedTable { name, path }
            }));
        } else if place.extension().is_some_and(|end| end == "txt") {
            let folder = place.parent().unwrap_or(Path::new(""));
            let list = fs::read_to_string(place).map_err(read)?;
            let lines = list.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
            tables.extend(
                lines.map(|line| NamedTable { name: line.to_string(), path: folder.join(line) }),
            );
        } else {
            tables.push(NamedTable { name, path: place.clone() });
        }
    }
    if tables.is_empty() {
        let place = places.first().map_or(String::new(), |place| place.display().to_string());
        return Err(Error::Empty { place });
    }
    Ok(tables)
}

fn below(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.display().to_string();
        if path.is_dir() {
            below(&path, found)?;
        } else if name.ends_with(".csv") || name.ends_with(".csv.gz") {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_lists_and_files_are_tables() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("deep")).unwrap();
        for name in ["b.csv", "a.csv.gz", "deep/c.csv", "notes.md"] {
            fs::write(at(name), "").unwrap();
        }
        fs::write(at("list.txt"), "# some\n\n b.csv \nnone.csv\n").unwrap();
        let names = |place: PathBuf| -> Vec<String> {
            tables(&[place]).unwrap().into_iter().map(|table| table.name).collect()
        };
        assert_eq!(names(folder.path().to_path_buf()), ["a.csv.gz", "b.csv", "deep/c.csv"]);
        assert_eq!(names(at("list.txt")), ["b.csv", "none.csv"]);
        assert_eq!(tables(&[at("list.txt")]).unwrap()[0].path, at("b.csv"));
        assert_eq!(names(at("other")), [at("other").display().to_string()]);
        fs::create_dir(at("empty")).unwrap();
        assert!(matches!(tables(&[at("empty")]), Err(Error::Empty { .. })));
        assert!(matches!(tables(&[at("none.txt")]), Err(Error::Read { .. })));
    }
}
