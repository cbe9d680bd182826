import { stripVTControlCharacters } from 'node:util'

// oxlint-disable-next-line no-control-regex -- These are what a terminal must not be sent.
const controls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g

/** Text of somebody else in one line: whatever a job says, it moves no cursor and changes no colour of the terminal. */
export function safeText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(controls, ' ')
}
