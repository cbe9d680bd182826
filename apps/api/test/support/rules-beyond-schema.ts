import { email, webhook } from './requests.ts'

/** A rule of the API that JSON Schema cannot say, and how the refusal of what breaks it is known. */
export interface RuleBeyondSchema {
  /** As docs/errors.md has it. */
  readonly rule: string
  /** The `error` of the problem: of a body, a query, or both. */
  readonly errors: readonly string[]
  /** What is said of the place that breaks it. */
  readonly message: RegExp
  /** A body for POST /jobs, or for POST /kinds, or the target of a GET, which the document allows and the rule refuses. */
  readonly example: object | `/${string}`
  /** Where a body is posted instead. */
  readonly path?: '/kinds' | '/schedules' | '/schedules/sync' | '/limits' | '/jobs/cancel'
  /** Default: post. */
  readonly method?: 'put'
}

const job = (members: object): object => ({ ...email, ...members })
const schedule = (members: object): object => ({
  name: 'rule',
  kind: email.kind,
  payload: email.payload,
  ...members,
})
const toWebhook = (payload: object): object => ({
  ...webhook(null),
  payload: { url: 'http://a/', ...payload },
})

/**
 * Every rule by which a request may be refused that the document allows. Each is met by a test, and nothing else is
 * refused there: a new rule belongs into the schemas, or here and into docs/errors.md.
 */
export const rulesBeyondSchema: readonly RuleBeyondSchema[] = [
  {
    rule: 'No integer of a payload or of metadata is beyond 2^53 and below 10^21: a double may have rounded it.',
    errors: ['invalid_job', 'invalid_schedule', 'invalid_body'],
    message: /is an integer beyond 2\^53/,
    example: toWebhook({ body: [9_007_199_254_740_994] }),
  },
  {
    rule: 'The filter of an act on many jobs or dead letters has a condition, or the body has `all: true`.',
    errors: ['selects_everything'],
    message: /a filter without a condition selects everything/,
    example: { filter: {} },
    path: '/jobs/cancel',
  },
  {
    rule: 'No text has U+0000 or a lone surrogate: PostgreSQL keeps neither.',
    errors: ['invalid_job', 'invalid_schedule', 'invalid_limit', 'invalid_query', 'invalid_body'],
    message: /contains? (?:U\+0000|a lone surrogate)/,
    example: toWebhook({ body: 'a\u0000b' }),
  },
  {
    rule: 'No idempotency key begins with `schedule:`, which is reserved for runs of schedules.',
    errors: ['invalid_job', 'invalid_schedule'],
    message: /must not begin with schedule:/,
    example: job({ idempotency_key: 'schedule:nightly@2026-01-15T09:30:00.000Z' }),
  },
  {
    rule: '`run_at` and `delay_ms` are not given together.',
    errors: ['invalid_job', 'invalid_schedule'],
    message: /give run_at or delay_ms, not both/,
    example: job({ run_at: '2026-01-15T09:30:00Z', delay_ms: 1 }),
  },
  {
    rule: '`expires_at` and `expires_in_ms` are not given together, and lie after the earliest start of the job.',
    errors: ['invalid_job'],
    message: /give an instant or a duration, not both|must be after the earliest start of the job/,
    example: job({ delay_ms: 2, expires_in_ms: 1 }),
  },
  {
    rule: 'Metadata has at most 20 members and 4 096 bytes.',
    errors: ['invalid_job', 'invalid_schedule', 'invalid_query', 'invalid_body'],
    message: /is larger than 4096 bytes|has more than 20 members/,
    example: job({ metadata: { order: 'a'.repeat(4_096) } }),
  },
  {
    rule: 'A unique key has `window_ms` if, and only if, its scope is `window`; `replace` and `reschedule` need the scope `waiting`, and `max_wait_ms` needs `reschedule`.',
    errors: ['invalid_job', 'invalid_schedule'],
    message: /(?:required with|is only for) the scope window|needs the scope waiting|is only for reschedule/,
    example: job({ unique: { key: 'u', scope: 'live', window_ms: 1 } }),
  },
  {
    rule: 'The jobs of a schedule do not replace or reschedule others.',
    errors: ['invalid_schedule'],
    message: /the jobs of a schedule cannot change other jobs/,
    example: schedule({ every_ms: 1_000, unique: { key: 'u', scope: 'waiting', on_conflict: 'replace' } }),
    path: '/schedules',
  },
  {
    rule: 'An instant lies in the years 1970 to 9999, in capital letters and without a leap second.',
    errors: ['invalid_job', 'invalid_schedule', 'invalid_query', 'invalid_body'],
    message: /must be in the years 1970 to 9999|must be a time in ISO 8601/,
    example: job({ run_at: '1937-01-01T12:00:27.87+00:20' }),
  },
  {
    rule: '`cap_ms` of a retry policy is at least its `base_ms`, or at least the default if `base_ms` is absent.',
    errors: ['invalid_job', 'invalid_schedule'],
    message: /must not be below base_ms/,
    example: job({ retry_policy: { type: 'decorrelated', base_ms: 10, cap_ms: 9 } }),
  },
  {
    rule: 'A URL uses http or https, with at most 1 024 characters between its scheme and its path.',
    errors: ['invalid_job', 'invalid_schedule'],
    message: /must be an http or https URL/,
    example: toWebhook({ url: 'ftp://example.com/' }),
  },
  {
    rule: 'The body of an e-mail has at most 256 KiB.',
    errors: ['invalid_job', 'invalid_schedule'],
    message: /must be at most 256 KiB/,
    example: job({ payload: { ...email.payload, body: 'é'.repeat(140_000) } }),
  },
  {
    rule: 'A payload has at most 1 MiB, with its numbers written out.',
    errors: ['invalid_job', 'invalid_schedule'],
    message: /is larger than 1048576 bytes/,
    example: toWebhook({ body: Array.from({ length: 4_000 }, () => 1e300) }),
  },
  {
    rule: 'A limit on a kind or a key has its name; other limits have no name.',
    errors: ['invalid_limit'],
    message: /must be the name of the|has no name|is not the name of a kind/,
    example: { queue: 'default', scope: 'kind', max_running: 1 },
    path: '/limits',
    method: 'put',
  },
  {
    rule: 'A limit limits something, and each of its settings is possible for its scope.',
    errors: ['invalid_limit'],
    message:
      /must limit something|only a single key or the whole queue|applies to|a tenant can have maxWaiting/,
    example: { queue: 'default', scope: 'queue' },
    path: '/limits',
    method: 'put',
  },
  {
    rule: 'A body has at most 1 MiB.',
    errors: ['body_too_large'],
    message: /a body can have at most 1048576 bytes/,
    example: toWebhook({ body: 'x'.repeat(1_048_577) }),
  },
  {
    rule: 'A body has at most 100 000 values, nested at most 64 deep.',
    errors: ['unparsable_body'],
    message: /nested deeper than 64 levels|more than 100000 values/,
    example: toWebhook({ body: Array.from({ length: 100_000 }, () => 0) }),
  },
  {
    rule: 'No member is called `__proto__`.',
    errors: ['invalid_job', 'invalid_schedule'],
    message: /must not be a member name/,
    example: toWebhook({ body: JSON.parse('{"__proto__":1}') }),
  },
  {
    rule: 'An expression can be parsed, and its date occurs.',
    errors: ['invalid_schedule'],
    message: /is not a cron expression|never fires/,
    example: schedule({ cron: '0 0 30 2 *' }),
    path: '/schedules',
  },
  {
    rule: 'A schedule has an expression or an interval, and a time zone only with an expression.',
    errors: ['invalid_schedule'],
    message: /set either an expression or an interval|requires a cron expression/,
    example: schedule({}),
    path: '/schedules',
  },
  {
    rule: 'A time zone has a known name.',
    errors: ['invalid_schedule'],
    message: /is not a time zone/,
    example: schedule({ cron: '0 0 * * *', time_zone: 'Mars/Base' }),
    path: '/schedules',
  },
  {
    rule: 'A schedule ends after its start, and has a run left.',
    errors: ['invalid_schedule'],
    message: /must be after the start|leaves no run/,
    example: schedule({ every_ms: 1_000, ends_at: '1999-01-01T00:00:00Z' }),
    path: '/schedules',
  },
  {
    rule: 'The jitter of a schedule is shorter than the time between two of its runs.',
    errors: ['invalid_schedule'],
    message: /must be less than the time between two runs/,
    example: schedule({ every_ms: 1_000, jitter_ms: 1_000 }),
    path: '/schedules',
  },
  {
    rule: 'The payload of a schedule has at most 64 KiB.',
    errors: ['invalid_schedule'],
    message: /is larger than 65536 bytes/,
    example: schedule({ every_ms: 1_000, payload: { ...email.payload, body: 'x'.repeat(65_536) } }),
    path: '/schedules',
  },
  {
    rule: 'A sync names each schedule once.',
    errors: ['invalid_schedule'],
    message: /is the name of another schedule in the list/,
    example: {
      source: 'rules',
      revision: 0,
      schedules: [schedule({ every_ms: 1_000 }), schedule({ every_ms: 1_000 })],
    },
    path: '/schedules/sync',
  },
  {
    rule: '`version` is one of the versions of its kind.',
    errors: ['invalid_job', 'invalid_schedule'],
    message: /is not a known version of this kind/,
    example: job({ version: 2 }),
  },
  {
    rule: 'A payload schema is self-contained JSON Schema 2020-12 within its limits, and a request registers each kind once.',
    errors: ['invalid_kind'],
    message: /./,
    example: { kinds: [{ kind: 'a', payload_schema: { type: 'nothing' } }] },
    path: '/kinds',
  },
  {
    rule: 'The target and the headers of a request have at most 16 KiB.',
    errors: ['headers_too_large'],
    message: /headers are too large/,
    example: `/jobs?metadata[a]=${'a'.repeat(1_000)}&metadata[b]=${'%C3%A9'.repeat(3_000)}`,
  },
  {
    rule: 'A cursor comes from the same list.',
    errors: ['invalid_cursor'],
    message: /the cursor is not one that a list has returned/,
    example: '/queues?cursor=a',
  },
]
