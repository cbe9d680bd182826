import { z } from 'zod'
import { urlAuthorityLengthMax, urlLengthMax } from './limits.ts'

/** An http or https URL whose parts are short enough to be taken apart in no time. */
export const httpUrl = z
  .string()
  .max(urlLengthMax)
  .refine(isHttpUrl, 'must be an http or https URL')
  .meta({ format: 'uri' })

/** The scheme, and the authority as URL parsers have it: they take any number of slashes, either way round. */
const authorityPattern = /^https?:[/\\]*([^/\\?#]*)/i

function isHttpUrl(text: string): boolean {
  // Parsers drop tabs and line breaks wherever they stand, so that what is short with them may be long without.
  if (text.length > urlLengthMax || /[\t\r\n]/.test(text)) return false
  const authority = authorityPattern.exec(text)?.[1]
  return authority !== undefined && authority.length <= urlAuthorityLengthMax && URL.canParse(text)
}
