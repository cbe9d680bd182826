import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Handler } from '@queue/executor'
import sharp from 'sharp'
import { attempt, cancelledAt, permanent, retried, plainOutcome } from './support/attempt.ts'
import { type HttpSink, type Respond, startHttpSink, status } from './support/http-sink.ts'
import { closeHandlers, openHandler } from './support/open-handler.ts'
import { credentials, type S3Sink, startS3Sink } from './support/s3-sink.ts'

let source: HttpSink
let store: S3Sink
let directory: string

beforeAll(async () => {
  source = await startHttpSink()
  store = await startS3Sink()
  directory = await mkdtemp(path.join(tmpdir(), 'queue-images-'))
})

afterEach(closeHandlers)

afterAll(async () => {
  await Promise.all([source.close(), store.close(), rm(directory, { recursive: true })])
})

const open = (images: object = {}): Promise<Handler> =>
  openHandler('resize_image', {
    images: { results: pathToFileURL(directory).href, ...images },
    outgoing: { allow: [`127.0.0.1:${source.port}`] },
  })

const asImage =
  (data: Buffer): Respond =>
  (response) =>
    void response.end(data)

type SourceFormat = 'jpeg' | 'png' | 'webp' | 'avif' | 'gif'

/** An image of 60 × 40 pixels, red on the left and blue on the right. */
function picture(format: SourceFormat, options: { readonly orientation?: number } = {}): Promise<Buffer> {
  const half = { width: 30, height: 40, channels: 3 as const, background: '#f00' }
  return sharp({ create: { ...half, width: 60, background: '#00f' } })
    .composite([{ input: { create: half }, left: 0, top: 0 }])
    .toFormat(format)
    .withMetadata(options)
    .toBuffer()
}

async function resize(handler: Handler, payload: object, options: Parameters<typeof attempt>[2] = {}) {
  return plainOutcome(
    await attempt(handler, { source_url: `${source.url}/a`, width: 30, height: 30, ...payload }, options),
  )
}

describe('an image', () => {
  const results = ['jpeg', 'png', 'webp', 'avif'] as const
  test.each(['jpeg', 'png', 'webp', 'avif', 'gif'] as const)(
    'of type %s is converted to each format, within its maximum size',
    async (format) => {
      source.answer(asImage(await picture(format)))
      const handler = await open()
      for (const requested of [undefined, ...results]) {
        const id = randomUUID()
        const expected = requested ?? (format === 'gif' ? 'png' : format)
        const outcome = await resize(handler, requested === undefined ? {} : { format: requested }, { id })
        const location = path.join(directory, `${id}.${expected}`)
        expect(outcome).toMatchObject({
          kind: 'succeeded',
          result: { location, format: expected, width: 30, height: 20 },
        })
        const stored = sharp(await readFile(location))
        expect(await stored.metadata()).toMatchObject({
          format: expected === 'avif' ? 'heif' : expected,
          width: 30,
          height: 20,
        })
        const [red, , blue] = await stored
          .extract({ left: 4, top: 4, width: 1, height: 1 })
          .removeAlpha()
          .raw()
          .toBuffer()
        expect([Number(red) > 200, Number(blue) < 60]).toEqual([true, true])
      }
    },
  )

  test('is never enlarged, is rotated by its EXIF orientation, and loses its metadata', async () => {
    source.answer(asImage(await picture('jpeg', { orientation: 6 })))
    const id = randomUUID()
    expect(await resize(await open(), { width: 10_000, height: 10_000 }, { id })).toMatchObject({
      result: { width: 40, height: 60 },
    })
    const { exif, orientation } = await sharp(await readFile(path.join(directory, `${id}.jpeg`))).metadata()
    expect([exif, orientation]).toEqual([undefined, undefined])
  })

  test('that cannot be decoded fails permanently: a decompression bomb, a truncated or empty file, another type', async () => {
    const image = await picture('png')
    const noise = Buffer.from(Array.from({ length: 300 * 300 * 3 }, (_, at) => (at * 7_919) % 256))
    const photo = await sharp(noise, { raw: { width: 300, height: 300, channels: 3 } })
      .jpeg()
      .toBuffer()
    const bomb = await sharp({
      create: { width: 12_000, height: 12_000, channels: 3, background: '#fff' },
      limitInputPixels: false,
    })
      .png({ compressionLevel: 9 })
      .toBuffer()
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="9" height="9"/></svg>'
    const faults: readonly (readonly [string, Buffer])[] = [
      ['exceeds pixel limit', bomb],
      ['', image.subarray(0, image.length - 40)],
      ['', photo.subarray(0, photo.length / 2)],
      ['unsupported image format', Buffer.from(svg)],
      ['unsupported image format', Buffer.from('<html>an error page</html>')],
      ['unsupported image format', Buffer.from('%PDF-1.7\n')],
      ['unsupported image format', await sharp(image).tiff().toBuffer()],
      ['', Buffer.alloc(0)],
    ]
    const handler = await open()
    for (const [reason, data] of faults) {
      source.answer(asImage(data))
      for (const format of [{}, { format: 'webp' }])
        expect(await resize(handler, format)).toEqual(permanent(expect.stringContaining(reason)))
    }
  })
})

describe('a source', () => {
  test.each<[number, Readonly<Record<string, string>>, unknown]>([
    [301, { location: '/b' }, permanent('the source answered 301: redirects are not followed')],
    [404, {}, permanent('the source answered 404')],
    [410, {}, permanent('the source answered 410')],
    [204, {}, permanent('the source answered 204')],
    [429, { 'retry-after': '3' }, { ...retried('the source answered 429'), retryAfterMs: 3_000 }],
    [500, {}, retried('the source answered 500')],
    [503, { 'retry-after': '9' }, { ...retried('the source answered 503'), retryAfterMs: 9_000 }],
  ])('that answers %i %j', async (code, headers, outcome) => {
    source.answer(status(code, headers))
    expect(await resize(await open(), {})).toEqual(outcome)
  })

  test('that is too large, endless, cut off, silent, or not public', async () => {
    const limited = await open({ sourceBytesMax: 100_000, timeoutMs: 2_000 })
    source.answer(asImage(Buffer.alloc(100_001)))
    expect(await resize(limited, {})).toEqual(permanent('the source has more than 100000 bytes'))
    source.answer((response) => {
      const fill = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
        response.once('drain', fill)
      }
      fill()
    })
    expect(await resize(limited, {})).toEqual(permanent('the source has more than 100000 bytes'))
    source.answer(
      (response) =>
        void response.writeHead(200, { 'content-length': '9' }).write('half', () => response.destroy()),
    )
    expect(await resize(limited, {})).toMatchObject({ kind: 'failed', permanent: false })
    source.answer(() => undefined)
    expect(await resize(limited, {})).toEqual(retried('fetching the source took longer than 2000 ms'))
    expect(await resize(await open(), {}, cancelledAt('fetch'))).toMatchObject({ kind: 'cancelled' })
    const strict = await openHandler('resize_image', {
      images: { results: pathToFileURL(directory).href },
      outgoing: { ports: [source.port] },
    })
    expect(await resize(strict, {})).toMatchObject({ kind: 'failed', permanent: true })
  })
})

describe('a result', () => {
  test('replaces that of an earlier attempt of its job, and leaves nothing else', async () => {
    const folder = await mkdtemp(path.join(directory, 'repeat-'))
    source.answer(asImage(await picture('png')))
    const handler = await open({ results: pathToFileURL(folder).href })
    const id = randomUUID()
    await resize(handler, { width: 50 }, { id })
    expect(await resize(handler, { width: 20 }, { id })).toMatchObject({ result: { width: 20 } })
    expect(await readdir(folder)).toEqual([`${id}.png`])
    expect((await sharp(await readFile(path.join(folder, `${id}.png`))).metadata()).width).toBe(20)
  })

  test('that cannot be stored is retried', async () => {
    source.answer(asImage(await picture('png')))
    const nowhere = await open({ results: pathToFileURL(path.join(directory, 'nowhere')).href })
    expect(await resize(nowhere, {})).toEqual(retried(expect.stringContaining('ENOENT')))
  })

  test('is sent to a bucket with a signed request, with the path and the media type', async () => {
    source.answer(asImage(await picture('png')))
    const id = randomUUID()
    const s3 = { s3Endpoint: store.url, ...credentials }
    const outcome = await resize(
      await open({ results: 's3://images/small/a%20b/', ...s3 }),
      { format: 'webp' },
      { id },
    )
    expect(outcome).toMatchObject({
      kind: 'succeeded',
      result: { location: `s3://images/small/a b/${id}.webp` },
    })
    const object = store.objects.get(`images/small/a b/${id}.webp`)
    expect(object?.type).toBe('image/webp')
    expect((await sharp(object?.data).metadata()).width).toBe(30)

    const stranger = await open({ results: 's3://images', ...s3, s3SecretAccessKey: 'another secret' })
    expect(await resize(stranger, {})).toMatchObject({ kind: 'failed', permanent: false })
    expect(store.objects.size).toBe(1)
    const unreachable = await open({ results: 's3://images', ...s3, s3Endpoint: 'http://127.0.0.1:1' })
    expect(await resize(unreachable, {})).toMatchObject({ kind: 'failed', permanent: false })
  })

  test('is aborted when the job is cancelled', async () => {
    const silent = await startHttpSink(() => undefined)
    source.answer(asImage(await picture('png')))
    const handler = await open({ results: 's3://images', s3Endpoint: silent.url, ...credentials })
    expect(await resize(handler, {}, cancelledAt('store'))).toMatchObject({ kind: 'cancelled' })
    await silent.close()
  })
})
