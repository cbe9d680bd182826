import path from 'node:path'
import { launchStack } from './stack/launch-stack.ts'
import { dataDirectory, findRunningStack, removeRunningStack, writeRunningStack } from './stack/pid-file.ts'
import { createStopSignal, untilAborted } from './stack/stop-signal.ts'

const help = `pnpm start: starts the API and a worker as two processes, with their own PostgreSQL.

  DATABASE_URL               use this server instead of the embedded one, whose data stays in .data/
  EXECUTOR                   simulated by default; real does the work
  All variables of API and worker apply as well: see docs/configuration.md. By default both listen on
  127.0.0.1.

Prints the line "ready <url> pid <pid>" when both processes are ready. Ctrl-C, "pnpm stop", or a SIGTERM to this pid or its
process group stops everything.
`

async function main(): Promise<number> {
  if (process.argv.includes('--help')) {
    process.stdout.write(help)
    return 0
  }
  const running = await findRunningStack()
  if (running !== undefined) {
    process.stderr.write(
      `a stack is already running at ${running.apiUrl}, pid ${running.pid}: stop it with "pnpm stop"\n`,
    )
    return 1
  }
  const signal = createStopSignal()
  const stack = await launchStack({
    directory: path.join(dataDirectory, 'start'),
    logs: 'output',
    env: {},
    signal,
    onStep: (step) => process.stdout.write(`${step} …\n`),
  })
  await writeRunningStack({ pid: process.pid, apiUrl: stack.apiUrl })
  process.stdout.write(`dashboard ${stack.apiUrl}/dashboard\nready ${stack.apiUrl} pid ${process.pid}\n`)
  const broken = await Promise.race([untilAborted(signal), stack.broken])
  if (broken !== undefined) process.stderr.write(`${broken} ended unexpectedly; stopping the rest\n`)
  await stack.stop()
  await removeRunningStack()
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
