import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../../../docs/runbooks/', import.meta.url)

/** The pages, by their file names. */
export const runbooks: readonly string[] = readdirSync(folder).filter(
  (name) => name.endsWith('.md') && name !== 'README.md',
)

/** Whom a statement of a runbook is for, as its first line says. */
const runbookRoles = [
  'readonly',
  'administrator',
  'outbox readonly',
  'outbox relay',
  'outbox publisher',
] as const
export type RunbookRole = (typeof runbookRoles)[number]

export interface RunbookSql {
  /** Undefined where the block does not say. */
  readonly role: RunbookRole | undefined
  readonly text: string
}

/** The SQL of a page, block by block. */
export function runbookSql(name: string): readonly RunbookSql[] {
  return [...runbookText(name).matchAll(/```sql\n(.*?)```/gs)].map(([, text = '']) => {
    const [, roleName] = /^\s*-- as ([a-z ]+)\n/.exec(text) ?? []
    return { role: runbookRoles.find((role) => role === roleName), text }
  })
}

/** Statements outside of blocks, which nobody runs. */
export function inlineSql(name: string): readonly string[] {
  const prose = runbookText(name).replaceAll(/```.*?```/gs, '')
  return [...prose.matchAll(/`(?:SELECT|INSERT|UPDATE|DELETE FROM|ALTER|GRANT|REVOKE) [^`]*`/g)].map(
    ([sql]) => sql,
  )
}

export function runbookText(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8')
}
