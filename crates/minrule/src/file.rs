//! Files that are whole or not there.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::error::{Error, Result};

/// Writes a file under a temporary name and renames it, so that an older one stays until the new
/// one is complete, whatever goes wrong meanwhile.
pub fn write_file(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
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
    let file = builder.tempfile_in(folder).map_err(in_place)?;
    let mut file = BufWriter::with_capacity(1 << 18, file);
    write(&mut file)?;
    let file = file.into_inner().map_err(|failed| in_place(failed.into_error()))?;
    file.as_file().sync_all().map_err(in_place)?;
    file.persist(path).map_err(|failed| in_place(failed.error))?;
    Ok(())
}
