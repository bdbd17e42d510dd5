"""A Spark session of our own: the master is asked first, so that one that is not there is told in one line and soon."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.errors import TableError, needs_extra

ANSWER = 5.0  # seconds that a master has to take a connection
GREETING = 20.0  # seconds that a server of Spark Connect has to say that it is one
WORKERS = 60.0  # seconds that a standalone master has to find a worker
STAND_ALONE = "spark://"
CONNECT = "sc://"


def session(master: str | None, conf: Mapping[str, str]) -> Any:
    """The session that is there already, or a new one on this master."""
    if master and master.startswith((STAND_ALONE, CONNECT)):
        _knock(master)
    needs_extra("pyspark", "spark")
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        _check_master(active, master)
        return active
    where = master or "the Spark master"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # what Spark thinks of newer versions of pandas
            if master and master.startswith(CONNECT):
                return _remote(master, conf)
            found = _classic(master, conf)
    except TableError:
        raise
    except Exception as problem:
        raise TableError(
            f"{where} does not start a session ({type(problem).__name__}): is it a Spark master, of this version? see --conf"
        ) from None
    if master and master.startswith(STAND_ALONE):
        _wait_for_workers(found, master)
    return found


def _check_master(active: Any, master: str | None) -> None:
    """Refuse to count elsewhere than was asked for: a process has one session, and it is somebody else's to end."""
    has = _master_of(active)
    if master and master.partition(";")[0].rstrip("/") != has:
        raise TableError(
            f"this process has a Spark session on {has} already, and {master} was asked for: stop it (spark.stop()), "
            "or name no master to use it"
        )


def _master_of(active: Any) -> str:
    if type(active).__module__.startswith("pyspark.sql.connect"):
        return f"{CONNECT}{active.client._builder.endpoint}"
    return str(active.sparkContext.master)


def _knock(master: str) -> None:
    """Refuse a master whose port nobody answers: Spark itself would try for minutes."""
    addresses = re.findall(r"(\[[^\]]+\]|[^/,:;?]+):(\d+)", master.partition("://")[2])
    if not addresses:
        raise TableError(f"{master} is not the address of a Spark master: use spark://HOST:7077 or sc://HOST:15002")
    for host, port in addresses:
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER):
                return
        except (OSError, OverflowError):
            continue
    raise TableError(f"the Spark master {master} does not answer: is it up, and is its port open from here?")


def _classic(master: str | None, conf: Mapping[str, str]) -> Any:
    """A session whose driver runs here, in a Java machine of its own that says nothing on our stderr."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    check_java()
    asked = SparkConf()
    if master:
        asked.setMaster(master)
    elif not asked.contains("spark.master"):
        asked.setMaster("local[*]")
    settings = {"spark.app.name": "discreet", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    if (master or "").startswith(STAND_ALONE) and _is_here(master or ""):
        settings["spark.driver.host"] = "127.0.0.1"
    for key, value in {**settings, **conf}.items():
        asked.set(key, value)
    quiet = {} if os.environ.get("DISCREET_DEBUG") else {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    gateway = launch_gateway(conf=asked, popen_kwargs=quiet)
    handler = signal.getsignal(signal.SIGINT)
    found = SparkSession(SparkContext(gateway=gateway, conf=asked))
    if threading.current_thread() is threading.main_thread():
        signal.signal(
            signal.SIGINT, handler
        )  # Spark's own asks Java while an answer of Java is read, and says so at length
    return found


def _is_here(master: str) -> bool:
    """Whether a master is on this very machine, so that its workers find the driver without a network."""
    return bool(re.match(r"spark://(127\.|localhost:)", master))


def check_java() -> None:
    """Refuse a machine without Java, which Spark's own script would tell in many lines."""
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and (Path(home) / "bin" / "java").exists())):
        raise TableError(
            "Spark needs Java 17 or newer, and there is none here: install a JRE (default-jre-headless), or set JAVA_HOME"
        )


def _remote(master: str, conf: Mapping[str, str]) -> Any:
    """A session of Spark Connect: the driver runs with the server, and nothing of Java is needed here."""
    needs_extra("grpc", "connect")
    from pyspark.sql import SparkSession

    _greet(master)
    builder = SparkSession.builder.remote(master)
    for key, value in conf.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _greet(master: str) -> None:
    """Refuse a server that takes a connection and says nothing: Spark's client would ask it again for ten minutes."""
    import grpc
    from pyspark.sql.connect.client import DefaultChannelBuilder

    channel = DefaultChannelBuilder(master).toChannel()
    try:
        grpc.channel_ready_future(channel).result(timeout=GREETING)
    except grpc.FutureTimeoutError:
        raise TableError(
            f"{master} takes a connection and says nothing: is it a server of Spark Connect, and does it want use_ssl=true?"
        ) from None
    finally:
        channel.close()


def _wait_for_workers(found: Any, master: str) -> None:
    """A standalone master without workers takes a session and never runs it: that is said after a minute."""
    if found.conf.get("spark.dynamicAllocation.enabled", "false") == "true":
        return
    until = time.monotonic() + WORKERS
    while found.sparkContext._jsc.sc().getExecutorMemoryStatus().size() < 2:  # the driver is one
        if time.monotonic() > until:
            found.stop()
            raise TableError(
                f"no worker of {master} took the job within {WORKERS:.0f} s: are workers up, with enough memory free?"
            )
        time.sleep(0.1)
