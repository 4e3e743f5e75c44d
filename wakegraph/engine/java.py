"""The Java side: how the database is configured and started."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import socket
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from wakegraph.engine.artifacts import Artifact, Lock
from wakegraph.engine.config import USERNAME, EngineConfig
from wakegraph.engine.runtime import java_program
from wakegraph.engine.state import write_private
from wakegraph.errors import EngineError

__all__ = [
    "Ports",
    "answers_bolt",
    "archive_name",
    "choose_ports",
    "command",
    "environment",
    "write_configuration",
    "write_launcher",
    "write_password",
]

HOST = "127.0.0.1"
_OPENED = "java.base/java.nio java.base/java.io java.base/sun.nio.ch"

_CONFIGURATION = """\
server.default_listen_address={host}
server.default_advertised_address={host}
server.bolt.listen_address={host}:{bolt}
server.bolt.advertised_address={host}:{bolt}
server.http.listen_address={host}:{http}
server.http.advertised_address={host}:{http}
server.https.enabled=false
server.memory.pagecache.size={page_cache_mb}m
dbms.security.auth_enabled=true
# A shutdown waits for idle worker threads for 10 s otherwise.
internal.server.bolt.thread_pool_shutdown_wait_time=200ms
# Transaction logs take 512 MB at once otherwise.
db.tx_log.preallocate=false
db.tx_log.rotation.size=16m
db.tx_log.rotation.retention_policy=1 files
# Every statement with its parameters, which hold what people stored, would be logged otherwise.
db.logs.query.enabled=OFF
# Nothing leaves the machine, nothing of it is read.
dbms.usage_report.enabled=false
client.allow_telemetry=false
server.bolt.telemetry.enabled=false
dbms.security.http_access_control_allow_origin=http://{host}:{http}
dbms.security.allow_csv_import_from_file_urls=false
internal.dbms.cypher_ip_blocklist=0.0.0.0/0,::/0
"""
_CALENDAR_CONFIGURATION = """\
dbms.fleet_manager.enabled=false
server.fleet_discovery.enabled=false
server.http.x_forward.enabled=false
"""

# The engine's own log, which also takes what Java prints; relative, so that no letter of the path needs care in XML.
_USER_LOGS = """\
<Configuration status="ERROR">
  <Appenders>
    <File name="log" fileName="../engine.log" append="true">
      <PatternLayout pattern="%d{yyyy-MM-dd HH:mm:ssZ}{GMT+0} %-5p %m%n"/>
    </File>
  </Appenders>
  <Loggers><Root level="INFO"><AppenderRef ref="log"/></Root></Loggers>
</Configuration>
"""
_SERVER_LOGS = """\
<Configuration status="ERROR">
  <Appenders>
    <RollingRandomAccessFile name="debug" fileName="${config:server.directories.logs}/debug.log"
        filePattern="${config:server.directories.logs}/debug.log.%02i">
      <Neo4jDebugLogLayout pattern="%d{yyyy-MM-dd HH:mm:ss.SSSZ}{GMT+0} %-5p [%c{1.}] %m%n"/>
      <Policies><SizeBasedTriggeringPolicy size="5 MB"/></Policies>
      <DefaultRolloverStrategy fileIndex="min" max="1"/>
    </RollingRandomAccessFile>
  </Appenders>
  <Loggers><Root level="INFO"><AppenderRef ref="debug"/></Root></Loggers>
</Configuration>
"""


@dataclass(frozen=True, slots=True)
class Ports:
    bolt: int
    http: int


def choose_ports(config: EngineConfig, *, avoid_usual: bool = False) -> Ports:
    """The ports asked for, else the usual ones when free, else any free ones.

    Raises:
        EngineError: a port that was asked for is in use.
    """
    bolt = _choose("WAKEGRAPH_ENGINE_BOLT_PORT", config.bolt_port, None if avoid_usual else 7687)
    http = _choose("WAKEGRAPH_ENGINE_HTTP_PORT", config.http_port, None if avoid_usual else 7474)
    return Ports(bolt, http)


def _choose(setting: str, asked: int | None, usual: int | None) -> int:
    if asked is not None:
        if not _bind(asked):
            raise EngineError(f"port {asked} is in use; set {setting} to a free one, or unset it to have one chosen")
        return asked
    return (usual and _bind(usual)) or _bind(0)


def _bind(port: int) -> int:
    """The port that can be bound on loopback, 0 when it cannot."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if sys.platform != "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return 0
        return int(probe.getsockname()[1])


def answers_bolt(port: int) -> bool:
    """Does a Bolt server shake hands there?"""
    hello = bytes.fromhex("6060b017" + "00000405" + "00000404" + "00000004" + "00000000")
    try:
        with socket.create_connection((HOST, port), 1) as connection:
            connection.sendall(hello)
            return len(connection.recv(4)) == 4
    except OSError:
        return False


def write_configuration(config: EngineConfig, ports: Ports, folder: Path) -> None:
    """Write Neo4j's configuration files for the next start."""
    text = _CONFIGURATION.format(host=HOST, bolt=ports.bolt, http=ports.http, page_cache_mb=config.page_cache_mb)
    if not config.neo4j_version.startswith("5."):
        text += _CALENDAR_CONFIGURATION
    conf = folder / "conf"
    conf.mkdir(parents=True, exist_ok=True)
    (conf / "neo4j.conf").write_text(text, encoding="utf-8")
    (conf / "user-logs.xml").write_text(_USER_LOGS, encoding="utf-8")
    (conf / "server-logs.xml").write_text(_SERVER_LOGS, encoding="utf-8")


def write_password(file: Path, folder: Path) -> str:
    """Give the password; on the first start make it, and hand Neo4j its hash as the initial one.

    The hash goes where Neo4j's own `set-initial-password` puts it. A statement on the system database would do the same
    3-4 s slower, with the default password valid meanwhile.

    Raises:
        EngineError: there is data, but its password is lost.
    """
    initial = folder / "data" / "dbms" / "auth.ini"
    if not file.exists():
        if (folder / "data" / "databases").exists():
            raise EngineError(
                f"the password file {file} is missing but {folder} holds data; put it back, or move the data away"
            )
        write_private(file, secrets.token_urlsafe(24))
    password = file.read_text(encoding="ascii")
    if not initial.exists():
        initial.parent.mkdir(parents=True, exist_ok=True)
        initial.write_text(_initial_user(password), encoding="ascii")
    return password


def _initial_user(password: str) -> str:
    """A line of Neo4j's `auth.ini`: salted SHA-256, 1024 rounds (org.neo4j.server.security.SecureHasher)."""
    salt = secrets.token_bytes(32)
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(1023):
        digest = hashlib.sha256(digest).digest()
    return f"{USERNAME}:SHA-256,{digest.hex().upper()},{salt.hex().upper()},1024:\n"


def write_launcher(lock: Lock, jars: Path) -> Path:
    """A jar of one manifest that names all others: a short command line whatever the path, and what to open to whom."""
    names = " ".join(_class_path_entry(artifact, jars) for artifact in lock.artifacts)
    manifest = "".join(
        _folded(line)
        for line in (
            "Manifest-Version: 1.0",
            f"Main-Class: {lock.main_class}",
            f"Add-Opens: {_OPENED}",
            "Enable-Native-Access: ALL-UNNAMED",
            f"Class-Path: {names}",
        )
    )
    target = jars / f"launch-{lock.version}.jar"
    staging = target.with_suffix(f".{os.getpid()}")
    with zipfile.ZipFile(staging, "w") as jar:
        jar.writestr(zipfile.ZipInfo("META-INF/MANIFEST.MF"), manifest + "\r\n")
    if target.exists() and target.read_bytes() == staging.read_bytes():
        staging.unlink()  # a new time stamp would invalidate the class archive
    else:
        staging.replace(target)
    return target


def _class_path_entry(artifact: Artifact, jars: Path) -> str:
    """Relative, but for Neo4j Browser in a folder whose path has non-ASCII letters.

    Jetty takes what lies in a jar of such a path for an alias of another file and does not serve it; files it serves.
    """
    if artifact.name != "neo4j-browser" or str(jars).isascii():
        return artifact.filename
    folder = jars.parent / "browser" / artifact.version
    if not folder.exists():
        staging = folder.with_name(".staging")
        shutil.rmtree(staging, ignore_errors=True)
        with zipfile.ZipFile(jars / artifact.filename) as jar:
            jar.extractall(staging, [name for name in jar.namelist() if name.startswith("browser/")])
        staging.replace(folder)
    return f"{folder.as_uri()}/"


def _folded(line: str) -> str:
    """Manifest lines hold 72 bytes; a continuation starts with a space."""
    rest = [line[start : start + 69] for start in range(70, len(line), 69)]
    return "\r\n ".join([line[:70], *rest]) + "\r\n"


def archive_name(lock: Lock, launcher: Path, java_home: Path) -> str:
    """The name of the class archive that fits exactly these files: Java refuses it when path, size or time differ."""
    digest = hashlib.sha256(f"{java_home}\n{launcher}\n".encode(errors="surrogateescape"))
    for name in (launcher.name, *(artifact.filename for artifact in lock.artifacts)):
        stat = (launcher.parent / name).stat()
        digest.update(f"{name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return f"{lock.version}-{digest.hexdigest()[:16]}.aot"


def java_options(config: EngineConfig) -> list[str]:
    return [f"-Xmx{config.heap_mb}m", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8"]


def command(config: EngineConfig, java_home: Path, launcher: Path, folder: Path, *options: str) -> list[str]:
    """The command line of the database whose files are in `folder`, its temporary ones included.

    Native libraries are unpacked there: in a cache or the system's own folder they might be cleaned away under it.
    """
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    return [
        str(java_program(java_home)),
        *java_options(config),
        f"-Djava.io.tmpdir={temporary}",
        f"-Djna.tmpdir={temporary}",
        *options,
        "-jar",
        str(launcher),
        f"--home-dir={folder}",
        f"--config-dir={folder / 'conf'}",
    ]


def environment() -> dict[str, str]:
    """The environment of the database: ours without what would change its options, and with names of files in UTF-8."""
    dropped = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    if sys.platform == "linux":
        kept["LC_ALL"] = "C.UTF-8"  # Java cannot open a file with non-ASCII letters in its name otherwise
    return kept
