import type { JsonValue } from '@queue/core'

/** A message that is to be published: valid, and not written yet. `defineMessage(…).create(…)` makes one. */
export interface MessageRequest {
  readonly topic: string
  readonly key: string | null
  /** The JSON text that is stored. */
  readonly payloadText: string
  readonly headers: Readonly<Record<string, string>>
}

/** What proves that a message is held: completions carry it, and the database refuses those of an earlier claim. */
export interface MessageLease {
  readonly id: string
  /** The fencing token of the claim: it only ever grows. */
  readonly token: number
}

/** A message as a relay has claimed it. */
export interface ClaimedMessage {
  readonly lease: MessageLease
  /** A UUIDv7: the same at every delivery, and therefore the idempotency key of whatever it causes. */
  readonly id: string
  readonly topic: string
  /** Messages of one topic with the same key are delivered one after the other; null has no order. */
  readonly key: string | null
  readonly payload: JsonValue
  readonly headers: Readonly<Record<string, string>>
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** Whether a failure of this attempt makes it a dead letter. */
  readonly lastAttempt: boolean
  readonly createdAt: Date
}

/** A message as it stands in the outbox. */
export interface StoredMessage {
  readonly id: string
  readonly topic: string
  readonly key: string | null
  readonly payload: JsonValue
  readonly headers: Readonly<Record<string, string>>
  readonly attempts: number
  /** The relay that holds it now. */
  readonly leasedBy: string | null
  /** The next attempt, or while it is held the end of the lease. */
  readonly nextRetryAt: Date
  readonly deliveredAt: Date | null
  readonly lastError: string | null
  readonly createdAt: Date
  readonly history: readonly FailedAttempt[]
}

/** An attempt that did not deliver. */
export interface FailedAttempt {
  readonly attempt: number
  readonly leaseToken: number
  readonly workerId: string
  readonly startedAt: Date
  readonly endedAt: Date
  /** `lost`: the relay did not come back, and its lease ended. */
  readonly outcome: 'failed' | 'lost'
  readonly error: string
}

export const deadLetterReasons = ['exhausted', 'undeliverable', 'lost'] as const

/**
 * Why a message was given up. `exhausted`: its last attempt failed. `undeliverable`: no further attempt can help.
 * `lost`: its relay was lost during the last attempt.
 */
export type DeadLetterReason = (typeof deadLetterReasons)[number]
