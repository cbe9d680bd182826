import type { InvariantOptions } from '@queue/testing'

/** What the tables need not hold after an attack that deletes dead letters: the job of one stays as it has ended. */
export const deletedDeadLetters = {
  except: ['every job that failed for good has its dead letter'],
} as const satisfies InvariantOptions
