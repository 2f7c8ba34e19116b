//! Services of systemd: a unit of the user or of the machine.

use std::path::{Path, PathBuf};

use super::{Manager, ServedCommand};

const NAME: &str = "everwhen.service";

/// What a unit of the machine may not do. Its data is in /var/lib/everwhen, under a user of its own.
const MACHINE: &str = "\
DynamicUser=yes
StateDirectory=everwhen
Environment=EVERWHEN_DATA=%S/everwhen
EnvironmentFile=-/etc/everwhen/environment
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
ProtectClock=yes
CapabilityBoundingSet=
";
/// What no unit may do.
const ALL: &str = "\
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
SystemCallArchitectures=native
SystemCallFilter=@system-service
UMask=0077
";

/// A unit of systemd.
pub(super) struct Systemd {
    file: PathBuf,
    is_user: bool,
}

impl Systemd {
    /// The unit of a user, below the directory of their configuration.
    pub(super) fn of_user(config: &Path) -> Self {
        Self { file: config.join("systemd/user").join(NAME), is_user: true }
    }

    /// The unit of the machine.
    pub(super) fn of_machine() -> Self {
        Self { file: Path::new("/etc/systemd/system").join(NAME), is_user: false }
    }

    fn control(&self, words: &[&str]) -> Vec<String> {
        let scope = self.is_user.then_some("--user");
        let words = ["systemctl"].into_iter().chain(scope).chain(words.iter().copied());
        words.map(ToOwned::to_owned).collect()
    }
}

impl Manager for Systemd {
    fn file(&self) -> &Path {
        &self.file
    }

    fn text(&self, served: &ServedCommand) -> String {
        let mut command = vec![quoted(&served.program), "serve".to_owned()];
        for (flag, path) in [("--config", &served.config), ("--data", &served.data)] {
            command.extend(path.iter().flat_map(|path| [flag.to_owned(), quoted(path)]));
        }
        let (own, target) = match self.is_user {
            true => ("", "default.target"),
            false => (MACHINE, "multi-user.target"),
        };
        format!(
            "[Unit]\nDescription=Everwhen, memory that knows when\nAfter=network-online.target\n\n\
             [Service]\nExecStart={}\nRestart=on-failure\nTimeoutStopSec=40\n{own}{ALL}\n\
             [Install]\nWantedBy={target}\n",
            command.join(" ")
        )
    }

    fn start(&self) -> Vec<Vec<String>> {
        vec![self.control(&["daemon-reload"]), self.control(&["enable", "--now", NAME])]
    }

    fn stop(&self) -> Vec<Vec<String>> {
        vec![self.control(&["disable", "--now", NAME])]
    }

    fn forget(&self) -> Vec<Vec<String>> {
        vec![self.control(&["daemon-reload"])]
    }

    fn probe(&self) -> Vec<String> {
        self.control(&["is-active", "--quiet", NAME])
    }
}

/// A path as one word of a unit, in which `%` and quotes mean something.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let path =
        path.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    format!("\"{path}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served() -> ServedCommand {
        let data = Some(PathBuf::from("/home/ana/100% mine"));
        ServedCommand { program: "/opt/ever when".into(), config: None, data }
    }

    #[test]
    fn paths_are_one_word_each() {
        let text = Systemd::of_user(Path::new("/home/ana/.config")).text(&served());
        let line = "ExecStart=\"/opt/ever when\" serve --data \"/home/ana/100%% mine\"\n";
        assert!(text.contains(line), "{text}");
        assert!(
            text.contains("WantedBy=default.target") && !text.contains("DynamicUser"),
            "{text}"
        );
    }

    #[test]
    fn the_machine_has_a_user_and_a_directory_for_it() {
        let text = Systemd::of_machine().text(&served());
        for line in ["DynamicUser=yes", "EVERWHEN_DATA=%S/everwhen", "WantedBy=multi-user.target"] {
            assert!(text.contains(line), "{line} in {text}");
        }
    }

    #[test]
    fn a_user_service_is_controlled_as_the_user() {
        let unit = Systemd::of_user(Path::new("/c"));
        assert_eq!(unit.probe().join(" "), "systemctl --user is-active --quiet everwhen.service");
        assert_eq!(Systemd::of_machine().forget()[0].join(" "), "systemctl daemon-reload");
    }
}
