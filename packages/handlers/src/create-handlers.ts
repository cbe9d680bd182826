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

/** Handlers for `createWorker({ handlers })` or `HandlerExecutor`, with the connections that they keep. */
export interface BuiltInHandlers {
  readonly handlers: readonly Handler[]
  /** Closes all connections. Call it after the worker has stopped. */
  close(): Promise<void>
}

/**
 * Creates handlers that do the real work of the built-in kinds. Only the libraries of `kinds` are loaded, and only their settings
 * are required. Throws `InvalidInput` (code `invalid_options`) with every issue; rejects if a file that a setting names cannot
 * be read.
 */
export async function createHandlers(options: HandlersOptions): Promise<BuiltInHandlers> {
  const settings = parseHandlerSettings(options)
  const client = createOutgoingClient(settings.outgoing)
  const modules = await Promise.all(
    [...new Set(settings.kinds)].map((kind) => openModule[kind](settings, client)),
  )
  return {
    handlers: modules.map(({ handler }) => handler),
    close: async () => {
      await Promise.all(modules.map((module) => module.close()))
      await client.close()
    },
  }
}

type OpenModule = (settings: HandlerSettings, client: OutgoingClient) => Promise<HandlerModule>

/**
 * Loads each handler and its libraries on demand. `parseHandlerSettings` has checked that their required settings are present.
 */
const openModule: Readonly<Record<BuiltInKind, OpenModule>> = {
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
