/** `pnpm check`: all static checks of the repository. They take seconds. */
import path from 'node:path'
import { runTool, type StepResult } from './check-run/run-tool.ts'
import { checkPackages } from './packages/check-packages.ts'
import { findReleaseFaults } from './release/find-release-faults.ts'
import { checkRepository } from './repository/check-repository.ts'
import { readRepository } from './repository/repository-file.ts'

const root = path.resolve(import.meta.dirname, '..')

/** The `tsconfig.json` of each package, which also includes its tests. */
async function projects(): Promise<string[]> {
  const files = await readRepository(root)
  return files.map(({ name }) => name).filter((name) => name.endsWith('/tsconfig.json'))
}

const run = (tool: string, args: readonly string[]) => runTool({ directory: root, tool, args })

/**
 * turbo builds the packages. After that, one process compiles all tests. It reads each package only once, and it uses a single
 * checker, because each of several checkers would compute the types of the libraries again.
 */
async function checkTypes(): Promise<StepResult> {
  const built = await run('turbo', ['run', 'build', '--continue', '--ui=stream', '--output-logs=errors-only'])
  if (!built.passed) return built
  return run('tsc', ['-b', '--builders', '2', '--checkers', '1', ...(await projects())])
}

/** The order matters: the linter reads the types that the type check builds, and the packages contain the built files. */
const steps: Readonly<Record<string, () => Promise<StepResult>>> = {
  format: () => run('biome', ['format', '--max-diagnostics=50', '.']),
  types: checkTypes,
  lint: () => run('oxlint', ['--type-aware', '--deny-warnings']),
  boundaries: () => run('turbo', ['boundaries']),
  'dead code': () => run('knip', ['--no-config-hints']),
  packages: () => checkPackages(root),
  repository: async () => {
    const faults = [...(await checkRepository(root)), ...(await findReleaseFaults(root))]
    return { passed: faults.length === 0, output: faults.join('\n') }
  },
}

for (const [name, step] of Object.entries(steps)) {
  const started = performance.now()
  const { passed, output } = await step()
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(`${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(11)} ${seconds.padStart(5)} s\n`)
  if (passed) continue
  process.exitCode = 1
  process.stdout.write(`${output.trimEnd()}\n\n`)
}
