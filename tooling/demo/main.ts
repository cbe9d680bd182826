import path from 'node:path'
import { launchStack, type Stack } from '../stack/launch-stack.ts'
import { dataDirectory } from '../stack/pid-file.ts'
import { createStopSignal, untilAborted } from '../stack/stop-signal.ts'
import { parseArguments } from './arguments.ts'
import { createProgressBar } from './progress-bar.ts'
import { planJobs } from './plan.ts'
import { type Sinks, startSinks } from './sinks/sinks.ts'
import { renderSummary } from './summary.ts'
import { submitAll } from './submit.ts'
import { followAll } from './follow.ts'
import { demoQueues, submitContinuously } from './live.ts'

/** Enough slots for the demo to finish in seconds. */
const demoConcurrency = '16'

async function main(): Promise<number> {
  const options = parseArguments(process.argv.slice(2))
  if ('text' in options) {
    const stream = options.exitCode === 0 ? process.stdout : process.stderr
    stream.write(options.text)
    return options.exitCode
  }
  const signal = createStopSignal()
  const directory = path.join(dataDirectory, 'demo')
  const sinks = options.work === 'real' ? await startSinks(directory) : undefined
  try {
    return await withStack({ directory, sinks, signal, stay: options.stay })
  } finally {
    await sinks?.close()
  }
}

interface DemoRun {
  readonly directory: string
  /** Undefined if the work is simulated. */
  readonly sinks: Sinks | undefined
  readonly signal: AbortSignal
  readonly stay: boolean
}

async function withStack(run: DemoRun): Promise<number> {
  const { directory, sinks, signal } = run
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
    return await runDemo(stack, run)
  } finally {
    await stack.stop()
  }
}

async function runDemo(stack: Stack, { sinks, signal, stay }: DemoRun): Promise<number> {
  const bar = createProgressBar(process.stdout)
  const plan = sinks?.plan ?? planJobs()
  const submitted = await submitAll({
    apiUrl: stack.apiUrl,
    plan,
    signal,
    onProgress: bar.show('submitting'),
  })
  const followResult = await followAll({
    apiUrl: stack.apiUrl,
    submitted,
    signal,
    onProgress: bar.show('running'),
  })
  bar.end()
  const report = await sinks?.report()
  process.stdout.write(renderSummary({ stack, submitted, followResult, sinks: report, stay }))
  const failures = [...submitted.failures, ...followResult.failures, ...(report?.failures ?? [])]
  for (const failure of failures) process.stderr.write(`FAILED: ${failure}\n`)
  if (stay && !signal.aborted) await runUntilStopped(stack, { sinks, signal })
  return failures.length === 0 ? 0 : 1
}

/** Runs until Ctrl-C. Simulated jobs are submitted continuously; there is no real work beyond the plan. */
async function runUntilStopped(
  stack: Stack,
  { sinks, signal }: Pick<DemoRun, 'sinks' | 'signal'>,
): Promise<void> {
  process.stdout.write('\nThe stack keeps running. Stop it with Ctrl-C.\n')
  const stackEnded = new AbortController()
  const liveOptions = { apiUrl: stack.apiUrl, signal: AbortSignal.any([signal, stackEnded.signal]) }
  const submitting = sinks === undefined ? submitContinuously(liveOptions) : Promise.resolve()
  const broken = await Promise.race([untilAborted(signal), stack.broken])
  stackEnded.abort()
  await submitting
  if (broken !== undefined) process.stderr.write(`${broken} ended unexpectedly\n`)
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`the demo failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
