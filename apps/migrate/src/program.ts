import { createProgram, type Invocation, readCommandLine } from '@queue/commands'
import { type Answer, environmentHelp, readVersion } from '@queue/service'
import type { Surroundings } from './command.ts'
import { commands } from './commands/index.ts'
import { migrateConfig } from './config.ts'

export const commandLine = createProgram({
  name: 'queue-migrate',
  summary: "create the queue's tables in a PostgreSQL database, and bring them up to this release",
  commands,
  globalOptions: {},
  defaultCommand: 'up',
  elsewhere: { keys: 'queue', kinds: 'queue' },
  appendix: () => environmentHelp(migrateConfig),
})

export type MigrateInvocation = Invocation<Surroundings, typeof commandLine.globalOptions>

const version = readVersion(new URL('../package.json', import.meta.url))
const read = (argv: readonly string[]) => readCommandLine(commandLine, { argv, version })

/** The name, version, settings and command line. Standard output is for results, so the log goes to standard error. */
export const program = {
  name: commandLine.name,
  version,
  description: commandLine.summary,
  config: migrateConfig,
  answer(argv: readonly string[]): Answer | undefined {
    const answer = read(argv)
    return answer.kind === 'answer' ? answer : undefined
  },
  parseArguments(argv: readonly string[]): MigrateInvocation {
    const invocation = read(argv)
    if (invocation.kind === 'run') return invocation
    throw new Error('this command line has been answered')
  },
  logStream: process.stderr,
}
