import type { MigrationPlan, PlannedStatement, PlannedStep, PlannedUse } from './plan.ts'

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
