import { limits } from '@queue/core'

/** The bounds of the HTTP face, by name, with the unit last. What limits a job itself is in `@queue/core`. */

/** A body is what meets the payload's own bound first. */
export const bodyBytesMax = limits.payloadBytesMax
export const bodyDepthMax = limits.payloadDepthMax
export const bodyNodesMax = limits.payloadNodesMax
/** A body that is too large is read on, unseen, so that the client gets to read the 413; past this it is cut. */
export const bodyDiscardedBytesMax = 8 * 1_048_576
/** What is known of the registry of kinds is read again after so long, if no notification has come before. */
export const kindsMaxAgeMs = 30_000
/** Before a kind is refused as unknown, the registry is read again if what is known of it is older. */
export const kindsMissAgeMs = 1_000
/** What the check of one payload by a registered schema may take: values looked at, times what is asked of each. */
export const kindStepsMax = 2_000_000
export const batchJobsMax = limits.enqueueBatchMax
export const requestTimeoutMsDefault = 30_000
/** `Prefer: wait` goes no further than this, nor than five sixths of the request's own time. */
export const waitSecondsMax = 25
/** How often the jobs that clients wait for are read, all in one query. */
export const watchIntervalMs = 100
/** Jobs in one such query; more take several, one after the other. */
export const watchBatchMax = 1_000
/** Streams of events at once: each holds a connection, and others need some too. */
export const eventStreamsMax = 1_000
/** How often a silent stream sends a sign of life, so that no proxy drops it. */
export const streamHeartbeatMs = 15_000
/** A check of doctor that takes longer is cancelled: it must not load the server. */
export const diagnosisCheckMsMax = 1_000
/** For how long all who ask are given the same diagnosis. */
export const diagnosisKeptMs = 10_000
/** A statement that takes longer fails with 503, before the request's own 504. */
export const statementTimeoutMs = 25_000
export const headersReceiveMsMax = 10_000
export const requestReceiveMsMax = 30_000
/** Longer than the 60 s after which common load balancers drop an idle connection: we must not close it first. */
export const keepAliveMs = 65_000
/** How long a client that was cut off has to close its own end of the connection. */
export const lingerMs = 2_000
export const headerBytesMax = 16_384
export const connectionsMaxDefault = 2_000
export const issuesMax = 100
export const issueMessageLengthMax = 500
export const detailLengthMax = 1_000
export const issuePathLengthMax = 500
export const instanceLengthMax = 500
/** Browsers send a few hundred characters. Negotiation takes time in proportion to the square of the length. */
export const acceptLengthMax = 2_048
export const requestIdLengthMax = 128
export const cursorLengthMax = 128
export const queryParametersMax = 50
/** How long it is believed what the database has said of a key, if no key is revoked meanwhile. */
export const keyCacheMs = 10_000
/** More keys, unknown ones included, push out those that were asked for first. */
export const keyCacheEntriesMax = 10_000
/** Scopes of keys whose groups and polls are kept from one request to the next; of more, those used last. */
export const scopesKeptMax = 1_000
/** How old the count of revocations may be before it is read again, beside the requests. */
export const revocationsCheckMs = 500
/** From this age on, requests wait for it. A revoked key opens no longer than this, and the time of one read. */
export const revocationsStaleMs = 750
/** A process takes as many requests of a key at once as it serves in this time at the key's rate, … */
export const rateGrantSeconds = 0.25
/** … twice as many as before where it has used those within this time, and half as many where it has not, … */
export const rateGrantUsedMsMax = 250
/** … and serves them within this time: so long after its pause, a key may be served more than its burst. */
export const rateHeldMsMax = 1_000
/** How often a process asks for more requests of a key that has none left, at most. */
export const rateAskMsMin = 50
/** Look-ups of keys that nobody has, for one address: so many at once, … */
export const unknownKeysBurst = 50
/** … and then so many a second. */
export const unknownKeysPerSecond = 5
/** Of each process, what the requests of one key may have at once. */
export const keyStreamsMaxDefault = 200
export const keyWaitsMaxDefault = 200
export const keyBytesMaxDefault = 64 * 1_048_576
/** How long somebody who has signed in to the dashboard stays so. */
export const sessionMs = 12 * 3_600_000
/** How long it is believed what the database has said of a session: one that is ended elsewhere opens so long. */
export const sessionCacheMs = 10_000
/** More sessions push out those that were asked for first. */
export const sessionsKeptMax = 10_000
/** Sessions that one statement reads again. */
export const sessionsReadMax = 1_000
/** How long somebody may take to sign in at the issuer. */
export const signInMs = 10 * 60_000
/** What the issuer may say of a subject that signs in. */
export const claimsCharactersMax = 16_384
/** How long a link reads its job. */
export const jobLinkMs = 15 * 60_000
/** Reads by one link in this process: so many at once, … */
export const linkReadsBurst = 20
/** … and then so many a second. */
export const linkReadsPerSecond = 2
/** How often the key of a request that goes on for long, such as a stream, is verified again. */
export const keyRecheckMs = 200
/** A request that goes on is cut when its key could not be verified for so long. */
export const keyUnverifiedMsMax = 3_000
/** Between the clock of this process and that of the issuer of tokens. */
export const tokenClockToleranceSeconds = 30
/** How long it is believed what a token has said, if the issuer's keys do not change meanwhile. */
export const tokenCacheMs = 60_000
/** How old the issuer's keys may be before they are read again, beside the requests. */
export const issuerKeysCheckMs = 10 * 60_000
/** From this age on nobody is let in by them: a key that the issuer has taken back opens no longer than this. */
export const issuerKeysStaleMs = 60 * 60_000
/** How often they are read at most, whatever keys tokens name. */
export const issuerKeysReadMsMin = 10_000
/** What one document of the issuer may take, and how long it may be. */
export const issuerAnswerMsMax = 5_000
export const issuerAnswerBytesMax = 1_048_576
/** How long a client should wait after a 503, and after a 409 for a key that is being written. */
export const retryAfterSeconds = 1
/** How old an answer may be that callers share, who have said that it may be. */
export const sharedMsMax = 5_000
/** What is kept of shared answers in this process; of more, the youngest. */
export const sharedAnswersCharactersMax = 16_777_216
/** The last instant of year 9999: beyond it ISO 8601 needs more than four digits for a year. */
export const instantMsMax = 253_402_300_799_999
/** Clients that try tokens must not determine the size of the log. */
export const refusedTokenLinesPerMinuteMax = 60
