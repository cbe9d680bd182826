import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const scale = Number(process.env['QUEUE_TEST_SCALE'] ?? 1)
const imagesTotal = Math.max(20, Math.round(40 * scale))

/** The measured growth is none in 1 000 images. A decoded image takes 60 MB, so two leaked images are detected. */
const growthMbMax = 80

test('images of 20 megapixels, four at a time, leave the memory of their process flat', async () => {
  const program = fileURLToPath(new URL('programs/resize-many.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@queue/source', program, String(imagesTotal)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 3_600_000,
    killSignal: 'SIGKILL',
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  const { megabytes } = JSON.parse(output) as { readonly megabytes: readonly number[] }
  const highest = (part: readonly number[]): number => Math.max(...part)
  const half = Math.ceil(megabytes.length / 2)
  const growth = highest(megabytes.slice(half)) - highest(megabytes.slice(0, half))
  process.stdout.write(`${imagesTotal} images: ${megabytes.map((one) => one.toFixed(0)).join(', ')} MB RSS\n`)
  expect(growth).toBeLessThan(growthMbMax)
})
