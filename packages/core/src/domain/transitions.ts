import type { JobStatus } from './job.ts'

/** The transitions of a job's state. Each is one file in `src/transitions`. */
export type Transition =
  | 'claim'
  | 'succeed'
  | 'retry'
  | 'dead_letter'
  | 'snooze'
  | 'return_unstarted'
  | 'release'
  | 'recover'
  | 'cancel'
  | 'expire'
  | 'requeue'
  | 'undo_cancel'
  | 'undo_requeue'

/** The states in which each transition may start and end. This table is the state machine. */
export const transitions = {
  claim: { from: ['queued', 'retrying'], to: ['running'] },
  succeed: { from: ['running'], to: ['succeeded'] },
  retry: { from: ['running'], to: ['retrying', 'cancelled'] },
  dead_letter: { from: ['running'], to: ['failed_permanent', 'cancelled'] },
  snooze: { from: ['running'], to: ['retrying', 'cancelled'] },
  return_unstarted: { from: ['running'], to: ['queued', 'retrying', 'cancelled'] },
  release: { from: ['running'], to: ['retrying', 'cancelled'] },
  recover: { from: ['running'], to: ['retrying', 'failed_permanent', 'cancelled'] },
  cancel: { from: ['queued', 'retrying', 'running'], to: ['cancelled', 'running'] },
  expire: { from: ['queued'], to: ['cancelled'] },
  requeue: { from: ['failed_permanent', 'cancelled'], to: ['queued'] },
  undo_cancel: { from: ['cancelled'], to: ['queued', 'retrying'] },
  undo_requeue: { from: ['queued'], to: ['failed_permanent', 'cancelled'] },
} as const satisfies Record<Transition, { from: readonly JobStatus[]; to: readonly JobStatus[] }>

/** States in which a job has ended: no worker touches it again. */
export const terminalStatuses = [
  'succeeded',
  'failed_permanent',
  'cancelled',
] as const satisfies readonly JobStatus[]

/** Whether a job in this state has ended. */
export function isTerminal(status: JobStatus): boolean {
  return (terminalStatuses as readonly JobStatus[]).includes(status)
}
