import type { ResizedImage } from './transform-image.ts'

export interface StoredImage {
  /** The id of the job, which is the name of the result: a repeat replaces what the attempt before has written. */
  readonly id: string
  readonly image: ResizedImage
  readonly signal: AbortSignal
}

/** Where results go. */
export interface ImageStore {
  /** Rejects unless it can be written to. */
  put(stored: StoredImage): Promise<{ readonly location: string }>
  close(): Promise<void>
}
