import { PermanentFailure } from '@queue/executor'
import sharp, { type Metadata } from 'sharp'
import { type ResultFormat, sourceFormats, sourceLoaders } from './image-formats.ts'

/** libvips keeps files and operations for a second use, which jobs do not make. Without it, memory stays flat. */
sharp.cache(false)

/** Only these loaders may read what others send; libvips has others, which run programs or read further files. */
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: sourceLoaders })

export interface Transformation {
  readonly source: Buffer
  readonly width: number
  readonly height: number
  /** Undefined: that of the source, where results can have it. */
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
 * The image within `width` × `height`: its proportions are kept, nothing is cut off, and it never grows. It is turned as its
 * camera says, and loses its metadata, which may tell where it was taken. Throws `PermanentFailure` when the source is no image
 * that can be read, and an Error when it takes too long. libvips cannot be interrupted, so this resolves or rejects only when
 * the work has ended.
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
  if (result === undefined) throw new PermanentFailure(`the source is ${format}, which is not accepted`)
  return result
}

/** The same bytes give the same error, unless the machine was too busy. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof PermanentFailure) return error
  if (error.message.startsWith('timeout'))
    return new Error('resizing the image took too long', { cause: error })
  return new PermanentFailure(`the source cannot be read as an image: ${error.message}`, { cause: error })
}
