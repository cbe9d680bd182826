import type { Expected } from '../api/expected.ts'
import type { ActCode } from './code.ts'

/** Something that changes the queue, as it is carried out. */
export interface Mutation {
  /** What is done, as `Pausing mail`: the message begins with it where that fails. */
  readonly doing: string
  /** What pages show of it until the API has answered. */
  readonly expects?: readonly Expected[]
  /** Does it, and says what came of it. */
  readonly run: () => Promise<Done>
}

/** The same with a question before it. */
export interface Act extends Mutation {
  /** A question or a sentence, as `Cancel 3 jobs?`. */
  readonly title: string
  /** What comes of it, and whether it can be undone. */
  readonly effect: string
  /** Some of what it is about. */
  readonly sample?: readonly string[]
  readonly confirm: string
  readonly dangerous?: boolean
  readonly code?: ActCode
}

export interface Done {
  readonly text: string
  readonly failed?: boolean
  /** What takes it back. */
  readonly undo?: Mutation
  /** A job that has come of it. */
  readonly jobId?: string
  /** The same elsewhere, of what was done without a question. */
  readonly code?: ActCode
}
