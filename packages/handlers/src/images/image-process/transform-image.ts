import sharp, { type Metadata } from 'sharp'
import { type ResultFormat, sourceFormats, sourceLoaders } from '../image-formats.ts'
import type { ResizedImage, Transformation } from './protocol.ts'

/** libvips caches files and operations for reuse, which jobs do not need. Without the cache, memory use stays constant. */
sharp.cache(false)

/** Only these loaders may read images of unknown origin; other loaders of libvips run programs or read further files. */
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: sourceLoaders })

/**
 * Resizes the image to fit within `width` × `height`: it keeps its proportions, is not cropped, and is never enlarged. It is
 * rotated by its camera's orientation tag, and loses its metadata, which may reveal where it was taken. Throws an Error if the
 * source is not a readable image. libvips cannot be interrupted, so this resolves or rejects only when the work has ended.
 */
export async function transformImage(transformation: Transformation): Promise<ResizedImage> {
  const { source, width, height, pixelsMax } = transformation
  const image = sharp(source, { limitInputPixels: pixelsMax, failOn: 'error' })
  const format = transformation.format ?? resultFormatOf(await image.metadata())
  const { data, info } = await image
    .autoOrient()
    .resize({ width, height, fit: 'inside', withoutEnlargement: true })
    .toFormat(format)
    .toBuffer({ resolveWithObject: true })
  return { data, format, width: info.width, height: info.height }
}

function resultFormatOf({ format }: Metadata): ResultFormat {
  const result = sourceFormats[format]
  if (result === undefined) throw new Error(`it has the format ${format}, which is not accepted`)
  return result
}
