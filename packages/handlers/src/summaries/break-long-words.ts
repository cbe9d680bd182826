/** No word of any language is as long. */
const wordCharsMax = 200

/**
 * Inserts a blank after every 200 characters of a run without blanks. The time to parse a text grows with the square of its
 * longest run: a run of 100 000 characters took nine seconds.
 */
export function breakLongWords(text: string): string {
  return text.replaceAll(new RegExp(`\\S{${wordCharsMax}}(?=\\S)`, 'gu'), '$& ')
}
