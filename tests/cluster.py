"""A real cluster on loopback: a standalone master of Spark with two workers, and one session on it for all tests."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CONF = {
    "spark.sql.shuffle.partitions": "2",
    "spark.executor.memory": "600m",
    "spark.network.timeout": "600s",  # a loaded machine is slow to answer
    "spark.executor.heartbeatInterval": "30s",
}


@dataclass
class Cluster:
    """The processes of a cluster, and the session on it."""

    url: str
    folder: Path
    master: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    spark: Any = None

    def add_worker(self) -> None:
        """One more worker, with one core."""
        home = self.folder / f"worker-{len(self.workers)}-{time.monotonic_ns()}"
        self.workers.append(
            _java(
                "worker.Worker",
                "-c",
                "1",
                "-m",
                "700m",
                "--host",
                "127.0.0.1",
                "-d",
                str(home),
                self.url,
                log=self.folder,
            )
        )

    def kill_worker(self) -> None:
        """End the newest worker and its executors at once, as a machine that loses power does."""
        worker = self.workers.pop()
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()

    def stop(self) -> None:
        """Everything that was started."""
        if self.spark is not None:
            self.spark.stop()
        for process in (*self.workers, self.master):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _java(name: str, *arguments: str, log: Path) -> subprocess.Popen[bytes]:
    import pyspark

    home = Path(str(pyspark.__file__)).parent
    with (log / f"{name}-{time.monotonic_ns()}.log").open("wb") as file:
        return subprocess.Popen(
            [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", "--webui-port", "0", *arguments],
            stdout=file,
            stderr=file,
            start_new_session=True,
            env={
                **os.environ,
                "SPARK_HOME": str(home),
                "SPARK_LOCAL_IP": "127.0.0.1",
                "PYSPARK_PYTHON": sys.executable,
            },
        )


@contextmanager
def cluster_at(folder: Path) -> Iterator[Cluster]:
    """A master, two workers and a session; all of them end with the block."""
    from discreet.tables._spark_session import session

    port = free_port()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    found = Cluster(
        f"spark://127.0.0.1:{port}",
        folder,
        _java("master.Master", "--host", "127.0.0.1", "--port", str(port), log=folder),
    )
    try:
        for _ in range(2):
            found.add_worker()
        wait_for_port(port)
        found.spark = session(found.url, CONF)
        yield found
    finally:
        found.stop()


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def wait_for_port(port: int) -> None:
    """Until somebody listens there."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError("the master did not come up")


def parts_of(folder: Path) -> list[str]:
    """What readers see in a folder: names without marks."""
    return sorted(path.name for path in folder.iterdir() if not re.match(r"[._]", path.name))
