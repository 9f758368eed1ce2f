"""Rule sets as SQL for MySQL, run by a MariaDB or MySQL server that the test starts."""

import shutil
import subprocess
import time

import numpy as np
import pytest

from winnowkit.rulesets import Condition, Rule, RuleSet

SERVER = shutil.which("mariadbd") or shutil.which("mysqld")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(SERVER is None, reason="neither mariadbd nor mysqld is installed")]

VALUES = [
    "\\",
    "'",
    "\\'",
    "\\n",
    "a\nb",
    "a\0b",
    '"',
    "`",
    "' OR 1 = 1 -- ",
    "",
    "Bonn",
    "bonn",
    "Bonn ",
    "Bönn",
    "☃",
    "😀",
]
NAMES = ["\\", "'", "\\'", '"', "`", "a`` b", "a\nb", "--", "# b", "/*", "Bonn", "☃"]


@pytest.fixture(scope="module")
def cursor(tmp_path_factory):
    """Start a server without a network, in a folder of its own."""
    pymysql = pytest.importorskip("pymysql")
    folder = tmp_path_factory.mktemp("mysql")
    socket = folder / "socket"
    server = subprocess.Popen(
        [
            *(SERVER, "--no-defaults", "--user=root", f"--datadir={folder}", f"--socket={socket}"),
            *(f"--pid-file={folder / 'pid'}", "--skip-grant-tables", "--skip-networking"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(300):
            if socket.exists() or server.poll() is not None:
                break
            time.sleep(0.1)
        connection = pymysql.connect(unix_socket=str(socket), charset="utf8mb4", autocommit=True)
        with connection, connection.cursor() as found:
            found.execute("CREATE DATABASE rules")
            found.execute("USE rules")
            yield found
    finally:
        server.terminate()
        server.wait(timeout=60)


def labels(cursor, rules, rows, kinds):
    """Return what the query says of the rows, in their order."""
    quoted = ["`" + name.replace("`", "``").replace("%", "%%") + "`" for name in rules.columns]
    columns = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, kinds, strict=True))
    cursor.execute("DROP TABLE IF EXISTS t")
    cursor.execute(f"CREATE TABLE t ({columns}, `row number` INT)")
    marks = ", ".join(["%s"] * (len(kinds) + 1))
    for i, row in enumerate(rows):
        cursor.execute(f"INSERT INTO t VALUES ({marks})", [*row, i])
    cursor.execute(rules.to_sql("t", "said", dialect="mysql") + " ORDER BY `row number`")
    return [row[-1] for row in cursor.fetchall()]


@pytest.mark.parametrize("collation", ["utf8mb4_general_ci", "utf8mb4_bin"])
def test_hostile_names_and_values(cursor, collation):
    rules = [
        Rule([Condition(NAMES[i % len(NAMES)], ("=", "!=")[i == 0], value)], f"{i}: {value}")
        for i, value in enumerate([*VALUES[::-1], *VALUES])
    ]
    rules = RuleSet(rules[::-1], "\\'else", NAMES)
    rng = np.random.default_rng(0)
    X = rng.choice(np.array([*VALUES, "BONN", "bonn ", "Bonn  "], dtype=object), (300, len(NAMES)))
    X[rng.random(X.shape) < 0.6] = None
    found = labels(cursor, rules, X.tolist(), [f"VARCHAR(20) CHARACTER SET utf8mb4 COLLATE {collation}"] * len(NAMES))
    assert found == [rules.predict_one(row) for row in X]
    assert len(set(found)) > 20


def test_columns_of_another_character_set(cursor):
    rules = RuleSet.from_text('if a = "Bönn" then 1\nif a != Bonn then 2\nelse 3')
    rows = [["Bönn"], ["bönn"], ["Bonn"], ["Bonn "], [None]]
    assert labels(cursor, rules, rows, ["VARCHAR(20) CHARACTER SET latin1"]) == [1, 2, 3, 2, 3]


def test_numbers_booleans_and_missing_values(cursor):
    rules = RuleSet.from_text(
        "if 0.1 < n <= 2.5 and flag = true then -3\nif n missing then 4\nif flag != true then 5\nif n = 7 then 6\n"
        "else 7"
    )
    rows = [[n, flag] for n in (None, 0.1, 0.2, 2.5, 2.6, 7.0) for flag in (None, True, False)]
    found = labels(cursor, rules, rows, ["DOUBLE", "BOOLEAN"])
    assert found == [rules.predict_one(row) for row in rows]
    assert set(found) == {-3, 4, 5, 6, 7}
