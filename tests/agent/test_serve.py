"""`discreet serve`: how it starts, what it says once, and one line for everything that stops it."""

from __future__ import annotations

import socket
import stat
from pathlib import Path

import pytest

from discreet.agent._config import Config
from discreet.agent._ledger import Analyst, Ledger
from discreet.agent._service import Agent
from discreet.agent._sql import question_of
from tests.processes import said

pytest.importorskip("uvicorn")

PROXY = ["--proxy", "https://data.example.org"]


def serve(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    return said(capsys, "serve", *arguments)


def test_the_example_is_a_beginning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = serve(capsys, "--example")
    assert code == 0
    (tmp_path / "agent.toml").write_text(out)
    (tmp_path / "people.csv").write_text("sex,city,height,smoker\nF,Oslo,170,0\nM,Oslo,180,1\n")
    code, out, _ = serve(capsys, str(tmp_path / "agent.toml"), "--set-up")
    assert code == 0
    assert "the owner's key, shown this once" in out
    assert "people: 2 records, height (whole numbers), smoker (whole numbers) private" in out


def test_keys_are_shown_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = str(folder / "agent.toml")
    first = serve(capsys, config, "--set-up", "--add", "ann=40", "--add", "a=b=2.5")[1]
    keys = {line.partition(": ")[0]: line.partition(": ")[2] for line in first.splitlines() if "once" in line}
    assert list(keys) == [
        "the key of ann, with 40 bits, shown this once",
        "the key of a=b, with 2.5 bits, shown this once",
        "the owner's key, shown this once",
    ]
    ledger = Ledger(Config.load(config).ledger)
    ann, other, owner = keys.values()
    assert ledger.is_owner(owner)
    assert (ledger.analyst_of(ann), ledger.analyst_of(other)) == tuple(
        sorted(ledger.every_analyst(), key=lambda a: -a.budget)
    )
    ledger.close()
    again = serve(capsys, config, "--set-up", "--add", "ann=99")[1]
    assert "once" not in again
    assert "ann is there already, with 40 bits" in again
    for file in folder.glob("ledger.sqlite*"):  # hashes only
        assert not any(key.encode() in file.read_bytes() for key in keys.values())


def test_a_lost_owners_key_is_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = str(folder / "agent.toml")
    first, again = (
        serve(capsys, config, "--set-up", *more)[1].split("shown this once: ")[1].split()[0]
        for more in ([], ["--new-owner-key"])
    )
    ledger = Ledger(Config.load(config).ledger)
    assert ledger.is_owner(again) and not ledger.is_owner(first)
    ledger.close()


def test_keys_go_to_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys = folder / "keys"
    config = str(folder / "agent.toml")
    out = serve(capsys, config, "--set-up", "--add", "../ann b=4", "--add", ".._ann_b=5", "--keys", str(keys))[1]
    assert sorted(each.name for each in keys.iterdir()) == ["_ann_b-2.key", "_ann_b.key", "owner.key"]
    assert all(stat.S_IMODE(each.stat().st_mode) == 0o600 for each in keys.iterdir())
    ledger = Ledger(Config.load(config).ledger)
    assert ledger.is_owner((keys / "owner.key").read_text().strip())
    found = ledger.analyst_of((keys / "_ann_b.key").read_text().strip())
    assert found is not None and found.name == "../ann b"
    ledger.close()
    assert (keys / "owner.key").read_text().strip() not in out


def test_what_stops_it_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    config = folder / "agent.toml"
    text = config.read_text()
    (folder / "file").write_text("x" * 5_000)
    taken = socket.create_server(("127.0.0.1", 0))
    request.addfinalizer(taken.close)
    port = str(taken.getsockname()[1])
    for change, arguments, words in [
        ("", [], "--example prints one"),
        ("", ["nothing.toml"], "nothing.toml cannot be read"),
        ("", [str(config), "--port", port], "Address already in use; try another --port"),
        ("", [str(config), "--host", "::"], "beyond this machine keys and passwords need TLS: give --tls-cert"),
        ('host = "192.0.2.1"\n', [str(config)], "beyond this machine keys and passwords need TLS"),
        ("", [str(config), "--proxy", "http://data.example.org"], "--proxy is the https address"),
        ("", [str(config), "--tls-cert", str(config), "--tls-key", str(config)], "are not a certificate and its key"),
        ("", [str(config), "--host", "192.0.2.1", "--port", "0", *PROXY], "192.0.2.1:0 cannot be listened on"),
        ("", [str(config), "--host", "no.such.host.invalid", *PROXY], "cannot be listened on"),
        ("", [str(config), "--set-up", "--add", "ann"], "does not read as NAME=BITS"),
        ("", [str(config), "--set-up", "--add", "ann=x"], "does not read as NAME=BITS"),
        ("", [str(config), "--set-up", "--add", "ann=-1"], "does not read as NAME=BITS"),
        ("", [str(config), "--set-up", "--add", "=1"], "does not read as NAME=BITS"),
        ("", [str(config), "--set-up", "--keys", str(folder / "file")], "file"),
        ("", [str(config), "--check", "--add", "ann=1"], "--check writes nothing: leave out --add"),
        ("", [str(config), "--seal", "--add", "ann=1"], "--seal stops once the ledger is sealed: leave out --add"),
        ('ledger = "postgresql://127.0.0.1:1/x"\n', [str(config), "--check"], "the ledger cannot be "),
        ('ledger = "file"\n', [str(config), "--check"], "the ledger cannot be "),
        ("prot = 1\n", [str(config), "--set-up"], "'prot' is not a setting: did you mean 'port'"),
        ('ledger = "no/such/folder/l.sqlite"\n', [str(config), "--set-up"], "the ledger cannot be "),
        ('ledger = "postgresql://127.0.0.1:1/x"\n', [str(config), "--set-up"], "the ledger cannot be "),
        (
            'ledger = "postgresql://user:secret@127.0.0.1:1/x"\n',
            [str(config), "--set-up"],
            "the ledger cannot be ",
        ),
        ('ledger = "file"\n', [str(config), "--set-up"], "the ledger cannot be "),
    ]:
        config.write_text(change + text)
        code, out, err = serve(capsys, *arguments)
        # That a ledger was sealed is said at once, whatever comes behind it.
        assert (code, out.partition("the ledger is new")[0]) == (2, ""), (arguments, out)
        assert words in err
        assert err.count("\n") == 1
        assert "secret" not in err
    config.write_text(text)
    assert "the owner's key, shown this once" in serve(capsys, str(config), "--set-up")[1]  # no failed start used it up


def test_changed_data_and_changed_promises_stop_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, data = folder / "agent.toml", folder / "people.csv"
    serve(capsys, str(config), "--set-up")
    before, text = data.read_text(), config.read_text()
    head, *rows = before.splitlines()
    data.write_text("\n".join([head, *reversed(rows)]) + "\n")
    assert serve(capsys, str(config), "--check")[0] == 0  # the same people in another order
    data.write_text("\n".join([head, *rows[1:]]) + "\n")
    assert serve(capsys, str(config), "--check")[0] == 0  # nobody has asked yet
    data.write_text(before)
    agent = Agent(Config.load(config))
    agent.ledger.add_analyst("ann", 50)
    agent.ask(Analyst("ann", 50, revoked=False), question_of("SELECT AVG(height) FROM people WITH ERROR 5"))
    agent.close()
    data.write_text("\n".join([head, *rows[1:]]) + "\n")
    assert "the data of 'people' changed since answers were given" in serve(capsys, str(config), "--check")[2]
    data.write_text(before)
    config.write_text(text.replace("keep = 20", "keep = 10", 1))
    assert "keep or step of 'height' in 'people' changed since" in serve(capsys, str(config), "--check")[2]
    data.write_text(before.replace(rows[0].split(",")[3], "99.5"))
    _, _, err = serve(capsys, str(config), "--check")
    assert "1 rows have values that lie outside the declared bounds" in err
    assert "99.5" not in err


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Example: discreet serve" in serve(capsys, "--help")[1]
