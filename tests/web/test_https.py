"""HTTPS from a real server: whose certificate is believed, and where redirects may lead."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from argue_bench.web.fetching import FetchOptions, fetch_sources
from argue_bench.web.snapshot import PageRecord
from tests.web.web_server import WebServer, on_a_usual_port, web_server

NOW = datetime.now(UTC)
NAMES = {
    "good.example": {},
    "wrong.example": {"name": "another.example"},
    "expired.example": {"ends": NOW - timedelta(days=1)},
    "early.example": {"begins": NOW + timedelta(days=1), "ends": NOW + timedelta(days=2)},
    "self.example": {"own": True},
}
"""Each host with what its certificate has of its own."""


class Authority:
    """A certificate authority of these tests, and the certificates that it gives."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "An authority")])
        content = self._sign(self.name, self.key, self.key, ca=True)
        (folder / "authority.pem").write_bytes(content)

    def context(
        self, host: str, name: str = "", own: bool = False, **times: datetime
    ) -> ssl.SSLContext:
        """How a server of this host speaks; its certificate is for ``name``, or the host."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name or host)])
        path = self.folder / f"{host}.pem"
        content = self._sign(subject, key, key if own else self.key, **times)
        form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        path.write_bytes(content + key.private_bytes(*form, serialization.NoEncryption()))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context

    def _sign(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        by: ec.EllipticCurvePrivateKey,
        ca: bool = False,
        begins: datetime = NOW - timedelta(days=9),
        ends: datetime = NOW + timedelta(days=9),
    ) -> bytes:
        host = str(subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)[0].value)
        built = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject if by is key else self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begins)
            .not_valid_after(ends)
            .add_extension(x509.BasicConstraints(ca, None), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        )
        made = built.sign(by, hashes.SHA256())
        return made.public_bytes(serialization.Encoding.PEM)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def server(authority: Authority) -> Iterator[WebServer]:
    """One server of all hosts: the name that a client says in TLS chooses the certificate."""
    contexts = {host: authority.context(host, **how) for host, how in NAMES.items()}  # type: ignore[arg-type]

    def choose(wire: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
        wire.context = contexts[name or ""]

    first = authority.context("default.example")
    first.sni_callback = choose
    with web_server(on_a_usual_port(first)) as running:
        yield running


async def everything_is_here(_: str) -> Sequence[str]:
    return ["127.0.0.1"]


def read(server: WebServer, folder: Path, host: str, path: str = "/page") -> PageRecord:
    url = f"https://{host}:{server.server_port}{path}"
    options = FetchOptions(pause=0.0, loopback=True)
    return next(fetch_sources([url], folder, options, resolve=everything_is_here).records())


@pytest.fixture
def trusted(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.folder / "authority.pem"))


@pytest.mark.usefixtures("trusted")
def test_a_page_behind_a_good_certificate_is_read(server: WebServer, tmp_path: Path) -> None:
    record = read(server, tmp_path, "good.example")
    assert (record.state, record.status, record.reason) == ("read", 200, "")
    assert record.text.startswith("The Harlow Bridge opened")
    assert server.headers["good.example/page"]["Host"] == f"good.example:{server.server_port}"


WRONG = {
    "wrong.example": "certificate is not valid for 'wrong.example'",
    "expired.example": "certificate has expired",
    "early.example": "certificate is not yet valid",
    "self.example": "self-signed certificate",
}


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("host", WRONG)
def test_a_certificate_that_does_not_hold_is_said(
    server: WebServer, tmp_path: Path, host: str
) -> None:
    """The page is unreachable, and nothing was asked of whoever answered."""
    record = read(server, tmp_path, host)
    assert (record.state, record.status, record.text) == ("unreachable", 0, "")
    assert record.reason.startswith(f"the certificate of {host} does not hold: ")
    assert WRONG[host] in record.reason
    assert not [asked for asked in server.asked if asked.startswith(host)]


def test_an_authority_that_nobody_named_is_not_believed(server: WebServer, tmp_path: Path) -> None:
    record = read(server, tmp_path, "good.example", "/unknown")
    assert record.state == "unreachable"
    assert "does not hold: unable to get local issuer certificate" in record.reason


def test_a_server_that_speaks_no_tls_is_unreachable(tmp_path: Path) -> None:
    with web_server(on_a_usual_port()) as plain:
        record = read(plain, tmp_path, "good.example")
    assert record.state == "unreachable"
    assert "ssl" in record.reason.casefold()


@pytest.mark.usefixtures("trusted")
def test_redirects_between_schemes_and_hosts(server: WebServer, tmp_path: Path) -> None:
    """Each hop is checked as an address of its own, and kept, so that a reader sees a way without TLS."""
    here = f"https://good.example:{server.server_port}"
    with web_server(on_a_usual_port()) as plain:
        to_plain = f"http://plain.example:{plain.server_port}/page"
        server.redirects |= {
            "/down": to_plain,
            "/again": "/once-more",
            "/once-more": f"{here}/again",
            "/to-expired": f"https://expired.example:{server.server_port}/page",
            "/to-inside": f"https://inside.example:{server.server_port}/page",
            "/to-file": "file:///etc/passwd",
        }

        async def resolve(host: str) -> Sequence[str]:
            return ["10.0.0.5"] if host == "inside.example" else ["127.0.0.1"]

        urls = [here + path for path in server.redirects]
        options = FetchOptions(pause=0.0, loopback=True)
        records = fetch_sources(urls, tmp_path, options, resolve=resolve).records()
        found = {one.url.removeprefix(here): one for one in records}
    down = found["/down"]
    assert (down.state, down.final_url, down.hops) == ("read", to_plain, (to_plain,))
    states = {path: (found[path].state, found[path].reason) for path in server.redirects}
    assert states["/again"] == ("unreachable", "more than 5 redirects")
    assert states["/once-more"] == ("unreachable", "more than 5 redirects")
    assert states["/to-expired"][0] == "unreachable"
    assert "certificate has expired" in states["/to-expired"][1]
    refused = "inside.example: 10.0.0.5 is not an address of the public web"
    assert states["/to-inside"] == ("not_looked_up", refused)
    assert states["/to-file"] == ("not_looked_up", "only http and https are asked, not file:")
