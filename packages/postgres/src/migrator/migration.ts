import type { LockMode } from './lock-mode.ts'

/** One step of a schema. Its text is frozen once it is released. */
export type Migration = TransactionalMigration | ConcurrentMigration | BatchedMigration

interface MigrationHead {
  /** 1, 2, 3 …, without gaps. */
  readonly version: number
  readonly name: string
  /** The oldest schema version whose code can still run on the schema that this step leaves behind. */
  readonly minCode: number
}

/** Statements that are applied together or not at all, in one transaction. */
export interface TransactionalMigration extends MigrationHead {
  readonly type: 'transactional'
  /** `schema` is the quoted identifier. */
  readonly up: (schema: string) => readonly StepStatement[]
  readonly down: (schema: string) => readonly StepStatement[]
}

/** An index of a table in use, which is built while others write. To go down is to drop it. */
export interface ConcurrentMigration extends MigrationHead {
  readonly type: 'concurrent'
  readonly index: ConcurrentIndex
}

/**
 * A change of many rows, a bounded number of them in each transaction, from a cursor that is kept with them: a run that
 * ends in its midst is gone on with.
 */
export interface BatchedMigration extends MigrationHead {
  readonly type: 'batched'
  /** The table whose rows it changes. */
  readonly table: string
  /** Rows of one batch at most: what others may have to wait for. */
  readonly rowsMax: number
  /**
   * The statement of one batch. `$1::text` is the cursor, null at the beginning; `$2::integer` is `rowsMax`. It gives one
   * row: `cursor`, the text that the next batch begins behind, null at the end, and `rows`, how many it has gone over.
   * Done twice it is as done once. It locks its rows in the order of their keys.
   */
  readonly batch: (schema: string) => string
  readonly down: (schema: string) => readonly StepStatement[]
}

export interface ConcurrentIndex {
  readonly name: string
  readonly table: string
  readonly unique: boolean
  /**
   * What follows the table's name, as `pg_get_indexdef` spells it: `USING btree (a, b) WHERE (c IS NOT NULL)`. An index
   * of this name that is spelled otherwise is another one.
   */
  readonly definition: (schema: string) => string
}

/** One statement of a step, without a semicolon at its end. */
export interface StepStatement {
  readonly sql: string
  /** What it does to tables that were there before the step. Absent where it touches none of them. */
  readonly uses?: readonly TableUse[]
}

/** What a statement does to a table that others use, for whoever decides when to run it. */
export interface TableUse {
  readonly table: string
  readonly lock: LockMode
  readonly work: TableWork
}

/**
 * How much of a table a statement goes over: nothing but the catalog, whatever the table's size; every row, to read it;
 * every row, to make an index of them; every row twice, to
 * make one while others write; every row, to write it anew.
 */
export type TableWork = 'catalog' | 'scan' | 'index' | 'concurrent index' | 'rewrite'

/** A schema that is brought from step to step, with a history of its own of the steps that were applied. */
export interface MigrationSet {
  /** What it is called in locks and in `pg_stat_activity`. */
  readonly name: string
  readonly schemaDefault: string
  /** What an operator runs to bring it up. */
  readonly upCommand: string
  /** The table of the applied steps, in the schema itself; a plain identifier. */
  readonly historyTable: string
  /** Every step, in order. A static list: bundlers and read-only images need no directory to scan. */
  readonly steps: readonly Migration[]
  /** What goes on in the tables meanwhile, so that a plan can tell who would have to wait. */
  readonly traffic: readonly Traffic[]
}

/** Statements that others send all the time, and the strongest lock that they take of each table. */
export interface Traffic {
  /** In the plural, to be read before "wait". */
  readonly name: string
  readonly locks: Readonly<Record<string, LockMode>>
}
