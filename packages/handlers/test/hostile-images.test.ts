import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Handler } from '@queue/executor'
import sharp from 'sharp'
import { attempt, cancelledAt, permanent, plainOutcome, retried } from './support/attempt.ts'
import { type HttpSink, startHttpSink } from './support/http-sink.ts'
import { closeHandlers, openHandler } from './support/open-handler.ts'

let source: HttpSink
let directory: string

/** 50 million pixels of one colour: some kilobytes, and as AVIF the work of many seconds and of a gigabyte. */
const [width, height] = [10_000, 4_999]

beforeAll(async () => {
  const create = { width, height, channels: 3 as const, background: '#77a' }
  const hostile = await sharp({ create }).png({ compressionLevel: 9, palette: true }).toBuffer()
  const small = await sharp({ create: { ...create, width: 60, height: 40 } })
    .png()
    .toBuffer()
  source = await startHttpSink(
    (response, request) => void response.end(request.path === '/hostile' ? hostile : small),
  )
  directory = await mkdtemp(path.join(tmpdir(), 'queue-hostile-images-'))
})

afterEach(closeHandlers)

afterAll(async () => {
  await Promise.all([source.close(), rm(directory, { recursive: true })])
})

const open = (images: object): Promise<Handler> =>
  openHandler('resize_image', {
    images: { results: pathToFileURL(directory).href, ...images },
    outgoing: { allow: [`127.0.0.1:${source.port}`] },
  })

const resize = async (handler: Handler, name: string, options: Parameters<typeof attempt>[2] = {}) =>
  plainOutcome(
    await attempt(handler, { source_url: `${source.url}/${name}`, width, height, format: 'avif' }, options),
  )

describe('a picture made to exhaust the worker', () => {
  test('is given up at the timeout, and its neighbours are resized', async () => {
    const timeoutMs = 2_000
    const handler = await open({ timeoutMs, memoryBytesMax: 4_096 * 1_048_576 })
    const outcomes = await Promise.all(['hostile', 'small', 'small'].map((name) => resize(handler, name)))
    const late = retried(`resizing the image took longer than ${timeoutMs} ms`)
    const good = expect.objectContaining({ kind: 'succeeded' })
    expect(outcomes).toEqual([late, good, good])
  })

  test('fails permanently where it needs more memory than there is, which the worker never holds', async () => {
    const memoryBytesMax = 160 * 1_048_576
    const handler = await open({ memoryBytesMax, timeoutMs: 200_000 })
    const before = process.memoryUsage.rss()
    const outcome = await resize(handler, 'hostile')
    expect(outcome).toEqual(permanent(`resizing the image needs more than ${memoryBytesMax} bytes of memory`))
    expect(process.memoryUsage.rss() - before).toBeLessThan(memoryBytesMax / 2)
    expect(await resize(handler, 'small')).toMatchObject({ kind: 'succeeded' })
  })

  test('is given up at once when its job is cancelled', async () => {
    const handler = await open({ timeoutMs: 120_000, memoryBytesMax: 4_096 * 1_048_576 })
    const outcome = await resize(handler, 'hostile', cancelledAt('resize'))
    expect(outcome).toMatchObject({ kind: 'cancelled' })
  })
})
