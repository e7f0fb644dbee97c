"""Opens the connection to an endpoint, and says in a sentence why it could not be made or kept (SPEC M5, M8)."""

from __future__ import annotations

import logging
import socket
import ssl

import httpx

from compile_loop.contracts.protocols import ModelError, ModelErrorKind
from compile_loop.models.endpoint import Endpoint
from compile_loop.models.model_settings import ModelSettings
from compile_loop.models.wire import CallFailedError
from compile_loop.version import VERSION


class _HiddenQueries(logging.Filter):
    """Some endpoints take their key in the address's query, and httpx logs addresses (SPEC Z1)."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep the record, without queries."""
        if isinstance(record.args, tuple):
            record.args = tuple(arg.copy_with(query=None) if isinstance(arg, httpx.URL) else arg for arg in record.args)
        return True


_HIDDEN_QUERIES = _HiddenQueries()


def open_client(settings: ModelSettings, endpoint: Endpoint) -> httpx.AsyncClient:
    """A client that connects to this endpoint alone: it follows no redirects.

    Proxies come from the settings, else from the environment, which does not count for loopback. Raises `ModelError`
    where a proxy or a certificate file cannot be used.
    """
    logging.getLogger("httpx").addFilter(_HIDDEN_QUERIES)
    timeout = httpx.Timeout(connect=settings.timeouts.connect, read=None, write=settings.timeouts.idle, pool=None)
    try:
        return httpx.AsyncClient(
            timeout=timeout,
            headers={"user-agent": f"compile-loop/{VERSION}"},
            follow_redirects=False,
            auth=httpx.BasicAuth(*endpoint.basic) if endpoint.basic else None,
            proxy=settings.proxy,
            trust_env=not endpoint.loopback,
            verify=_trusted(settings, endpoint),
        )
    except (ValueError, ImportError, httpx.InvalidURL) as error:
        reason = "SOCKS needs the package socksio" if isinstance(error, ImportError) else "its address cannot be read"
        raise ModelError(ModelErrorKind.CONFIGURATION, f"The proxy cannot be used: {reason}.") from None
    except OSError as error:
        raise ModelError(
            ModelErrorKind.CONFIGURATION, f"The certificates in {settings.ca_file} cannot be read: {error.strerror}."
        ) from None


def connection_failed(error: Exception, endpoint: Endpoint, *, began: bool) -> CallFailedError:
    """Judge a connection that could not be made, or that broke; `began` says whether text had arrived."""
    causes = list(_causes(error))
    message = _misconfigured(error, causes, endpoint)
    if message is not None:
        return CallFailedError(ModelErrorKind.CONFIGURATION, message)
    where, passing, timed_out = endpoint.shown, True, False
    unknown_host = next((each for each in causes if isinstance(each, socket.gaierror)), None)
    if unknown_host is not None:
        message = f"The host of {where} was not found. Check the address and the network."
        passing = unknown_host.errno == socket.EAI_AGAIN
    elif isinstance(error, httpx.ConnectTimeout):
        message = f"{where} did not take a connection in time. Check the address, the network and any proxy."
        timed_out = True
    elif isinstance(error, httpx.ConnectError):
        hint = "Is the server running?" if endpoint.loopback else "Check the address, the network and any proxy."
        message, passing = f"Nothing answers at {where}. {hint}", False
    else:
        when = "in the middle of the reply; nothing of it is used" if began else "before a reply came"
        message = f"The connection to {where} broke {when}."
    return CallFailedError(ModelErrorKind.UNAVAILABLE, message, passing=passing, timed_out=timed_out)


def _misconfigured(error: Exception, causes: list[BaseException], endpoint: Endpoint) -> str | None:
    """The sentence for a connection that can never be made as things are set."""
    where = endpoint.shown
    certificate = next((each for each in causes if isinstance(each, ssl.SSLCertVerificationError)), None)
    if certificate is not None:
        why = certificate.verify_message.rstrip(".") or "it is not trusted"
        return (
            f"The certificate of {where} was refused: {why}. "
            "Set the clock right, or name its issuer's file in SSL_CERT_FILE."
        )
    if any(isinstance(each, ssl.SSLError) for each in causes):
        return f"{where} does not speak HTTPS there. Try the address with http://, or another port."
    if isinstance(error, httpx.ProxyError):
        return f"The proxy did not let the request to {where} through ({endpoint.redact(str(error))})."
    if isinstance(error, httpx.RemoteProtocolError) and "illegal" in str(error):
        return f"{where} answers, but not in HTTP. Try the address with https://, or another port."
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol | httpx.LocalProtocolError):
        return f"No request can be sent to {where}. Check the address and the extra headers."
    return None


def _trusted(settings: ModelSettings, endpoint: Endpoint) -> ssl.SSLContext:
    """The usual issuers, or those of SSL_CERT_FILE and SSL_CERT_DIR, and those of the settings.

    Reading them takes tens of milliseconds, so plain HTTP on this machine does without: it trusts nobody.
    """
    if endpoint.loopback and endpoint.base_url.startswith("http:") and not (settings.proxy or settings.ca_file):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = httpx.create_ssl_context()
    if settings.ca_file is not None:
        context.load_verify_locations(settings.ca_file)
    return context


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found
