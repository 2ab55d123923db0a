//! Writing output: files that appear complete or not at all, and outputs that are not files.
//!
//! A regular file is written beside its destination and moved there once it is complete. Until then an
//! older file stays, whatever goes wrong; the new one gets its permissions and owner. A link stays a
//! link, and the file it names is written. Devices and pipes are written to directly.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The most links followed to reach a file; more of them must form a cycle.
const MOST_LINKS: usize = 40;

/// Writes a text to a file, or to whatever else the path names.
pub fn write_text(path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    let in_place = |cause| Error::Write { path: path.to_path_buf(), cause };
    write_file(path, |file| file.write_all(text.as_ref()).map_err(in_place))
}

/// Lets `write` fill a file, or whatever else the path names.
pub fn write_file(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
    let in_place = |cause| Error::Write { path: path.to_path_buf(), cause };
    match Target::of(path).map_err(in_place)? {
        Target::Stream(stream) => fill(&stream, path, write),
        Target::File { path: file, old } => {
            replace(&file, old.as_ref(), |new| fill(new, path, write), in_place)
        }
    }
}

/// Tests, before the work is done, whether a result could be written to this path. Leaves nothing
/// behind.
pub fn try_output(path: &Path) -> Result<()> {
    let in_place = |cause| Error::Write { path: path.to_path_buf(), cause };
    let metadata = fs::metadata(path).ok();
    if metadata.as_ref().is_some_and(|found| !found.is_file()) {
        // Nobody is kept waiting at the other end of a pipe.
        return may_write(path, metadata.is_some_and(|found| found.is_dir())).map_err(in_place);
    }
    match Target::of(path).map_err(in_place)? {
        Target::Stream(_) => Ok(()),
        Target::File { path: file, old } => {
            if old.is_some() {
                OpenOptions::new().write(true).open(&file).map_err(in_place)?;
            }
            Unfinished::beside(&file).map(drop).map_err(in_place)
        }
    }
}

/// Tests whether files could be written into this folder, which need not exist yet.
pub fn try_output_folder(folder: &Path) -> Result<()> {
    let in_place = |cause| Error::Write { path: folder.to_path_buf(), cause };
    // The folder itself, or the nearest of its parents that is there.
    let there = folder.ancestors().find(|place| place.as_os_str().is_empty() || place.exists());
    let there = there.filter(|place| !place.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Unfinished::beside(&there.join("file")).map(drop).map_err(in_place)
}

/// What a path names.
enum Target {
    /// A device, a pipe, or where standard output goes: written to as it is.
    Stream(File),
    /// A regular file, after following all links; it need not exist yet.
    File { path: PathBuf, old: Option<Metadata> },
}

impl Target {
    fn of(path: &Path) -> io::Result<Target> {
        let old = match fs::metadata(path) {
            Ok(found) => Some(found),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => None,
            Err(cause) => return Err(cause),
        };
        let Some(old) = old else { return Ok(Target::File { path: behind_links(path)?, old: None }) };
        if old.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        if let Some(stream) = standard_stream(&old)? {
            return Ok(Target::Stream(stream));
        }
        if !old.is_file() {
            return OpenOptions::new().write(true).open(path).map(Target::Stream);
        }
        let file = behind_links(path)?;
        // An open file without a name of its own, which only a link in the system's folders leads to.
        if fs::symlink_metadata(&file).is_err() {
            return OpenOptions::new().append(true).open(path).map(Target::Stream);
        }
        // A file that must not be written to must not be replaced either.
        OpenOptions::new().write(true).open(&file)?;
        Ok(Target::File { path: file, old: Some(old) })
    }
}

/// The path that links lead to; the last of them may lead nowhere yet.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder_of(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its links go in a circle"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Standard output or error, if that is what is named: writing goes on where they are.
#[cfg(unix)]
fn standard_stream(named: &Metadata) -> io::Result<Option<File>> {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    for stream in [io::stdout().as_fd(), io::stderr().as_fd()] {
        let Ok(stream) = stream.try_clone_to_owned().map(File::from) else { continue };
        let same = |found: Metadata| (found.dev(), found.ino()) == (named.dev(), named.ino());
        if stream.metadata().is_ok_and(same) {
            return Ok(Some(stream));
        }
    }
    Ok(None)
}

#[cfg(not(unix))]
fn standard_stream(_: &Metadata) -> io::Result<Option<File>> {
    Ok(None)
}

#[cfg(unix)]
fn may_write(path: &Path, folder: bool) -> io::Result<()> {
    if folder {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    Ok(rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?)
}

#[cfg(not(unix))]
fn may_write(_: &Path, folder: bool) -> io::Result<()> {
    if folder { Err(io::Error::from(io::ErrorKind::IsADirectory)) } else { Ok(()) }
}

fn fill(
    file: &File,
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>,
) -> Result<()> {
    let in_place = |cause| Error::Write { path: path.to_path_buf(), cause };
    let mut buffered = BufWriter::with_capacity(1 << 18, file);
    write(&mut buffered)?;
    buffered.into_inner().map_err(|failed| in_place(failed.into_error()))?;
    Ok(())
}

/// Fills a new file and puts it in the place of an old one.
fn replace(
    path: &Path,
    old: Option<&Metadata>,
    fill: impl FnOnce(&File) -> Result<()>,
    in_place: impl Fn(io::Error) -> Error,
) -> Result<()> {
    let mut new = Unfinished::beside(path).map_err(&in_place)?;
    fill(new.file())?;
    if let Some(old) = old {
        // Of two users who share a file, one must not take it from the other.
        if !take_after(new.file(), old).map_err(&in_place)? {
            return copy_into(new.file_mut(), path).map_err(in_place);
        }
    }
    new.file().sync_all().map_err(&in_place)?;
    new.take_place(path).map_err(in_place)
}

/// Gives a file the permissions and owner of another. Returns false if the owner could not be set.
#[cfg(unix)]
fn take_after(new: &File, old: &Metadata) -> io::Result<bool> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let mine = new.metadata()?;
    if (mine.uid(), mine.gid()) != (old.uid(), old.gid())
        && fchown(new, Some(old.uid()), Some(old.gid())).is_err()
    {
        return Ok(false);
    }
    new.set_permissions(fs::Permissions::from_mode(old.permissions().mode()))?;
    Ok(true)
}

#[cfg(not(unix))]
fn take_after(new: &File, old: &Metadata) -> io::Result<bool> {
    new.set_permissions(old.permissions()).map(|()| true)
}

/// Copies what is complete into a file that only its owner can replace.
fn copy_into(from: &mut File, path: &Path) -> io::Result<()> {
    from.rewind()?;
    let mut to = OpenOptions::new().write(true).truncate(true).open(path)?;
    io::copy(from, &mut to)?;
    to.sync_all()
}

/// How temporary names begin.
const PREFIX: &str = ".minrule-";

/// A file that does not have its final name yet. Where the system supports files without a name, nothing
/// of it remains if the program is killed.
enum Unfinished {
    #[cfg(target_os = "linux")]
    Nameless(File),
    Named(tempfile::NamedTempFile),
}

impl Unfinished {
    fn beside(path: &Path) -> io::Result<Unfinished> {
        let folder = folder_of(path);
        #[cfg(target_os = "linux")]
        if let Some(file) = nameless::file(folder) {
            return Ok(Unfinished::Nameless(file));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What an ordinary new file gets; a temporary file would be private otherwise.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        builder.tempfile_in(folder).map(Unfinished::Named)
    }

    fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Unfinished::Nameless(file) => file,
            Unfinished::Named(file) => file.as_file(),
        }
    }

    fn file_mut(&mut self) -> &mut File {
        match self {
            #[cfg(target_os = "linux")]
            Unfinished::Nameless(file) => file,
            Unfinished::Named(file) => file.as_file_mut(),
        }
    }

    fn take_place(self, path: &Path) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Unfinished::Nameless(file) => nameless::name(&file, folder_of(path), path),
            Unfinished::Named(file) => file.persist(path).map(drop).map_err(|failed| failed.error),
        }
    }
}

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
        open(folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode).ok().map(File::from)
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

    #[test]
    fn outputs_are_tried_without_a_trace() {
        let folder = tempfile::tempdir().unwrap();
        try_output(&folder.path().join("new")).unwrap();
        try_output_folder(&folder.path().join("some/new/folder")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        try_output(&folder.path().join("nowhere/new")).unwrap_err();
        try_output(folder.path()).unwrap_err();
        let file = folder.path().join("file");
        fs::write(&file, "kept").unwrap();
        try_output(&file).unwrap();
        try_output_folder(&file.join("below a file")).unwrap_err();
        assert_eq!(fs::read(&file).unwrap(), b"kept");
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

        use super::*;

        #[test]
        fn a_link_stays_and_what_it_names_is_written() {
            let folder = tempfile::tempdir().unwrap();
            let [link, between, file] = ["link", "between", "file"].map(|name| folder.path().join(name));
            symlink("between", &link).unwrap();
            symlink(&file, &between).unwrap();
            // First it leads nowhere, then to a file.
            for text in ["first", "second"] {
                try_output(&link).unwrap();
                write_text(&link, text).unwrap();
                assert_eq!(fs::read_to_string(&file).unwrap(), text);
                assert_eq!(fs::read_link(&link).unwrap(), Path::new("between"));
            }
            let circle = folder.path().join("circle");
            symlink("circle", &circle).unwrap();
            write_text(&circle, "text").unwrap_err();
        }

        #[test]
        fn permissions_and_owner_stay() {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("file");
            fs::write(&file, "old").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
            // Only root can give files away.
            let given = std::os::unix::fs::chown(&file, Some(12_345), Some(54_321)).is_ok();
            write_text(&file, "new").unwrap();
            let found = fs::metadata(&file).unwrap();
            assert_eq!(found.mode() & 0o7777, 0o600);
            assert!(!given || (found.uid(), found.gid()) == (12_345, 54_321));
            assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        }

        #[test]
        fn what_only_its_owner_can_replace_is_written_into() {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("file");
            fs::write(&file, "something longer than what comes").unwrap();
            let before = fs::metadata(&file).unwrap().ino();
            let mut new = Unfinished::beside(&file).unwrap();
            new.file_mut().write_all(b"new").unwrap();
            copy_into(new.file_mut(), &file).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), "new");
            assert_eq!(fs::metadata(&file).unwrap().ino(), before);
        }
    }
}
