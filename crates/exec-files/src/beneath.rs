//! Path below a handle -> a handle of exactly that path. The kernel refuses links, `..` and magic links.

use crate::{FileError, FileKind};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, Stat, fstat, fstatfs, openat2, statat};
use rustix::io::Errno;

/// Opens a path below a directory without following links; the empty path is the directory itself.
pub(super) fn open(folder: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let path = if path.is_empty() { b"." } else { path };
    let flags = flags | OFlags::CLOEXEC;
    let mut tries = RETRIES_MAX;
    loop {
        match openat2(folder, path, flags, Mode::empty(), RESOLVE) {
            // A rename happened during the lookup.
            Err(Errno::AGAIN) if tries > 0 => tries -= 1,
            result => return result,
        }
    }
}

/// Opens a regular file for reading.
pub(super) fn open_file(folder: BorrowedFd<'_>, path: &[u8], root: &Device) -> Result<(OwnedFd, Stat), FileError> {
    open_as_file(folder, path, OFlags::RDONLY, root)
}

pub(super) fn open_as_file(
    folder: BorrowedFd<'_>,
    path: &[u8],
    flags: OFlags,
    root: &Device,
) -> Result<(OwnedFd, Stat), FileError> {
    // Without `NONBLOCK`, opening a pipe without a writer would block.
    let file = open(folder, path, flags | OFlags::NONBLOCK | OFlags::NOCTTY).map_err(|errno| match errno {
        // Not a regular file: its kind says more than the error.
        Errno::NXIO | Errno::NODEV | Errno::ISDIR | Errno::OPNOTSUPP => wrong_kind(folder, path, errno),
        errno => FileError::of("opening the file")(errno),
    })?;
    let stat = fstat(&file).map_err(FileError::of("reading the metadata"))?;
    check_file(&stat)?;
    root.check(&file, &stat)?;
    Ok((file, stat))
}

pub(super) fn open_folder(folder: BorrowedFd<'_>, path: &[u8], root: &Device) -> Result<OwnedFd, FileError> {
    let opened =
        open(folder, path, OFlags::RDONLY | OFlags::DIRECTORY).map_err(FileError::of("opening the directory"))?;
    let stat = fstat(&opened).map_err(FileError::of("reading the metadata"))?;
    root.check(&opened, &stat)?;
    Ok(opened)
}

/// Reads the metadata of a name, without following a link.
pub(super) fn look(folder: BorrowedFd<'_>, name: &[u8]) -> Result<Stat, Errno> {
    statat(folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
}

/// Fails unless this is a regular file.
pub(super) fn check_file(stat: &Stat) -> Result<(), FileError> {
    match FileKind::of(FileType::from_raw_mode(stat.st_mode)) {
        FileKind::File => Ok(()),
        FileKind::Link => Err(FileError::Link),
        kind => Err(FileError::NotAFile { kind }),
    }
}

/// The device of the root. Other file systems are mounted below it, and must be ordinary ones, too.
#[derive(Debug, Clone, Copy)]
pub(super) struct Device {
    pub(super) number: u64,
}

impl Device {
    pub(super) fn check(&self, handle: impl AsFd, stat: &Stat) -> Result<(), FileError> {
        if stat.st_dev == self.number { Ok(()) } else { check_file_system(handle) }
    }
}

/// Refuses file systems that are not for ordinary files.
pub(super) fn check_file_system(handle: impl AsFd) -> Result<(), FileError> {
    let system = fstatfs(handle).map_err(FileError::of("reading the file system type"))?;
    // 32 bits wide; signed on some platforms.
    let magic = u64::from_le_bytes(system.f_type.to_le_bytes()) & u64::from(u32::MAX);
    if REFUSED_FILE_SYSTEMS.contains(&magic) { Err(FileError::FileSystem { magic }) } else { Ok(()) }
}

fn wrong_kind(folder: BorrowedFd<'_>, path: &[u8], errno: Errno) -> FileError {
    let kind = open(folder, path, OFlags::PATH | OFlags::NOFOLLOW)
        .and_then(fstat)
        .map(|stat| FileKind::of(FileType::from_raw_mode(stat.st_mode)));
    match kind {
        Ok(FileKind::File) | Err(_) => FileError::of("opening the file")(errno),
        Ok(kind) => FileError::NotAFile { kind },
    }
}

const RESOLVE: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS).union(ResolveFlags::NO_SYMLINKS);
const RETRIES_MAX: u32 = 16;

/// File systems that show kernel state (proc, sysfs, devpts, cgroup, cgroup2, debugfs, tracefs, securityfs,
/// selinuxfs, smackfs, bpf, pstore, efivarfs, configfs, binfmt_misc, nsfs, pipefs, sockfs, fusectl, mqueue,
/// hugetlbfs, rpc_pipefs, nfsd, resctrl, anonymous inodes, usbdevfs, bdev), and those in which
/// different names can be equal (vfat, exfat, ntfs, smb, smb2, hfs, hfs+), where a judged name could open another.
const REFUSED_FILE_SYSTEMS: &[u64] = &[
    0x9fa0,
    0x6265_6572,
    0x1cd1,
    0x0027_e0eb,
    0x6367_7270,
    0x6462_6720,
    0x7472_6163,
    0x7363_6673,
    0xf97c_ff8c,
    0x4341_5d53,
    0xcafe_4a11,
    0x6165_676c,
    0xde5e_81e4,
    0x6265_6570,
    0x4249_4e4d,
    0x6e73_6673,
    0x5049_5045,
    0x534f_434b,
    0x6573_5543,
    0x1980_0202,
    0x9584_58f6,
    0x6759_6969,
    0x6e66_7364,
    0x0765_5821,
    0x0904_1934,
    0x9fa2,
    0x6264_6576,
    0x4d44,
    0x2011_bab0,
    0x7366_746e,
    0x5346_544e,
    0x517b,
    0xfe53_4d42,
    0xff53_4d42,
    0x4244,
    0x482b,
];
