import { webhookDelivery } from '@queue/core'
import { type ExecutionContext, type HandledJob, handle } from '@queue/executor'
import type { HandlerModule } from '../handler-module.ts'
import { withDeadline } from '../outgoing/deadline.ts'
import type { OutgoingClient, OutgoingRequest, OutgoingResponse } from '../outgoing/outgoing-client.ts'
import { readBody } from '../outgoing/read-body.ts'
import type { WebhookSettings } from '../settings.ts'
import { signWebhook } from './sign-webhook.ts'
import { checkPayloadHeaders } from './webhook-headers.ts'
import { webhookResult } from './webhook-outcome.ts'
import { openWebhookSecrets, type WantedSecrets, type WebhookSecrets } from './webhook-secrets.ts'

/** How much of an answer is received, so that its connection can be used again. What it says is not kept. */
const responseBytesMax = 65_536

type WebhookJob = HandledJob<typeof webhookDelivery.payload>

interface DeliveryDeps {
  readonly client: OutgoingClient
  readonly settings: WebhookSettings
  /** Undefined without a file of secrets. */
  readonly secrets: WebhookSecrets | undefined
}

/**
 * Delivers webhooks by the rules of Standard Webhooks. Each attempt of a job carries the same `webhook-id`, the job's id, by which
 * a receiver can drop repeats. Rejects when the file of secrets cannot be read.
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
    await receiveRest(response)
    ctx.progress(100)
    return webhookResult(response)
  })
}

/** The request with its signature. Its timestamp is that of this attempt: receivers refuse old ones. */
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
  wanted: WantedSecrets,
  { ctx, secrets }: { readonly ctx: ExecutionContext; readonly secrets: WebhookSecrets | undefined },
): Promise<readonly Buffer[]> {
  if (secrets !== undefined) return secrets.secretsFor(wanted, ctx.logger)
  throw new Error('the payload names a secret, and WEBHOOK_SECRETS_FILE is not set')
}

/**
 * The status has decided what becomes of the delivery. An answer that is too long, too slow or cut off changes nothing in
 * that: it only costs the connection.
 */
async function receiveRest(response: OutgoingResponse): Promise<void> {
  await readBody(response, responseBytesMax).catch(() => undefined)
}
