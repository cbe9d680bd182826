import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'

const repository = path.resolve(import.meta.dirname, '..', '..')

interface DryRun {
  readonly tasks: readonly { readonly task: string; readonly directory: string; readonly command: string }[]
}

/** The folders of the packages whose tests `turbo run test` would run with these arguments. */
export async function testedPackages(turboArguments: readonly string[]): Promise<string[]> {
  const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [turbo, 'run', 'test', '--dry=json', ...turboArguments],
    { cwd: repository, env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' }, maxBuffer: 64 * 1024 * 1024 },
  )
  const { tasks } = JSON.parse(stdout) as DryRun
  return tasks
    .filter(({ task, command }) => task === 'test' && command !== '<NONEXISTENT>')
    .map(({ directory }) => directory)
}
