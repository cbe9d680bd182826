import { z } from 'zod'
import { httpUrl } from './http-url.ts'
import { defineJob } from './job-definition.ts'
import type { JsonValue } from './json.ts'

/** Any JSON value. `writePayload` has checked the JSON already; a second walk by zod took ten times as long. */
const anyJson = z.unknown() as z.ZodType<JsonValue, JsonValue>
/** The characters of an HTTP field name (RFC 9110, section 5.1). */
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be an HTTP field name')
/** The value of an HTTP header. A line break in it could add another header to the request. */
const headerValue = z.string().regex(/^[^\r\n]*$/, 'must not contain a line break')
const emailBodyBytesMax = 256 * 1_024

export const sendEmail = defineJob({
  kind: 'send_email',
  payload: z.strictObject({
    to: z.email(),
    subject: z.string().min(1).max(998),
    body: z
      .string()
      .refine((text) => Buffer.byteLength(text) <= emailBodyBytesMax, 'must be at most 256 KiB'),
  }),
})

export const resizeImage = defineJob({
  kind: 'resize_image',
  payload: z.strictObject({
    source_url: httpUrl,
    width: z.int().min(1).max(10_000),
    height: z.int().min(1).max(10_000),
    format: z.enum(['jpeg', 'png', 'webp', 'avif']).optional(),
  }),
})

export const summarizeText = defineJob({
  kind: 'summarize_text',
  payload: z.strictObject({
    text: z.string().min(1).max(100_000),
    max_sentences: z.int().min(1).max(50).optional(),
  }),
})

export const webhookDelivery = defineJob({
  kind: 'webhook_delivery',
  payload: z.strictObject({
    url: httpUrl,
    method: z.enum(['POST', 'PUT', 'PATCH']).optional(),
    headers: z.record(headerName, headerValue).optional(),
    body: anyJson.optional(),
    /** The entry of the workers' file of secrets that signs the webhook. Without it, the webhook is unsigned. */
    secret_name: z.string().min(1).max(100).optional(),
  }),
})

/** The definitions of the built-in kinds. Every deployment has them. */
export const builtInJobs = [sendEmail, resizeImage, summarizeText, webhookDelivery] as const
