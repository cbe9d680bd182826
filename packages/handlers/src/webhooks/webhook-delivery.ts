import { webhookDelivery } from '@queue/core'
import { type ExecutionContext, type HandledJob, PermanentFailure, RetryAfter, handle } from '@queue/executor'
import type { HandlerModule } from '../handler-module.ts'
import { withDeadline } from '../outgoing/deadline.ts'
import type { OutgoingClient, OutgoingRequest, OutgoingResponse } from '../outgoing/outgoing-client.ts'
import { readBody, retryAfterMs } from '../outgoing/responses.ts'
import type { WebhookSettings } from '../settings.ts'
import { checkPayloadHeaders, signWebhook } from './webhook-headers.ts'
import { type SecretsRequest, type WebhookSecrets, openWebhookSecrets } from './webhook-secrets.ts'

/** How much of a response body is received, so that its connection can be used again. The body is not kept. */
const responseBytesMax = 65_536

type WebhookJob = HandledJob<typeof webhookDelivery.payload>

interface DeliveryDeps {
  readonly client: OutgoingClient
  readonly settings: WebhookSettings
  /** Undefined if no secrets file is configured. */
  readonly secrets: WebhookSecrets | undefined
}

/**
 * Delivers webhooks by the rules of Standard Webhooks. Each attempt of a job sends the same `webhook-id`, the job's id, by which
 * a receiver can drop repeats. Rejects if the secrets file cannot be read.
 */
export async function createWebhookDelivery(
  settings: WebhookSettings,
  client: OutgoingClient,
): Promise<HandlerModule> {
  const { secretsFile } = settings
  const secrets = secretsFile === undefined ? undefined : await openWebhookSecrets(secretsFile)
  return {
    handler: handle(webhookDelivery, (job, ctx) => deliver(job, ctx, { client, settings, secrets })),
    close: () => Promise.resolve(),
  }
}

async function deliver(job: WebhookJob, ctx: ExecutionContext, deps: DeliveryDeps) {
  const { client, settings } = deps
  const outgoing = await prepare(job, ctx, deps)
  ctx.progress(10, 'deliver')
  const deadline = { signal: ctx.signal, ms: settings.timeoutMs, what: 'the delivery' }
  return withDeadline(deadline, async (signal) => {
    const response = await client.send({ ...outgoing, signal })
    ctx.progress(90, 'answered')
    await drainBody(response)
    ctx.progress(100)
    return webhookResult(response)
  })
}

/** The request with its signature. The timestamp is that of this attempt, because receivers refuse old timestamps. */
async function prepare(
  { id, tenantId, payload }: WebhookJob,
  ctx: ExecutionContext,
  { secrets }: DeliveryDeps,
): Promise<Omit<OutgoingRequest, 'signal'>> {
  const headers = checkPayloadHeaders(payload.headers)
  const body = payload.body === undefined ? '' : JSON.stringify(payload.body)
  const timestamp = Math.floor(Date.now() / 1_000)
  const keys =
    payload.secret_name === undefined
      ? []
      : await secretsOf({ name: payload.secret_name, tenantId, url: new URL(payload.url) }, { ctx, secrets })
  return {
    method: payload.method ?? 'POST',
    url: payload.url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'queue-webhooks',
      ...(ctx.traceparent === null ? {} : { traceparent: ctx.traceparent }),
      ...headers,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      ...(keys.length === 0 ? {} : { 'webhook-signature': signWebhook({ id, timestamp, body }, keys) }),
    },
  }
}

function secretsOf(
  request: SecretsRequest,
  { ctx, secrets }: { readonly ctx: ExecutionContext; readonly secrets: WebhookSecrets | undefined },
): Promise<readonly Buffer[]> {
  if (secrets !== undefined) return secrets.secretsFor(request, ctx.logger)
  throw new Error('the payload names a secret, but WEBHOOK_SECRETS_FILE is not set')
}

/**
 * Receives the body so that the connection can be used again. The status alone decides the outcome of the delivery. A body that
 * is too long, too slow or cut off only costs the connection.
 */
async function drainBody(response: OutgoingResponse): Promise<void> {
  await readBody(response, responseBytesMax).catch(() => undefined)
}

/** The receiver did not accept the webhook; a later attempt may succeed. */
class DeliveryRefused extends Error {
  override readonly name = 'DeliveryRefused'
}

/**
 * The result of a delivery, decided by the status alone: 2xx is a success. Otherwise throws the error of the attempt: 410 means
 * that the receiver wants no more webhooks, 429 and 503 may say when to retry, and all others are retried by the job's policy.
 */
function webhookResult({ statusCode, headers }: Pick<OutgoingResponse, 'statusCode' | 'headers'>): {
  readonly status: number
} {
  if (statusCode >= 200 && statusCode < 300) return { status: statusCode }
  const message = `the receiver answered ${statusCode}`
  if (statusCode === 410) throw new PermanentFailure(`${message}: it is gone`)
  if (statusCode >= 300 && statusCode < 400)
    throw new DeliveryRefused(`${message}: redirects are not followed`)
  const waitMs =
    statusCode === 429 || statusCode === 503 ? retryAfterMs(headers['retry-after'], Date.now()) : undefined
  throw waitMs === undefined ? new DeliveryRefused(message) : new RetryAfter(waitMs, message)
}
