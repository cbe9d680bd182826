/** Every bound of the outbox, with its unit last in the name. Migrations have frozen copies of their own. */

/** Short enough for an index entry and a metric label. */
export const topicLengthMax = 63
export const keyLengthMax = 255
/** Headers are for trace contexts and similar values; documents belong in the payload. */
export const headersMax = 32
export const headerNameLengthMax = 100
export const headerValueLengthMax = 1_000
export const publishBatchMax = 1_000
/** The payloads of one call, the same as for one enqueue. */
export const publishBatchBytesMax = 64 * 1_048_576
export const claimBatchMax = 1_000
export const completionBatchMax = 1_000
export const deadLetterBatchMax = 500
export const pruneBatchMax = 1_000
export const requeueBatchMax = 1_000
export const listLimitMax = 200
export const listLimitDefault = 50
/** The most keys that a claim examines; the next claim continues from there. */
export const keysPerClaimMax = 200
/** How many failed attempts the history of a message keeps, the latest ones. */
export const historyMax = 20
/** The length of an attempt's error in the history. The last error is also stored in full, outside of the history. */
export const historyErrorLengthMax = 2_000
export const maxAttemptsMax = 100
/** A day. */
export const dispatchTimeoutMsMax = 86_400_000
/** A week. */
export const retryMaxDelayMsMax = 7 * 86_400_000
/** The time that a lease lasts beyond the longest time of its dispatches, for the claim and the completion themselves. */
export const leaseMarginMs = 5_000
/** A hundred years, an interval that PostgreSQL can subtract from the current time. */
export const retentionMsMax = 36_500 * 86_400_000
