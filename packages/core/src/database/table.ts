// How a table and its columns are declared.
import type { JobStatus } from '../domain/job.ts'
import type { JsonValue } from '../domain/json.ts'

/** The PostgreSQL types of our columns: what node-postgres reads for each, and what it takes to write one. */
export interface ValueOf {
  readonly uuid: { read: string; write: string }
  readonly text: { read: string; write: string }
  readonly 'text[]': { read: string[]; write: readonly string[] }
  readonly 'uuid[]': { read: string[]; write: readonly string[] }
  readonly 'integer[]': { read: number[]; write: readonly number[] }
  readonly smallint: { read: number; write: number }
  readonly integer: { read: number; write: number }
  readonly bigint: { read: number; write: number }
  readonly 'double precision': { read: number; write: number }
  readonly boolean: { read: boolean; write: boolean }
  readonly timestamptz: { read: Date; write: Date }
  readonly bytea: { read: Buffer; write: Buffer }
  /** Written as its text. */
  readonly jsonb: { read: JsonValue; write: string }
  readonly job_status: { read: JobStatus; write: JobStatus }
}

/** The processes that write. The owner of the tables migrates them, and `readonly` can read everything. */
export type Writer = 'api' | 'worker'

export interface Column {
  readonly type: keyof ValueOf
  readonly nullable?: true
  /** The only texts that the table accepts. */
  readonly oneOf?: readonly string[]
  /** The value of a column that an insert does not name: a literal, or an SQL expression. */
  readonly default?: string | number | boolean | { readonly sql: string }
  /** Who may insert the column, where that is not a privilege on the whole table. */
  readonly insert?: readonly Writer[]
  /** Who may update the column, where that is not a privilege on the whole table. */
  readonly update?: readonly Writer[]
}

export interface JobColumn extends Column {
  /** The value that NULL stands for. */
  readonly nullMeans?: number | boolean
  /** A member of `Job`, and of the job that the API shows. */
  readonly shown?: true
  /** Copied to the dead letter, and back from it where `api` may insert the column. `shown`: a member of `DeadLetter` too. */
  readonly deadLetter?: 'copied' | 'shown'
  /** What the column is in every job of `ended_jobs`, which therefore does not have it. */
  readonly whenArchived?: 'succeeded' | null
}

export interface Table<Member extends Column = Column> {
  readonly columns: Readonly<Record<string, Member>>
  /** The privileges of the processes on the table as a whole. */
  readonly may: Readonly<Record<Writer, readonly ('INSERT' | 'UPDATE' | 'DELETE')[]>>
  /** Who may read the table; absent: all. The others have no privilege on it at all. */
  readonly readBy?: readonly (Writer | 'readonly')[]
}
