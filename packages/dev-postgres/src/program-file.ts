import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Names the folder of the programs that the root test command has bundled from their sources. */
export const programsVariable = 'TEST_PROGRAMS_DIR'

const root = path.resolve(import.meta.dirname, '..', '..', '..')

/**
 * The file by which a test starts a program: the bundle of its sources that the root test command has made, which loads
 * in a quarter of the time, or `main` itself where there is none, as in a run of jest alone.
 */
export function programFile(main: URL): string {
  const source = fileURLToPath(main)
  const directory = process.env[programsVariable] ?? ''
  if (directory === '') return source
  const bundle = path.join(directory, path.relative(root, source).replace(/\.ts$/, '.js'))
  return existsSync(bundle) ? bundle : source
}
