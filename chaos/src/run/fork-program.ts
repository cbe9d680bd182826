import { type ChildProcess, fork } from 'node:child_process'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { networkEnvironment } from '@queue/dev-postgres'

/** A program of the suite, and what its process is started with. */
export interface ForkedProgram {
  readonly program: URL
  /** Its only argument, as JSON. */
  readonly order: unknown
  readonly stderr: 'pipe' | 'inherit'
  /** What its environment has besides the PATH, the network's variables and the compile cache. */
  readonly env?: Readonly<Record<string, string>>
}

/** A row starts the same sources many times over. Compiled once, they load in half the time. */
const compileCache = path.join(tmpdir(), 'node-compile-cache')

/** Starts a TypeScript program as a process of its own, with a channel for messages. */
export function forkProgram({ program, order, stderr, env = {} }: ForkedProgram): ChildProcess {
  return fork(fileURLToPath(program), [JSON.stringify(order)], {
    execArgv: ['--conditions=@queue/source'],
    env: { PATH: process.env['PATH'], ...networkEnvironment(), NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['ignore', 'ignore', stderr, 'ipc'],
  })
}
