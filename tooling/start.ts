import path from 'node:path'
import { launchStack } from './stack/launch-stack.ts'
import { dataDirectory, findRunningStack, forgetRunningStack, noteRunningStack } from './stack/pid-file.ts'
import { stopSignal, untilAborted } from './stack/stop-signal.ts'

const help = `pnpm start: API and worker as two processes, with a PostgreSQL of their own.

  DATABASE_URL               use this server instead of an embedded one, whose data stays in .data/
  EXECUTOR                   simulated, unless you set it to real
  All variables of API and worker apply as well: see docs/configuration.md. Both listen on
  127.0.0.1 unless they are told otherwise.

Prints one line, "ready <url> pid <pid>", once both processes have said that they are. A SIGTERM to that pid or to its process group,
Ctrl-C, or "pnpm stop" ends all of it.
`

async function main(): Promise<number> {
  if (process.argv.includes('--help')) {
    process.stdout.write(help)
    return 0
  }
  const running = await findRunningStack()
  if (running !== undefined) {
    process.stderr.write(
      `a stack runs already at ${running.apiUrl}, pid ${running.pid}: "pnpm stop" ends it\n`,
    )
    return 1
  }
  const signal = stopSignal()
  const stack = await launchStack({
    directory: path.join(dataDirectory, 'start'),
    logs: 'output',
    env: {},
    signal,
    onStep: (step) => process.stdout.write(`${step} …\n`),
  })
  await noteRunningStack({ pid: process.pid, apiUrl: stack.apiUrl })
  process.stdout.write(`dashboard ${stack.apiUrl}/dashboard\nready ${stack.apiUrl} pid ${process.pid}\n`)
  const broken = await Promise.race([untilAborted(signal), stack.broken])
  if (broken !== undefined) process.stderr.write(`${broken} has ended by itself; stopping the rest\n`)
  await stack.stop()
  await forgetRunningStack()
  return broken === undefined ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(
    `the stack could not be started: ${error instanceof Error ? error.message : String(error)}\n`,
  )
  process.exitCode = 1
}
