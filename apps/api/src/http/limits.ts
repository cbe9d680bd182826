import { limits } from '@queue/core'

/** The bounds of the HTTP interface, by name, with the unit last. Those of a job itself are in `@queue/core`. */

/** The same bound as that of a payload. A request meets the one of the body first. */
export const bodyBytesMax = limits.payloadBytesMax
export const bodyDepthMax = limits.payloadDepthMax
export const bodyNodesMax = limits.payloadNodesMax
/** The members of all objects of a body. Parsing one whose name is new takes a microsecond, ten times as long as another value. */
export const bodyMembersMax = 30_000
/** What a value of a body, or a member of an object, takes in memory once it is parsed. An empty object takes 56 bytes. */
export const bodyValueBytes = 64
/** The rest of a too large body is read and discarded up to this bound, so that the client reads the 413; then it is cut. */
export const bodyDiscardedBytesMax = 8 * 1_048_576
/** The body of a request whose sender has no verified credential yet, such as a sign-in: its size … */
export const unverifiedBodyBytesMax = 4_096
/** … the time in which it must arrive … */
export const unverifiedBodyMsMax = 2_000
/** … and how many a process reads at a time. Beyond this, the one that has been read for longest is given up. */
export const unverifiedBodiesMax = 100
/** The registry of kinds is read again at this age, unless a notification comes first. */
export const kindsMaxAgeMs = 30_000
/** The registry is read again at this age for a list, and for an unknown kind where such kinds are accepted. */
export const kindsMissAgeMs = 1_000
/** Kinds that are looked up in the registry before their jobs are refused: how many can wait for that. */
export const kindLookupsMax = 100
/** A retirement is answered this long after it has been committed, so that all processes have heard of it. */
export const kindRetirementMs = 500
export const batchJobsMax = limits.enqueueBatchMax
export const requestTimeoutMsDefault = 30_000
/** Maximum of `Prefer: wait`, which is also limited to five sixths of the request timeout. */
export const waitSecondsMax = 25
/** Interval at which the watched jobs are read, all in one query. */
export const watchIntervalMs = 100
/** Jobs in one such query. More jobs take several queries, one after the other. */
export const watchBatchMax = 1_000
/** Open event streams. Each holds a connection, and other requests need some too. */
export const eventStreamsMax = 1_000
/** Interval at which an idle stream sends a comment, so that proxies keep it open. */
export const streamHeartbeatMs = 15_000
/** A check of the doctor that takes longer is cancelled, so that it cannot load the server. */
export const diagnosisCheckMsMax = 1_000
/** All callers share one diagnosis for this long. */
export const diagnosisKeptMs = 10_000
/** A statement that takes longer fails with 503, before the request times out with 504. */
export const statementTimeoutMs = 25_000
export const headersReceiveMsMax = 10_000
export const requestReceiveMsMax = 30_000
/** Longer than the 60 s after which common load balancers close an idle connection: the server must not close it first. */
export const keepAliveMs = 65_000
/** Requests of one connection without an answer, of which one is served at a time. With more, it is closed. */
export const unansweredRequestsMax = 32
/** Time for a refused client to close its end of the connection. */
export const lingerMs = 2_000
export const headerBytesMax = 16_384
export const connectionsMaxDefault = 2_000
export const issuesMax = 100
export const issueMessageLengthMax = 500
export const detailLengthMax = 1_000
export const issuePathLengthMax = 500
export const instanceLengthMax = 500
/** Browsers send a few hundred characters. Negotiation takes time that grows with the square of the length. */
export const acceptLengthMax = 2_048
export const requestIdLengthMax = 128
/** A cursor holds names of up to 255 characters, which may be escaped. */
export const cursorLengthMax = 4_096
export const queryParametersMax = 50
/** How long a key that was read from the database is cached, unless a key is revoked meanwhile. */
export const keyCacheMs = 10_000
/** Cached keys, and cached ids of no key. Beyond this, the oldest entry is dropped. */
export const keyCacheEntriesMax = 10_000
/** Keys, or sessions, that one statement looks up. */
export const lookUpIdsMax = 1_000
/** The pause after such a statement, in which the next look-ups gather. */
export const lookUpPauseMs = 10
/** Look-ups of keys, or of sessions, that wait. Further ones are refused at once. */
export const lookUpsWaitingMax = 10_000
/** Scopes whose services are kept between requests. Beyond this, the least recently used one is dropped. */
export const scopesKeptMax = 1_000
/** From this age, the count of revocations is read again in the background. */
export const revocationsCheckMs = 500
/** From this age, requests wait for it. A revoked key is refused after this time and one read. */
export const revocationsStaleMs = 750
/** A process requests tokens of a key for this much of its rate at a time. */
export const rateGrantSeconds = 0.25
/** It requests twice as many if it used the last ones within this time, and half as many otherwise. */
export const rateGrantUsedMsMax = 250
/** Requested tokens expire after this time. For as long after a pause, a key can exceed its burst. */
export const rateHeldMsMax = 1_000
/** Minimum time between two requests for tokens of a key that has none left. */
export const rateAskMsMin = 50
/** Sign-ins from one address: the burst … */
export const unverifiedCallsBurst = 50
/** … and the rate. */
export const unverifiedCallsPerSecond = 5
/** What the requests of one key can use of a process at a time. */
export const keyStreamsMaxDefault = 200
export const keyWaitsMaxDefault = 200
export const keyBytesMaxDefault = 8 * 1_048_576
/** The share of the bytes of all bodies in this process that those of one key may have. */
export const keyBytesShare = 0.25
/** Requests of one caller that go on in a turn of the event loop … */
export const turnRequestsMax = 8
/** … of which all but the first go on only while the turn is not older than this. */
export const turnAgeMsMax = 4
/** A body of this size waits for a turn of its own before it is parsed: it is there some turns after its headers. */
export const turnBodyLengthMin = 8_192
/** A caller is alone at a process that no other has called for this long, and then it does not wait for turns. */
export const aloneAfterMs = 10_000
/** Refusals that a key gets at once: the burst … */
export const keyRefusalsBurst = 100
/** … and the rate. */
export const keyRefusalsPerSecond = 50
/** Further refusals wait, for at most this long. */
export const refusalDelayMsMax = 2_000
/** The share of the connections of a pool that requests occupy. The others write enqueues, and serve the process itself. */
export const connectionsAdmittedShare = 0.8
/** The share of these, and of the ones that a key may occupy, that heavy requests may occupy. */
export const heavyShare = 0.5
/** The share that the requests of one key may occupy. */
export const keyShare = 0.5
/** The share of the enqueues that can wait to be written which may be those of one key. */
export const keyEnqueuesShare = 0.125
/** Requests of one key that wait for a connection. Further ones are refused at once. */
export const admissionWaitingMax = 200
/** A request that has waited for a connection for this long is refused. */
export const admissionWaitMsMax = 5_000
/** Scrapes of the metrics that share one rendering; others wait for a later one. */
export const scrapesMax = 4
/** Reads of log lines for the event streams of one key. */
export const keyLineReadsPerSecond = 50
/** Connections on which a process verifies credentials, and nothing else. */
export const accessConnectionsMax = 2
/** The share of the connections to a process that the requests of one key may occupy. */
export const keyConnectionsShare = 0.5
/** Lifetime of a session of the dashboard. */
export const sessionMs = 12 * 3_600_000
/** How long a session that was read from the database is cached. A session that another process ends lives as long. */
export const sessionCacheMs = 10_000
/** Cached sessions, and cached ids of no session. Beyond this, the oldest entry is dropped. */
export const sessionsKeptMax = 10_000
/** Time to sign in at the issuer. */
export const signInMs = 10 * 60_000
/** Length of the claims of a subject that signs in, as JSON. */
export const claimsCharactersMax = 16_384
/** Lifetime of a link to a job. */
export const jobLinkMs = 15 * 60_000
/** Reads by one link in a process: the burst … */
export const linkReadsBurst = 20
/** … and the rate. */
export const linkReadsPerSecond = 2
/** Interval at which the credential of a long request, such as a stream, is verified again. */
export const keyRecheckMs = 200
/** A long request is closed if its credential could not be verified for this long. */
export const keyUnverifiedMsMax = 3_000
/** Maximum difference between the clocks of this process and of the token issuer. */
export const tokenClockToleranceSeconds = 30
/** How long a verified token is cached, unless the keys of the issuer change. */
export const tokenCacheMs = 60_000
/** From this age, the keys of the issuer are read again in the background. */
export const issuerKeysCheckMs = 10 * 60_000
/** From this age, they are not used. A key that the issuer has withdrawn is accepted no longer than this. */
export const issuerKeysStaleMs = 60 * 60_000
/** Minimum time between two reads of the keys, whatever keys tokens name. */
export const issuerKeysReadMsMin = 10_000
/** Time and size of one document of the issuer. */
export const issuerAnswerMsMax = 5_000
export const issuerAnswerBytesMax = 1_048_576
/** `Retry-After` of a 503, and of a 409 for a key that is being written. */
export const retryAfterSeconds = 1
/** Maximum age of a shared response, for callers that allow it. */
export const sharedMsMax = 10_000
/** Shared responses that are kept in a process. Beyond this, the oldest ones are dropped. */
export const sharedAnswersCharactersMax = 16_777_216
/** Log lines about refused credentials, so that clients cannot flood the log. */
export const refusedTokenLinesPerMinuteMax = 60
/** Log lines about requests that could not be served, for each problem. */
export const unservedLinesPerMinuteMax = 60
