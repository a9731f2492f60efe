/** Marks a database file as this service's: "TryO" in ASCII. */
export const applicationId = 0x5472794f;
/** Raised with every change of the tables. */
export const schemaVersion = 1;

export const schema = `
  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    sessions_created INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE catalogs (
    id INTEGER PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    shade_count INTEGER NOT NULL DEFAULT 0,
    UNIQUE (account, name)
  ) STRICT;

  -- body is the shade as it was given, as JSON, so that metadata and the order of its fields are kept.
  CREATE TABLE shades (
    catalog INTEGER NOT NULL REFERENCES catalogs (id),
    sku TEXT NOT NULL,
    position INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (catalog, sku)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    account INTEGER NOT NULL REFERENCES accounts (id),
    catalog INTEGER NOT NULL REFERENCES catalogs (id),
    product_id TEXT NOT NULL,
    locale TEXT NOT NULL,
    token_hash BLOB NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    shade_count INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_creation ON sessions (account, created_at_ms);

  -- Stored session by session, so that reading one history, or a whole period's, walks neighbouring rows.
  CREATE TABLE interactions (
    session INTEGER NOT NULL REFERENCES sessions (id),
    id TEXT NOT NULL,
    arrival INTEGER NOT NULL,
    type TEXT NOT NULL,
    sku TEXT,
    at TEXT NOT NULL,
    PRIMARY KEY (session, id)
  ) STRICT, WITHOUT ROWID;
`;
