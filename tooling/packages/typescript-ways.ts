import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/** One way in which an application is compiled and finds our packages. */
export interface Way {
  readonly system: 'ES modules' | 'CommonJS'
  readonly moduleResolution: 'node10' | 'node16' | 'nodenext' | 'bundler'
}

/** Every way, whether each compiler has it or not. */
export const ways: readonly Way[] = (['node10', 'node16', 'nodenext', 'bundler'] as const).flatMap(
  (moduleResolution) => (['ES modules', 'CommonJS'] as const).map((system) => ({ system, moduleResolution })),
)

/** A way that a compiler does not have: its error, and the reason. */
export interface Refusal {
  readonly error: string
  readonly reason: string
}

/** Why this version of TypeScript cannot compile an application in this way; undefined if it can. */
export function refusalOf({ system, moduleResolution }: Way, version: string): Refusal | undefined {
  const isOld = Number.parseInt(version, 10) < 6
  if (moduleResolution === 'node10' && !isOld)
    return { error: 'TS5108', reason: 'TypeScript 7 has removed node10' }
  if (moduleResolution === 'node16' && system === 'CommonJS')
    return { error: 'TS1479', reason: 'the node16 of the compiler refuses to require an ES module' }
  if (moduleResolution === 'bundler' && system === 'CommonJS' && isOld)
    return { error: 'TS5095', reason: 'TypeScript 5.9 has bundler only for modules that stay ES modules' }
  return undefined
}

/** The entries of an installed package, as its manifest lists them. */
export async function entriesOf(project: string, name: string): Promise<string[]> {
  const manifest = JSON.parse(
    await readFile(path.join(project, 'node_modules', name, 'package.json'), 'utf8'),
  ) as { readonly exports?: Readonly<Record<string, unknown>> }
  return Object.keys(manifest.exports ?? {}).map((entry) => path.posix.join(name, entry))
}

/** The file of a thread cannot be imported, because it needs what the thread's starter passes to it. */
const isThread = (entry: string): boolean => entry.endsWith('-thread')

/** A module that imports every entry. It prints the names that each exports. Of a thread it imports the types. */
export function entriesModule(entries: readonly string[]): string {
  const imports = entries.map(
    (entry, index) => `import ${isThread(entry) ? 'type ' : ''}* as entry${index} from '${entry}'`,
  )
  const members = entries.flatMap((entry, index) =>
    isThread(entry) ? [] : [`  '${entry}': namesOf(entry${index}),`],
  )
  return [
    ...imports,
    // What a compiler or Node adds for CommonJS is no export of ours.
    "const added = ['default', '__esModule', 'module.exports']",
    'const namesOf = (entry: object) => Object.keys(entry).filter((name) => !added.includes(name)).sort()',
    'console.log(JSON.stringify({',
    ...members,
    '}))',
    'export {}',
    '',
  ].join('\n')
}

export interface Application {
  /** A folder inside of the project in which the packages are installed. */
  readonly folder: string
  readonly way: Way
  /** The text of each TypeScript file, by its name. */
  readonly files: Readonly<Record<string, string>>
}

/** Compiles an application, each file beside its source. Resolves with the errors of the compiler, empty if there are none. */
export async function compileApplication(
  { folder, way, files }: Application,
  compiler: string,
): Promise<string> {
  const { system, moduleResolution } = way
  const type = system === 'CommonJS' ? 'commonjs' : 'module'
  const compilerOptions = {
    module: moduleOf(way),
    moduleResolution,
    strict: true,
    target: 'es2024',
    types: ['node'],
    esModuleInterop: true,
  }
  await mkdir(folder, { recursive: true })
  const config = JSON.stringify({ compilerOptions, files: Object.keys(files) })
  const all = { ...files, 'tsconfig.json': config, 'package.json': JSON.stringify({ private: true, type }) }
  for (const [name, text] of Object.entries(all)) await writeFile(path.join(folder, name), text)
  const compiled = promisify(execFile)(process.execPath, [compiler, '--pretty', 'false', '-p', folder])
  return compiled.then(
    ({ stdout }) => stdout,
    (error: Error & { readonly stdout?: string }) => error.stdout ?? error.message,
  )
}

function moduleOf({ system, moduleResolution }: Way): string {
  if (moduleResolution === 'node16' || moduleResolution === 'nodenext') return moduleResolution
  return system === 'CommonJS' ? 'commonjs' : 'esnext'
}
