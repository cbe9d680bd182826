import type { ActCode } from './code.ts'

/** Something that changes the queue. */
export interface Act {
  /** A question or a sentence, as `Cancel 3 jobs?`. */
  readonly title: string
  /** What comes of it, and whether it can be undone. */
  readonly effect: string
  /** Some of what it is about. */
  readonly sample?: readonly string[]
  readonly confirm: string
  readonly dangerous?: boolean
  readonly code?: ActCode
  /** Does it, and says what came of it. */
  readonly run: () => Promise<Done>
}

export interface Done {
  readonly text: string
  readonly failed?: boolean
  /** What takes it back. */
  readonly undo?: () => Promise<Done>
  /** A job that has come of it. */
  readonly jobId?: string
  /** The same elsewhere, of what was done without a question. */
  readonly code?: ActCode
}
