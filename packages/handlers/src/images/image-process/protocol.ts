import type { ResultFormat } from '../image-formats.ts'

/** What a process for images is told at its start. */
export interface ImageProcessSettings {
  /** It says `memory_exceeded` and ends when it occupies more than this. */
  readonly memoryBytesMax: number
}

export interface Transformation {
  readonly source: Buffer
  readonly width: number
  readonly height: number
  /** Undefined: the format of the source if results may have it, else its replacement in `sourceFormats`. */
  readonly format: ResultFormat | undefined
  readonly pixelsMax: number
}

export interface ResizedImage {
  readonly data: Buffer
  readonly format: ResultFormat
  readonly width: number
  readonly height: number
}

/** What the process says: once that it can be used, and then the answer to each transformation. */
export type ImageProcessMessage = 'ready' | 'memory_exceeded' | TransformationReply

export interface TransformationReply {
  /** The image, or why the source cannot be transformed. */
  readonly result: { readonly image: ResizedImage } | { readonly fault: string }
  /** The resident memory of the process afterwards. */
  readonly memoryBytes: number
}
