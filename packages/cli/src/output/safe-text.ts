import { stripVTControlCharacters } from 'node:util'

// oxlint-disable-next-line no-control-regex -- A terminal must not receive these.
const controls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g

/** Foreign text on one line, without control characters that move the cursor or change colours. */
export function safeText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(controls, ' ')
}
