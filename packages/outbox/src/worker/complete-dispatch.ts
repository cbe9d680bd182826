// Records the end of a dispatch with exactly one transition. Only this file decides which transition.
import { describeError, type Logger, withFields } from '@queue/loop'
import type { ClaimedMessage } from '../domain/message.ts'
import { nextRetryDelay } from '../domain/next-retry-delay.ts'
import type { Completion } from '../transitions/complete-messages.ts'
import type { OutboxWorkerConfig } from './config.ts'
import type { DispatchResult } from './dispatch.ts'
import type { DispatchOutcome, OutboxObserver } from './observer.ts'
import type { DispatchEnd } from './relay.ts'
import type { Completer } from './completer.ts'

export interface CompleteDispatchDeps {
  readonly config: OutboxWorkerConfig
  readonly completer: Completer
  readonly logger: Logger
  readonly observer: OutboxObserver
  /** A uniform draw from [0, 1), for the retry jitter. */
  readonly random: () => number
}

/** Records the result of a dispatch of `message`. Never rejects. */
export async function completeDispatch(
  message: ClaimedMessage,
  dispatch: { readonly result: DispatchResult; readonly seconds: number },
  deps: CompleteDispatchDeps,
): Promise<DispatchEnd> {
  const { result, seconds } = dispatch
  const logger = withFields(deps.logger, {
    message_id: message.id,
    topic: message.topic,
    attempt: message.attempt,
  })
  const outcome = await record(message, result, deps).catch((error: unknown): DispatchOutcome => {
    logger.error(
      'the end of a dispatch could not be recorded; the message is due again when its lease ends',
      {
        error,
      },
    )
    return 'error'
  })
  report(logger, outcome, result)
  deps.observer.dispatched({ topic: message.topic, outcome, seconds })
  return result.kind === 'unavailable' ? 'unavailable' : 'answered'
}

async function record(
  message: ClaimedMessage,
  result: DispatchResult,
  { completer, config, random }: CompleteDispatchDeps,
): Promise<DispatchOutcome> {
  const { lease } = message
  const completed = async (write: Promise<Completion>, outcome: DispatchOutcome): Promise<DispatchOutcome> =>
    (await write) === 'completed' ? outcome : 'lost'
  switch (result.kind) {
    case 'delivered':
      return completed(completer.deliver(lease), 'delivered')
    case 'failed':
    case 'undeliverable': {
      const undeliverable = result.kind === 'undeliverable'
      const waitMs = nextRetryDelay(message.attempt, config, random)
      const write = completer.fail({ lease, error: describeError(result.error), waitMs, undeliverable })
      return completed(write, undeliverable || message.lastAttempt ? 'dead_letter' : 'failed')
    }
    case 'unavailable': {
      const waitMs = nextRetryDelay(0, config, random)
      return completed(
        completer.release({ lease, waitMs, error: describeError(result.error) }),
        'unavailable',
      )
    }
    case 'interrupted':
      // The target still works on the message, so its lease must end before another message of its key is dispatched.
      if (!result.ended && message.key !== null)
        return completed(completer.uncharge({ lease, attempt: message.attempt }), 'released')
      return completed(completer.release({ lease, waitMs: 0, error: null }), 'released')
  }
}

function report(logger: Logger, outcome: DispatchOutcome, result: DispatchResult): void {
  const fields = 'error' in result ? { error: result.error } : {}
  if (outcome === 'dead_letter') logger.error('a message became a dead letter', fields)
  else if (outcome === 'failed') logger.warn('a message could not be delivered; trying again later', fields)
  else if (outcome === 'unavailable')
    logger.warn('the target is unavailable; trying again until it is back', fields)
  else if (outcome === 'lost')
    logger.warn('another relay had taken the message over: this attempt changed nothing', fields)
}
