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
