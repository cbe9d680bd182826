/** Every bound of the outbox, by name, with its unit last; migrations freeze their own copies. */

/** Topics fit one index entry and one metric label. */
export const topicLengthMax = 63
export const keyLengthMax = 255
/** Headers are for trace contexts and the like; documents belong into the payload. */
export const headersMax = 32
export const headerNameLengthMax = 100
export const headerValueLengthMax = 1_000
export const publishBatchMax = 1_000
/** Payloads in one call: as many as go into one enqueue. */
export const publishBatchBytesMax = 64 * 1_048_576
export const claimBatchMax = 1_000
export const completionBatchMax = 1_000
export const deadLetterBatchMax = 500
export const pruneBatchMax = 1_000
export const requeueBatchMax = 1_000
export const listLimitMax = 200
export const listLimitDefault = 50
/** So many keys a claim looks at, at most: the next one goes on from there. */
export const keysPerClaimMax = 200
/** So many failed attempts a message remembers, the latest ones. */
export const historyMax = 20
/** The error of one attempt in the history; the last one is kept in full beside it. */
export const historyErrorLengthMax = 2_000
export const maxAttemptsMax = 100
/** A day. */
export const dispatchTimeoutMsMax = 86_400_000
/** A week. */
export const retryMaxDelayMsMax = 7 * 86_400_000
/**
 * What a lease has beyond the time that its dispatches can take at most: for the claim's and the completion's own way.
 */
export const leaseMarginMs = 5_000
/** A hundred years: an interval that PostgreSQL can take from any instant of the present. */
export const retentionMsMax = 36_500 * 86_400_000
