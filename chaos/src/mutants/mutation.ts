import type { FaultKind } from '../checker/job-history.ts'

/** One change of the text of a statement: in every statement that has `within`, `find` becomes `replace`. */
export interface Edit {
  /** Part of the statement that tells it from others; by default `find` itself. */
  readonly within?: string
  readonly find: string
  readonly replace: string
}

/**
 * A defect to plant in the product's statements, as they are sent. Texts are compared with every run of white space
 * as one blank.
 */
export interface Mutation {
  /** What the product would then do. */
  readonly name: string
  readonly edits: readonly Edit[]
  /** A defect of the connections that carry them: the requests to cancel what they are at are not sent. */
  readonly connections?: 'not cancelled'
  /** How the checker must find it out: by the fault that the defect makes, and not by any other. */
  readonly shownBy: MutantSign
}

/**
 * A fault in the history of a job; a broken invariant of the tables; a statement that the database refused; or a case
 * that was answered wrongly.
 */
export type MutantSign = FaultKind | 'broken invariant' | 'refused' | 'wrong answer'

/** The statement with the edits that concern it; undefined when none does. */
export function mutate(text: string, edits: readonly Edit[]): string | undefined {
  const original = text.replaceAll(/\s+/g, ' ')
  const mutated = edits.reduce(
    (current, { within, find, replace }) =>
      original.includes(within ?? find) ? current.replaceAll(find, () => replace) : current,
    original,
  )
  return mutated === original ? undefined : mutated
}
