/** A format that a result can have. */
export type ResultFormat = 'jpeg' | 'png' | 'webp' | 'avif'

/** The media types of results. */
export const mediaTypes = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
} as const satisfies Record<ResultFormat, string>

/** The parts of libvips that read sources. No SVG and no PDF: they are programs that draw, and may refer to files. */
export const sourceLoaders = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadWebp',
  'VipsForeignLoadHeif',
  'VipsForeignLoadNsgif',
]

/** The formats that a source may have, as libvips names them, and that of a result whose payload names none. */
export const sourceFormats: Readonly<Record<string, ResultFormat>> = {
  jpeg: 'jpeg',
  png: 'png',
  webp: 'webp',
  heif: 'avif',
  gif: 'png',
}
