-- What is used in a minute, an hour or a day is used by all sessions together, who are owner 0.
CREATE TABLE used (
    owner  INTEGER NOT NULL,
    budget TEXT    NOT NULL,
    period INTEGER NOT NULL,
    slot   INTEGER NOT NULL,
    amount INTEGER NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (owner, budget, period, slot)
) STRICT, WITHOUT ROWID;
INSERT INTO used (owner, budget, period, slot, amount)
    SELECT iif(period = 0, session, 0) AS owner, budget, period, slot, sum(amount)
    FROM spent GROUP BY owner, budget, period, slot;
DROP TABLE spent;
