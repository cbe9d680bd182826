// A process that transforms images, one after the other. It is killed where one takes too long, and ends by itself where one
// needs too much memory: nothing else stops libvips.
import { writeFileSync } from 'node:fs'
import process from 'node:process'
import type { ImageProcessMessage, ImageProcessSettings, Transformation } from './image-process/protocol.ts'
import { transformImage } from './image-process/transform-image.ts'

/** Interval at which the process checks its memory. libvips works in other threads, so the check is never late. */
const memoryCheckMs = 10

const { memoryBytesMax } = JSON.parse(process.argv[2] ?? '') as ImageProcessSettings

offerToKernel()
const check = setInterval(() => {
  if (process.memoryUsage.rss() <= memoryBytesMax) return
  clearInterval(check)
  say('memory_exceeded', end)
}, memoryCheckMs)
process.on('disconnect', end)
process.on('message', (transformation: Transformation) => void reply(transformation))
say('ready')

async function reply(transformation: Transformation): Promise<void> {
  // The advanced serialization of messages makes arrays of buffers.
  const source = Buffer.from(transformation.source)
  const result = await transformImage({ ...transformation, source }).then(
    (image) => ({ image }),
    (error: unknown) => ({ fault: error instanceof Error ? error.message : String(error) }),
  )
  say({ result, memoryBytes: process.memoryUsage.rss() })
}

function say(message: ImageProcessMessage, then: () => void = () => undefined): void {
  process.send?.(message, then)
}

/** An ordinary exit would wait for the work of libvips. */
function end(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** Where the memory of a container is used up, the kernel ends this process, and not the worker. Only Linux can. */
function offerToKernel(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // The limit of this process alone must do.
  }
}
