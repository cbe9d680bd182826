/** A format that a result can have. */
export type ResultFormat = 'jpeg' | 'png' | 'webp' | 'avif'

/** The media types of results. */
export const mediaTypes = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
} as const satisfies Record<ResultFormat, string>

/** The loaders of libvips that read sources. SVG and PDF are excluded: they are drawing programs and may refer to files. */
export const sourceLoaders = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadWebp',
  'VipsForeignLoadHeif',
  'VipsForeignLoadNsgif',
]

/** The accepted source formats, by their libvips names, each with the format of a result whose payload names none. */
export const sourceFormats: Readonly<Record<string, ResultFormat>> = {
  jpeg: 'jpeg',
  png: 'png',
  webp: 'webp',
  heif: 'avif',
  gif: 'png',
}
