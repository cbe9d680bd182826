import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { compileCache, programFile } from '@queue/test-database'
import { eventually } from '@queue/testing'

export type App = 'api' | 'worker' | 'migrate'

/** One of the three processes, run from its sources, without the environment of this process. */
export interface AppProcess {
  /** The log lines so far, parsed. */
  log(): readonly Readonly<Record<string, unknown>>[]
  /** Waits for the first log line with this message that contains this text. */
  logged(message: string, text?: string): Promise<Readonly<Record<string, unknown>>>
  signal(name: NodeJS.Signals): void
  readonly ended: Promise<number | null>
}

export function startApp(
  app: App,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): AppProcess {
  const main = programFile(new URL(`../../../apps/${app}/src/main.ts`, import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@queue/source', main, ...args], {
    env: { ...compileCache, EXECUTOR: 'simulated', LOG_FORMAT: 'json', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Kills a process that hangs.
    timeout: 240_000,
    killSignal: 'SIGKILL',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const lines = (): string[] =>
    output
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
  const parse = (line: string) => JSON.parse(line) as Readonly<Record<string, unknown>>
  return {
    log: () => lines().map(parse),
    logged: async (message, text = '') => {
      const line = await eventually(
        () =>
          lines().find(
            (candidate) => candidate.includes(JSON.stringify(message)) && candidate.includes(text),
          ),
        { what: () => `the log line "${message}" with "${text}" of ${app} (${output})` },
      )
      return parse(line)
    },
    signal: (name) => void child.kill(name),
    ended: once(child, 'close').then(([code]) => code as number | null),
  }
}
