import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'

const repository = path.resolve(import.meta.dirname, '..')

/** A package's script that turbo would run. */
export interface PlannedTask {
  readonly task: string
  readonly package: string
  /** The package's folder, from the root of the repository. */
  readonly directory: string
  readonly command: string
  /** Names its result in the cache. */
  readonly hash: string
}

/** The tasks that `turbo run` would run with these arguments: those of the chosen packages, and all that they depend on. */
export async function plannedTasks(turboArguments: readonly string[]): Promise<PlannedTask[]> {
  const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [turbo, 'run', ...turboArguments, '--dry=json'],
    { cwd: repository, env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' }, maxBuffer: 64 * 1024 * 1024 },
  )
  const { tasks } = JSON.parse(stdout) as { readonly tasks: readonly PlannedTask[] }
  return tasks.filter(({ command }) => command !== '<NONEXISTENT>')
}
