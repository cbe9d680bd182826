import { limits } from '@queue/core'
import {
  bindAddress,
  databaseVariables,
  isLoopbackHost,
  logVariables,
  poolVariables,
  secret,
} from '@queue/service'
import { z } from 'zod'
import { allowedHosts } from './allowed-hosts.ts'
import { bindAddressDefault, opsBindAddressDefault } from './bind-address-default.ts'
import { connectionsMaxDefault, requestTimeoutMsDefault } from './http/limits.ts'
import { idempotencyMismatches } from './services.ts'

const variables = z.object({
  ...databaseVariables,
  ...poolVariables,
  ...logVariables,
  API_BIND_ADDR: bindAddress.prefault(bindAddressDefault).meta({ description: 'Where the API listens.' }),
  API_OPS_BIND_ADDR: bindAddress.prefault(opsBindAddressDefault).meta({
    description:
      'Where /livez, /readyz and /health are served by a thread of their own, so that probes are answered while ' +
      'API_BIND_ADDR is busy. They tell states and no data, and ask for no token.',
  }),
  API_TOKEN: secret.optional().meta({
    description:
      'The bearer token that every request but probes and the documentation must carry; it permits every operation. Without it and without API_KEYS, whoever reaches the API may do anything, and ' +
      'it listens on a loopback address only.',
  }),
  API_KEYS: z
    .boolean()
    .default(false)
    .meta({
      description:
        'yes: every request but probes and the documentation must carry an API key (migrate keys create), or API_TOKEN ' +
        'where that is set. With API_TOKEN alone, keys are accepted beside it.',
    }),
  API_OPEN: z
    .boolean()
    .default(false)
    .meta({
      description:
        'yes: without API_TOKEN and API_KEYS, too, the API may listen on an address that others reach. For networks in which ' +
        'everybody may do everything.',
    }),
  API_ALLOWED_HOSTS: allowedHosts.optional().meta({
    unset: 'any with API_TOKEN or API_KEYS, none without',
    description:
      'The hosts that requests may name, beside localhost, loopback addresses and the address that was reached; others ' +
      'are answered with 421. Without API_TOKEN and API_KEYS it keeps web pages out whose name was made to lead here (DNS rebinding).',
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
      'How many connections are open at once at most. One more takes the place of the one that has been idle for longest.',
  }),
  API_ENQUEUE_WAITING_MAX: z.int().min(1).max(1_000_000).default(limits.enqueueWaitingMax).meta({
    description:
      'How many jobs may wait to be written at once; a POST /jobs beyond them is answered with 503.',
  }),
  API_DOCS: z
    .boolean()
    .default(true)
    .meta({
      description:
        'off: the documentation under /docs and /api-docs is not served. Otherwise everybody may read it, without API_TOKEN ' +
        'too: it says what the API can do and nothing of the jobs.',
    }),
  IDEMPOTENCY_MISMATCH: z
    .enum(idempotencyMismatches)
    .default('replay')
    .meta({
      description:
        'What becomes of a known idempotency key with a different request: replay answers with the original job and ' +
        'says so in a header, reject answers 422.',
    }),
})

/** The environment variables of the API. */
export const configSchema = variables.refine(
  (config) =>
    config.API_TOKEN !== undefined ||
    config.API_KEYS ||
    config.API_OPEN ||
    isLoopbackHost(config.API_BIND_ADDR.host),
  {
    path: ['API_BIND_ADDR'],
    message:
      'is an address that others reach, and there is no API_TOKEN: anyone could do anything; set API_TOKEN, or ' +
      'API_KEYS=yes, or API_OPEN=yes if that is meant, or listen on 127.0.0.1',
  },
)

export type Config = z.output<typeof configSchema>
