-- Sessions are known by the hash of their token; the token is nowhere.
CREATE TABLE sessions (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    token_hash    BLOB    NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    granted       TEXT    NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    is_over       INTEGER NOT NULL DEFAULT 0 CHECK (is_over IN (0, 1))
) STRICT;
CREATE INDEX sessions_active ON sessions (id) WHERE is_over = 0;

-- The record is its bytes. What stands beside them is for finding it, and is compared with them when the ledger is verified.
CREATE TABLE ledger (
    number   INTEGER PRIMARY KEY,
    chain    INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    hash     BLOB    NOT NULL,
    record   BLOB    NOT NULL,
    UNIQUE (chain, sequence)
) STRICT;
CREATE TRIGGER ledger_is_not_changed BEFORE UPDATE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER ledger_is_not_cut BEFORE DELETE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;

-- Acts whose intent is recorded and whose result is not.
CREATE TABLE running (
    act      INTEGER PRIMARY KEY REFERENCES ledger (number),
    session  INTEGER NOT NULL REFERENCES sessions (id),
    sequence INTEGER NOT NULL
) STRICT;

-- Status: 0 running, 1 finished, 2 interrupted. A response that is NULL is in the content store.
CREATE TABLE keys (
    act           INTEGER PRIMARY KEY REFERENCES ledger (number),
    session       INTEGER NOT NULL REFERENCES sessions (id),
    key           BLOB    NOT NULL,
    sequence      INTEGER NOT NULL,
    request       BLOB    NOT NULL,
    status        INTEGER NOT NULL CHECK (status IN (0, 1, 2)),
    response_hash BLOB,
    response      BLOB,
    UNIQUE (session, key)
) STRICT;

-- Used amounts of budgets by slots of time. Budgets of a minute, an hour or a day belong to all sessions together: owner 0.
CREATE TABLE used (
    owner  INTEGER NOT NULL,
    budget TEXT    NOT NULL,
    period INTEGER NOT NULL,
    slot   INTEGER NOT NULL,
    amount INTEGER NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (owner, budget, period, slot)
) STRICT, WITHOUT ROWID;

-- The last record of the ledger, written with it: it shows when records are cut off at the end.
CREATE TABLE ending (
    is_one INTEGER PRIMARY KEY CHECK (is_one = 1),
    number INTEGER NOT NULL,
    hash   BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE TABLE artifacts (
    id       TEXT PRIMARY KEY,
    category TEXT NOT NULL,
    content  BLOB NOT NULL,
    metadata TEXT NOT NULL
) STRICT;
CREATE TRIGGER artifacts_are_not_changed BEFORE UPDATE ON artifacts
BEGIN SELECT RAISE(ABORT, 'a published artifact stays as it is'); END;
CREATE TRIGGER artifacts_are_not_removed BEFORE DELETE ON artifacts
BEGIN SELECT RAISE(ABORT, 'a published artifact stays as it is'); END;
