import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { ServiceConfigurationError, type ServiceOptions } from './options.ts';

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

/** A prepared statement whose rows have the shape `Row`, as its SQL promises. */
interface Statement<Row> {
  get(...parameters: SQLInputValue[]): Row | undefined;
  all(...parameters: SQLInputValue[]): Row[];
  /** Runs it for its effect; answers the number of rows changed. */
  run(...parameters: SQLInputValue[]): number;
}

/**
 * The service's SQLite database. Every call is synchronous: a transaction is one uninterrupted step of the event
 * loop, so other requests see it whole.
 * In WAL mode with `synchronous=NORMAL` a commit is a completed write() to the log: killing the process loses nothing
 * committed. A power cut or a kernel crash could lose the last commits, without corrupting the file, since fsync
 * happens only at checkpoints. `durability: 'power-cut'` sets `synchronous=FULL`, an fsync per commit, against that.
 */
export class Database {
  readonly #connection: DatabaseSync;
  readonly #begin: Statement<never>;
  readonly #commit: Statement<never>;

  constructor({ databaseFile, durability }: Pick<ServiceOptions, 'databaseFile' | 'durability'>) {
    this.#connection = openConnection(databaseFile, durability === 'power-cut' ? 'FULL' : 'NORMAL');
    this.#begin = this.query('BEGIN IMMEDIATE');
    this.#commit = this.query('COMMIT');
  }

  query<Row>(sql: string): Statement<Row> {
    const statement = this.#connection.prepare(sql);
    return {
      // The two places that trust SQL about the shape of its rows.
      get: (...parameters) => statement.get(...parameters) as Row | undefined,
      all: (...parameters) => statement.all(...parameters) as Row[],
      run: (...parameters) => Number(statement.run(...parameters).changes),
    };
  }

  /** Runs `work` whole or not at all; its writes are durable on return. Does not nest. */
  transaction<Result>(work: () => Result): Result {
    this.#begin.run();
    try {
      const result = work();
      this.#commit.run();
      return result;
    } catch (error) {
      // Some errors, such as a full disk, have ended the transaction already.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
      throw error;
    }
  }

  /** Moves the log into the database file and closes it. */
  close(): void {
    if (!this.#connection.isOpen) return;
    this.#connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#connection.close();
  }
}

function openConnection(file: string, synchronous: 'NORMAL' | 'FULL'): DatabaseSync {
  let connection: DatabaseSync | undefined;
  try {
    // The wait is for a predecessor that is still giving up its lock.
    connection = new DatabaseSync(file, { timeout: 2_000 });
    // Exclusive: no second service may write into the same file, as each keeps some of the state in memory.
    connection.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${synchronous};
      PRAGMA cache_size = -65536;
    `);
    prepareSchema(connection, file);
    // Bytes that SQLite compares as JavaScript compares strings: big-endian UTF-16. SQLite's own order of text, by UTF-8 bytes,
    // differs from it beyond the basic plane.
    connection.function('utf16_code_units', { deterministic: true }, (text) =>
      Buffer.from(String(text), 'utf16le').swap16(),
    );
    return connection;
  } catch (error) {
    connection?.close();
    if (error instanceof ServiceConfigurationError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceConfigurationError(`cannot use ${file} as database: ${reason}`, { cause: error });
  }
}

function prepareSchema(connection: DatabaseSync, file: string): void {
  const pragma = (name: string): unknown =>
    Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  const tables = connection.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.tables;
  if (tables === 0) {
    connection.exec(
      `BEGIN; ${schema} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}; COMMIT`,
    );
    return;
  }
  if (pragma('application_id') !== applicationId) {
    throw new ServiceConfigurationError(`${file} is a database of another program`);
  }
  const version = pragma('user_version');
  if (version !== schemaVersion) {
    throw new ServiceConfigurationError(
      `${file} has version ${version} of the schema, this service needs version ${schemaVersion}`,
    );
  }
}
