import type { Handler } from '@queue/executor'
import type { z } from 'zod'
import type { HandlerModule } from './handler-module.ts'
import { createOutgoingClient, type OutgoingClient } from './outgoing/outgoing-client.ts'
import {
  type BuiltInKind,
  type HandlerSettings,
  type handlerSettingsSchema,
  parseHandlerSettings,
} from './settings.ts'

export type HandlersOptions = z.input<typeof handlerSettingsSchema>

/** Handlers for `createWorker({ handlers })` or `HandlerExecutor`, and the connections that they keep. */
export interface BuiltInHandlers {
  readonly handlers: readonly Handler[]
  /** Ends all connections. To be called when the worker has stopped. */
  close(): Promise<void>
}

/**
 * Handlers that really do the work of the built-in kinds. Only the libraries of `kinds` are loaded, and only their settings are
 * demanded. Throws `InvalidInput` (code `invalid_options`) with every issue; rejects when a file that a setting names cannot be
 * read.
 */
export async function createHandlers(options: HandlersOptions): Promise<BuiltInHandlers> {
  const settings = parseHandlerSettings(options)
  const client = createOutgoingClient(settings.outgoing)
  const modules = await Promise.all([...new Set(settings.kinds)].map((kind) => open[kind](settings, client)))
  return {
    handlers: modules.map(({ handler }) => handler),
    close: async () => {
      await Promise.all(modules.map((module) => module.close()))
      await client.close()
    },
  }
}

type Open = (settings: HandlerSettings, client: OutgoingClient) => Promise<HandlerModule>

/** Each handler with its libraries, loaded on demand. `parseHandlerSettings` has seen that what they need is there. */
const open: Readonly<Record<BuiltInKind, Open>> = {
  send_email: async ({ email }) => {
    const { createSendEmail } = await import('./email/send-email.ts')
    return createSendEmail({ ...email, smtpUrl: email.smtpUrl ?? '', from: email.from ?? '' })
  },
  resize_image: async ({ images }, client) => {
    const { createResizeImage } = await import('./images/resize-image.ts')
    return createResizeImage({ ...images, results: images.results ?? '' }, client)
  },
  webhook_delivery: async ({ webhooks }, client) => {
    const { createWebhookDelivery } = await import('./webhooks/webhook-delivery.ts')
    return createWebhookDelivery(webhooks, client)
  },
  summarize_text: async () => {
    const { createSummarizeText } = await import('./summaries/summarize-text.ts')
    return createSummarizeText()
  },
}
