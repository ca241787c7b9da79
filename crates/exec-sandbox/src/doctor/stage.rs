//! The targets of trials: a file, listeners, a message queue, this process. Dropping the stage removes them.

use std::ffi::CString;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;

use rustix::process::Pid;

use super::calls::Queue;

pub(super) struct Stage {
    folder: PathBuf,
    pub(super) file: CString,
    /// Does not exist.
    pub(super) new_file: CString,
    pub(super) address: SocketAddrV4,
    pub(super) socket_name: Vec<u8>,
    pub(super) queue: Queue,
    pub(super) executor: Pid,
    pub(super) executor_environ: CString,
    _listeners: (TcpListener, UnixListener),
}

impl Stage {
    pub(super) fn new() -> std::io::Result<Self> {
        let mut random = [0; 12];
        getrandom::fill(&mut random).map_err(|error| std::io::Error::other(error.to_string()))?;
        let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let folder = std::env::temp_dir().canonicalize()?.join(format!("interdict-doctor-{name}"));
        std::fs::create_dir(&folder)?;
        std::fs::write(folder.join("file"), b"something")?;
        let path = |file: &str| CString::new(folder.join(file).as_os_str().as_bytes());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, listener.local_addr()?.port());
        let socket_name = format!("interdict-doctor-{name}").into_bytes();
        let socket = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&socket_name)?)?;
        let [a, b, c, d, ..] = random;
        let executor = rustix::process::getpid();
        Ok(Self {
            file: path("file")?,
            new_file: path("new")?,
            folder,
            address,
            socket_name,
            queue: Queue::new(i32::from_le_bytes([a, b, c, d]))?,
            executor,
            executor_environ: CString::new(format!("/proc/{}/environ", executor.as_raw_pid()))?,
            _listeners: (listener, socket),
        })
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
