//! Services of launchd: an agent of the user.

use std::path::{Path, PathBuf};

use super::{Manager, ServedCommand};

const LABEL: &str = "org.everwhen.server";

/// An agent of launchd.
pub(super) struct Launchd {
    file: PathBuf,
    log: PathBuf,
}

impl Launchd {
    /// The agent of the user with this home.
    pub(super) fn of_user(home: &Path) -> Self {
        Self {
            file: home.join("Library/LaunchAgents").join(format!("{LABEL}.plist")),
            log: home.join("Library/Logs/everwhen.log"),
        }
    }

    fn control(&self, action: &str) -> Vec<String> {
        let file = self.file.display().to_string();
        ["launchctl", action, "-w", &file].map(ToOwned::to_owned).to_vec()
    }
}

impl Manager for Launchd {
    fn file(&self) -> &Path {
        &self.file
    }

    fn text(&self, served: &ServedCommand) -> String {
        let mut words = vec![served.program.display().to_string(), "serve".to_owned()];
        for (flag, path) in [("--config", &served.config), ("--data", &served.data)] {
            words.extend(path.iter().flat_map(|path| [flag.into(), path.display().to_string()]));
        }
        let word = |word: &String| format!("    <string>{}</string>\n", escaped(word));
        let words: String = words.iter().map(word).collect();
        let log = escaped(&self.log.display().to_string());
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
             <plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  <string>{LABEL}</string>\n  \
             <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n  <key>RunAtLoad</key>\n  <true/>\n  \
             <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n  \
             <key>StandardErrorPath</key>\n  <string>{log}</string>\n</dict>\n</plist>\n"
        )
    }

    fn start(&self) -> Vec<Vec<String>> {
        vec![self.control("load")]
    }

    fn stop(&self) -> Vec<Vec<String>> {
        vec![self.control("unload")]
    }

    fn forget(&self) -> Vec<Vec<String>> {
        Vec::new()
    }

    fn probe(&self) -> Vec<String> {
        ["launchctl", "list", LABEL].map(ToOwned::to_owned).to_vec()
    }
}

/// Text inside an element of XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_elements_and_nothing_in_them_is_markup() {
        let served = ServedCommand {
            program: "/Applications/A & B/everwhen".into(),
            config: Some("/home/ana/<x>.toml".into()),
            data: None,
        };
        let agent = Launchd::of_user(Path::new("/home/ana"));
        let text = agent.text(&served);
        for element in [
            "<string>/Applications/A &amp; B/everwhen</string>",
            "<string>--config</string>\n    <string>/home/ana/&lt;x&gt;.toml</string>",
        ] {
            assert!(text.contains(element), "{element} in {text}");
        }
        assert!(agent.file().ends_with("Library/LaunchAgents/org.everwhen.server.plist"));
    }
}
