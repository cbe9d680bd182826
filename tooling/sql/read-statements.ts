import path from 'node:path'
import { type CallerSession, compiler, type MigrationSet } from '@queue/postgres'
import { loadSource } from '../docs/app-programs.ts'
import { readRepository } from '../repository/repository-file.ts'
import { formatStatement } from './format-statement.ts'
import { readDefinitions } from './read-definitions.ts'

/** The packages whose SQL is committed in their folder `sql/`. */
export const packages = ['packages/core', 'packages/outbox'] as const

/** The calls of a package, by the names of the files for the statements that they send (`test/fixtures/statements.ts`). */
interface StatementCalls {
  readonly statements: Readonly<Record<string, (session: CallerSession) => Promise<unknown>>>
  /** Modules with SQL that has no file, because it is only part of other statements. */
  readonly partsOnly: readonly string[]
  readonly migrations: MigrationSet
}

/** The text of each statement of a package, and of each table, view and function, by its file relative to the root. */
export async function readSql(root: string, folder: string): Promise<ReadonlyMap<string, string>> {
  const { migrations } = await loadCalls(root, folder)
  const definitions = [...readDefinitions(migrations)].map(([file, text]): [string, string] => [
    `${folder}/sql/schema/${file}`,
    text,
  ])
  return new Map([...(await readStatements(root, folder)), ...definitions])
}

async function readStatements(root: string, folder: string): Promise<ReadonlyMap<string, string>> {
  const texts = [...(await readSentStatements(root, folder))]
  const folders = await foldersOfModules(root, folder)
  const placeOf = (name: string): string =>
    path.join(folder, 'sql', folders.get(moduleOf(name)) ?? '', `${name}.sql`)
  return new Map(texts.map(([name, text]) => [placeOf(name), formatStatement(text)]))
}

/** The folder of each module, relative to the package's sources: its statements are in a folder of the same name. */
async function foldersOfModules(root: string, folder: string): Promise<ReadonlyMap<string, string>> {
  const sources = `${folder}/src/`
  const names = (await readRepository(root))
    .map(({ name }) => name)
    .filter((name) => name.startsWith(sources) && !name.includes('/migrations/'))
    .map((name) => name.slice(sources.length))
  return new Map(names.map((name) => [path.basename(name, '.ts'), path.dirname(name)]))
}

/** The statement `claim-jobs.any` is one of the module `claim-jobs`. */
const moduleOf = (name: string): string => name.split('.', 1)[0] ?? name

/** The text of each statement of a package as it is sent, by its name. */
export async function readSentStatements(root: string, folder: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const [names, call] of Object.entries((await loadCalls(root, folder)).statements)) {
    for (const [name, text] of await recordCall(names.split(' '), call)) {
      if ((texts.get(name) ?? text) !== text) throw new Error(`two statements have the same name ${name}`)
      texts.set(name, text)
    }
  }
  return texts
}

/** The modules of a package that contain SQL but have no statement in a file. */
export async function findModulesWithoutFile(root: string, folder: string): Promise<string[]> {
  const { statements, partsOnly } = await loadCalls(root, folder)
  const fileNames = Object.keys(statements).flatMap((names) => names.split(' ').map(moduleOf))
  const known = new Set<string>([...fileNames, ...partsOnly])
  const sources = (await readRepository(root)).filter(
    ({ name, text }) =>
      name.startsWith(`${folder}/src/`) &&
      !name.includes('/migrations/') &&
      hasSql.test(text.replaceAll(comments, '')),
  )
  return sources.map(({ name }) => name).filter((name) => !known.has(path.basename(name, '.ts')))
}

const comments = /\/\*[^]*?\*\/|^ *\/\/.*$/gm

/** Matches an SQL template, or the beginning of a query of Kysely's builder. */
const hasSql = /\bsql(?:<[^`]*?>)?`|\.(?:selectFrom|insertInto|updateTable|deleteFrom|with|selectNoFrom)\(/

async function loadCalls(root: string, folder: string): Promise<StatementCalls> {
  return (await loadSource(root, `${folder}/test/fixtures/statements.ts`)) as StatementCalls
}

/**
 * The statements that a call sends, by the names given for it. Each statement returns no row. An error that the call throws
 * because of this is ignored.
 */
async function recordCall(
  names: readonly string[],
  call: (session: CallerSession) => Promise<unknown>,
): Promise<[name: string, text: string][]> {
  const statements = new Set<string>()
  const run: CallerSession['run'] = async (statement) => {
    statements.add(statement.compile(compiler).sql)
    return []
  }
  const failure: unknown = await call({ run, write: (statement) => run(statement(null)) }).catch(
    (error: unknown) => error,
  )
  if (statements.size !== names.length) {
    throw new Error(
      `${names.join(', ')}: the call sent ${statements.size} statements, expected ${names.length}`,
      { cause: failure },
    )
  }
  return [...statements].map((text, index) => [names[index] as string, text])
}
