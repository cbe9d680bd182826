/** Resizes many images of 20 megapixels, four at a time, and prints the memory of the process after each tenth of them. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { attempt } from '../support/attempt.ts'
import { startHttpSink } from '../support/http-sink.ts'
import { openHandler } from '../support/open-handler.ts'

const total = Number(process.argv[2])
const concurrency = 4
const [width, height] = [5_472, 3_648]

/** A photo has noise everywhere; a blank image would be a few kilobytes. */
async function photo(): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 30 }
  return sharp({ create: { width, height, channels: 3, background: '#777', noise } })
    .jpeg({ quality: 70 })
    .toBuffer()
}

const directory = await mkdtemp(path.join(tmpdir(), 'queue-many-images-'))
const image = await photo()
const source = await startHttpSink((response) => void response.end(image))
const handler = await openHandler('resize_image', {
  images: { results: pathToFileURL(directory).href, timeoutMs: 120_000 },
  outgoing: { allow: [`127.0.0.1:${source.port}`] },
})
const megabytes: number[] = []
const formats = ['jpeg', 'webp', 'png', undefined]
const numbers = Array.from({ length: total }, (_, index) => index).values()

await Promise.all(
  Array.from({ length: concurrency }, async () => {
    for (const number of numbers) {
      const format = formats[number % formats.length]
      const payload = {
        source_url: source.url,
        width: 1_000,
        height: 1_000,
        ...(format === undefined ? {} : { format }),
      }
      const outcome = await attempt(handler, payload)
      if (outcome.kind !== 'succeeded')
        throw new Error(`image ${number} ended as ${outcome.kind}`, { cause: outcome })
      if ((number + 1) % Math.max(1, Math.floor(total / 10)) === 0)
        megabytes.push(process.memoryUsage().rss / 1e6)
    }
  }),
)
if ((await readdir(directory)).length !== total) throw new Error('a result is missing')
await rm(directory, { recursive: true })
await source.close()
process.stdout.write(JSON.stringify({ megabytes }))
process.exit(0)
