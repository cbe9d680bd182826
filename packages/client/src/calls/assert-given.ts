import { InvalidCall } from '../invalid-call.ts'

/** Refuses a member of a filter that is undefined: JSON would drop it, and the act would change more than was meant. */
export function assertGiven(filter: object): void {
  const names = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [name] : []))
  if (names.length === 0) return
  throw new InvalidCall(
    `the filter has members that are undefined (${names.join(', ')}), and would match more jobs: give values, or leave them out`,
  )
}
