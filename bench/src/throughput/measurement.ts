import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from '../contenders/contender.ts'

/** What can be measured of one contender, alone in its process. */
export const measurements = ['enqueue', 'drain', 'latency'] as const
export type Measurement = (typeof measurements)[number]

/** The order of one measurement. */
export interface MeasurementOrder {
  readonly measurement: Measurement
  readonly url: string
  /** Jobs. */
  readonly count: number
}

/** `perSecond` for enqueue and drain; milliseconds for latency. */
export type MeasurementResult = Readonly<Record<string, number>>

/** Runs the part that is measured, warm-up and preparation left out, and whatever else is to be known of it. */
export type Around = <Result>(measured: () => Promise<Result>) => Promise<Result>

/** Makes one measurement in this process. */
export async function measure(
  contender: Contender,
  order: MeasurementOrder,
  around: Around = runOnly,
): Promise<MeasurementResult> {
  switch (order.measurement) {
    case 'enqueue':
      return measureEnqueue(contender, order, around)
    case 'drain':
      return measureDrain(contender, order, around)
    case 'latency':
      return measureLatency(contender, order, around)
  }
}

const runOnly: Around = (measured) => measured()

async function measureEnqueue(
  contender: Contender,
  { url, count }: MeasurementOrder,
  around: Around,
): Promise<MeasurementResult> {
  const producer = await contender.produce(url)
  await producer.addMany(count * warmUpShare)
  const perSecond = await around(async () => {
    const startedMs = performance.now()
    await producer.addMany(count)
    return count / ((performance.now() - startedMs) / 1_000)
  })
  await producer.close()
  return { perSecond }
}

/** What V8 has not compiled yet says little of a process that works for days, so each process does a part beforehand. */
const warmUpShare = 0.2

/** From the first job's start to the last one's, with all jobs there before the worker is. */
async function measureDrain(
  contender: Contender,
  { url, count }: MeasurementOrder,
  around: Around,
): Promise<MeasurementResult> {
  await addJobs(contender, url, count * warmUpShare)
  await drain(contender, url, count * warmUpShare)
  await addJobs(contender, url, count)
  return { perSecond: await around(() => drain(contender, url, count)) }
}

async function addJobs(contender: Contender, url: string, count: number): Promise<void> {
  const producer = await contender.produce(url)
  await producer.addMany(count)
  await producer.close()
}

/** Jobs per second, of which `count` are there. */
async function drain(contender: Contender, url: string, count: number): Promise<number> {
  const done = Promise.withResolvers<void>()
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
      done.resolve()
    },
  })
  await done.promise
  await consumer.stop()
  return (count - 1) / ((lastMs - firstMs) / 1_000)
}

/** From the call that adds a job to the start of its handler, one job at a time on an idle queue. */
async function measureLatency(
  contender: Contender,
  { url, count }: MeasurementOrder,
  around: Around,
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
  const samplesMs = await around(() => takeSamplesMs(count))
  await producer.close()
  await consumer.stop()
  const sorted = samplesMs.toSorted((a, b) => a - b)
  return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) }
}

/** Connections are made and plans are cached before anything counts. */
const warmUpSamples = 20
/** Long enough that each job meets an idle queue. */
const pauseMs = 10

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}
