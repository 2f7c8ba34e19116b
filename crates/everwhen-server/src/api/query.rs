//! Refuses query parameters on routes that take none, as unknown parameters are refused elsewhere. Otherwise a
//! dry run or an earlier moment that the client asks for would be ignored.

use std::collections::HashSet;
use std::sync::Arc;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use utoipa::openapi::path::{Operation, Parameter, ParameterIn};
use utoipa::openapi::{OpenApi, RefOr};

use crate::ServerState;
use crate::error::RequestError;

/// Paths and methods whose handlers read a query, and refuse what they do not know in it.
type QueryReaders = Arc<HashSet<(String, Method)>>;

/// Refuses queries where the document declares no parameter of one.
pub(super) fn refuse_unread(
    routes: Router<ServerState>,
    document: &OpenApi,
) -> Router<ServerState> {
    routes.route_layer(from_fn_with_state(reading(document), check))
}

fn reading(document: &OpenApi) -> QueryReaders {
    let mut reading = HashSet::new();
    for (path, item) in &document.paths.paths {
        for (method, operation) in [
            (Method::GET, &item.get),
            (Method::POST, &item.post),
            (Method::PUT, &item.put),
            (Method::PATCH, &item.patch),
            (Method::DELETE, &item.delete),
        ] {
            if operation.as_ref().is_some_and(reads_a_query) {
                reading.insert((path.clone(), method));
            }
        }
    }
    Arc::new(reading)
}

fn reads_a_query(operation: &Operation) -> bool {
    let is_of_query = |parameter: &RefOr<Parameter>| {
        matches!(parameter, RefOr::T(Parameter { parameter_in: ParameterIn::Query, .. }))
    };
    operation.parameters.iter().flatten().any(is_of_query)
}

async fn check(State(reading): State<QueryReaders>, request: Request, next: Next) -> Response {
    match unread(&reading, &request) {
        Some(name) => refusal(&name).into_response(),
        None => next.run(request).await,
    }
}

/// The first parameter that no handler would read.
fn unread(reading: &QueryReaders, request: &Request) -> Option<String> {
    let query = request.uri().query().filter(|query| !query.is_empty())?;
    let route = request.extensions().get::<MatchedPath>()?.as_str();
    // Health checks and documents are asked for by programs that add parameters of their own.
    if !route.starts_with("/v1/") {
        return None;
    }
    // HEAD is answered as GET is.
    let method = if *request.method() == Method::HEAD { &Method::GET } else { request.method() };
    let is_read = reading.contains(&(route.to_owned(), method.clone()));
    let name = || query.split(['=', '&']).next().unwrap_or_default().to_owned();
    (!is_read).then(name)
}

fn refusal(name: &str) -> RequestError {
    let name: String = name.chars().take(40).collect();
    RequestError::invalid(format!(
        "unknown field `{name}` in the query; this address takes no query parameters"
    ))
}
