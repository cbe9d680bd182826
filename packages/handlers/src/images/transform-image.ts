import { PermanentFailure } from '@queue/executor'
import sharp, { type Metadata } from 'sharp'
import { type ResultFormat, sourceFormats, sourceLoaders } from './image-formats.ts'

/** libvips caches files and operations for reuse, which jobs do not need. Without the cache, memory use stays constant. */
sharp.cache(false)

/** Only these loaders may read images of unknown origin; other loaders of libvips run programs or read further files. */
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: sourceLoaders })

export interface Transformation {
  readonly source: Buffer
  readonly width: number
  readonly height: number
  /** Undefined: the format of the source if results may have it, else its replacement in `sourceFormats`. */
  readonly format: ResultFormat | undefined
  readonly pixelsMax: number
  readonly timeoutMs: number
}

export interface ResizedImage {
  readonly data: Buffer
  readonly format: ResultFormat
  readonly width: number
  readonly height: number
}

/**
 * Resizes the image to fit within `width` × `height`: it keeps its proportions, is not cropped, and is never enlarged. It is
 * rotated by its camera's orientation tag, and loses its metadata, which may reveal where it was taken. Throws `PermanentFailure`
 * if the source is not a readable image, and an Error if the work takes too long. libvips cannot be interrupted, so this resolves
 * or rejects only when the work has ended.
 */
export async function transformImage(transformation: Transformation): Promise<ResizedImage> {
  const { source, width, height, pixelsMax, timeoutMs } = transformation
  try {
    const image = sharp(source, { limitInputPixels: pixelsMax, failOn: 'error' })
    const format = transformation.format ?? resultFormatOf(await image.metadata())
    const { data, info } = await image
      .autoOrient()
      .resize({ width, height, fit: 'inside', withoutEnlargement: true })
      .toFormat(format)
      .timeout({ seconds: Math.ceil(timeoutMs / 1_000) })
      .toBuffer({ resolveWithObject: true })
    return { data, format, width: info.width, height: info.height }
  } catch (error) {
    throw failureOf(error)
  }
}

function resultFormatOf({ format }: Metadata): ResultFormat {
  const result = sourceFormats[format]
  if (result === undefined)
    throw new PermanentFailure(`the source has the format ${format}, which is not accepted`)
  return result
}

/** The same bytes give the same error, so it is permanent, unless the machine was too busy. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof PermanentFailure) return error
  if (error.message.startsWith('timeout'))
    return new Error('resizing the image took too long', { cause: error })
  return new PermanentFailure(`the source cannot be read as an image: ${error.message}`, { cause: error })
}
