import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/** One way in which an application resolves our packages when it is compiled. */
export interface Resolution {
  readonly module: 'commonjs' | 'node16' | 'nodenext' | 'esnext'
  readonly moduleResolution: 'node10' | 'node16' | 'nodenext' | 'bundler'
  /** The extension of the application's files: `.mts` is an ES module, `.cts` is CommonJS. */
  readonly extension: '.mts' | '.cts'
}

/**
 * Every way that TypeScript has. Two are not among them: TypeScript 7 has no `node10`, and the `node16` of CommonJS refuses every ES
 * module, which Node could not `require` then.
 */
export const resolutions: readonly [Resolution, ...Resolution[]] = [
  { module: 'commonjs', moduleResolution: 'node10', extension: '.cts' },
  { module: 'node16', moduleResolution: 'node16', extension: '.mts' },
  { module: 'nodenext', moduleResolution: 'nodenext', extension: '.mts' },
  { module: 'nodenext', moduleResolution: 'nodenext', extension: '.cts' },
  { module: 'esnext', moduleResolution: 'bundler', extension: '.mts' },
]

/** The entries of an installed package, as its manifest lists them. */
export async function entriesOf(project: string, name: string): Promise<string[]> {
  const manifest = JSON.parse(
    await readFile(path.join(project, 'node_modules', name, 'package.json'), 'utf8'),
  ) as { readonly exports?: Readonly<Record<string, unknown>> }
  return Object.keys(manifest.exports ?? {}).map((entry) => path.posix.join(name, entry))
}

/** Compiles a program that imports these entries. Resolves with the errors of the compiler, empty if there are none. */
export async function compileImports(
  project: string,
  compiler: string,
  { resolution, entries }: { readonly resolution: Resolution; readonly entries: readonly string[] },
): Promise<string> {
  const { module, moduleResolution, extension } = resolution
  const name = `imports-${moduleResolution}`
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}'`)
  const uses = entries.map((_entry, index) => `void entry${index}`)
  await writeFile(path.join(project, `${name}${extension}`), [...imports, ...uses, ''].join('\n'))
  const compilerOptions = {
    module,
    moduleResolution,
    strict: true,
    target: 'es2023',
    types: ['node'],
    noEmit: true,
    ...(moduleResolution === 'node10' ? { esModuleInterop: true } : {}),
  }
  const config = path.join(project, `${name}${extension}.json`)
  await writeFile(config, JSON.stringify({ compilerOptions, files: [`${name}${extension}`] }))
  const compiled = promisify(execFile)(process.execPath, [compiler, '--pretty', 'false', '-p', config])
  return compiled.then(
    ({ stdout }) => stdout,
    (error: Error & { readonly stdout?: string }) => error.stdout ?? error.message,
  )
}
