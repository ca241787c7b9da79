-- The last record of the ledger, written with it: records that are cut off at the end are missed by what is stored here.
CREATE TABLE ending (
    is_one INTEGER PRIMARY KEY CHECK (is_one = 1),
    number INTEGER NOT NULL,
    hash   BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;
INSERT INTO ending (is_one, number, hash)
    SELECT 1, number, hash FROM ledger ORDER BY number DESC LIMIT 1;
