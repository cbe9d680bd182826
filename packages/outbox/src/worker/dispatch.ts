// Runs one dispatch under its timeout. It never throws.
import { DispatchAborted, TargetUnavailable, Undeliverable } from '../domain/dispatch-errors.ts'
import type { ClaimedMessage } from '../domain/message.ts'
import type { OutboxTarget } from '../targets/target.ts'

export type DispatchResult =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed' | 'undeliverable' | 'unavailable'; readonly error: unknown }
  /** The shutdown ended it before its target answered. The target may still be running if it ignores its signal. */
  | { readonly kind: 'interrupted'; readonly ended: boolean }

export interface Dispatch {
  /** Resolves with the result, at the latest after its timeout, or `abortGraceMs` after an interrupt. */
  readonly result: Promise<DispatchResult>
  /** Aborts the signal of the target. */
  interrupt(): void
}

/** How long a target has to react to an interrupt before the message is returned while the target still runs. */
const abortGraceMs = 1_000

/**
 * Begins a dispatch. A target that runs past its timeout does not keep the slot: the attempt is over. A later success of the
 * target is an additional delivery, which the contract of at-least-once delivery allows.
 */
export function beginDispatch(target: OutboxTarget, message: ClaimedMessage, timeoutMs: number): Dispatch {
  const controller = new AbortController()
  const ended = Promise.withResolvers<DispatchResult>()
  let interrupted: NodeJS.Timeout | undefined
  const timeout = setTimeout(() => {
    const error = new DispatchAborted('timeout', `the target gave no answer within ${timeoutMs} ms`)
    controller.abort(error)
    ended.resolve({ kind: target.onTimeout ?? 'failed', error })
  }, timeoutMs)
  void deliver(target, message, controller.signal).then(ended.resolve)
  return {
    result: ended.promise.finally(() => {
      clearTimeout(timeout)
      clearTimeout(interrupted)
    }),
    interrupt: () => {
      controller.abort(new DispatchAborted('shutdown', 'the relay is stopping'))
      interrupted ??= setTimeout(() => ended.resolve({ kind: 'interrupted', ended: false }), abortGraceMs)
    },
  }
}

async function deliver(
  target: OutboxTarget,
  message: ClaimedMessage,
  signal: AbortSignal,
): Promise<DispatchResult> {
  try {
    await target.dispatch(message, { signal, leaseToken: message.lease.token })
    return { kind: 'delivered' }
  } catch (error) {
    if (isA(Undeliverable, error)) return { kind: 'undeliverable', error }
    if (isA(TargetUnavailable, error)) return { kind: 'unavailable', error }
    // Any error of a target after an interrupt is attributed to the interrupt.
    return isShutdown(signal) ? { kind: 'interrupted', ended: true } : { kind: 'failed', error }
  }
}

/** Like `instanceof`, which throws for a revoked Proxy. */
function isA(errorClass: typeof Undeliverable | typeof TargetUnavailable, thrown: unknown): boolean {
  try {
    return thrown instanceof errorClass
  } catch {
    return false
  }
}

function isShutdown({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof DispatchAborted && reason.reason === 'shutdown'
}
