/** No word of a language is as long. */
const wordCharsMax = 200

/**
 * The text with a blank in every run of more than 200 characters that are none. The time to take a text apart grows
 * with the square of its longest run: one of 100 000 characters took nine seconds.
 */
export function breakLongWords(text: string): string {
  return text.replaceAll(new RegExp(`\\S{${wordCharsMax}}(?=\\S)`, 'gu'), '$& ')
}
