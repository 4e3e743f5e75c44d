"""Where Neo4j Browser is, and its address with the connection and a first query filled in."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from wakegraph.errors import InvalidInputError

__all__ = ["browser_address", "first_query", "guessed_base"]

DEFAULT_DATABASE = "neo4j"
_BOLT = 7687
_HTTP = 7474
_HTTPS = 7473
_CONNECTION_SCHEMES = {"bolt", "neo4j", "bolt+s", "neo4j+s", "bolt+ssc", "neo4j+ssc"}


def guessed_base(uri: str) -> str:
    """Where the server at a Bolt address serves Neo4j Browser, if it is set up as usual: the same host, port 7474, or
    7473 with TLS where the connection is encrypted.

    Raises:
        InvalidInputError: it is not such an address.
    """
    parts = urlsplit(uri)
    if parts.scheme not in _CONNECTION_SCHEMES or not parts.hostname:
        raise InvalidInputError(f"{uri!r} is no database address: use bolt://HOST:PORT or neo4j://HOST:PORT")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"https://{host}:{_HTTPS}/browser/" if "+" in parts.scheme else f"http://{host}:{_HTTP}/browser/"


def browser_address(base: str, uri: str, *, username: str, database: str | None, query: str) -> str:
    """The address that opens Neo4j Browser with the form of the connection filled in and a query in its editor.

    Neo4j Browser runs nothing by itself from an address: the query waits for its run button. The password is never part
    of it.

    Args:
        base: where Neo4j Browser is.
        uri: the database, as Bolt address.
        username: who connects.
        database: which database, or None for the user's home database.
        query: what to put into the editor.
    """
    parts = urlsplit(uri)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    connect = f"{parts.scheme}://{quote(username, safe='')}@{host}:{parts.port or _BOLT}"
    # Asked for the default database by name, Neo4j Browser looks it up before it knows any and shows an error.
    named = {"db": database} if database not in {None, DEFAULT_DATABASE} else {}
    given = {"dbms": connect, **named, "cmd": "edit", "arg": query}
    return f"{base}?{'&'.join(f'{name}={quote(value, safe=str())}' for name, value in given.items())}"


def first_query(project: str | None) -> str:
    """What to begin with: the newest snapshots of a project, or of all, with their causes, linked ones first."""
    # A query to run by hand, so it holds its value itself; Cypher's own escapes keep any name inside the quotes.
    where = f" {{project: '{_escaped(project)}'}}" if project is not None else ""
    return (
        f"MATCH (s:Snapshot{where})\n"
        "WITH s ORDER BY s.created_at DESC LIMIT 1000\n"
        "WITH s ORDER BY s.causal_role = 'isolated', s.created_at DESC LIMIT 30\n"
        "OPTIONAL MATCH (s)-[r:CAUSED_BY]->(cause)\n"
        "RETURN s, r, cause"
    )


def _escaped(text: str) -> str:
    """Text for between Cypher's single quotes.

    Cypher puts in the character of a Unicode escape before it looks for quotes, so an escaped quote would end the text:
    quotes and backslashes take a backslash, and only what the address could lose becomes a Unicode escape.
    """
    return "".join(f"\\{char}" if char in "'\\" else _safe(char) for char in text)


def _safe(char: str) -> str:
    if char.isprintable() and char not in "%&#+":
        return char
    raw = char.encode("utf-16-be")
    return "".join(f"\\u{raw[i : i + 2].hex()}" for i in range(0, len(raw), 2))
