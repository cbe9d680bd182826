// One claimed message, from its dispatch to the one transition that records how it ended. Only this file decides which.
import { describeError, type Logger, withFields } from '@queue/loop'
import type { ClaimedMessage } from '../domain/message.ts'
import { nextRetryDelay } from '../domain/next-retry-delay.ts'
import type { Completion } from '../transitions/complete-messages.ts'
import type { OutboxWorkerConfig } from './config.ts'
import type { DispatchResult } from './dispatch.ts'
import type { DispatchOutcome, OutboxObserver } from './observer.ts'
import type { DispatchEnd } from './relay.ts'
import type { Completer } from './completer.ts'

export interface RunMessageDeps {
  readonly config: OutboxWorkerConfig
  readonly completer: Completer
  readonly logger: Logger
  readonly observer: OutboxObserver
  /** A uniform draw from [0, 1), for the retry jitter. */
  readonly random: () => number
}

/** Records how a dispatch of `message` ended. Never rejects. */
export async function completeDispatch(
  message: ClaimedMessage,
  dispatch: { readonly result: DispatchResult; readonly seconds: number },
  deps: RunMessageDeps,
): Promise<DispatchEnd> {
  const { result, seconds } = dispatch
  const logger = withFields(deps.logger, {
    message_id: message.id,
    topic: message.topic,
    attempt: message.attempt,
  })
  const outcome = await record(message, result, deps).catch((error: unknown): DispatchOutcome => {
    logger.error('the end of a dispatch could not be written; its lease will end', { error })
    return 'error'
  })
  report(logger, outcome, result)
  deps.observer.dispatched({ topic: message.topic, outcome, seconds })
  return result.kind === 'unavailable' ? 'unavailable' : 'answered'
}

async function record(
  message: ClaimedMessage,
  result: DispatchResult,
  { completer, config, random }: RunMessageDeps,
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
      return completed(completer.release({ lease, waitMs: 0, error: null }), 'released')
  }
}

function report(logger: Logger, outcome: DispatchOutcome, result: DispatchResult): void {
  const fields = 'error' in result ? { error: result.error } : {}
  if (outcome === 'dead_letter') logger.error('a message is a dead letter now', fields)
  else if (outcome === 'failed') logger.warn('a message could not be delivered; trying again later', fields)
  else if (outcome === 'unavailable') logger.warn('the target is unavailable; waiting for it', fields)
  else if (outcome === 'lost')
    logger.warn('a message was taken over by another relay: its end is not recorded here', fields)
}
