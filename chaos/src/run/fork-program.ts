import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileCache, networkEnvironment, programFile } from '@queue/dev-postgres'
import { plantingOf, type SourceDefect } from '../mutants/source-defect.ts'

/** A program of the suite, and what its process is started with. */
export interface ForkedProgram {
  readonly program: URL
  /** Its only argument, as JSON; absent: it takes none. */
  readonly order?: unknown
  readonly stderr: 'pipe' | 'inherit'
  /** What its environment has besides the PATH, the network's variables and the compile cache. */
  readonly env?: Readonly<Record<string, string>>
  /** Planted in the sources of the product that it loads. */
  readonly defect?: SourceDefect | undefined
}

/** Starts a TypeScript program as a process of its own, with a channel for messages. */
export function forkProgram({ program, order, stderr, env = {}, defect }: ForkedProgram): ChildProcess {
  const planted = defect === undefined ? { execArgv: [], env: {} } : plantingOf(defect)
  // A defect is planted as its module is loaded.
  const file = defect === undefined ? programFile(program) : fileURLToPath(program)
  return fork(file, order === undefined ? [] : [JSON.stringify(order)], {
    execArgv: ['--conditions=@queue/source', ...planted.execArgv],
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
