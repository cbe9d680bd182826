import { PermanentFailure } from '@queue/executor'
import { ImageProcess, type ImageProcessOptions } from './image-process.ts'
import type { ResizedImage, Transformation } from './image-process/protocol.ts'

/** Transforms images in processes of their own, because neither the time nor the memory of libvips can be bounded otherwise. */
export interface ImageProcesses {
  /**
   * Waits for a free process, and transforms the image. Throws `PermanentFailure` if the source is not a readable image or needs
   * too much memory, and an Error if the work takes too long; its process is then killed.
   */
  transform(transformation: Transformation, signal: AbortSignal): Promise<ResizedImage>
  close(): void
}

export interface ImageProcessesOptions extends ImageProcessOptions {
  /** Images that are transformed at a time. */
  readonly processesMax: number
}

/** A process without work ends after this time. */
const idleMs = 10_000

export function createImageProcesses(options: ImageProcessesOptions): ImageProcesses {
  const { processesMax, memoryBytesMax } = options
  const idle = new Map<ImageProcess, NodeJS.Timeout>()
  const waiting = new Set<() => void>()
  let busy = 0

  const waitForTurn = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted()
    while (busy >= processesMax) {
      await new Promise<void>((resolve) => {
        const proceed = (): void => {
          waiting.delete(proceed)
          signal.removeEventListener('abort', proceed)
          resolve()
        }
        waiting.add(proceed)
        signal.addEventListener('abort', proceed)
      })
      signal.throwIfAborted()
    }
  }
  const endIdle = (one: ImageProcess): void => {
    clearTimeout(idle.get(one))
    idle.delete(one)
    one.kill()
  }
  const takeProcess = async (signal: AbortSignal): Promise<ImageProcess> => {
    for (const [one, timer] of idle) {
      clearTimeout(timer)
      idle.delete(one)
      if (!one.hasEnded) return one
    }
    return ImageProcess.start(options, signal)
  }

  return {
    transform: async (transformation, signal) => {
      await waitForTurn(signal)
      busy += 1
      try {
        const one = await takeProcess(signal)
        const { result, memoryBytes } = await one.transform(transformation, signal)
        // Memory that libvips has not returned would count against the next image.
        if (memoryBytes < memoryBytesMax / 2) idle.set(one, setTimeout(() => endIdle(one), idleMs).unref())
        else one.kill()
        if ('image' in result) return result.image
        throw new PermanentFailure(`the source cannot be read as an image: ${result.fault}`)
      } finally {
        busy -= 1
        const [next] = waiting
        next?.()
      }
    },
    close: () => {
      for (const one of idle.keys()) endIdle(one)
    },
  }
}
