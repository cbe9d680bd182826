import { Writable } from 'node:stream'

/** A stream that records its output. */
export function createCapture(): { readonly stream: Writable; text(): string; lines(): string[] } {
  const chunks: string[] = []
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, next) {
      chunks.push(chunk)
      next()
    },
  })
  const text = (): string => chunks.join('')
  return { stream, text, lines: () => text().split('\n').slice(0, -1) }
}
