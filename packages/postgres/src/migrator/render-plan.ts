import type { Migration, TableUse } from './migration.ts'

/** What `up` would run. */
export interface MigrationPlan {
  readonly schema: string
  readonly from: number
  readonly to: number
  readonly steps: readonly PlannedStep[]
  /** What the roles that were set up are given at the end, in one transaction. */
  readonly grants: readonly PlannedStatement[]
  /** All of it, with what there is to know of each statement as comments, for `psql`; empty when there is nothing to do. */
  readonly sql: string
}

export interface PlannedStep {
  readonly version: number
  readonly name: string
  readonly type: Migration['type']
  /** To be run one after the other, each by itself: those that begin and end a transaction are among them. */
  readonly statements: readonly PlannedStatement[]
}

export interface PlannedStatement {
  readonly sql: string
  readonly uses: readonly PlannedUse[]
}

/** What a statement does to a table in use, and what that means here and now. */
export interface PlannedUse extends Omit<TableUse, 'work'> {
  /** `batches`: rows are changed, a bounded number of them at a time. */
  readonly work: TableUse['work'] | 'batches'
  /** As PostgreSQL has last estimated them; null where it never has. */
  readonly rows: number | null
  readonly bytes: number
  /** Of the work: an order of magnitude. Null where it does not depend on the rows, or they are not known. */
  readonly estimateMs: number | null
  /** Whose statements wait until the statement's transaction has ended. */
  readonly waits: readonly string[]
}

/** The plan as a text for `psql`, which runs one statement after the other; empty when there is nothing to do. */
export function renderPlan({ schema, from, to, steps, grants }: Omit<MigrationPlan, 'sql'>): string {
  if (steps.length + grants.length === 0) return ''
  const parts = [
    `-- schema "${schema}": version ${from} to ${to}`,
    '-- To be run statement by statement, outside of a transaction, to the first error: psql -v ON_ERROR_STOP=1 -f',
    '-- Where a statement ends with lock_timeout, somebody is using what it needs: ROLLBACK, and plan again',
    ...steps.map(renderStep),
    ...(grants.length === 0 ? [] : ['-- what the roles need', ...grants.map(renderStatement)]),
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
  const size = `${rows === null ? 'rows not counted yet' : `some ${rows} rows`}, ${inMegabytes(bytes)}`
  return [
    `-- ${lock} on ${table} (${size}): ${works[use.work]}${inSeconds(use)}`,
    `--   ${waits.length === 0 ? 'nobody waits for it' : `until the transaction ends, these wait: ${waits.join(', ')}`}`,
  ]
}

const works: Readonly<Record<PlannedUse['work'], string>> = {
  catalog: 'changes the catalog alone, a moment',
  scan: 'reads every row',
  index: 'reads every row, and sorts them',
  'concurrent index': 'reads every row twice, and waits for the transactions that are open',
  rewrite: 'writes every row anew',
  batches: 'changes every row, a bounded number at a time',
}

function inSeconds({ work, estimateMs }: PlannedUse): string {
  if (work === 'catalog') return ''
  if (estimateMs === null) return ', as long as that takes'
  return estimateMs < 1_000 ? ', less than a second' : `, some ${Math.round(estimateMs / 1_000)} s`
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`
}
