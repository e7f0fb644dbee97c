"""The configured endpoint and nothing else: proxies, certificates, addresses (SPEC M8)."""

from __future__ import annotations

import pytest
from tests.support.asking import all_events, generator_for, reply_of
from tests.support.model_server import CERTIFICATES, Answer, ModelServer, fails, says

from compile_loop.contracts.protocols import ModelError, ModelErrorKind

PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)


@pytest.mark.spec("M8")
async def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(says("through the proxy")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.origin)
        events = await all_events(generator_for("http://models.example/v1", api_key="k-123456"))
        assert reply_of(events).text == "through the proxy"
        assert proxy.requests[0].path == "http://models.example/v1/chat/completions"


@pytest.mark.spec("M8")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_loopback_goes_through_no_proxy(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    with ModelServer(says("proxy")) as proxy, ModelServer(says("direct")) as server:
        monkeypatch.setenv("http_proxy", proxy.origin)
        monkeypatch.setenv("all_proxy", proxy.origin)
        address = server.base_url.replace("127.0.0.1", host)
        assert reply_of(await all_events(generator_for(address))).text == "direct"
        assert proxy.requests == []


@pytest.mark.spec("M8")
async def test_loopback_goes_through_a_proxy_that_was_asked_for() -> None:
    with ModelServer(says("proxy")) as proxy, ModelServer(says("direct")) as server:
        events = await all_events(generator_for(server.base_url, proxy=proxy.origin))
        assert reply_of(events).text == "proxy"


@pytest.mark.spec("M8")
async def test_no_proxy_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(says("proxy")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.origin)
        monkeypatch.setenv("no_proxy", "models.invalid")
        with pytest.raises(ModelError, match=r"host of http://models.invalid/v1 was not found|Nothing answers"):
            await all_events(generator_for("http://models.invalid/v1", api_key="k-123456", retries=0))
        assert proxy.requests == []


@pytest.mark.spec("M5")
async def test_a_proxy_that_wants_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(fails(407, "")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.origin)
        with pytest.raises(ModelError, match="proxy wants credentials") as caught:
            await all_events(generator_for("http://models.example/v1", api_key="k-123456"))
    assert caught.value.kind is ModelErrorKind.CONFIGURATION


@pytest.mark.spec("M8")
@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "nonsense", "ftp://127.0.0.1:1"])
async def test_a_proxy_that_cannot_be_used_is_a_sentence(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("all_proxy", proxy)
    with pytest.raises(ModelError) as caught:
        await all_events(generator_for("http://models.example/v1", api_key="k-123456", retries=0))
    assert caught.value.kind in (ModelErrorKind.CONFIGURATION, ModelErrorKind.UNAVAILABLE)
    assert "k-123456" not in caught.value.message


@pytest.mark.spec("M8")
async def test_redirects_are_told_and_not_followed() -> None:
    """Nothing but the configured endpoint ever gets the key or the code."""
    with ModelServer(says("elsewhere")) as other:
        answer = Answer((b"",), 307, {"Location": f"{other.base_url}/chat/completions"})
        with ModelServer(answer) as server, pytest.raises(ModelError, match=r"307.*it sends on to http"):
            await all_events(generator_for(server.base_url))
        assert other.requests == []


@pytest.mark.spec("M8")
async def test_a_certificate_that_nobody_vouches_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(says("ok"), tls="good") as server:
        with pytest.raises(ModelError, match=r"certificate of https://127.0.0.1.*SSL_CERT_FILE") as caught:
            await all_events(generator_for(server.base_url))
        assert caught.value.kind is ModelErrorKind.CONFIGURATION
        issuer = str(CERTIFICATES / "good.pem")
        assert reply_of(await all_events(generator_for(server.base_url, ca_file=issuer))).text == "ok"
        monkeypatch.setenv("SSL_CERT_FILE", issuer)
        assert reply_of(await all_events(generator_for(server.base_url))).text == "ok"


@pytest.mark.spec("M5")
async def test_an_expired_certificate() -> None:
    with ModelServer(says("ok"), tls="old") as server, pytest.raises(ModelError, match=r"certificate.*expired"):
        await all_events(generator_for(server.base_url, ca_file=str(CERTIFICATES / "old.pem")))


@pytest.mark.spec("M5")
async def test_http_where_https_is_spoken_and_the_other_way_round() -> None:
    with ModelServer(says("ok"), tls="good") as server:
        with pytest.raises(ModelError) as caught:
            await all_events(generator_for(server.base_url.replace("https:", "http:")))
        assert caught.value.message
    with ModelServer(says("ok")) as server, pytest.raises(ModelError, match="does not speak HTTPS there"):
        await all_events(generator_for(server.base_url.replace("http:", "https:")))


async def test_a_certificate_file_that_is_not_there() -> None:
    with pytest.raises(ModelError, match=r"certificates in /no/such.pem cannot be read"):
        await all_events(generator_for("http://127.0.0.1:9/v1", ca_file="/no/such.pem"))
