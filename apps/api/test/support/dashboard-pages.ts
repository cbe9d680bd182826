import type { DashboardWorld } from './dashboard-world.ts'

/** A page with its address and heading. `press` is a button that opens a dialog. */
type KnownPage = readonly [name: string, path: string, heading: string, press?: string]

export const pagesOf = (world: DashboardWorld): readonly KnownPage[] => [
  ['overview', '/', 'Overview'],
  ['jobs', '/jobs', 'Jobs'],
  ['jobs-peek', `/jobs?status=retrying&peek=${world.retryingId}`, 'Jobs'],
  ['jobs-act', '/jobs?queue=mail&status=queued', 'Jobs', 'Act on all matches'],
  ['job-retrying', `/jobs/${world.retryingId}?compare=1-2`, 'send_email'],
  ['job-waiting', `/jobs/${world.waitingId}`, 'webhook_delivery'],
  ['job-edit', `/jobs/${world.retryingId}`, 'send_email', 'Edit'],
  ['job-running', `/jobs/${world.runningId}`, 'resize_image'],
  ['job-failed', `/jobs/${world.failedId}`, 'webhook_delivery'],
  ['job-succeeded', `/jobs/${world.succeededId}`, 'summarize_text'],
  ['errors', '/errors', 'Errors'],
  ['error', `/errors/${world.fingerprint}`, 'POST https://shop.example/hooks answered 503'],
  ['dead-letters', '/dead-letters', 'Dead letters'],
  ['queues', '/queues', 'Queues'],
  ['queue', '/queues/mail?range=7d', 'mail'],
  ['queue-keys', '/queues/webhooks?tab=keys', 'webhooks'],
  ['limits', '/limits', 'Limits'],
  ['limits-set', '/limits?queue=mail', 'Limits', 'Set a limit'],
  ['queue-limits', '/queues/webhooks?tab=limits', 'webhooks'],
  ['schedules', '/schedules', 'Schedules'],
  ['schedule', '/schedules/nightly-report', 'nightly-report'],
  ['queue-workers', '/queues/webhooks?tab=workers', 'webhooks'],
  ['workers', '/workers', 'Workers'],
  ['worker', '/workers/images-7f4c', 'images-7f4c'],
  ['kinds', '/kinds', 'Kinds'],
  ['kind', '/kinds/send_email', 'send_email'],
  ['operations', '/operations', 'Operations'],
  ['operation', `/operations/${world.operationId}`, 'Cancel'],
  ['audit', '/audit', 'Audit log'],
  ['keys', '/keys', 'API keys'],
  ['system', '/system', 'System'],
]
