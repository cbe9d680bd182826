import type { Expected } from '../api/expected.ts'
import type { Permission } from '../shell/me.tsx'
import type { ActCode } from './code.ts'

/** An action that runs without a confirmation. */
export interface Mutation {
  /** The action as a gerund, as `Pausing queue mail`. An error message begins with it. */
  readonly doing: string
  /** A permission that the action needs; absent: whoever is offered it has what it needs. */
  readonly permission?: Permission
  /** The optimistic updates until the API responds. */
  readonly expects?: readonly Expected[]
  /** Runs the action and returns its result. */
  readonly run: () => Promise<Done>
}

/** An action that is confirmed in a dialog first. */
export interface Act extends Mutation {
  /** The title of the dialog, as `Cancel 3 jobs?`. */
  readonly title: string
  /** The effect, and whether it can be undone. */
  readonly effect: string
  /** Some of the affected objects. */
  readonly sample?: readonly string[]
  /** The label of the button that runs the action. */
  readonly confirm: string
  /** The label of the button that closes the dialog; absent: `Close`. */
  readonly dismiss?: string
  readonly dangerous?: boolean
  readonly code?: ActCode
}

export interface Done {
  readonly text: string
  readonly failed?: boolean
  /** Reverts the action. */
  readonly undo?: Mutation
  /** The job that the action created. */
  readonly jobId?: string
  /** The action as code, if it ran without a confirmation. */
  readonly code?: ActCode
}
