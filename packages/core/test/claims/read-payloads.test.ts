import { randomBytes } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { expireLease, makeDue } from '@queue/dev-postgres'
import { readPayloads } from '../../src/claims/read-payloads.ts'
import { recoverJobs } from '../../src/transitions/recover-jobs.ts'
import { claim, newWorker, probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { database } = world
const kib = 1_024

/** A payload that PostgreSQL cannot compress. */
const incompressible = (bytes: number) => ({ noise: randomBytes(bytes / 2).toString('hex') })
/** A payload that PostgreSQL compresses to one ninetieth. */
const compressible = (bytes: number) => ({ repeated: 'x'.repeat(bytes) })

async function enqueuePayloads(...payloads: readonly unknown[]): Promise<void> {
  await world.queue.enqueueMany(payloads.map((payload, index) => probe.create(payload, { priority: index })))
}

describe('a claim that carries payloads up to a size', () => {
  test('also claims jobs with larger payloads, without those payloads', async () => {
    const small = { small: true }
    const payloads = [
      small,
      incompressible(30 * kib),
      small,
      incompressible(300 * kib),
      incompressible(10 * kib),
    ]
    await enqueuePayloads(...payloads)
    const jobs = await claim(world, await newWorker(world), { payloadBytesMax: 20 * kib })
    expect(jobs.map(({ payload }) => payload)).toEqual([small, undefined, small, undefined, payloads[4]])
    const leases = jobs.map(({ lease }) => lease)
    const read = await readPayloads(database, leases)
    expect(read.map((one) => one?.payload)).toEqual(payloads)
    expect(read[1]?.length).toBeGreaterThan(30 * kib)
  })

  test('counts a compressed payload by its full size', async () => {
    const payloads = [compressible(90 * kib), compressible(110 * kib), compressible(1_000 * kib)]
    await enqueuePayloads(...payloads)
    const jobs = await claim(world, await newWorker(world), { payloadBytesMax: 100 * kib })
    expect(jobs.map(({ payload }) => payload)).toEqual([payloads[0], undefined, undefined])
  })

  test('carries documents that compress to a third or a fifth, up to about their full size', async () => {
    const document = { rows: Array.from({ length: 400 }, (_, n) => ({ id: n, name: `row ${n * 7_919}` })) }
    const bytes = JSON.stringify(document).length
    await enqueuePayloads(document)
    const [job] = await claim(world, await newWorker(world), { payloadBytesMax: 6 * bytes })
    expect(job?.payload).toEqual(document)
  })
})

describe('a payload that the claim left out', () => {
  test('is read by the holder of its lease alone, in the order of the leases', async () => {
    await enqueuePayloads(incompressible(10 * kib), incompressible(10 * kib))
    const first = await newWorker(world)
    const staleJobs = await claim(world, first, { payloadBytesMax: kib })
    await expireLease(world, first)
    await recoverJobs(database)
    await makeDue(world)
    const [holder] = await claim(world, await newWorker(world), { limit: 1, payloadBytesMax: kib })
    const leases = [...staleJobs.map(({ lease }) => lease), holder?.lease].flatMap((lease) => lease ?? [])
    const read = await readPayloads(database, leases)
    expect(read.map((one) => one !== undefined)).toEqual([false, false, true])
  })
})
