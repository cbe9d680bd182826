import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { ResizedImage } from './image-process/protocol.ts'

export interface StoredImage {
  /** The id of the job, which names the result: a repeated attempt replaces the result of the earlier one. */
  readonly id: string
  readonly image: ResizedImage
  readonly signal: AbortSignal
}

/** Stores the results. */
export interface ImageStore {
  /** Stores one result and returns its location. Rejects if it cannot be written. */
  put(stored: StoredImage): Promise<{ readonly location: string }>
  close(): Promise<void>
}

/**
 * Stores results as files in an existing folder. A file appears under its name only when it is complete and on disk, so a reader
 * never sees a partial file. A process that is killed while it writes leaves a file that ends in `.part`.
 */
export function createDirectoryStore(directory: string): ImageStore {
  return {
    put: async ({ id, image, signal }) => {
      const file = path.join(directory, `${id}.${image.format}`)
      const partFile = `${file}.${randomUUID()}.part`
      try {
        await writeAndSync(partFile, image.data, signal)
        await rename(partFile, file)
      } catch (error) {
        await rm(partFile, { force: true })
        throw error
      }
      return { location: file }
    },
    close: () => Promise.resolve(),
  }
}

async function writeAndSync(file: string, data: Buffer, signal: AbortSignal): Promise<void> {
  const handle = await open(file, 'wx')
  try {
    await handle.writeFile(data, { signal })
    await handle.sync()
  } finally {
    await handle.close()
  }
}
