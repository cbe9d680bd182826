import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from '@swc/core'

export interface MeasuredFunction {
  readonly name: string
  readonly file: string
  readonly lines: number
}

/** The lines of a package that are written by hand in its `src` folder, and those of its committed SQL, which is generated. */
export interface MeasuredPackage {
  readonly name: string
  readonly lines: number
  readonly sqlLines: number
}

export interface MeasuredSource {
  readonly functions: { readonly median: number; readonly longest: readonly MeasuredFunction[] }
  readonly packages: readonly MeasuredPackage[]
  readonly internalExports: number
  readonly builderCalls: number
  readonly sqlTemplates: number
  readonly longSubjects: { readonly over72: number; readonly all: number }
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const exec = promisify(execFile)
const git = async (...args: string[]): Promise<string> =>
  (await exec('git', args, { cwd: root, maxBuffer: 1 << 26 })).stdout

/** Measures the source code. Commits after `since` are counted; by default all. */
export async function measureSource(since?: string): Promise<MeasuredSource> {
  const files = (await git('ls-files', 'packages/*/src/*.ts', 'apps/*/src/*.ts')).trim().split('\n')
  const production = files.filter((file) => !file.includes('/generated/') && !file.includes('/dashboard/'))
  const texts = await Promise.all(production.map((file) => readFile(path.join(root, file), 'utf8')))
  const functions = (
    await Promise.all(production.map((file, index) => functionsOf(file, texts[index] ?? '')))
  ).flat()
  const all = texts.join('\n')
  return {
    functions: summarize(functions),
    packages: await measurePackages(),
    internalExports: await countExports('packages/core/src/internal.ts'),
    builderCalls: countMatches(all, /\.(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(/g),
    sqlTemplates: countMatches(all, /\bsql(?:<[^`(]*>)?`/g),
    longSubjects: await countLongSubjects(since),
  }
}

function summarize(functions: readonly MeasuredFunction[]): MeasuredSource['functions'] {
  const bySize = functions.toSorted((a, b) => b.lines - a.lines)
  return { median: bySize[Math.floor(bySize.length / 2)]?.lines ?? 0, longest: bySize.slice(0, 5) }
}

interface Node {
  readonly type?: string
  readonly span?: { readonly start: number; readonly end: number }
  readonly identifier?: { readonly value?: string }
  readonly key?: { readonly value?: string }
  readonly id?: { readonly value?: string }
  readonly init?: Node
}

const functionTypes = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'MethodProperty',
  'Constructor',
])

/** Every function of a file, named after the variable or member to which it is assigned. */
async function functionsOf(file: string, text: string): Promise<MeasuredFunction[]> {
  const module = (await parse(text, { syntax: 'typescript', target: 'es2024' })) as unknown as Node
  const bytes = Buffer.from(text)
  const base = module.span?.start ?? 0
  const functions: MeasuredFunction[] = []
  const visit = (node: Node, name: string): void => {
    const functionName = node.identifier?.value ?? node.key?.value ?? node.id?.value ?? name
    if (node.type !== undefined && functionTypes.has(node.type) && node.span !== undefined) {
      const source = bytes.subarray(node.span.start - base, node.span.end - base).toString()
      functions.push({ name: functionName, file, lines: source.split('\n').length })
    }
    for (const child of Object.values(node)) {
      if (Array.isArray(child)) for (const element of child) visitAny(element, functionName)
      else visitAny(child, functionName)
    }
  }
  const visitAny = (value: unknown, name: string): void => {
    if (typeof value === 'object' && value !== null) visit(value, name)
  }
  visit(module, path.basename(file))
  return functions
}

/** Measures each package and app, as it is in the work tree or in a commit; the largest first. */
export async function measurePackages(commit?: string): Promise<readonly MeasuredPackage[]> {
  const written = await countByPackage(commit, 'src', ['ts', 'tsx', 'css'])
  const sql = await countByPackage(commit, 'sql', ['sql'])
  return [...written]
    .map(([name, lines]) => ({ name, lines, sqlLines: sql.get(name) ?? 0 }))
    .toSorted((a, b) => b.lines - a.lines)
}

/** The number of lines in a folder of each package, without files that are generated in a folder of that name. */
async function countByPackage(
  commit: string | undefined,
  folder: string,
  extensions: readonly string[],
): Promise<Map<string, number>> {
  const paths = extensions.flatMap((extension) => [
    `packages/*/${folder}/*.${extension}`,
    `apps/*/${folder}/*.${extension}`,
  ])
  const revision = commit === undefined ? [] : [commit]
  const counted = await git('grep', '--count', '-e', '', ...revision, '--', ...paths, ':!**/generated/**')
  const sizes = new Map<string, number>()
  for (const [, name = '', lines] of counted.matchAll(
    /^(?:[^:\n]+:)?((?:packages|apps)\/[^/]+)\/.*:(\d+)$/gm,
  )) {
    sizes.set(name, (sizes.get(name) ?? 0) + Number(lines))
  }
  return sizes
}

/** The number of names, including types, that a file with only `export { … } from` statements exports. */
async function countExports(file: string): Promise<number> {
  const module = await parse(await readFile(path.join(root, file), 'utf8'), { syntax: 'typescript' })
  return module.body.reduce(
    (sum, item) => sum + (item.type === 'ExportNamedDeclaration' ? item.specifiers.length : 0),
    0,
  )
}

function countMatches(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length
}

async function countLongSubjects(since: string | undefined): Promise<MeasuredSource['longSubjects']> {
  const range = since === undefined ? 'HEAD' : `${since}..HEAD`
  const subjects = (await git('log', '--format=%s', range)).split('\n').filter((line) => line !== '')
  return { over72: subjects.filter((subject) => subject.length > 72).length, all: subjects.length }
}
