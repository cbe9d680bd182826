import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The variable that names the folder of the programs that the root test command has bundled. */
export const programsVariable = 'TEST_PROGRAMS_DIR'

/**
 * The file with which a test starts a program. It is the bundle that the root test command has made, which loads in a
 * quarter of the time, or `main` itself if there is no bundle, as in a plain run of jest.
 */
export function programFile(main: URL): string {
  const source = fileURLToPath(main)
  const directory = process.env[programsVariable] ?? ''
  if (directory === '') return source
  const root = path.resolve(import.meta.dirname, '..', '..', '..')
  const bundle = path.join(directory, path.relative(root, source).replace(/\.ts$/, '.js'))
  return existsSync(bundle) ? bundle : source
}
