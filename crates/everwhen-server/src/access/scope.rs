//! What a REST operation needs: one rule by method and path, so that no handler can forget it.

use axum::http::Method;
use everwhen::key::Scope;

/// The scope that a key needs for an operation below its vault. Reading needs `read`; changing or
/// deleting the vault itself needs `admin`; every other change needs `write`.
pub(crate) fn needed(method: &Method, route: &str) -> Scope {
    let asks = *method == Method::POST && route.ends_with("/recall");
    if asks || [Method::GET, Method::HEAD].contains(method) {
        Scope::Read
    } else if route.ends_with("/vaults/{vault}") {
        Scope::Admin
    } else {
        Scope::Write
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_changing_and_deleting_need_more_and_more() {
        let memory = "/v1/vaults/{vault}/memories/{memory}";
        for (method, route, scope) in [
            (Method::GET, memory.to_owned(), Scope::Read),
            (Method::POST, format!("{memory}/recall"), Scope::Read),
            (Method::POST, "/v1/vaults/{vault}/recall".to_owned(), Scope::Read),
            (Method::POST, format!("{memory}/entries"), Scope::Write),
            (Method::DELETE, memory.to_owned(), Scope::Write),
            (Method::POST, "/v1/vaults/{vault}/forget".to_owned(), Scope::Write),
            (Method::PATCH, "/v1/vaults/{vault}".to_owned(), Scope::Admin),
            (Method::DELETE, "/v1/vaults/{vault}".to_owned(), Scope::Admin),
        ] {
            assert_eq!(needed(&method, &route), scope, "{method} {route}");
        }
    }
}
