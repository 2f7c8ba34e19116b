//! What every handler of the proxy can reach.

use std::sync::Arc;

use axum::extract::FromRef;
use axum::http::HeaderMap;
use everwhen::{Engine, Result};

use super::Proxy;
use crate::access::{Access, ProxyCaller};
use crate::error::RequestError;

/// The engine, authentication and the proxy itself. Clones share everything.
#[derive(Clone)]
pub(crate) struct ProxyState {
    pub(crate) engine: Engine,
    pub(crate) access: Arc<Access>,
    pub(crate) proxy: Arc<Proxy>,
}

impl ProxyState {
    /// Authenticates a caller. An unknown key is looked up once more, no longer than a chat waits for
    /// memory.
    pub(crate) async fn proxy_caller(
        &self,
        headers: &HeaderMap,
    ) -> Result<ProxyCaller, RequestError> {
        self.access.proxy_caller(headers, self.proxy.deadline()).await
    }
}

impl FromRef<ProxyState> for Arc<Access> {
    fn from_ref(state: &ProxyState) -> Self {
        Arc::clone(&state.access)
    }
}
