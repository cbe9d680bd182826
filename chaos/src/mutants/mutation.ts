import type { FaultKind } from '../checker/job-history.ts'

/** One change of statements: in every statement that contains `within`, `find` is replaced by `replace`. */
export interface Edit {
  /** A part of the statement that distinguishes it from others; default: `find`. */
  readonly within?: string
  readonly find: string
  readonly replace: string
}

/**
 * A defect to plant in the product's statements when they are sent. For the comparison every run of white space in a statement is
 * one blank, and functions and operators do not name `pg_catalog`, as in the sources.
 */
export interface Mutation {
  /** The behaviour of the product with the defect. */
  readonly name: string
  readonly edits: readonly Edit[]
  /** A defect of the connections: requests to cancel their current statement are not sent. */
  readonly connections?: 'not cancelled'
  /** How the checker must detect it: by the fault that the defect causes, and not by any other. */
  readonly detectedBy: Detection
}

/**
 * How a defect is detected: by a fault in the history of a job, a broken invariant of the tables, a statement that the
 * database refused, or a wrong answer in a case.
 */
export type Detection = FaultKind | 'broken invariant' | 'refused' | 'wrong answer'

/** The statement with the edits that apply to it; undefined if none applies. */
export function mutate(text: string, edits: readonly Edit[]): string | undefined {
  const original = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/OPERATOR\(pg_catalog\.([^)\w]+)\)/g, '$1')
    .replaceAll(/pg_catalog\.(?=[a-z_0-9]+\()/g, '')
  const mutated = edits.reduce(
    (current, { within, find, replace }) =>
      original.includes(within ?? find) ? current.replaceAll(find, () => replace) : current,
    original,
  )
  return mutated === original ? undefined : mutated
}
