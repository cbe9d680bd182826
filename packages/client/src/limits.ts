/** The bounds of the client, by name, with the unit last. */

export const retriesDefault = 5
/** Above the 30 s after which the API answers 504 by itself: its answer says more than our timeout. */
export const timeoutMsDefault = 35_000
/** The ceilings from which the waits between attempts are drawn: the first one, and the largest. */
export const backoffBaseMs = 200
export const backoffCapMs = 10_000
/** A server that asks for more patience than this gets none: its answer goes to the caller. */
export const retryAfterMsMax = 60_000
/** The longest that the API lets a request wait for the end of a job. */
export const preferWaitSecondsMax = 25
/** The part of an attempt's timeout that is spent on waiting for a job; the rest is for the way there and back. */
export const preferWaitShare = 5 / 6
/** Between looks at a job where the API did not wait: the first, doubling up to the last. */
export const pollMsMin = 100
export const pollMsMax = 2_000
/** What a timer takes at most. */
export const timerMsMax = 2_147_483_647
/** A stream of events without a byte for so long is broken: the API sends a sign of life every 15 s. */
export const streamSilenceMsMax = 45_000
