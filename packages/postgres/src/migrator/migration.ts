import type { LockMode } from './lock-mode.ts'

/** A migration step of a schema. Its statements never change once it is released. */
export type Migration = TransactionalMigration | ConcurrentMigration | BatchedMigration

interface MigrationHead {
  /** 1, 2, 3 …, without gaps. */
  readonly version: number
  readonly name: string
  /** The oldest schema version whose code can run on the schema after this step. */
  readonly minCode: number
}

/** Statements that are applied in one transaction. */
export interface TransactionalMigration extends MigrationHead {
  readonly type: 'transactional'
  /** `schema` is the quoted identifier. */
  readonly up: (schema: string) => readonly StepStatement[]
  readonly down: (schema: string) => readonly StepStatement[]
}

/** An index that is built while others write to its table. Reverting the step drops it. */
export interface ConcurrentMigration extends MigrationHead {
  readonly type: 'concurrent'
  readonly index: ConcurrentIndex
}

/**
 * A change of many rows, with a limited number of rows in each transaction. A cursor is stored with each batch, so that an
 * interrupted run can be continued.
 */
export interface BatchedMigration extends MigrationHead {
  readonly type: 'batched'
  /** The table whose rows it changes. */
  readonly table: string
  /** The maximum number of rows of one batch. Other sessions may have to wait for a batch. */
  readonly rowsMax: number
  /**
   * The statement of one batch. `$1::text` is the cursor, null at the beginning; `$2::integer` is `rowsMax`. It returns one row:
   * `cursor`, after which the next batch starts, null at the end, and `rows`, the number of rows that it has processed. It must
   * be idempotent, and it must lock its rows in the order of their keys.
   */
  readonly batch: (schema: string) => string
  readonly down: (schema: string) => readonly StepStatement[]
}

export interface ConcurrentIndex {
  readonly name: string
  readonly table: string
  readonly unique: boolean
  /**
   * The part of the definition after the table's name, as `pg_get_indexdef` returns it: `USING btree (a, b) WHERE (c IS NOT
   * NULL)`. An existing index with this name and another definition is regarded as a different index.
   */
  readonly definition: (schema: string) => string
}

/** A statement of a step, without a semicolon at its end. */
export interface StepStatement {
  readonly sql: string
  /** Its use of tables that exist before the step. Absent if it uses none of them. */
  readonly uses?: readonly TableUse[]
}

/** The use of a table by a statement, for the operator who decides when to run it. */
export interface TableUse {
  readonly table: string
  readonly lock: LockMode
  readonly work: TableWork
}

/**
 * The work of a statement on a table. `catalog`: it changes only the catalog, whatever the size of the table. `scan`: it reads
 * every row. `index`: it reads every row to build an index. `concurrent index`: it reads every row twice to build an index while
 * others write. `rewrite`: it writes every row again.
 */
export type TableWork = 'catalog' | 'scan' | 'index' | 'concurrent index' | 'rewrite'

/** The migration steps of a schema, with a history of the applied steps. */
export interface MigrationSet {
  /** Its name in locks and in `pg_stat_activity`. */
  readonly name: string
  readonly schemaDefault: string
  /** The command with which an operator applies the steps. */
  readonly upCommand: string
  /** The table of the applied steps, in the schema itself; a plain identifier. */
  readonly historyTable: string
  /** Every step in order. It is a static list, so that bundles and read-only images need no directory to scan. */
  readonly steps: readonly Migration[]
  /** The statements that run on the tables meanwhile, so that a plan can show which of them would have to wait. */
  readonly traffic: readonly Traffic[]
}

/** Statements that the processes send all the time, and the strongest lock that they take on each table. */
export interface Traffic {
  /** A plural noun, because the text "wait" follows it. */
  readonly name: string
  readonly locks: Readonly<Record<string, LockMode>>
}
