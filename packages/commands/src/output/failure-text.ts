import type { Failure } from '../failure.ts'
import { safeJson, safeText } from './safe-text.ts'

export interface FailureForm {
  /** The name of the program, with which the text begins. */
  readonly program: string
  readonly isJson: boolean
  /** The argument that the failure is about, where the command takes several. */
  readonly argument?: string
}

/** A failure as it is shown on standard error: one JSON document, or text. Ends with a line break. */
export function failureText(failure: Failure, { program, isJson, argument }: FailureForm): string {
  const { error, issues, advice, message } = failure
  if (isJson) {
    const about = argument === undefined ? {} : { argument }
    const more = { ...(issues.length > 0 && { issues }), ...(advice && { advice }) }
    return `${safeJson({ ...about, error, detail: message, ...more })}\n`
  }
  const lines = issues.length > 1 ? issues.map(({ path, message: text }) => `\n  ${path}: ${text}`) : []
  const detail = lines.length > 0 ? `${lines.length} errors:` : message
  const subject = argument === undefined ? '' : `${safeText(argument)}: `
  const list = lines.map((line) => `\n  ${safeText(line.trim())}`).join('')
  const remedy = advice === undefined ? '' : `  ${advice}\n`
  return `${program}: ${subject}${safeText(detail)}${list}\n${remedy}`
}
