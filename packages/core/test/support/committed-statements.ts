import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A statement as `sql/` has it, with the lines that `pnpm sql:write` gives it. */
export interface CommittedStatement {
  /** `claim-jobs.any` for a variant of what the module `claim-jobs` sends. */
  readonly name: string
  readonly text: string
}

const folder = path.join(import.meta.dirname, '..', '..', 'sql')

/** Every statement that core sends, without the tables, views and functions of the schema. */
export function committedStatements(): CommittedStatement[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const statements = files.filter((file) => file.endsWith('.sql') && !file.startsWith('schema'))
  // A law about all statements must not hold because none was found.
  if (statements.length === 0) throw new Error(`${folder} has no statement: run pnpm sql:write`)
  return statements.map((file) => ({
    name: path.basename(file, '.sql'),
    text: readFileSync(path.join(folder, file), 'utf8'),
  }))
}
