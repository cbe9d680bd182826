import { fileURLToPath } from 'node:url'
import { resizeImage } from '@queue/core'
import { type ExecutionContext, type HandledJob, handle } from '@queue/executor'
import type { HandlerModule } from '../handler-module.ts'
import { withDeadline } from '../outgoing/deadline.ts'
import type { OutgoingClient } from '../outgoing/outgoing-client.ts'
import type { ImageSettings } from '../settings.ts'
import { fetchImage } from './fetch-image.ts'
import { type ImageProcesses, createImageProcesses } from './image-processes.ts'
import { type ImageStore, createDirectoryStore } from './image-store.ts'

type ImageJob = HandledJob<typeof resizeImage.payload>

interface ResizeDeps {
  readonly client: OutgoingClient
  readonly store: ImageStore
  readonly processes: ImageProcesses
  readonly settings: ImageSettings
}

/** Fetches an image, resizes it, and stores the result under the id of its job, so that a repeat replaces it. */
export async function createResizeImage(
  settings: ImageSettings & { readonly results: string },
  client: OutgoingClient,
): Promise<HandlerModule> {
  const store = await openStore(new URL(settings.results), settings)
  const processes = createImageProcesses(settings)
  return {
    handler: handle(resizeImage, (job, ctx) => resize(job, ctx, { client, store, processes, settings })),
    close: () => {
      processes.close()
      return store.close()
    },
  }
}

/** The S3 SDK takes half a second to load and 20 MB of memory, so it is loaded only if it is used. */
async function openStore(results: URL, settings: ImageSettings): Promise<ImageStore> {
  if (results.protocol === 'file:') return createDirectoryStore(fileURLToPath(results))
  const { createS3Store } = await import('./s3-store.ts')
  return createS3Store(results, settings)
}

async function resize({ id, payload }: ImageJob, ctx: ExecutionContext, deps: ResizeDeps) {
  const { client, store, processes, settings } = deps
  const { signal } = ctx
  const { timeoutMs, sourceBytesMax: bytesMax, pixelsMax } = settings
  ctx.progress(5, 'fetch')
  const source = await withDeadline({ signal, ms: timeoutMs, what: 'fetching the source' }, (within) =>
    fetchImage(client, { url: payload.source_url, bytesMax, signal: within }),
  )
  signal.throwIfAborted()
  ctx.progress(40, 'resize')
  const { width, height, format } = payload
  const image = await processes.transform({ source, width, height, format, pixelsMax }, signal)
  signal.throwIfAborted()
  ctx.progress(80, 'store')
  const { location } = await withDeadline({ signal, ms: timeoutMs, what: 'storing the result' }, (within) =>
    store.put({ id, image, signal: within }),
  )
  ctx.progress(100)
  return {
    location,
    format: image.format,
    width: image.width,
    height: image.height,
    bytes: image.data.length,
  }
}
