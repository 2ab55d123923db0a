//! Files that are whole or not there.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::error::{Error, Result};

/// Writes a file without a name, or under a temporary one, and gives it its name when it is complete:
/// an older one stays until then, whatever goes wrong meanwhile.
pub fn write_file(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
    let in_place = |cause| Error::Write { path: path.to_path_buf(), cause };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let fill = |file: &File| {
        let mut file = BufWriter::with_capacity(1 << 18, file);
        write(&mut file)?;
        let file = file.into_inner().map_err(|failed| in_place(failed.into_error()))?;
        file.sync_all().map_err(in_place)
    };
    #[cfg(target_os = "linux")]
    if let Some(file) = nameless::file(folder) {
        fill(&file)?;
        return nameless::name(&file, folder, path).map_err(in_place);
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What an ordinary new file gets; a temporary file would be private otherwise.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder).map_err(in_place)?;
    fill(file.as_file())?;
    file.persist(path).map_err(|failed| in_place(failed.error))?;
    Ok(())
}

/// How temporary names begin.
const PREFIX: &str = ".minrule-";

/// Files that have no name while they are written: a program that is killed leaves nothing of them.
#[cfg(target_os = "linux")]
mod nameless {
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::Path;

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

    /// A new file, where the file system has such.
    pub(super) fn file(folder: &Path) -> Option<File> {
        let mode = Mode::from_raw_mode(0o666);
        open(folder, OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC, mode).ok().map(File::from)
    }

    /// Gives it a name. Only a free name can be given, so it gets one of its own first and then takes
    /// the place of what may be there.
    pub(super) fn name(file: &File, folder: &Path, path: &Path) -> io::Result<()> {
        let open_file = format!("/proc/self/fd/{}", file.as_raw_fd());
        let mut random = fastrand::Rng::new();
        loop {
            let temporary = folder.join(format!("{}{:016x}", super::PREFIX, random.u64(..)));
            match linkat(CWD, &open_file, CWD, &temporary, AtFlags::SYMLINK_FOLLOW) {
                Err(rustix::io::Errno::EXIST) => {}
                Err(cause) => return Err(cause.into()),
                Ok(()) => {
                    return fs::rename(&temporary, path).inspect_err(|_| {
                        let _ = fs::remove_file(&temporary);
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_fails_halfway_leaves_the_old_one_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result");
        let put = |text: &'static [u8], fails: bool| {
            write_file(&path, |file| {
                file.write_all(text).unwrap();
                if fails { Err(Error::Internal("a fault on purpose".to_string())) } else { Ok(()) }
            })
        };
        put(b"old", false).unwrap();
        put(b"half", true).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        put(b"new", false).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
