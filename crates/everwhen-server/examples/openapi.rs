//! Prints the OpenAPI document, to be kept in the repository:
//! `cargo run -q -p everwhen-server --example openapi > openapi.json`

#[expect(clippy::print_stdout, reason = "printing is what this program is for")]
fn main() {
    print!("{}", everwhen_server::openapi());
}
