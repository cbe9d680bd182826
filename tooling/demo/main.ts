import path from 'node:path'
import { launchStack, type Stack } from '../stack/launch-stack.ts'
import { dataDirectory } from '../stack/pid-file.ts'
import { stopSignal, untilAborted } from '../stack/stop-signal.ts'
import { parseArguments } from './arguments.ts'
import { createProgressBar } from './progress-bar.ts'
import { planJobs } from './plan.ts'
import { type Sinks, startSinks } from './sinks/sinks.ts'
import { renderSummary } from './summary.ts'
import { submitAll } from './submit.ts'
import { followAll } from './follow.ts'
import { demoQueues, keepAlive } from './live.ts'

/** Enough slots that the demo is over in seconds. */
const demoConcurrency = '16'

async function main(): Promise<number> {
  const options = parseArguments(process.argv.slice(2))
  if ('text' in options) {
    const stream = options.exitCode === 0 ? process.stdout : process.stderr
    stream.write(options.text)
    return options.exitCode
  }
  const signal = stopSignal()
  const directory = path.join(dataDirectory, 'demo')
  const sinks = options.work === 'real' ? await startSinks(directory) : undefined
  try {
    return await withStack({ directory, sinks, signal, stay: options.stay })
  } finally {
    await sinks?.close()
  }
}

interface Demo {
  readonly directory: string
  /** Undefined where the work is simulated. */
  readonly sinks: Sinks | undefined
  readonly signal: AbortSignal
  readonly stay: boolean
}

async function withStack(demo: Demo): Promise<number> {
  const { directory, sinks, signal } = demo
  const stack = await launchStack({
    directory,
    logs: 'files',
    env: {
      EXECUTOR: 'simulated',
      ...sinks?.env,
      API_BIND_ADDR: process.env['API_BIND_ADDR'] ?? '127.0.0.1:0',
      API_OPS_BIND_ADDR: process.env['API_OPS_BIND_ADDR'] ?? '127.0.0.1:0',
      WORKER_METRICS_BIND_ADDR: process.env['WORKER_METRICS_BIND_ADDR'] ?? '127.0.0.1:0',
      WORKER_QUEUES: process.env['WORKER_QUEUES'] ?? demoQueues.join(','),
      WORKER_CONCURRENCY: process.env['WORKER_CONCURRENCY'] ?? demoConcurrency,
    },
    onStep: (step) => process.stdout.write(`${step} …\n`),
    signal,
  })
  try {
    return await runDemo(stack, demo)
  } finally {
    await stack.stop()
  }
}

async function runDemo(stack: Stack, { sinks, signal, stay }: Demo): Promise<number> {
  const bar = createProgressBar(process.stdout)
  const plan = sinks?.plan ?? planJobs()
  const submitted = await submitAll({
    apiUrl: stack.apiUrl,
    plan,
    signal,
    onProgress: bar.show('submitting'),
  })
  const followed = await followAll({
    apiUrl: stack.apiUrl,
    submitted,
    signal,
    onProgress: bar.show('running'),
  })
  bar.end()
  const report = await sinks?.report()
  process.stdout.write(renderSummary({ stack, submitted, followed, sinks: report, stay }))
  const failures = [...submitted.refusals, ...followed.failures, ...(report?.faults ?? [])]
  for (const failure of failures) process.stderr.write(`WRONG: ${failure}\n`)
  if (stay && !signal.aborted) await stayUp(stack, { sinks, signal })
  return failures.length === 0 ? 0 : 1
}

/** Until Ctrl-C. Real work stays with the servers of the demo: beyond its plan there is none. */
async function stayUp(stack: Stack, { sinks, signal }: Pick<Demo, 'sinks' | 'signal'>): Promise<void> {
  process.stdout.write('\nThe stack stays up. Ctrl-C ends it.\n')
  const ending = new AbortController()
  const life = { apiUrl: stack.apiUrl, signal: AbortSignal.any([signal, ending.signal]) }
  const living = sinks === undefined ? keepAlive(life) : Promise.resolve()
  const broken = await Promise.race([untilAborted(signal), stack.broken])
  ending.abort()
  await living
  if (broken !== undefined) process.stderr.write(`${broken} has ended by itself\n`)
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`the demo failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
