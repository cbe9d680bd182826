import path from 'node:path'
import { type CallerSession, compiler } from '@queue/postgres'
import { loadSource } from '../docs/app-programs.ts'
import { readRepository } from '../repository/repository-file.ts'
import { formatStatement } from './format-statement.ts'

/** The packages whose statements are committed, each in its folder `sql/`. */
export const packages = ['packages/core', 'packages/outbox'] as const

/** The calls of a package by the files that hold what they send (`test/fixtures/statements.ts`). */
interface StatementCalls {
  readonly statements: Readonly<Record<string, (session: CallerSession) => Promise<unknown>>>
  /** Modules with SQL of which there is no file. */
  readonly partsOnly: readonly string[]
}

/** The text of each statement of a package as it is sent, by the file that holds it, from the root. */
export async function readStatements(root: string, folder: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const [names, call] of Object.entries((await loadCalls(root, folder)).statements)) {
    for (const [name, text] of await recordCall(names.split(' '), call)) {
      const file = `${folder}/sql/${name}.sql`
      if ((texts.get(file) ?? text) !== text) throw new Error(`${file} would hold two statements`)
      texts.set(file, text)
    }
  }
  return texts
}

/** The modules of a package that have SQL in them, and no statement of theirs in a file. */
export async function findModulesWithoutFile(root: string, folder: string): Promise<string[]> {
  const { statements, partsOnly } = await loadCalls(root, folder)
  const named = Object.keys(statements).flatMap((names) => names.split(' ').map((name) => name.split('.')[0]))
  const known = new Set<string | undefined>([...named, ...partsOnly])
  const sources = (await readRepository(root)).filter(
    ({ name, text }) =>
      name.startsWith(`${folder}/src/`) &&
      !name.includes('/migrations/') &&
      hasSql.test(text.replaceAll(comments, '')),
  )
  return sources.map(({ name }) => name).filter((name) => !known.has(path.basename(name, '.ts')))
}

const comments = /\/\*[^]*?\*\/|^ *\/\/.*$/gm

/** A template, or the beginning of a query of Kysely's builder. */
const hasSql = /\bsql(?:<[^`]*?>)?`|\.(?:selectFrom|insertInto|updateTable|deleteFrom|with|selectNoFrom)\(/

async function loadCalls(root: string, folder: string): Promise<StatementCalls> {
  return (await loadSource(root, `${folder}/test/fixtures/statements.ts`)) as StatementCalls
}

/**
 * What a call sends, by the names that are given for it. Each statement answers that there is no row, and what the
 * call makes of that does not matter.
 */
async function recordCall(
  names: readonly string[],
  call: (session: CallerSession) => Promise<unknown>,
): Promise<[name: string, text: string][]> {
  const sent = new Set<string>()
  const run: CallerSession['run'] = async (statement) => {
    sent.add(statement.compile(compiler).sql)
    return []
  }
  const failure: unknown = await call({ run, write: (statement) => run(statement(null)) }).catch(
    (error: unknown) => error,
  )
  if (sent.size !== names.length) {
    throw new Error(`${names.join(', ')}: ${sent.size} statements were sent`, { cause: failure })
  }
  return [...sent].map((text, place) => [names[place] as string, formatStatement(text)])
}
