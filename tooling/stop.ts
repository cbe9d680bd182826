import { setTimeout as sleep } from 'node:timers/promises'
import { findRunningStack, removeRunningStack, isAlive } from './stack/pid-file.ts'

/** Longer than a graceful stop takes: the worker's grace time, its last writes, and the server's stop. */
const waitMsMax = 60_000
const pollEveryMs = 100

async function main(): Promise<number> {
  const running = await findRunningStack()
  if (running === undefined) {
    await removeRunningStack()
    process.stdout.write('no stack is running\n')
    return 0
  }
  process.kill(running.pid, 'SIGTERM')
  for (let waitedMs = 0; isAlive(running.pid); waitedMs += pollEveryMs) {
    if (waitedMs > waitMsMax) {
      process.stderr.write(
        `the stack with pid ${running.pid} has not stopped within ${waitMsMax / 1_000} s\n`,
      )
      return 1
    }
    await sleep(pollEveryMs)
  }
  process.stdout.write('stopped\n')
  return 0
}

process.exitCode = await main()
