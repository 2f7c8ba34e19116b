//! Encrypted connections: whom the system trusts, or a file names, is trusted.

use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use everwhen_engine::{Error, Result};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

/// How connections are encrypted.
#[derive(Clone)]
pub(super) struct Tls {
    config: Arc<ClientConfig>,
}

impl Tls {
    /// Trusts those in the file, else those the system trusts.
    pub(super) fn new(trusted: Option<&Path>) -> Result<Self> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let unable = |error| Error::unavailable(format!("nothing can be encrypted: {error}"));
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(unable)?;
        let builder = match trusted {
            Some(file) => builder.with_root_certificates(authorities(file)?),
            None => builder.with_platform_verifier().map_err(unable)?,
        };
        Ok(Self { config: Arc::new(builder.with_no_client_auth()) })
    }
}

/// The certificates in a file.
fn authorities(file: &Path) -> Result<RootCertStore> {
    let unread = |error: String| {
        let file = file.display();
        Error::invalid(format!("sslrootcert {file} holds no certificate that can be read: {error}"))
    };
    let mut authorities = RootCertStore::empty();
    for one in CertificateDer::pem_file_iter(file).map_err(|error| unread(error.to_string()))? {
        let one = one.map_err(|error| unread(error.to_string()))?;
        authorities.add(one).map_err(|error| unread(error.to_string()))?;
    }
    if authorities.is_empty() {
        return Err(unread("it is empty".into()));
    }
    Ok(authorities)
}

/// TLS connections to one host.
pub(super) struct TlsTo {
    config: Arc<ClientConfig>,
    host: ServerName<'static>,
}

/// An encrypted stream.
pub(super) struct Encrypted<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Encrypted<S>;
    type TlsConnect = TlsTo;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<TlsTo, InvalidDnsNameError> {
        let host = ServerName::try_from(host)?.to_owned();
        Ok(TlsTo { config: Arc::clone(&self.config), host })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for TlsTo {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        let connecting = TlsConnector::from(self.config).connect(self.host, stream);
        Box::pin(async { connecting.await.map(Encrypted) })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
