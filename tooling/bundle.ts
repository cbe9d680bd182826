/**
 * Writes the JavaScript of the package in the current folder to `dist`, after the compiler has written its types there. Each entry
 * becomes one file in `dist`, with chunks that entries share: a process that loads a file for each module needs twice the time and
 * memory. Packages stay apart, because a process must have each of them once, and a bundler of the user sees their names.
 *
 * The entries are the package's exports and programs, and the sources named on the command line: `node bundle.ts src/thread.ts`.
 */
import { readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { type Plugin, rolldown } from 'rolldown'

interface Manifest {
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<
    Record<string, string | { readonly default: string; readonly '@queue/source'?: string }>
  >
}

/** The source of each entry, by the name of its file in `dist`, without an extension. */
type Entries = Readonly<Record<string, string>>

function entriesOf({ bin = {}, exports = {} }: Manifest, others: readonly string[]): Entries {
  const exported = Object.values(exports).flatMap((target) =>
    typeof target === 'string' || target['@queue/source'] === undefined
      ? []
      : [[nameOf(target.default), target['@queue/source']]],
  )
  const programs = Object.values(bin).map((file) => [nameOf(file), `src/${nameOf(file)}.ts`])
  const named = others.map((source) => [path.basename(source, '.ts'), source])
  return Object.fromEntries([...exported, ...programs, ...named])
}

/**
 * V8 keeps a file in memory with one byte for each character, or with two if a single one is beyond Latin-1. An ellipsis in a
 * message would double a file of half a megabyte.
 */
const oneByteCharacters: Plugin = {
  name: 'one-byte-characters',
  // The printer that runs behind `renderChunk` would undo it in texts.
  generateBundle: (_, files) => {
    for (const file of Object.values(files)) {
      if (file.type === 'chunk') file.code = file.code.replace(/[\u0100-\uFFFF]/g, escapeOf)
    }
  },
}

/** The escape of a UTF-16 unit, as it can stand in a text, in a template and in a regular expression. */
const escapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

const nameOf = (file: string): string => path.posix.relative('dist', file).replace(/\.js$/, '')

/** Files of the user's packages, of Node and of other packages are loaded by their names. */
const isOfAnotherPackage = (id: string): boolean => !id.startsWith('.') && !path.isAbsolute(id)

async function bundle(folder: string, others: readonly string[]): Promise<void> {
  const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest
  const dist = path.join(folder, 'dist')
  const build = await rolldown({
    cwd: folder,
    input: entriesOf(manifest, others),
    external: isOfAnotherPackage,
    plugins: [oneByteCharacters],
    platform: 'node',
    transform: { target: 'es2023' },
    logLevel: 'warn',
  })
  await removeScripts(dist)
  try {
    await build.write({
      dir: dist,
      // Chunks lie beside the entries: a module that starts a thread looks for its file in its own folder.
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      comments: { annotation: true, legal: true, jsdoc: false },
      sourcemap: true,
      // The package contains its sources.
      sourcemapExcludeSources: true,
    })
  } finally {
    await build.close()
  }
}

async function removeScripts(dist: string): Promise<void> {
  const files = await readdir(dist, { recursive: true })
  const scripts = files.filter((file) => /\.js(?:\.map)?$/.test(file))
  await Promise.all(scripts.map((file) => rm(path.join(dist, file))))
}

await bundle(process.cwd(), process.argv.slice(2))
