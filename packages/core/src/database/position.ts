import { isJobId } from '../domain/job-id.ts'
import { invalidCursor } from './cursor.ts'

/** A position in a list that is ordered by an instant, to the microsecond, and then by id. */
export interface Position {
  readonly instant: string
  readonly id: string
}

const positionPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) ([0-9a-f-]{36})$/

/** The position with the text `<instant> <id>`. Throws `invalid_cursor`. */
export function parsePosition(text: string): Position {
  const [, instant, id] = positionPattern.exec(text) ?? []
  if (instant !== undefined && id !== undefined && isJobId(id) && isCalendarInstant(instant)) {
    return { instant, id }
  }
  throw invalidCursor()
}

/** Whether a text that matches the pattern is a date and a time that exist, in a year that we write. */
function isCalendarInstant(text: string): boolean {
  const ms = Date.parse(text)
  return ms >= 0 && new Date(ms).toISOString().slice(0, 23) === text.slice(0, 23)
}
