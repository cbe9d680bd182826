import type { JsonValue } from '@queue/core'

/** A valid message that is not written yet. `defineMessage(…).create(…)` creates one. */
export interface MessageRequest {
  readonly topic: string
  readonly key: string | null
  /** The JSON text that is stored. */
  readonly payloadText: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Proves that a relay holds a message. Completions carry it, and the database refuses those with the lease of an earlier claim.
 */
export interface MessageLease {
  readonly id: string
  /** The fencing token of the claim, which only grows. */
  readonly token: number
}

/** A message that a relay has claimed. */
export interface ClaimedMessage {
  readonly lease: MessageLease
  /** A UUIDv7. It is the same at every delivery, so it can serve as an idempotency key. */
  readonly id: string
  readonly topic: string
  /** Messages of one topic with the same key are delivered one after the other; null: in no particular order. */
  readonly key: string | null
  readonly payload: JsonValue
  readonly headers: Readonly<Record<string, string>>
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** Whether a failure of this attempt makes it a dead letter. */
  readonly lastAttempt: boolean
  readonly createdAt: Date
}

/** A message with its current state in the outbox. */
export interface StoredMessage {
  readonly id: string
  readonly topic: string
  readonly key: string | null
  readonly payload: JsonValue
  readonly headers: Readonly<Record<string, string>>
  readonly attempts: number
  /** The relay that holds it now; null also while a lease is kept for a dispatch of a stopped relay. */
  readonly leasedBy: string | null
  /** The time of the next attempt; while a relay holds the message, the end of the lease. */
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
  /** `lost`: the lease of the relay ended before it recorded an outcome. */
  readonly outcome: 'failed' | 'lost'
  readonly error: string
}

export const deadLetterReasons = ['exhausted', 'undeliverable', 'lost'] as const

/**
 * Why a message became a dead letter. `exhausted`: its last attempt failed. `undeliverable`: no further attempt can help. `lost`:
 * its relay was lost during the last attempt.
 */
export type DeadLetterReason = (typeof deadLetterReasons)[number]
