import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { ImageStore } from './image-store.ts'

/**
 * Keeps results as files of a folder, which has to exist. A file appears under its name when it is whole and on the disk; a reader
 * never sees a part of one. A process that is killed in between leaves a file that ends in `.part`.
 */
export function createDirectoryStore(directory: string): ImageStore {
  return {
    put: async ({ id, image, signal }) => {
      const file = path.join(directory, `${id}.${image.format}`)
      const part = `${file}.${randomUUID()}.part`
      try {
        await writeWhole(part, image.data, signal)
        await rename(part, file)
      } catch (error) {
        await rm(part, { force: true })
        throw error
      }
      return { location: file }
    },
    close: () => Promise.resolve(),
  }
}

async function writeWhole(file: string, data: Buffer, signal: AbortSignal): Promise<void> {
  const handle = await open(file, 'wx')
  try {
    await handle.writeFile(data, { signal })
    await handle.sync()
  } finally {
    await handle.close()
  }
}
