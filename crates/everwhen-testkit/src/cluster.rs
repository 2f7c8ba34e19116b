//! A PostgreSQL server of the tests' own: on a loopback port, in a temporary directory, gone with
//! the process that started it, however that ends.
//!
//! The server refuses to run as root, so where the tests are root it runs as `postgres`. Whatever
//! was started is stopped by a small shell that waits until its input closes, which even a killed
//! test cannot prevent.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// Names a database for the tests instead of one they start. All in it may be removed.
const URL_VARIABLE: &str = "EVERWHEN_TEST_STORE_URL";

/// A server.
pub struct Cluster {
    directory: PathBuf,
    port: u16,
    _guard: Child,
}

/// The database that tests of this process share: the one that is named, else one started for them.
pub fn test_database() -> String {
    static SHARED: OnceLock<Cluster> = OnceLock::new();
    named_database().unwrap_or_else(|| SHARED.get_or_init(Cluster::start).url())
}

/// The database that was named for tests, if one was.
#[expect(clippy::disallowed_methods, reason = "a test's own setting, not the program's")]
pub fn named_database() -> Option<String> {
    std::env::var(URL_VARIABLE).ok().filter(|url| !url.is_empty())
}

/// Runs SQL in a database; answers what it says, a line for each row.
pub fn sql(database: &str, sql: &str) -> String {
    tool("psql", &["-qtA", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", sql], String::new)
}

impl Cluster {
    /// A new, empty server. What it answers survives a crash of it, but not of the machine.
    pub fn start() -> Self {
        let cluster = Self::lay_out();
        let data = cluster.data();
        cluster.tool(
            "initdb",
            &["-D", &data, "-U", "everwhen", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
        );
        cluster.configure("fsync = off\nmax_connections = 200\nwal_level = replica\n");
        cluster.run();
        cluster
    }

    /// A standby that follows this server, which from now on answers a commit only when the standby
    /// has it.
    pub fn standby(&self) -> Self {
        let standby = Self::lay_out();
        let data = standby.data();
        standby.tool(
            "pg_basebackup",
            &["-D", &data, "-R", "-X", "stream", "-c", "fast", "-d", &self.url()],
        );
        standby.configure("primary_conninfo = 'host=127.0.0.1 port=");
        standby.configure(&format!("{} user=everwhen application_name=standby'\n", self.port));
        standby.run();
        self.configure("synchronous_standby_names = 'standby'\n");
        self.control(&["reload"]);
        standby
    }

    /// From now on it refuses connections that are not encrypted. Answers the file with the
    /// certificate of the authority that signed its own, which is for its address and no name.
    pub fn encrypt(&self) -> PathBuf {
        let script = "cd \"$1\"
            printf 'subjectAltName=IP:127.0.0.1' >names
            key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
            openssl req -x509 $key -keyout ca.key -out ca.crt -days 2 -subj /CN=authority
            openssl req $key -keyout server.key -out server.csr -subj /CN=server
            openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 \\
                -extfile names -out server.crt
            printf 'local all all trust\\nhostssl all all 127.0.0.1/32 trust\\n' >data/pg_hba.conf";
        let directory = self.directory.display().to_string();
        let done = as_server(Path::new("sh")).args(["-ec", script, "sh", &directory]).output();
        let done = done.expect("a shell can be run");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let file = |name: &str| self.path(name);
        let (certificate, key) = (file("server.crt"), file("server.key"));
        self.configure(&format!(
            "ssl = on\nssl_cert_file = '{certificate}'\nssl_key_file = '{key}'\n"
        ));
        self.stop();
        self.run();
        file("ca.crt").into()
    }

    /// Where it answers.
    pub fn url(&self) -> String {
        format!("postgres://everwhen@127.0.0.1:{}/postgres", self.port)
    }

    /// Its port on the loopback interface.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Starts it again after it was stopped.
    pub fn run(&self) {
        let log = self.path("log");
        self.control(&["start", "-w", "-s", "-l", &log]);
    }

    /// Stops it at once, as a crash would: nothing is written out, connections break.
    pub fn crash(&self) {
        self.control(&["stop", "-m", "immediate", "-s"]);
    }

    /// Stops it in order: transactions are taken back, connections break.
    pub fn stop(&self) {
        self.control(&["stop", "-m", "fast", "-s"]);
    }

    /// Makes a standby the one that is written to.
    pub fn promote(&self) {
        self.control(&["promote", "-w", "-s"]);
    }

    /// Creates a directory for a server, with a guard that removes it.
    fn lay_out() -> Self {
        let directory = std::env::temp_dir().join(format!("everwhen-postgres-{}", free_port()));
        fs::create_dir_all(&directory).expect("a temporary directory can be made");
        if is_root() {
            let done = Command::new("chown").arg("postgres").arg(&directory).status();
            assert!(done.is_ok_and(|status| status.success()), "there is no user `postgres`");
        }
        let guard = guard(&directory);
        Self { directory, port: free_port(), _guard: guard }
    }

    /// Adds to the configuration; the last word on a setting counts.
    fn configure(&self, lines: &str) {
        let file = Path::new(&self.data()).join("postgresql.auto.conf");
        let before = fs::read_to_string(&file).unwrap_or_default();
        fs::write(&file, before + lines).expect("the configuration can be written");
    }

    fn control(&self, words: &[&str]) {
        let (data, socket) = (self.data(), self.directory.display());
        let options = format!("-c listen_addresses=127.0.0.1 -p {} -k {socket}", self.port);
        let mut all = vec![words[0], "-D", &data];
        all.extend(&words[1..]);
        if words[0] == "start" {
            all.extend(["-o", &options]);
        }
        self.tool("pg_ctl", &all);
    }

    fn tool(&self, name: &str, words: &[&str]) -> String {
        tool(name, words, || fs::read_to_string(self.path("log")).unwrap_or_default())
    }

    fn data(&self) -> String {
        self.path("data")
    }

    fn path(&self, name: &str) -> String {
        self.directory.join(name).display().to_string()
    }
}

/// Runs one of PostgreSQL's programs; answers what it prints.
fn tool(name: &str, words: &[&str], log: impl Fn() -> String) -> String {
    let mut command = as_server(&program(name));
    command.args(words).stdin(Stdio::null());
    if words.first() == Some(&"start") {
        // A server keeps the output it was started with; a pipe would never end.
        command.stdout(Stdio::null()).stderr(Stdio::null());
    }
    let output = command.output().unwrap_or_else(|error| panic!("{name} cannot be run: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} {words:?} failed: {errors}\n{}", log());
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A shell that waits for its input to close, then stops the server and removes what it kept.
fn guard(directory: &Path) -> Child {
    let script = "trap '' INT TERM HUP
        cat >/dev/null
        pid=$(head -n 1 \"$1/data/postmaster.pid\" 2>/dev/null) && kill -QUIT \"$pid\"
        sleep 0.2
        rm -rf \"$1\"";
    Command::new("sh")
        .args(["-c", script, "guard"])
        .arg(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a shell can be run")
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("`id` can be run");
    id.stdout.trim_ascii() == b"0"
}

fn as_server(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]).arg(program);
    // The tests may stand, and be at home, in a directory that only root can enter.
    command.current_dir("/").env("HOME", "/");
    command
}

/// One of PostgreSQL's programs: of the newest version Debian has installed, else from the path.
fn program(name: &str) -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let version = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.map(|entry| entry.path()).max_by_key(|path| version(path));
    let found = newest.map(|path| path.join("bin").join(name)).filter(|path| path.exists());
    found.unwrap_or_else(|| PathBuf::from(name))
}
