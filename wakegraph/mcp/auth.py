"""Who may use the server over HTTP: bearer tokens from a file or the environment, and JSON web tokens.

A token file has one JSON object a line: `{"sha256": "...", "subject": "ci", "scopes": ["read", "write"], "projects":
["shop"]}`. Only the hash is kept; `wakegraph token` makes a token and its line. Without `projects` a token sees all.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastmcp.server.auth import AccessToken, AuthProvider, MultiAuth, TokenVerifier

from wakegraph.errors import ConfigurationError, InvalidInputError
from wakegraph.mcp.call import PROJECTS_CLAIM
from wakegraph.models import Scope
from wakegraph.snapshots.rules import check_name, check_project

if TYPE_CHECKING:
    from wakegraph.settings import Settings

__all__ = ["Grant", "TokenList", "auth_from_settings", "new_token", "read_grants"]

_NEEDED = {"sha256", "subject", "scopes"}
_KEYS = _NEEDED | {"projects"}


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token is good for.

    Attributes:
        sha256: hash of the token, in hexadecimal.
        subject: whose it is: the author of what is saved with it.
        scopes: what it may do.
        projects: the only projects it sees; None for all.
    """

    sha256: str
    subject: str
    scopes: frozenset[Scope]
    projects: frozenset[str] | None = None

    def line(self) -> str:
        """The grant as a line of a token file."""
        values: dict[str, Any] = {"sha256": self.sha256, "subject": self.subject, "scopes": sorted(self.scopes)}
        if self.projects is not None:
            values["projects"] = sorted(self.projects)
        return json.dumps(values, ensure_ascii=False)


class TokenList(TokenVerifier):
    """Verifies tokens against a list of grants.

    Args:
        grants: the grants.
    """

    def __init__(self, grants: Iterable[Grant]) -> None:
        super().__init__()
        self._grants = tuple(grants)

    async def verify_token(self, token: str) -> AccessToken | None:
        """The access that a token gives, or None."""
        digest = _digest(token)
        found = [grant for grant in self._grants if hmac.compare_digest(grant.sha256, digest)]
        if not found:
            return None
        grant = found[0]
        claims: dict[str, Any] = {"sub": grant.subject}
        if grant.projects is not None:
            claims[PROJECTS_CLAIM] = sorted(grant.projects)
        return AccessToken(
            token=token,
            client_id=grant.subject,
            subject=grant.subject,
            scopes=sorted(scope.value for scope in grant.scopes),
            claims=claims,
        )


def new_token(subject: str, scopes: Iterable[str], projects: Iterable[str] = ()) -> tuple[str, Grant]:
    """Make a token.

    Args:
        subject: whose it is.
        scopes: `read`, `write`, `admin`.
        projects: the only projects it sees; none for all.

    Returns:
        The token, which is kept nowhere, and its grant.
    """
    token = f"wg_{secrets.token_urlsafe(32)}"
    limit = frozenset(check_project(name) for name in projects)
    return token, Grant(_digest(token), check_name("subject", subject), _scopes(scopes), limit or None)


def read_grants(path: Path) -> list[Grant]:
    """Read a token file.

    Raises:
        ConfigurationError: it cannot be read, or a line cannot be used; the error names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"token file {str(path)!r} cannot be read: {error}") from None
    grants = [
        _grant(line, f"{path}:{number}")
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not grants:
        raise ConfigurationError(f"token file {str(path)!r} holds no token: add a line made by `wakegraph token`")
    return grants


def auth_from_settings(settings: Settings) -> AuthProvider | None:
    """The verifiers that the settings ask for; None when they ask for none.

    Raises:
        ConfigurationError: a setting cannot be used.
    """
    verifiers: dict[str, TokenVerifier] = {}
    if settings.http_tokens is not None:
        verifiers["file"] = TokenList(read_grants(settings.http_tokens))
    if settings.http_token is not None:
        token = settings.http_token.get_secret_value()
        if len(token) < 16:
            raise ConfigurationError("setting WAKEGRAPH_HTTP_TOKEN is too short: give 16 characters or more")
        verifiers["environment"] = TokenList([Grant(_digest(token), settings.author or "token", frozenset(Scope))])
    if settings.jwt_jwks_uri is not None:
        verifiers["jwt"] = _jwt(settings)
    elif settings.jwt_issuer is not None or settings.jwt_audience is not None:
        raise ConfigurationError("WAKEGRAPH_JWT_ISSUER and WAKEGRAPH_JWT_AUDIENCE need WAKEGRAPH_JWT_JWKS_URI")
    if not verifiers:
        return None
    return next(iter(verifiers.values())) if len(verifiers) == 1 else MultiAuth(verifiers=verifiers)


def _jwt(settings: Settings) -> TokenVerifier:
    from fastmcp.server.auth.providers.jwt import JWTVerifier

    if settings.jwt_issuer is None or settings.jwt_audience is None:
        raise ConfigurationError(
            "JSON web tokens need WAKEGRAPH_JWT_ISSUER and WAKEGRAPH_JWT_AUDIENCE: tokens for others must not "
            "count here"
        )
    try:
        return JWTVerifier(
            jwks_uri=settings.jwt_jwks_uri,
            issuer=settings.jwt_issuer,
            audience=settings.jwt_audience,
            algorithm=settings.jwt_algorithm,
        )
    except ValueError as error:
        raise ConfigurationError(f"the settings for JSON web tokens cannot be used: {error}") from None


def _grant(line: str, where: str) -> Grant:
    try:
        return _parsed(json.loads(line))
    except (ValueError, InvalidInputError) as error:
        raise ConfigurationError(f"{where} cannot be used: {error}") from None


def _parsed(values: Any) -> Grant:
    if not isinstance(values, dict) or values.keys() - _KEYS or not values.keys() >= _NEEDED:
        raise InvalidInputError("give sha256, subject, scopes and, to limit it, projects; nothing else")
    digest = str(values["sha256"]).lower()
    if len(digest) != 64 or set(digest) - set("0123456789abcdef"):
        raise InvalidInputError("sha256 must be 64 hexadecimal digits")
    projects = values.get("projects")
    if projects is not None and not (isinstance(projects, list) and projects):
        raise InvalidInputError("projects must be a list of names that is not empty")
    limit = None if projects is None else frozenset(check_project(name) for name in projects)
    return Grant(digest, check_name("subject", values["subject"]), _scopes(values["scopes"]), limit)


def _scopes(names: Any) -> frozenset[Scope]:
    known = [scope.value for scope in Scope]
    listed = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in listed if name not in known]
    if unknown or not listed:
        raise InvalidInputError(f"scopes {listed!r} cannot be used: give one or more of {', '.join(known)}")
    return frozenset(Scope(name) for name in listed)


def _digest(token: str) -> str:
    # The tokens are random and long: a slow hash would add nothing.
    return hashlib.sha256(token.encode()).hexdigest()
