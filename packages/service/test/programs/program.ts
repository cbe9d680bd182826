import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import {
  ConfigError,
  databaseVariables,
  ExitError,
  exitCodes,
  logVariables,
  type MainContext,
  runMain,
  waitForAbort,
} from '../../src/index.ts'

const config = z.object({ ...databaseVariables, ...logVariables })
type Context = MainContext<z.output<typeof config>, string>

/** The actions of the program, by its only argument. */
const behaviours: Readonly<Record<string, (context: Context) => Promise<0 | 1 | 2 | 3 | void>>> = {
  return: async (context) => context.logger.info('connecting', { url: context.config.DATABASE_URL }),
  'return-3': async () => exitCodes.schema,
  'exit-error': async () => {
    throw new ExitError(exitCodes.schema, 'run queue-migrate up')
  },
  throw: async () => {
    throw new Error('a bug')
  },
  'throw-later': async () => {
    setTimeout(() => {
      throw new Error('nobody catches this')
    }, 1)
    await sleep(60_000)
  },
  'reject-later': async () => {
    void Promise.reject(new Error('nobody awaits this'))
    await sleep(60_000)
  },
  drain: async ({ logger, signal }) => {
    const alive = setInterval(() => undefined, 1_000)
    logger.info('started')
    await waitForAbort(signal)
    clearInterval(alive)
    logger.info('drained')
  },
  'stopped-while-starting': async ({ logger, signal }) => {
    logger.info('started')
    await new Promise((_resolve, reject) => {
      setInterval(() => signal.aborted && reject(signal.reason as Error), 5)
    })
  },
  hang: async ({ logger, signal }) => {
    const hung = sleep(60_000)
    logger.info('started')
    await waitForAbort(signal)
    logger.info('draining')
    await hung
  },
}

await runMain(
  {
    name: 'queue-test',
    version: '1.2.3',
    description: 'A program for tests.',
    config,
    parseArguments: ([behaviour = '']) => {
      if (behaviour in behaviours) return behaviour
      throw new ConfigError([
        `${JSON.stringify(behaviour)} is no behaviour; accepted: ${Object.keys(behaviours).join(', ')}`,
      ])
    },
  },
  async (context) => behaviours[context.args]?.(context),
)
