import { contenders } from '../contenders/index.ts'
import { rawSql } from '../contenders/raw-sql.ts'
import type { Contender } from '../contenders/contender.ts'

/** What can be measured of one contender, alone in its process. */
export const measurements = ['enqueue', 'drain', 'latency'] as const
export type Measurement = (typeof measurements)[number]

/** The order of one measurement, as it travels to the process that makes it. */
export interface MeasurementOrder {
  readonly measurement: Measurement
  readonly contender: string
  readonly url: string
  /** Jobs. */
  readonly count: number
}

/** `perSecond` for enqueue and drain; milliseconds for latency. */
export type MeasurementResult = Readonly<Record<string, number>>

/** Makes one measurement in this process. */
export async function measure(order: MeasurementOrder): Promise<MeasurementResult> {
  const contender = [...contenders, rawSql].find(({ name }) => name === order.contender)
  if (contender === undefined) throw new Error(`there is no contender ${order.contender}`)
  switch (order.measurement) {
    case 'enqueue':
      return measureEnqueue(contender, order)
    case 'drain':
      return measureDrain(contender, order)
    case 'latency':
      return measureLatency(contender, order)
  }
}

async function measureEnqueue(
  contender: Contender,
  { url, count }: MeasurementOrder,
): Promise<MeasurementResult> {
  const producer = await contender.produce(url)
  await producer.addMany(count * warmUpShare)
  const startedMs = performance.now()
  await producer.addMany(count)
  const seconds = (performance.now() - startedMs) / 1_000
  await producer.close()
  return { perSecond: count / seconds }
}

/** What V8 has not compiled yet says little of a process that works for days, so each process does a part beforehand. */
const warmUpShare = 0.2

/** From the first job's start to the last one's, with all jobs there before the worker is. */
async function measureDrain(
  contender: Contender,
  { url, count }: MeasurementOrder,
): Promise<MeasurementResult> {
  await drain(contender, url, count * warmUpShare)
  return { perSecond: await drain(contender, url, count) }
}

/** Jobs per second. */
async function drain(contender: Contender, url: string, count: number): Promise<number> {
  const producer = await contender.produce(url)
  await producer.addMany(count)
  await producer.close()
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
): Promise<MeasurementResult> {
  let onStart: () => void = () => undefined
  const consumer = await contender.work(url, { tuning: 'latency', onJob: () => onStart() })
  const producer = await contender.produce(url)
  const samplesMs: number[] = []
  for (let sample = -warmUpSamples; sample < count; sample += 1) {
    const startedMs = performance.now()
    const start = new Promise<void>((resolve) => {
      onStart = resolve
    })
    await Promise.all([
      start.then(() => sample >= 0 && samplesMs.push(performance.now() - startedMs)),
      producer.addOne(),
    ])
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
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
