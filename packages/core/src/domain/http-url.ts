import { z } from 'zod'
import { urlAuthorityLengthMax, urlLengthMax } from './limits.ts'

/** An http or https URL. It is limited in length so that parsing it takes no noticeable time. */
export const httpUrl = z
  .string()
  .max(urlLengthMax)
  .refine(isHttpUrl, 'must be an http or https URL')
  .meta({ format: 'uri' })

/** The scheme and the authority, as URL parsers read them: any number of slashes or backslashes may separate the two. */
const authorityPattern = /^https?:[/\\]*([^/\\?#]*)/i

function isHttpUrl(text: string): boolean {
  // Parsers drop tabs and line breaks anywhere in a URL, so the pattern above could measure a shorter authority than
  // they read.
  if (text.length > urlLengthMax || /[\t\r\n]/.test(text)) return false
  const authority = authorityPattern.exec(text)?.[1]
  return authority !== undefined && authority.length <= urlAuthorityLengthMax && URL.canParse(text)
}
