import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../../../docs/runbooks/', import.meta.url)

/** The file names of the runbooks. */
export const runbooks: readonly string[] = readdirSync(folder).filter(
  (name) => name.endsWith('.md') && name !== 'README.md',
)

/** The roles that can run the SQL of a runbook. The first line of each block names one. */
const runbookRoles = [
  'readonly',
  'administrator',
  'outbox readonly',
  'outbox relay',
  'outbox publisher',
] as const
export type RunbookRole = (typeof runbookRoles)[number]

export interface RunbookSql {
  /** Undefined if the block does not name one. */
  readonly role: RunbookRole | undefined
  readonly text: string
}

/** The SQL blocks of a runbook. */
export function runbookSql(name: string): readonly RunbookSql[] {
  return [...runbookText(name).matchAll(/```sql\n(.*?)```/gs)].map(([, text = '']) => {
    const [, roleName] = /^\s*-- as ([a-z ]+)\n/.exec(text) ?? []
    return { role: runbookRoles.find((role) => role === roleName), text }
  })
}

/** Statements in the text outside of blocks, which no test runs. */
export function inlineSql(name: string): readonly string[] {
  const prose = runbookText(name).replaceAll(/```.*?```/gs, '')
  return [...prose.matchAll(/`(?:SELECT|INSERT|UPDATE|DELETE FROM|ALTER|GRANT|REVOKE) [^`]*`/g)].map(
    ([sql]) => sql,
  )
}

export function runbookText(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8')
}
