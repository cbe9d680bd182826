/** A word of a search: `tenant:acme`, `metadata.note:"two words"`, `acme`, or `tenant:`, which has no value yet. */
export interface Word {
  /** Absent: a value alone. */
  readonly name?: string
  readonly value: string
  /** Where it begins in the text. */
  readonly at: number
}

/** A name alone; else a value, which may have a name before it and may stand in quotes: the last of them may be missing still. */
const wordPattern = /([^\s":]+):(?=\s|$)|(?:([^\s":]+):)?(?:"((?:\\.|[^"\\])*)"?|([^\s"]\S*))/g

/** The words of a text, in their order. A backslash keeps a quote within quotes. */
export function wordsOf(text: string): readonly Word[] {
  return [...text.matchAll(wordPattern)].flatMap(({ 1: alone, 2: before, 3: quoted, 4: bare, index: at }) => {
    const name = alone ?? before
    const value = quoted === undefined ? (bare ?? '') : quoted.replaceAll(/\\(.)/g, '$1')
    if (name === undefined) return value === '' ? [] : [{ value, at }]
    return [{ name, value, at }]
  })
}
