import { limits } from '@queue/core'
import { parseRate, rateForm } from '@queue/core/access'
import {
  bindAddress,
  databaseUrl,
  databaseVariables,
  isLoopbackHost,
  logVariables,
  poolVariables,
  secret,
} from '@queue/service'
import { z } from 'zod'
import { allowedHosts } from './allowed-hosts.ts'
import { bindAddressDefault, opsBindAddressDefault } from './bind-address-default.ts'
import { oidcFault, oidcVariables } from './oidc-config.ts'
import {
  bodyBytesMax,
  connectionsMaxDefault,
  keyBytesMaxDefault,
  keyStreamsMaxDefault,
  keyWaitsMaxDefault,
  requestTimeoutMsDefault,
} from './http/limits.ts'
import { unknownKindPolicies } from './kinds/kind-catalogue.ts'
import { idempotencyMismatches } from './services.ts'

const variables = z.object({
  ...databaseVariables,
  ...poolVariables,
  ...logVariables,
  API_BIND_ADDR: bindAddress.prefault(bindAddressDefault).meta({ description: 'Where the API listens.' }),
  API_OPS_BIND_ADDR: bindAddress.prefault(opsBindAddressDefault).meta({
    description:
      'Where /livez, /readyz and /health are served by a thread of their own, so that probes are answered while ' +
      'API_BIND_ADDR is busy. They need no token and show no data of the queue.',
  }),
  API_TOKEN: secret.optional().meta({
    description:
      'A bearer token that permits every operation. Requests without a valid token or key are refused, except for probes ' +
      'and the documentation. If neither this nor API_KEYS is set, whoever reaches the API may do anything, and it ' +
      'listens only on a loopback address.',
  }),
  API_KEYS: z
    .boolean()
    .default(false)
    .meta({
      description:
        'yes: requests need an API key (migrate keys create) or, where it is set, API_TOKEN; except for probes and the ' +
        'documentation. With API_TOKEN set, keys are accepted without this too.',
    }),
  API_TENANT_DATABASE_URL: databaseUrl.optional().meta({
    description:
      'The same database with the role for requests of tenants (QUEUE_ROLE_API_TENANT), on connections of its own: as ' +
      'many as DATABASE_POOL_MAX, made when they are needed. Without it, keys that are bound to a tenant are answered with 503.',
  }),
  API_LINK_SECRET: secret.optional().meta({
    description:
      'Signs links that read one job for 15 minutes (POST /jobs/{id}/links). The same in every process of the API; another one ' +
      'voids all links. Without it there are none.',
  }),
  ...oidcVariables,
  API_KEY_RATE: z
    .string()
    .transform((text, context) => {
      const rate = parseRate(text)
      if (rate === undefined) context.addIssue({ code: 'custom', message: 'is no rate' })
      return rate
    })
    .optional()
    .meta({
      accepted: rateForm,
      unset: 'no limit',
      description:
        'How many requests may be sent with an API key that has no rate of its own (migrate keys create --rate): so many in ' +
        'so many seconds, over all processes, and so many at once after a pause. More are answered with 429.',
    }),
  API_KEY_MAX_STREAMS: z.int().min(1).max(1_000_000).default(keyStreamsMaxDefault).meta({
    description:
      'How many streams of events of one API key may be open in this process at once; more are answered with 429.',
  }),
  API_KEY_MAX_WAITS: z.int().min(1).max(1_000_000).default(keyWaitsMaxDefault).meta({
    description:
      'How many requests with one API key may wait for jobs (Prefer: wait) in this process at once; more are answered with 429.',
  }),
  API_KEY_MAX_BYTES: z.int().min(bodyBytesMax).max(1_099_511_627_776).default(keyBytesMaxDefault).meta({
    description:
      'How many bytes of bodies the requests with one API key may have under way in this process at once; more are answered with 429.',
  }),
  API_OPEN: z
    .boolean()
    .default(false)
    .meta({
      description:
        'yes: the API may listen on an address that others reach although neither API_TOKEN nor API_KEYS is set. Everybody ' +
        'in that network may then do everything.',
    }),
  API_ALLOWED_HOSTS: allowedHosts.optional().meta({
    unset: 'any with API_TOKEN or API_KEYS, none without',
    description:
      'The hosts that requests may name, beside localhost, loopback addresses and the address that was reached. Other ' +
      'hosts are answered with 421. Without API_TOKEN and API_KEYS this protects against DNS rebinding.',
  }),
  API_REQUEST_TIMEOUT_MS: z.int().min(100).max(600_000).default(requestTimeoutMsDefault).meta({
    unit: 'ms',
    description: 'How long a request may take before it is answered with 504.',
  }),
  API_SHUTDOWN_GRACE_MS: z.int().min(0).max(600_000).default(30_000).meta({
    unit: 'ms',
    description: 'How long requests in flight may go on after SIGTERM.',
  }),
  API_MAX_CONNECTIONS: z.int().min(1).max(1_000_000).default(connectionsMaxDefault).meta({
    description:
      'How many connections may be open at once. A further one replaces the one that has been idle for longest.',
  }),
  API_ENQUEUE_WAITING_MAX: z.int().min(1).max(1_000_000).default(limits.enqueueWaitingMax).meta({
    description: 'How many jobs may wait to be written at once. A further POST /jobs is answered with 503.',
  }),
  API_DOCS: z
    .boolean()
    .default(true)
    .meta({
      description:
        'off: /docs and /api-docs are not served. Otherwise everybody may read them, without a token: they describe the ' +
        'API and show no jobs.',
    }),
  API_DASHBOARD: z
    .boolean()
    .default(true)
    .meta({
      description:
        'off: /dashboard is not served. Otherwise everybody may load its page, and signs in there with an API key or the token ' +
        'to see anything.',
    }),
  API_BASE_PATH: z
    .string()
    .regex(/^(?:\/[\w.~-]+)*$/, 'begins with a slash, and ends with none')
    .optional()
    .meta({
      accepted: 'a path such as /queue',
      description:
        'The path under which browsers reach this API, where a proxy takes it away: /queue if https://example.com/queue/jobs ' +
        'arrives here as /jobs. The dashboard refers to its parts by it.',
    }),
  API_KINDS_MODULE: z
    .string()
    .min(1)
    .optional()
    .meta({
      description:
        'A module whose exports, alone or in arrays, are definitions made by defineJob: the API takes their kinds beside the ' +
        'built-in and the registered ones. A path from the working directory, or a package.',
    }),
  API_UNKNOWN_KINDS: z.enum(unknownKindPolicies).default('refuse').meta({
    description:
      'What becomes of a job of a kind that is neither built in nor registered: refuse answers 422, accept takes it with any payload.',
  }),
  KIND_CHANGES: z
    .enum(['auto', 'replace', 'refuse'])
    .default('auto')
    .meta({
      description:
        'What becomes of a kind whose schema has changed under one version. replace: the new schema takes the place of the old. ' +
        'refuse: not while jobs of that version are there. auto is refuse when NODE_ENV is production, else replace.',
    }),
  IDEMPOTENCY_MISMATCH: z
    .enum(idempotencyMismatches)
    .default('replay')
    .meta({
      description:
        'The answer to a known idempotency key with a different request: replay gives the original job and the header ' +
        'Idempotency-Mismatch, reject gives 422.',
    }),
})

/** The environment variables of the API. */
export const configSchema = variables
  .refine(
    (config) => asksForCredentials(config) || config.API_OPEN || isLoopbackHost(config.API_BIND_ADDR.host),
    {
      path: ['API_BIND_ADDR'],
      message:
        'is an address that others reach, and neither API_TOKEN nor API_KEYS is set: anyone could do anything; set ' +
        'API_TOKEN, or API_KEYS=yes, or API_OPEN=yes if that is meant, or listen on 127.0.0.1',
    },
  )
  .superRefine((config, context) => {
    const fault = oidcFault(config)
    if (fault !== undefined) context.addIssue({ code: 'custom', ...fault })
  })

/** Whether a request needs a credential of any sort. */
export function asksForCredentials({
  API_TOKEN: token,
  API_KEYS: keys,
  API_OIDC_ISSUER: issuer,
}: z.output<typeof variables>): boolean {
  return token !== undefined || keys || issuer !== undefined
}

export type Config = z.output<typeof configSchema>
