import { runTool, type StepResult } from './check-run/run-tool.ts'
import type { PlannedTask } from './planned-tasks.ts'

const compilerAlone = /\btsc -b tsconfig\.build\.json$/

/**
 * One checker, because each of several would work out the types of the libraries anew: of small packages, two side by
 * side take half the processor time of one with four checkers.
 */
const compilerOptions = ['--builders', '2', '--checkers', '1']

/**
 * Does the builds among `tasks`, and compiles the `projects` besides, with one process of the compiler: it reads each
 * package once, and writes none while another process reads it. Generators of sources and bundles come first, each by
 * its own script. All that can be built is, also where something else cannot.
 */
export async function buildPackages(
  directory: string,
  tasks: readonly PlannedTask[],
  projects: readonly string[] = [],
): Promise<StepResult> {
  const builds = tasks.filter(({ task }) => task === 'build')
  const generators = builds.filter(({ command }) => !compilerAlone.test(command))
  const compiled = builds.filter(({ command }) => compilerAlone.test(command))
  const configs = [...compiled.map((build) => `${build.directory}/tsconfig.build.json`), ...projects]
  const results: StepResult[] = []
  if (generators.length > 0) {
    const filters = generators.map((build) => `--filter=${build.package}`)
    const args = ['run', 'build', '--only', '--continue', '--ui=stream', '--output-logs=errors-only']
    results.push(await runTool({ directory, tool: 'turbo', args: [...args, ...filters] }))
  }
  if (configs.length > 0) {
    results.push(await runTool({ directory, tool: 'tsc', args: ['-b', ...compilerOptions, ...configs] }))
  }
  const failed = results.filter(({ passed }) => !passed)
  return { passed: failed.length === 0, output: failed.map(({ output }) => output).join('\n') }
}
