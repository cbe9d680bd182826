// Bounds and defaults of the client. The unit comes last in each name.

export const retriesDefault = 5
/** More than the 30 s after which the API responds with 504: that response says more than a timeout of the client. */
export const timeoutMsDefault = 35_000
/** The wait before a retry is random, below a ceiling: this one before the first retry. */
export const backoffBaseMs = 200
/** The largest ceiling. */
export const backoffCapMs = 10_000
/** The client does not wait for a longer `Retry-After`: the call rejects at once. */
export const retryAfterMsMax = 60_000
/** The longest time that the API holds a request with `Prefer: wait` open. */
export const preferWaitSecondsMax = 25
/** The share of an attempt's timeout that `Prefer: wait` may use. The rest is for the way there and back. */
export const preferWaitShare = 5 / 6
/** The first interval between two polls for a job, for an API that does not hold the request open. It doubles each time. */
export const pollMsMin = 100
/** The longest interval between two polls. */
export const pollMsMax = 2_000
/** The longest delay that a timer takes. */
export const timerMsMax = 2_147_483_647
/** An event stream without a byte for this long is broken: the API sends a keep-alive every 15 s. */
export const streamSilenceMsMax = 45_000
