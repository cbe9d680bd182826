import { limits } from '@queue/core'
import { parseRate, rateForm } from '@queue/core/internal'
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
import { trustedProxies } from './trusted-proxies.ts'
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
  API_BIND_ADDR: bindAddress
    .prefault(bindAddressDefault)
    .meta({ description: 'Address on which the API listens.' }),
  API_OPS_BIND_ADDR: bindAddress.prefault(opsBindAddressDefault).meta({
    description:
      'Address on which a separate thread serves /livez, /readyz and /health, so that probes are answered while the ' +
      'API is busy. They need no credential and show no data of the queue.',
  }),
  API_TOKEN: secret.optional().meta({
    description:
      'Bearer token that has every permission. With it, requests without a valid token or API key are refused, except ' +
      'for probes and the documentation. If neither this nor API_KEYS is set, every caller has every permission, and ' +
      'the API listens only on a loopback address.',
  }),
  API_KEYS: z
    .boolean()
    .default(false)
    .meta({
      description:
        'yes: requests need an API key (queue keys create) or API_TOKEN, except for probes and the documentation. With ' +
        'API_TOKEN, keys are accepted even without this setting.',
    }),
  API_TENANT_DATABASE_URL: databaseUrl.optional().meta({
    description:
      'URL of the same database with the role for tenant requests (QUEUE_ROLE_API_TENANT). It has a connection pool of ' +
      'its own with up to DATABASE_POOL_MAX connections, opened when needed. Without it, API keys that are restricted ' +
      'to a tenant are answered with 503.',
  }),
  API_LINK_SECRET: secret.optional().meta({
    description:
      'Signs links that read one job for 15 minutes (POST /jobs/{id}/links). Set the same secret in every API process; ' +
      'changing it invalidates all links. Without it, links are not supported.',
  }),
  ...oidcVariables,
  API_KEY_RATE: z
    .string()
    .transform((text, context) => {
      const rate = parseRate(text)
      if (rate === undefined) context.addIssue({ code: 'custom', message: 'is not a rate' })
      return rate
    })
    .optional()
    .meta({
      accepted: rateForm,
      unset: 'no limit',
      description:
        'Rate limit of API keys without one of their own (queue keys create --rate-limit): a number of requests in a number ' +
        'of seconds over all API processes, and the burst after a pause. Requests beyond it are answered with 429.',
    }),
  API_KEY_MAX_STREAMS: z.int().min(1).max(1_000_000).default(keyStreamsMaxDefault).meta({
    description:
      'Maximum number of open event streams of one API key in this process. Further ones are answered with 429.',
  }),
  API_KEY_MAX_WAITS: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(keyWaitsMaxDefault)
    .meta({
      description:
        'Maximum number of requests of one API key that wait for jobs (Prefer: wait) in this process. Further ones are ' +
        'answered with 429.',
    }),
  API_KEY_MAX_BYTES: z
    .int()
    .min(bodyBytesMax)
    .max(1_099_511_627_776)
    .default(keyBytesMaxDefault)
    .meta({
      description:
        'Maximum total size of the request bodies of one API key that this process handles at a time, in bytes, and of what ' +
        'their values take in memory, 64 bytes each. Further requests are answered with 429. All callers together can have four times ' +
        'as much; beyond that, requests are answered with 503.',
    }),
  API_OPEN: z
    .boolean()
    .default(false)
    .meta({
      description:
        'yes: the API may listen on an address that other machines can reach although neither API_TOKEN nor API_KEYS is ' +
        'set. Every caller in that network then has every permission.',
    }),
  API_ALLOWED_HOSTS: allowedHosts.optional().meta({
    unset: 'any with API_TOKEN or API_KEYS, none without',
    description:
      'Hosts that requests may name, in addition to localhost, loopback addresses and the address of the server. Other ' +
      'hosts are answered with 421. Without API_TOKEN and API_KEYS, this protects against DNS rebinding.',
  }),
  API_TRUSTED_PROXIES: trustedProxies.optional().meta({
    unset: 'none',
    description:
      'Proxies before the API, which append the address of their caller to X-Forwarded-For. Sign-ins are then counted for the ' +
      'address of the client, and the audit log and the logs name it; otherwise for the last proxy. Trust only proxies that no ' +
      'client can pass by: whoever can call the API from such an address can write any other.',
  }),
  API_REQUEST_TIMEOUT_MS: z.int().min(100).max(600_000).default(requestTimeoutMsDefault).meta({
    unit: 'ms',
    description: 'Time after which a request is answered with 504.',
  }),
  API_SHUTDOWN_GRACE_MS: z.int().min(0).max(600_000).default(30_000).meta({
    unit: 'ms',
    description: 'Time that running requests have to finish after SIGTERM.',
  }),
  API_MAX_CONNECTIONS: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(connectionsMaxDefault)
    .meta({
      description:
        'Maximum number of open connections. A further one replaces the connection that has been idle for longest, or the ' +
        'oldest request without a verified credential.',
    }),
  API_ENQUEUE_WAITING_MAX: z.int().min(1).max(1_000_000).default(limits.enqueueWaitingMax).meta({
    description: 'Maximum number of jobs that wait to be written. A further POST /jobs is answered with 503.',
  }),
  API_DOCS: z
    .boolean()
    .default(true)
    .meta({
      description:
        'off: /docs and /api-docs are not served. Otherwise, everybody can read them without a credential. They describe ' +
        'the API and show no jobs.',
    }),
  API_DASHBOARD: z
    .boolean()
    .default(true)
    .meta({
      description:
        'off: /dashboard is not served. Otherwise, everybody can load its page, and must sign in with an API key or the ' +
        'token to see data.',
    }),
  API_BASE_PATH: z
    .string()
    .regex(/^(?:\/[\w.~-]+)*$/, 'must begin with a slash and not end with one')
    .optional()
    .meta({
      accepted: 'a path such as /queue',
      description:
        'Path prefix that a proxy removes: /queue if the proxy forwards https://example.com/queue/jobs as /jobs. The ' +
        'dashboard adds it to its links.',
    }),
  API_KINDS_MODULE: z
    .string()
    .min(1)
    .optional()
    .meta({
      description:
        'Module that exports job definitions of defineJob, alone or in arrays. The API accepts their kinds in addition ' +
        'to the built-in and the registered ones. A path relative to the working directory, or a package.',
    }),
  API_UNKNOWN_KINDS: z
    .enum(unknownKindPolicies)
    .default('refuse')
    .meta({
      description:
        'What happens to a job whose kind is neither built in nor registered. refuse answers 422. accept enqueues it ' +
        'with any payload.',
    }),
  KIND_CHANGES: z
    .enum(['auto', 'replace', 'refuse'])
    .default('auto')
    .meta({
      description:
        'What happens when a registered kind version gets another schema. replace: the new schema replaces the old one. ' +
        'refuse: registration fails while jobs of that version exist. auto: refuse if NODE_ENV is production, otherwise ' +
        'replace.',
    }),
  IDEMPOTENCY_MISMATCH: z
    .enum(idempotencyMismatches)
    .default('replay')
    .meta({
      description:
        'Response to a known idempotency key with a different request. replay: the original job, with the header ' +
        'Idempotency-Mismatch. reject: 422.',
    }),
})

/** The environment variables of the API. */
export const configSchema = variables
  .refine(
    (config) => asksForCredentials(config) || config.API_OPEN || isLoopbackHost(config.API_BIND_ADDR.host),
    {
      path: ['API_BIND_ADDR'],
      message:
        'is an address that other machines can reach, and neither API_TOKEN nor API_KEYS is set: every caller would have ' +
        'every permission; set API_TOKEN, or API_KEYS=yes, or API_OPEN=yes if this is intended, or listen on 127.0.0.1',
    },
  )
  .superRefine((config, context) => {
    const fault = oidcFault(config)
    if (fault !== undefined) context.addIssue({ code: 'custom', ...fault })
  })

/** Whether requests need a credential. */
export function asksForCredentials({
  API_TOKEN: token,
  API_KEYS: keys,
  API_OIDC_ISSUER: issuer,
}: z.output<typeof variables>): boolean {
  return token !== undefined || keys || issuer !== undefined
}

export type Config = z.output<typeof configSchema>
