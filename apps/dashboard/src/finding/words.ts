/** A word of a search: `tenant:acme`, `metadata.note:"two words"`, `acme`, or `tenant:` without a value yet. */
export interface Word {
  /** Absent: a value alone. */
  readonly name?: string
  readonly value: string
  /** The index in the text. */
  readonly at: number
}

/** A name alone, or a value with an optional name. The value can be quoted, and the closing quote can be missing. */
const wordPattern = /([^\s":]+):(?=\s|$)|(?:([^\s":]+):)?(?:"((?:\\.|[^"\\])*)"?|([^\s"]\S*))/g

/** The words of a text, in order. A backslash escapes a quote within quotes. */
export function wordsOf(text: string): readonly Word[] {
  return [...text.matchAll(wordPattern)].flatMap(({ 1: alone, 2: before, 3: quoted, 4: bare, index: at }) => {
    const name = alone ?? before
    const value = quoted === undefined ? (bare ?? '') : quoted.replaceAll(/\\(.)/g, '$1')
    if (name === undefined) return value === '' ? [] : [{ value, at }]
    return [{ name, value, at }]
  })
}
