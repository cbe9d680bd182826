import { duration } from '@queue/service'

const zero = 'keeps them for ever'

/** How long ended jobs are kept, with their history and their dead letters. Every worker deletes what is older. */
export const retentionVariables = {
  RETENTION_SUCCEEDED: duration({
    description: 'How long jobs that succeeded are kept after their end.',
    default: '7d',
    zero,
  }),
  RETENTION_CANCELLED: duration({
    description: 'How long cancelled jobs are kept after their end.',
    default: '7d',
    zero,
  }),
  RETENTION_FAILED: duration({
    description:
      'How long jobs that failed for good are kept after their end, and with them their dead letters.',
    default: '30d',
    zero,
  }),
}
