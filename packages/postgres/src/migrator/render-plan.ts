import type { Migration, TableUse } from './migration.ts'

/** The statements that `up` would run. */
export interface MigrationPlan {
  readonly schema: string
  readonly from: number
  readonly to: number
  readonly steps: readonly PlannedStep[]
  /** The grants to the existing roles at the end, in one transaction. */
  readonly grants: readonly PlannedStatement[]
  /** The whole plan for `psql`, with comments about the locks and the work of each statement; empty if there is nothing to do. */
  readonly sql: string
}

export interface PlannedStep {
  readonly version: number
  readonly name: string
  readonly type: Migration['type']
  /** To be run one after the other, each by itself. They include the statements that begin and end transactions. */
  readonly statements: readonly PlannedStatement[]
}

export interface PlannedStatement {
  readonly sql: string
  readonly uses: readonly PlannedUse[]
}

/** How a statement uses a table, with the size of that table and the statements that have to wait. */
export interface PlannedUse extends Omit<TableUse, 'work'> {
  /** `batches`: changes rows, a bounded number at a time. */
  readonly work: TableUse['work'] | 'batches'
  /** PostgreSQL's last estimate; null if there is none. */
  readonly rows: number | null
  readonly bytes: number
  /** The order of magnitude of the work. Null if it does not depend on the rows, or if their number is unknown. */
  readonly estimateMs: number | null
  /** The traffic that waits until the statement's transaction has ended. */
  readonly waits: readonly string[]
}

/** The plan as a text for `psql`, which runs one statement after the other; empty if there is nothing to do. */
export function renderPlan({ schema, from, to, steps, grants }: Omit<MigrationPlan, 'sql'>): string {
  if (steps.length + grants.length === 0) return ''
  const parts = [
    `-- schema "${schema}": version ${from} to ${to}`,
    '-- Run statement by statement, outside of a transaction, up to the first error: psql -v ON_ERROR_STOP=1 -f',
    '-- If a statement fails with lock_timeout, another session holds a lock that it needs: ROLLBACK, and plan again',
    ...steps.map(renderStep),
    ...(grants.length === 0 ? [] : ['-- the privileges of the roles', ...grants.map(renderStatement)]),
  ]
  return `${parts.join('\n')}\n`
}

function renderStep({ version, name, type, statements }: PlannedStep): string {
  return [`\n-- ${version} ${name} (${type})`, ...statements.map(renderStatement)].join('\n')
}

function renderStatement({ sql, uses }: PlannedStatement): string {
  return [...uses.flatMap(renderUse), `${sql.trim()};`].join('\n')
}

function renderUse(use: PlannedUse): string[] {
  const { table, lock, rows, bytes, waits } = use
  const size = `${rows === null ? 'rows not counted yet' : `about ${rows} rows`}, ${inMegabytes(bytes)}`
  return [
    `-- ${lock} on ${table} (${size}): ${workDescriptions[use.work]}${inSeconds(use)}`,
    `--   ${waits.length === 0 ? 'nothing waits for it' : `until the transaction ends, these wait: ${waits.join(', ')}`}`,
  ]
}

const workDescriptions: Readonly<Record<PlannedUse['work'], string>> = {
  catalog: 'changes only the catalog, which takes a moment',
  scan: 'reads every row',
  index: 'reads and sorts every row',
  'concurrent index': 'reads every row twice, and waits for all open transactions',
  rewrite: 'writes every row again',
  batches: 'changes every row, a bounded number at a time',
}

function inSeconds({ work, estimateMs }: PlannedUse): string {
  if (work === 'catalog') return ''
  if (estimateMs === null) return ', duration unknown'
  return estimateMs < 1_000 ? ', less than a second' : `, about ${Math.round(estimateMs / 1_000)} s`
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`
}
