import { QueueError } from '../domain/errors.ts'

/** The lists whose cursors name them. Those of jobs, operations and log lines have forms that no other list has. */
type CursorList = 'audit' | 'dead_letters' | 'errors' | 'limits' | 'queues' | 'schedules'

/** The cursor of a list at a position, whose text the list chooses. */
export function encodeCursor(list: CursorList, position: string): string {
  return Buffer.from(`${list} ${position}`).toString('base64url')
}

/** The position that a cursor of this list stands for. Throws `invalid_cursor`, also for the cursor of another list. */
export function decodeCursor(list: CursorList, cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString()
  const position = text.startsWith(`${list} `) ? text.slice(list.length + 1) : ''
  if (position !== '' && !position.includes('\u0000') && encodeCursor(list, position) === cursor)
    return position
  throw invalidCursor()
}

export function invalidCursor(): QueueError {
  return new QueueError('invalid_cursor', 'the cursor is not one that a list has returned')
}
