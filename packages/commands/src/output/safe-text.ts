import { stripVTControlCharacters } from 'node:util'

// oxlint-disable-next-line no-control-regex -- A terminal must not receive these.
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const severalControls = new RegExp(`(?:${controls.source})+`, 'g')

/** A value as JSON on one line, in which such characters are escaped: whoever reads it in a terminal sees what is there. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    controls,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Foreign text on one line, without control characters that move the cursor or change colours. */
export function safeText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(severalControls, ' ')
}
