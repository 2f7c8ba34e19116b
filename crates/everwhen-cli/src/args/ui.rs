//! What may be typed to look at a memory in a browser.

use clap::Args;

/// Open the web interface of the running server
#[derive(Debug, Args)]
#[command(after_help = "\
The page gets the server's key in the fragment of its address, which browsers never send.

EXAMPLES
  everwhen ui
  everwhen ui --print
  everwhen ui --server https://memory.example.org --key ew_1234")]
pub(crate) struct UiArgs {
    /// Print the address with the key instead of opening a browser
    #[arg(long)]
    pub(crate) print: bool,
}

/// Fill a demo memory with a fictional year and serve it
#[derive(Debug, Args)]
#[command(after_help = "\
Without --data everything is in a new temporary directory and goes when the command ends. Your own memories are not touched.

EXAMPLES
  everwhen demo
  everwhen demo --listen 127.0.0.1:4000
  everwhen demo --data ./demo --fill")]
pub(crate) struct DemoArgs {
    /// Address to listen on [default: a free port of this machine]
    #[arg(long, value_name = "ADDRESS", conflicts_with = "fill")]
    pub(crate) listen: Option<String>,
    /// Model provider that the proxy passes chats on to
    #[arg(long, value_name = "URL", conflicts_with = "fill")]
    pub(crate) upstream: Option<String>,
    /// Fill the directory of --data or EVERWHEN_DATA and end, without serving it
    #[arg(long)]
    pub(crate) fill: bool,
}
