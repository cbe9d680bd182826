/** Unpacks the browser of the tests below TMPDIR, with the libraries and fonts that it may not find on the machine. */
import { createRequire } from 'node:module'
import path from 'node:path'
import { inflate } from '@sparticuz/chromium'

const packed = path.join(
  path.dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')),
  '..',
  'bin',
)
for (const name of ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br']) {
  await inflate(path.join(packed, name))
}
