import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileCache, networkEnvironment, programFile } from '@queue/dev-postgres'
import { plantingOf, type SourceDefect } from '../mutants/source-defect.ts'

/** A program of the suite, and the options of its process. */
export interface ForkedProgram {
  readonly program: URL
  /** Its only argument, passed as JSON; absent: no argument. */
  readonly config?: unknown
  readonly stderr: 'pipe' | 'inherit'
  /** Environment variables in addition to PATH, those for the network and the compile cache. */
  readonly env?: Readonly<Record<string, string>>
  /** A defect to plant in the sources of the product that the process loads. */
  readonly defect?: SourceDefect | undefined
}

/** Starts a program, from its source or as it was built, in a process of its own, with a channel for messages. */
export function forkProgram({ program, config, stderr, env = {}, defect }: ForkedProgram): ChildProcess {
  const planted = defect === undefined ? { execArgv: [], env: {} } : plantingOf(defect)
  // A defect is planted when its module is loaded, so the bundled program cannot be used.
  const file = defect === undefined ? programFile(program) : fileURLToPath(program)
  return fork(file, config === undefined ? [] : [JSON.stringify(config)], {
    execArgv: [...(file.endsWith('.ts') ? ['--conditions=@queue/source'] : []), ...planted.execArgv],
    env: {
      PATH: process.env['PATH'],
      ...networkEnvironment(),
      ...compileCache,
      ...planted.env,
      ...env,
    },
    stdio: ['ignore', 'ignore', stderr, 'ipc'],
  })
}
