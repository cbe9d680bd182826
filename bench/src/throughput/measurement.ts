import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from '../contenders/contender.ts'

/** The measurements of a contender. */
export const measurements = ['enqueue', 'drain', 'latency'] as const
export type Measurement = (typeof measurements)[number]

/** A measurement to make. */
export interface MeasurementRequest {
  readonly measurement: Measurement
  readonly url: string
  /** The number of jobs. */
  readonly count: number
}

/** `perSecond` for enqueue and drain; milliseconds for latency. */
export type MeasurementResult = Readonly<Record<string, number>>

/** Runs the measured part of a measurement, without its preparation and warm-up. A caller may measure its costs this way. */
export type RunMeasured = <Result>(measured: () => Promise<Result>) => Promise<Result>

/** Makes one measurement in this process. */
export async function measure(
  contender: Contender,
  request: MeasurementRequest,
  runMeasured: RunMeasured = runPlain,
): Promise<MeasurementResult> {
  switch (request.measurement) {
    case 'enqueue':
      return measureEnqueue(contender, request, runMeasured)
    case 'drain':
      return measureDrain(contender, request, runMeasured)
    case 'latency':
      return measureLatency(contender, request, runMeasured)
  }
}

const runPlain: RunMeasured = (measured) => measured()

async function measureEnqueue(
  contender: Contender,
  { url, count }: MeasurementRequest,
  runMeasured: RunMeasured,
): Promise<MeasurementResult> {
  const producer = await contender.produce(url)
  await producer.addMany(count * warmUpShare)
  const perSecond = await runMeasured(async () => {
    const startedMs = performance.now()
    await producer.addMany(count)
    return count / ((performance.now() - startedMs) / 1_000)
  })
  await producer.close()
  return { perSecond }
}

/** The share of the work that each process does before the measurement, because V8 has not compiled the code before. */
const warmUpShare = 0.2

/** Measures the time from the first job's start to the last one's. All jobs are enqueued before the worker starts. */
async function measureDrain(
  contender: Contender,
  { url, count }: MeasurementRequest,
  runMeasured: RunMeasured,
): Promise<MeasurementResult> {
  await addJobs(contender, url, count * warmUpShare)
  await drain(contender, url, count * warmUpShare)
  await addJobs(contender, url, count)
  return { perSecond: await runMeasured(() => drain(contender, url, count)) }
}

async function addJobs(contender: Contender, url: string, count: number): Promise<void> {
  const producer = await contender.produce(url)
  await producer.addMany(count)
  await producer.close()
}

/** Runs the `count` waiting jobs. Resolves with the jobs per second. */
async function drain(contender: Contender, url: string, count: number): Promise<number> {
  const allStarted = Promise.withResolvers<void>()
  let started = 0
  let firstMs = 0
  let lastMs = 0
  const consumer = await contender.work(url, {
    tuning: 'throughput',
    onJob: () => {
      started += 1
      if (started === 1) firstMs = performance.now()
      if (started !== count) return
      lastMs = performance.now()
      allStarted.resolve()
    },
  })
  await allStarted.promise
  await consumer.stop()
  return (count - 1) / ((lastMs - firstMs) / 1_000)
}

/** Measures the time from the call that adds a job to the start of its handler, one job at a time on an idle queue. */
async function measureLatency(
  contender: Contender,
  { url, count }: MeasurementRequest,
  runMeasured: RunMeasured,
): Promise<MeasurementResult> {
  let onStart: () => void = () => undefined
  const consumer = await contender.work(url, { tuning: 'latency', onJob: () => onStart() })
  const producer = await contender.produce(url)
  const takeSamplesMs = async (samples: number): Promise<number[]> => {
    const samplesMs: number[] = []
    while (samplesMs.length < samples) {
      const startedMs = performance.now()
      const start = new Promise<void>((resolve) => {
        onStart = resolve
      })
      await Promise.all([start.then(() => samplesMs.push(performance.now() - startedMs)), producer.addOne()])
      await sleep(pauseMs)
    }
    return samplesMs
  }
  await takeSamplesMs(warmUpSamples)
  const samplesMs = await runMeasured(() => takeSamplesMs(count))
  await producer.close()
  await consumer.stop()
  const sorted = samplesMs.toSorted((a, b) => a - b)
  return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) }
}

/** Samples that are not counted, because they open connections and fill plan caches. */
const warmUpSamples = 20
/** The pause after each job, in milliseconds, so that the queue is idle at the next one. */
const pauseMs = 10

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}
