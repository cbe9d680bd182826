import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { compileCache, programFile } from '@queue/test-database'

/** The messages of the program to its parent. */
export interface ProgramMessage {
  readonly type: 'started' | 'begun'
  readonly workerId: string
}

export interface EndedProgram {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
}

export interface RunningProgram {
  readonly process: ChildProcess
  /** Resolves with the first message of this type. */
  message(type: ProgramMessage['type']): Promise<ProgramMessage>
  /** Stops only the worker. The process ends when nothing keeps it alive. */
  stop(): void
  readonly ended: Promise<EndedProgram>
}

const program = programFile(new URL('worker-program.ts', import.meta.url))

export function startProgram(
  behaviour: string,
  databaseUrl: string,
  environment: NodeJS.ProcessEnv = {},
): RunningProgram {
  const child = fork(program, [behaviour], {
    env: { ...compileCache, DATABASE_URL: databaseUrl, ...environment },
    execArgv: ['--conditions=@queue/source'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let stderr = ''
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = once(child, 'close').then(([code, signal]) => {
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, stderr }
  })
  const messages = new Map<string, PromiseWithResolvers<ProgramMessage>>()
  const waiting = (type: string): PromiseWithResolvers<ProgramMessage> => {
    const pending = messages.get(type) ?? Promise.withResolvers<ProgramMessage>()
    messages.set(type, pending)
    return pending
  }
  child.on('message', (message: ProgramMessage) => waiting(message.type).resolve(message))
  return {
    process: child,
    message: (type) =>
      Promise.race([
        waiting(type).promise,
        ended.then((end) => {
          throw new Error(`the program ended before it was ${type}: ${JSON.stringify(end)}`)
        }),
      ]),
    stop: () => child.send('stop'),
    ended,
  }
}
