//! The model file: a decision set with all it takes to apply, question and trace it.
//!
//! Versioned JSON. It holds no times and no dates, so the same table and options give the same
//! bytes.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::binarise::{BinariseOptions, Features};
use crate::cover::CoverMethod;
use crate::decision_set::DecisionSet;
use crate::error::{Error, Result};
use crate::learn::{LearnOptions, Method};
use crate::rules::EnumerateOptions;
use crate::table::{Missing, Table};

const FORMAT: &str = "minrule-model";
const VERSION: u32 = 1;

/// A decision set on file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    format: String,
    version: u32,
    /// Where it comes from.
    pub provenance: Provenance,
    /// Every label of the class column, in order of appearance.
    pub labels: Vec<String>,
    /// The features and their encodings.
    pub features: Features,
    /// The rules and what was proven about them.
    pub decision_set: DecisionSet,
}

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The version of minrule that made it.
    pub minrule: String,
    /// The table's name.
    pub table: String,
    /// SHA-256 of the table's bytes as they were read.
    pub sha256: String,
    /// Rows used.
    pub rows: usize,
    /// Columns left out on request.
    pub ignored: Vec<String>,
    /// What was done about missing values.
    pub missing: Missing,
    /// How columns became features.
    pub binarise: BinariseOptions,
    /// How the rules were found.
    pub method: Method,
    /// Stage 1 of [`Method::Enumerate`].
    pub enumerate: EnumerateOptions,
    /// Stage 2.
    pub cover: CoverMethod,
}

impl Provenance {
    /// The provenance of a model of this table.
    pub fn new(
        table: &Table,
        ignored: &[String],
        missing: Missing,
        binarise: &BinariseOptions,
        learn: &LearnOptions,
    ) -> Provenance {
        Provenance {
            minrule: env!("CARGO_PKG_VERSION").to_string(),
            table: table.name.clone(),
            sha256: table.sha256.clone(),
            rows: table.rows(),
            ignored: ignored.to_vec(),
            missing,
            binarise: binarise.clone(),
            method: learn.method,
            enumerate: learn.enumerate,
            cover: learn.cover,
        }
    }
}

impl Model {
    /// A model of the current version.
    pub fn new(
        provenance: Provenance,
        labels: Vec<String>,
        features: Features,
        decision_set: DecisionSet,
    ) -> Model {
        let format = FORMAT.to_string();
        Model { format, version: VERSION, provenance, labels, features, decision_set }
    }

    /// Writes the model under a temporary name and renames it, so that the file is whole or not
    /// there, and an older one stays until the new one is complete.
    pub fn write(&self, path: &Path) -> Result<()> {
        let in_place = |cause| Error::Write { path: path.to_path_buf(), cause };
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".minrule-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What an ordinary new file gets; a temporary file would be private otherwise.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(folder).map_err(in_place)?;
        let mut text = serde_json::to_vec_pretty(self)
            .map_err(|cause| Error::Internal(format!("the model cannot be written: {cause}")))?;
        text.push(b'\n');
        file.write_all(&text).map_err(in_place)?;
        file.as_file().sync_all().map_err(in_place)?;
        file.persist(path).map_err(|failed| in_place(failed.error))?;
        Ok(())
    }

    /// Reads a model file.
    pub fn read(path: &Path) -> Result<Model> {
        let text =
            fs::read(path).map_err(|cause| Error::Read { place: path.display().to_string(), cause })?;
        let bad = |problem: String| Error::BadModel { path: path.to_path_buf(), problem };
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let head: Head = serde_json::from_slice(&text).map_err(|e| bad(e.to_string()))?;
        if head.format != FORMAT {
            return Err(bad(format!("its format is \"{}\"", head.format)));
        }
        if head.version != VERSION {
            return Err(bad(format!(
                "its version is {}, and this program reads version {VERSION}",
                head.version
            )));
        }
        serde_json::from_slice(&text).map_err(|e| bad(e.to_string()))
    }
}
